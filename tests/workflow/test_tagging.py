"""Jobs of taggers, sets of labelled data, and null, which removes a key."""

from collections import Counter
from typing import Any

import pytest

import configurations
from configurations import Opener, job, lines, nested
from crosslingua.errors import ConfigError
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow import fine_tuning, labelled, tagging
from crosslingua.workflow.configuration import open_workflow
from crosslingua.workflow.jobs import In
from crosslingua.workflow.labelled import file_sets, labelled_path, parallel_paths, trees_path, world_path
from crosslingua.workflow.tagging import EmbeddedSet, Embedding, TaggerRun
from crosslingua.workflow.workflow import Workflow

ONE = Embedding("same", "random_vectors", {"dimension": 8})
EACH = tuple(Embedding(f"seed{seed}", "static_vectors", {"vectors": In(f"{seed}.vec")}) for seed in (1, 2))
FEATURES = "results/tiny/features/joint_align/job"
EVERY_TASK = {"text", "dictionary", "bitext", "gold_alignment", *KINDS}
MEMBERS = "encoders.multilingual.members"


@pytest.fixture
def w(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> Workflow:
    """A paper with two taggers: one on features of each seed, one on the same for both seeds and on two sets."""
    test = (EmbeddedSet("ber", EACH),)
    both = (EmbeddedSet("ana", (ONE,)), EmbeddedSet("ber", (ONE,), 0.25))
    own = [
        TaggerRun("zero/ber", "job", "ner", "bilstm_crf", (EmbeddedSet("ana", EACH),), test, {"epochs": 2}, (1, 2)),
        TaggerRun("joint/ber", "job", "ner", "linear", both, (EmbeddedSet("ber", (ONE,)),), {}, (1, 2)),
    ]  # fmt: skip
    planned = tagging.taggers

    def taggers(w: Workflow, paper: str) -> dict[str, list[TaggerRun]]:
        found = planned(w, paper)
        return {"main": [*found["main"], *own]} if paper == "joint_align" else found

    for module in (tagging, fine_tuning):
        monkeypatch.setattr(module, "taggers", taggers)
    monkeypatch.setattr(configurations, "shared_jobs", {})
    return opened("tiny")


def test_seeds_that_share_their_features_are_one_line(w: Workflow) -> None:
    found = lines(w, "train_tagger/joint_align.job")
    told = [(line["tagger"], line["seed"], line["out"].rpartition("job/")[2]) for line in found]
    assert told == [*(("bilstm_crf", seed, "zero/ber") for seed in "12"), ("linear", "1 2", "joint/ber")]
    features = f"{FEATURES}/seed1/ner.ana.train.safetensors"
    assert found[0]["train"] == f"ner/ana=results/tiny/corpora/ner/ana.train.conll,{features}"
    assert [line["share"] for line in found] == ["", "", "ner/ber=0.25"]
    assert (found[0]["set"], found[2]["set"]) == ("epochs=2", "")


def test_every_file_of_features_is_made_once_and_every_one_that_is_read(w: Workflow) -> None:
    made = [line["out"] for line in job(w, "embed_words/joint_align.job").lines]
    assert len(made) == len(set(made)) == 2 * 3 + 5
    tagged = job(w, "train_tagger/joint_align.job").lines
    words = [word for line in tagged for split in ("train", "valid", "test") for word in line[split]]
    assert {word.split(",")[1] for word in words} == set(made)


def test_a_job_depends_on_its_data_and_on_what_its_embedders_read(w: Workflow) -> None:
    embedding, training = job(w, "embed_words/joint_align.job"), job(w, "train_tagger/joint_align.job")
    sets = ("ana.train", "ana.valid", "ber.train", "ber.valid", "ber.test")
    data = {f"results/tiny/corpora/ner/{name}.conll" for name in sets}
    assert set(embedding.files()) == {"1.vec", "2.vec"} | data
    assert set(training.files()) == {FEATURES} | data
    embedders = ["crosslingua.embedders.random_vectors", "crosslingua.embedders.static_vectors"]
    assert embedding.members == embedders
    assert training.members == [*embedders, "crosslingua.taggers.bilstm_crf", "crosslingua.taggers.linear"]


def test_predictions_of_taggers_are_scored_beside_those_of_encoders(w: Workflow) -> None:
    scoring = job(w, "score_predictions/joint_align.main")
    own = [line for line in scoring.lines if "/joint_align/job/" in line["hypothesis"]]
    files = [f"job/{name}/ber/seed{seed}/ber.conll" for name in ("zero", "joint") for seed in (1, 2)]
    assert [line["hypothesis"].partition("joint_align/")[2] for line in own] == files
    assert len(scoring.lines) > len(own)
    assert len({line["out"] for line in scoring.lines}) == len(scoring.lines)
    assert "results/tiny/tagging/joint_align/job" in scoring.files()


@pytest.mark.parametrize("scale", ["", "tiny", "full", "real", "paper"])
def test_a_scale_has_data_of_every_task_each_file_once(opened: Opener, scale: str) -> None:
    w = opened(scale)
    sets = list(file_sets(w))
    assert {made.task for made in sets} == EVERY_TASK
    files = [file for made in sets for file in made.files]
    assert max(Counter(files).values()) == 1
    assert labelled.all_data(w) == [f"{w.corpora}/{file}" for file in files]
    reports = [made.report for made in sets if made.report]
    assert not set(reports) & set(files)


def test_the_world_needs_no_download_and_published_sets_do(opened: Opener) -> None:
    assert labelled.all_fetched(opened()) == []
    real = labelled.all_fetched(opened("real"))
    assert {"data/conll2003/conll2003.zip", "data/universal-tagset/universal_tagset.zip"} <= set(real)
    assert {"data/wikitext-2/wikitext-2-v1.zip", "data/muse-full/en-de.dict"} <= set(real)
    assert real == sorted(set(real))


def test_of_the_world_the_languages_with_text_and_the_language_pairs(opened: Opener) -> None:
    sets = list(file_sets(opened("tiny")))
    named = {task: {made.name for made in sets if made.task == task} for task in EVERY_TASK}
    assert named["text"] == {"ana", "ber", "ana_trans", "ana_trans_inv", "ana_trans_syn"}
    assert named["ner"] == named["text"]
    kinds = ("translated", "long", "short")
    assert named["qa"] == named["text"] | {f"{name}_{kind}" for name in ("ana", "ber") for kind in kinds}
    assert named["slots"] == named["text"] | {"ana_translated", "ber_translated"}
    assert named["bitext"] == named["gold_alignment"] == {"ana-ber"}
    assert named["dictionary"] == {"ana-ber.world"}


def test_a_published_set_names_its_files_and_its_splits_and_a_derived_one_those_of_its_parent(opened) -> None:
    sheet = opened.with_sheet("pos\txx\tconll2003\t\t\tvalid\tlanguage=en universal=true")
    sets = list(file_sets(opened(change=sheet)))
    derived = [made for made in sets if (made.task, made.name) == ("nli", "ana_trans")]
    assert {made.split: made.report for made in derived} == dict.fromkeys(("train", "valid", "test"))
    (made,) = [made for made in sets if (made.task, made.name) == ("pos", "xx")]
    assert (made.files, made.split) == (("pos/xx.test.conll",), "test")
    assert (made.languages, made.report) == (("en",), "pos/xx.test.conll.report.json")
    assert set(made.inputs) == {("conll2003", "conll2003.zip"), ("universal-tagset", "universal_tagset.zip")}


def test_where_files_lie() -> None:
    assert labelled_path("nli", "de", "test") == "nli/de.test.tsv"
    assert labelled_path("qa", "de", "test") == "qa/de.test.json"
    assert world_path("pos", "ana", "test") == "pos/ana.test.conllu"
    assert world_path("ner", "ana", "test") == "ner/ana.test.conll"
    assert trees_path("pos", "ana", "valid") == "pos/ana.valid.conllu"
    assert trees_path("ner", "ana", "valid") == "trees/ner/ana.valid.conllu"
    assert trees_path("text", "ana", "") == "trees/text/ana.conllu"
    texts = ["bitext/en-de.x.en.txt", "bitext/en-de.x.de.txt"]
    assert parallel_paths("bitext", "en-de.x", {"from": "europarl"}) == texts
    assert parallel_paths("bitext", "en-de.x", {"from": "world"}) == [*texts, "bitext/en-de.x.links"]
    assert parallel_paths("gold_alignment", "a-b", {"from": "x"})[2:] == ["gold_alignment/a-b.links"]


def test_the_two_sides_of_a_pair_and_files_of_data_sets(opened: Opener) -> None:
    w = opened("real")
    files = [f"results/real/corpora/bitext/en-de.valid.{language}.txt" for language in ("en", "de")]
    assert [labelled.side_of(w, "bitext", "en-de.valid", side) for side in (0, 1)] == files
    assert labelled.sides(w, "bitext", ["en-de.valid"]) == {"en-de.valid": files}
    w = opened(change={"data": {"folder": "/big disk"}})
    assert labelled.fetched(w, [("a", "x.zip")]) == ["/big disk/a/x.zip"]


@pytest.mark.parametrize(("named", "expected"), [
    (None, ["ber", "cor", "dax"]), (2, ["ber", "cor"]), (9, ["ber", "cor", "dax"]),
    (["dax", "eno"], ["dax", "eno"]), (["pairs", "eno"], ["ber", "cor", "dax", "eno"]),
    (["dax", "pairs"], ["dax", "ber", "cor"]), ([], []),
])  # fmt: skip
def test_a_key_takes_what_pairs_give_or_some_of_it_or_names_sets(named: Any, expected: list[str]) -> None:
    assert labelled.chosen(named, ["ber", "cor", "dax"]) == expected
    assert labelled.chosen(named, []) == (labelled.by_name(named) if isinstance(named, list) else [])


def test_a_training_set_is_transferred_to_sets_with_its_labels(opened: Opener) -> None:
    expected = {
        ("ner", "en"): ["de", "es", "nl"],  # no French but of other names
        ("ner", "en_panx"): ["de_panx", "fr_panx", "es_panx", "nl_panx"],
        ("slots", "en_facebook"): ["es_facebook"],
        ("slots", "en_snips_as_xsid"): ["de_xsid", "nl_xsid"],
        ("pos", "eng"): ["de_universal", "es", "nl"],  # universal tags, whatever the name
        ("pos", "en"): [],  # not universal: Spanish and Dutch of this name have other tags
        ("pos", "en_udpos"): ["de_udpos", "fr_udpos", "es_udpos", "nl_udpos"],
        ("ner", "ana"): [],  # not there
    }
    w = opened("real")
    assert {(task, name): labelled.transferred(w, task, name) for task, name in expected} == expected


@pytest.mark.parametrize(("scale", "key", "meant"), [
    ("", "joint_align.systems.procrusts", "procrustes"),
    ("", "joint_align.translation.systems.duon", "duong"),
    ("", f"{MEMBERS}.xlmrr", "xlmr"),
    ("", "align_mlm.systems.dict_mln", "dict_mlm"),
    ("", "laser_taggers.systems.bpe_grus", "bpe_gru"),
    ("", "word_alignment.aligners.fast_allign", "fast_align"),
    ("", "xlm_align.encoders.xlm_algn", "xlm_align"),
    ("paper", "xlm_align.xtreme.tasks.pos.models.mt6", "mt5"),
    ("", "world.text.annas", "ana"),
])  # fmt: skip
def test_a_mistyped_name_is_not_taken_out_silently(opened: Opener, scale: str, key: str, meant: str) -> None:
    *_, name = key.split(".")
    opened.refuses(key, None, f"null removes a key, .* no '{name}' .*did you mean '{meant}'", scale)


@pytest.mark.parametrize("key", [
    "joint_align.systems.joint_vr",
    "joint_align.systems.muse",  # null already
    "joint_align.search.rcsls",  # that nothing is searched for
    "mbert_align.transfer.ner.ber",  # those that `pairs` give
    f"{MEMBERS}.mt5.settings.dropout",  # which encoders.settings has
])  # fmt: skip
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
    assert open_workflow(config("another"), files)
    with pytest.raises(ConfigError, match=r"^wrong\.yaml: joint_align\.systems\.an_other: null .*'another'"):
        open_workflow(config("an_other"), [*files[:-1], "wrong.yaml"])
