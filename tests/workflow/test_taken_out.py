"""Null removes a key: an unknown name is an error wherever users choose names."""

import pytest

from configurations import SCHEMA, Opener, nested
from crosslingua.errors import ConfigError
from crosslingua.workflow.configuration import open_workflow

MEMBERS = "encoders.multilingual.members"


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("joint_align.systems.procrusts", "procrustes"),
        ("joint_align.translation.systems.duon", "duong"),
        (f"{MEMBERS}.xlmrr", "xlmr"),
        ("align_mlm.systems.dict_mln", "dict_mlm"),
        ("laser_taggers.systems.bpe_grus", "bpe_gru"),
        ("word_alignment.aligners.fast_allign", "fast_align"),
        ("xlm_align.encoders.xlm_algn", "xlm_align"),
        ("xlm_align.xtreme.tasks.pos.models.mt6", "mt5"),
        ("world.text.annas", "ana"),
    ],
)
def test_a_mistyped_name_is_not_taken_out_silently(opened: Opener, key: str, meant: str) -> None:
    *_, name = key.split(".")
    opened.refuses(key, None, f"null removes a key, .* no '{name}' .*did you mean '{meant}'")


@pytest.mark.parametrize(
    "key",
    [
        "joint_align.systems.joint_vr",
        "joint_align.systems.muse",  # null already
        "joint_align.search.rcsls",  # that nothing is searched for
        "mbert_align.transfer.ner.ber",  # those that `pairs` give
        f"{MEMBERS}.mt5.settings.dropout",  # which encoders.settings has
    ],
)
def test_what_is_there_is_taken_out_and_other_nulls_are_values(opened: Opener, key: str) -> None:
    assert opened(change=nested(key))


def test_the_file_of_the_mistake_is_named_and_what_a_file_before_it_adds_can_go(opened: Opener) -> None:
    mine = "scale: mine\njoint_align: {systems: {%s: null}}\n"
    added = "scale: mine\njoint_align: {systems: {another: {embeddings: joint, mapper: null}}}\n"
    for name, text in (("first", added), ("right", mine % "another"), ("wrong", mine % "an_other")):
        (opened.folder / f"{name}.yaml").write_text(text)

    def config(name: str) -> dict:
        return opened.merged(change={"scale": "mine"} | nested(f"joint_align.systems.{name}"))

    files = ["config.yaml", "first.yaml", "right.yaml"]
    assert open_workflow(config("another"), SCHEMA, files)
    with pytest.raises(ConfigError, match=r"^wrong\.yaml: joint_align\.systems\.an_other: null .*'another'"):
        open_workflow(config("an_other"), SCHEMA, [*files[:-1], "wrong.yaml"])
