"""Jobs of word embeddings, and the files of vectors."""

import pytest

from configurations import Opener
from crosslingua.workflow import vectors
from crosslingua.workflow.workflow import LexiconPair

PAIR = LexiconPair("ana", "ber", "world")
EMBEDDINGS = "results/tiny/word_embeddings"
MAPPED = "results/tiny/embedding_alignment/ana-ber.world"


def test_a_joint_vocabulary_may_be_twice_as_large(opened: Opener) -> None:
    demo, paper = opened(), opened("paper")
    assert vectors.fasttext_options(demo) == demo.config["word_embeddings"]
    assert vectors.fasttext_options(demo, joint=True)["max_vocabulary"] == 400000
    assert vectors.fasttext_options(paper)["dim"] == 300
    halves = [vectors.independent_options(demo, half)["lines"] for half in ("", "even.", "odd.")]
    assert halves == [None, "even", "odd"]
    assert (vectors.fasttext_options(paper)["minn"], vectors.fasttext_options(demo)["minn"]) == (3, 0)


def test_duong_trains_as_many_dimensions_as_the_others(opened: Opener) -> None:
    told = vectors.duong_options(opened("paper"))
    assert (told["dim"], told["min_count"], told["max_vocabulary"]) == (300, 5, 200000)
    assert (told["window"], told["combine"]) == (48, "output")


def test_joint_training_does_not_know_source_from_target(opened: Opener) -> None:
    w = opened("tiny")
    files = [f"{EMBEDDINGS}/concatenated/ana+ber/seed{seed}.vec" for seed in (1, 2)]
    assert vectors.joint_vectors(w, "ana", "ber") == vectors.joint_vectors(w, "ber", "ana") == files


@pytest.mark.parametrize(
    ("embeddings", "name", "expected"),
    [
        ("independent", "target.vec", "independent/ber/seed2.vec"),
        ("joint", "shared.txt", "joint/ana-ber/seed2.shared.txt"),
        ("joint_vr", "source.vec", "joint_vr/ana-ber.world/seed2.source.vec"),
        ("joint_replace", "source.vec", "joint_replace/ana-ber.world/seed2.source.vec"),
        ("duong", "target.vec", "duong/ana-ber.world/seed2.target.vec"),
    ],
)
def test_spaces_before_a_mapping(opened: Opener, embeddings: str, name: str, expected: str) -> None:
    assert vectors.space(opened("tiny"), embeddings, PAIR, 2, name) == f"{EMBEDDINGS}/{expected}"


def test_a_system_is_judged_by_its_mapping_or_its_space(opened: Opener) -> None:
    w = opened("tiny")
    assert vectors.final(w, "joint", PAIR, 1, "source.vec") == f"{EMBEDDINGS}/joint/ana-ber/seed1.source.vec"
    assert (
        vectors.final(w, "joint_ar_rcsls", PAIR, 1, "source.vec")
        == f"{MAPPED}/joint_ar_rcsls/seed1.source.vec"
    )


def test_what_sees_a_dictionary_in_training_follows_its_choice(opened: Opener) -> None:
    w = opened("tiny", {"joint_align": {"search": {"duong": {"delta": [0.01, 0.1], "combine": ["input"]}}}})
    told = vectors.choosing_options(w, "duong")
    assert (told["search"], told["seed"]) == (["delta=0.01|0.1", "combine=input"], 1)
    assert "dim=16" in told["set"]
    chosen = f"{EMBEDDINGS}/duong/ana-ber.world/choice.json"
    assert vectors.chosen_settings(w, "duong", PAIR, "") == [chosen]
    assert vectors.chosen_settings(w, "duong", PAIR, "published.") == []
    assert "window" not in vectors.duong_options(w, "published.")
