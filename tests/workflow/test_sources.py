"""Where data come from, by scale; and how sheets, your own files and the world are put together."""

from pathlib import Path

import pytest

from configurations import SCHEMA, XLING_EVAL, Opener
from crosslingua.errors import ConfigError
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow.configuration import open_workflow
from crosslingua.workflow.sources import dictionaries_of, family

WORLD = ["ana", "ber", "cor", "dax", "eno", "fyr"]


def test_the_world_tells_every_kind_of_data_in_every_language(opened: Opener) -> None:
    sources = opened().sources
    assert sources.named_from("text", "world") == WORLD
    assert sources.languages["eno"] == {"from": "world", "sentences": 8000}
    for task in KINDS:
        assert [name for name in sources.named_from(task, "world") if "_" not in name] == WORLD, task
    assert sources.sets["ner"]["ber"] == {"from": "world", "train": 1500, "valid": 300, "test": 600}
    assert sources.sets["slots"]["ber_translated"]["variant"] == "translated"
    assert sources.language("slots", "ber_translated") == "ber"
    assert sources.sets["bitext"]["fyr-ana"] == {"from": "world", "sentences": 10000}
    assert sources.sets["gold_alignment"]["ana-fyr"]["split"] == "test"
    assert len(sources.sets["bitext"]) == 6 * 5


def test_null_takes_a_language_a_kind_and_a_derived_language_out(opened: Opener) -> None:
    world = {"text": {"fyr": None}, "tasks": {"qa": None}, "derived": {"ana_trans": None}}
    sources = opened(change={"world": world, "align_mlm": {"transformations": {"trans": None}}}).sources
    assert "fyr" not in sources.languages
    assert sources.sets["qa"] == {}
    assert "ana_trans" not in sources.languages
    assert "ana_trans" not in sources.sets["nli"]


def test_a_derived_language_has_the_labelled_sets_that_its_parent_has_whole(opened: Opener) -> None:
    demo = opened().sources
    assert demo.root("ner", "ana_trans") == demo.root("text", "ana_trans") == "ana"
    assert demo.origin("ner", "ana_trans") == "derived"
    derived = {"derived_from": "ana", "transform": "trans_inv", "overlap": 0.25}
    assert demo.sets["nli"]["ana_trans_inv_25"] == derived
    small = opened("small").sources
    assert {task for task in KINDS if "eng_trans" in small.sets[task]} == {"ner", "pos", "nli"}
    assert small.splits("ner", "eng_trans") == ["train", "valid", "test"]
    assert small.splits("ner", "de") == ["test"]


@pytest.mark.parametrize(
    ("scale", "languages", "dictionaries"),
    [
        ("small", ["en", "de", "fr", "es", "nl", "eng"], ["muse_full"]),
        ("paper", ["en", "es", "fr", "de", "it", "ru", "zh", "nl", "eng"], ["muse"]),
    ],
)
def test_a_scale_without_the_world_has_what_its_sheet_has(
    opened: Opener, scale: str, languages: list[str], dictionaries: list[str]
) -> None:
    sources = opened(scale).sources
    own = {name: entry for name, entry in sources.languages.items() if "." not in name}
    assert {name for name, entry in own.items() if "derived_from" not in entry} == set(languages)
    assert list(sources.dictionaries) == dictionaries
    assert sources.named_from("text", "world") == sources.named_from("bitext", "world") == []
    assert sources.place("text", "en") == f"scales/{scale}.tsv:4: text en"
    assert sources.languages["eng.wiki" if scale == "small" else "eng"]["member"].startswith("wikitext-")
    everything = sum(map(len, (*sources.sets.values(), sources.languages, dictionaries)))
    derived = len(sources.named_from("text", "derived"))
    text = Path(f"scales/{scale}.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert everything - derived * 3 == len(lines) - 1  # of the derived: ner, pos and nli


def test_a_sheet_and_your_own_files_stand_beside_the_world(opened: Opener) -> None:
    sheet = opened.sheet(
        "text\tsv\tfile\tsvenska.txt",
        "bitext\tsv-en.mine\tfile\ta.sv a.en",
        "bitext\tsv-en.dev\tfile\t\tb.sv b.en",
        "ner\tsv\tfile\ttrain.conll\tvalid.conll\ttest.conll\tformat=conll",
        "dictionary\tmine\tfile\t{source}.{target}.train\t\t{source}.{target}.test",
    )
    own = {"sw": {"path": "swahili.txt", "tokeniser": "whitespace"}}
    pairs = {"train": "{source}-{target}.train", "test": "x-{source}-{target}"}
    w = opened(change={"data": {"sheets": [sheet]}, "languages": own, "dictionaries": pairs})
    sources = w.sources
    assert sources.languages["sw"] == {"from": "file", "path": "swahili.txt", "tokeniser": "whitespace"}
    assert sources.languages["sv"] == {"from": "file", "path": "svenska.txt"}
    assert sources.named_from("text", "file") == ["sv", "sw"]
    assert sources.sets["bitext"]["sv-en.mine"] == {"from": "file", "files": ["a.sv", "a.en"], "use": "train"}
    assert sources.sets["bitext"]["sv-en.dev"]["use"] == "valid"
    assert sources.sets["ner"]["sv"]["test"] == "test.conll"
    assert list(sources.dictionaries) == ["world", "world_published", "world_30", "world_55", "mine", "own"]
    assert dictionaries_of(sources, ("ana", "ber"), w.datasets) == list(sources.dictionaries)
    assert dictionaries_of(sources, ("sw", "sv"), w.datasets) == ["mine", "own"]


def test_null_takes_a_language_of_your_own_out(opened: Opener) -> None:
    (opened.folder / "mine.yaml").write_text("scale: mine\nlanguages: {en: {path: en.txt}}\n")
    languages = {"sw": {"path": "sw.txt"}, "en": None, "tr": {"path": "tr.txt"}}
    config = opened.merged("own", {"scale": "mine", "languages": languages, "pairs": ["sw-tr"]})
    w = open_workflow(config, SCHEMA, ["config.yaml", "scales/own.yaml", "mine.yaml"])
    assert w.sources.named_from("text", "file") == ["sw", "tr"]


def test_a_pair_has_the_dictionaries_whose_both_files_are_published(opened: Opener) -> None:
    w = opened("small", {"data": {"sheets": ["scales/small.tsv", opened.sheet(XLING_EVAL)]}})
    found = {pair: dictionaries_of(w.sources, pair, w.datasets) for pair in (("en", "de"), ("en", "fi"))}
    assert found == {("en", "de"): ["muse_full", "xling_eval"], ("en", "fi"): ["xling_eval"]}
    assert dictionaries_of(w.sources, ("en", "xx"), w.datasets) == []


def test_the_family_is_that_of_the_file(opened: Opener) -> None:
    assert family({"languages": "world.yaml"}) == WORLD
    spelled = "{word_order: SVO, syllables: {onsets: [b], nuclei: [a], codas: [n]}}"
    (opened.folder / "two.yaml").write_text(f"languages: {{uno: {spelled}, due: {spelled}}}\n")
    assert family({"languages": "two.yaml"}) == ["uno", "due"]


def test_a_world_that_is_none_is_named(opened: Opener) -> None:
    (opened.folder / "mine.yaml").write_text("langages: {ana: {}}\n")
    with pytest.raises(ConfigError, match=r"mine\.yaml: .*\n.*langages.*did you mean 'languages'"):
        opened(change={"world": {"languages": "mine.yaml"}})
