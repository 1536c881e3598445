"""Jobs of taggers: cells by seed and embedding, shares, and the files between the stages."""

import pytest

from configurations import Opener, planned
from crosslingua.workflow import fine_tuning, tagging
from crosslingua.workflow.tagging import Embedding, TaggedSet, Tagging
from crosslingua.workflow.workflow import Workflow

ONE = Embedding("same", "random_vectors", {"dimension": 8})
EACH = tuple(
    Embedding(f"seed{seed}", "static_vectors", {"vectors": f"{seed}.vec"}, (f"{seed}.vec",))
    for seed in (1, 2)
)
FEATURES = "results/tiny/features/joint_align/job"


@pytest.fixture
def w(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> Workflow:
    """A paper with two taggers: one on features of each seed, one on the same for both seeds and on two sets."""
    test = (TaggedSet("ber", EACH),)
    own = [
        Tagging("zero/ber", "job", "ner", "bilstm_crf", (TaggedSet("ana", EACH),), test, {"epochs": 2}, (1, 2)),
        Tagging(
            "joint/ber", "job", "ner", "linear", (TaggedSet("ana", (ONE,)), TaggedSet("ber", (ONE,), 0.25)),
            (TaggedSet("ber", (ONE,)),), {}, (1, 2),
        ),
    ]  # fmt: skip
    monkeypatch.setattr(tagging, "taggings", lambda w, paper: {"main": own})
    monkeypatch.setattr(fine_tuning, "taggings", lambda w, paper: {"main": own})
    return opened("tiny")


def test_seeds_that_share_their_features_are_one_cell(w: Workflow) -> None:
    found = planned(tagging.tagging_plan(w, "joint_align", "job"))
    assert [(cell["tagger"], cell["seed"], cell["out"].rpartition("job/")[2]) for cell in found] == [
        ("bilstm_crf", "1", "zero/ber"), ("bilstm_crf", "2", "zero/ber"), ("linear", "1 2", "joint/ber"),
    ]  # fmt: skip
    assert found[0]["train"] == (
        "ner/ana=results/tiny/corpora/ner/ana.train.conll," + f"{FEATURES}/seed1/ner.ana.train.safetensors"
    )
    assert [cell["share"] for cell in found] == ["", "", "ner/ber=0.25"]
    assert (found[0]["set"], found[2]["set"]) == ("epochs=2", "")


def test_every_file_of_features_is_made_once_and_every_one_that_is_read(w: Workflow) -> None:
    made = [cell["out"] for cell in planned(tagging.embedding_plan(w, "joint_align", "job"))]
    assert len(made) == len(set(made)) == 2 * 3 + 5
    cells = planned(tagging.tagging_plan(w, "joint_align", "job"))
    read = {
        word.split(",")[1]
        for cell in cells
        for split in ("train", "valid", "test")
        for word in cell[split].split()
    }
    assert read == set(made)


def test_a_job_depends_on_its_data_and_on_what_its_embedders_read(w: Workflow) -> None:
    inputs = tagging.embedding_inputs(w, "joint_align", "job")
    assert inputs["sources"] == ["1.vec", "2.vec"]
    assert set(inputs["data"]) == {
        f"results/tiny/corpora/ner/{name}.{split}.conll"
        for name in ("ana", "ber")
        for split in ("train", "valid")
    } | {"results/tiny/corpora/ner/ber.test.conll"}
    assert tagging.tagging_modules(w, "joint_align", "job") == [
        "crosslingua.embedders.random_vectors", "crosslingua.embedders.static_vectors",
        "crosslingua.taggers.bilstm_crf", "crosslingua.taggers.linear",
    ]  # fmt: skip


def test_predictions_of_taggers_are_scored_beside_those_of_encoders(w: Workflow) -> None:
    found = planned(fine_tuning.score_plan(w, "joint_align", "main"))
    own = [cell for cell in found if "/tagging/" in cell["hypothesis"]]
    assert [cell["hypothesis"].partition("joint_align/")[2] for cell in own] == [
        f"job/{name}/ber/seed{seed}/ber.conll" for name in ("zero", "joint") for seed in (1, 2)
    ]
    assert len(found) > len(own)
    assert len({cell["out"] for cell in found}) == len(found)
    inputs = fine_tuning.score_inputs(w, "joint_align", "main")
    assert "results/tiny/tagging/joint_align/job" in inputs["predictions"]
