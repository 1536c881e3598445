"""Jobs of taggers: lines by seed and embedding, shares, and the files between the stages."""

import pytest

import configurations
from configurations import Opener, job, lines
from crosslingua.workflow import fine_tuning, tagging
from crosslingua.workflow.jobs import In
from crosslingua.workflow.tagging import EmbeddedSet, Embedding, TaggerRun
from crosslingua.workflow.workflow import Workflow

ONE = Embedding("same", "random_vectors", {"dimension": 8})
EACH = tuple(Embedding(f"seed{seed}", "static_vectors", {"vectors": In(f"{seed}.vec")}) for seed in (1, 2))
FEATURES = "results/tiny/features/joint_align/job"


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
