"""Jobs that divide a joint vocabulary, and reallocate its words."""

from types import SimpleNamespace

import pytest

from configurations import Opener, planned
from crosslingua.workflow import vectors
from crosslingua.workflow.workflow import LexiconPair

PAIR = LexiconPair("ana", "ber", "world")
EMBEDDINGS = "results/tiny/word_embeddings"


@pytest.mark.parametrize(
    ("kind", "read", "folder"),
    [
        ("joint", "concatenated/ana+ber", "joint/ana-ber"),
        ("joint_vr", "concatenated/ana+ber", "joint_vr/ana-ber.world"),
        ("joint_replace", "replaced/ana-ber.world", "joint_replace/ana-ber.world"),
    ],
)
def test_dividing_a_joint_vocabulary_is_a_cell_a_seed(
    opened: Opener, kind: str, read: str, folder: str
) -> None:
    place = SimpleNamespace(
        source="ana", target="ber", **({} if kind == "joint" else {"dictionary": "world"})
    )
    without = dict.fromkeys(("joint_vr", "joint_align_muse", "joint_align_identity"))
    w = opened("tiny", {"joint_align": {"systems": without, "published_training": False}})
    cells = planned(vectors.division_plan(w, kind, place))
    assert cells == [
        {
            "vectors": f"{EMBEDDINGS}/{read}/seed{seed}.vec",
            "seed": str(seed),
            "report": f"{EMBEDDINGS}/{folder}/division.json",
            "out_source": f"{EMBEDDINGS}/{folder}/seed{seed}.source.vec",
            "out_target": f"{EMBEDDINGS}/{folder}/seed{seed}.target.vec",
            "out_shared": f"{EMBEDDINGS}/{folder}/seed{seed}.shared.txt",
        }
        for seed in (1, 2)
    ]


def test_a_gamma_without_a_dictionary_is_chosen_where_the_joint_vocabulary_is_divided(opened: Opener) -> None:
    place = SimpleNamespace(source="ana", target="ber")
    cells = planned(vectors.division_plan(opened("tiny"), "joint", place))
    assert [cell["gamma"] for cell in cells] == ["", "", "0.7 0.9", "0.7 0.9"]
    assert cells[2] == {
        "vectors": f"{EMBEDDINGS}/concatenated/ana+ber/seed1.vec",
        "seed": "1",
        "report": f"{EMBEDDINGS}/joint_vr_unsupervised/ana-ber/division.json",
        "out_source": f"{EMBEDDINGS}/joint_vr_unsupervised/ana-ber/seed1.source.vec",
        "out_target": f"{EMBEDDINGS}/joint_vr_unsupervised/ana-ber/seed1.target.vec",
        "out_shared": f"{EMBEDDINGS}/joint_vr_unsupervised/ana-ber/seed1.shared.txt",
        "gamma": "0.7 0.9",
        "selection_mapper": "muse",
        "set": "initialisation=identity",
    }


def test_gamma_is_chosen_under_a_mapper_with_its_settings(opened: Opener) -> None:
    w = opened("tiny", {"vocabulary_reallocation": {"selection_mapper": "muse"}})
    told = vectors.reallocation_options(w, PAIR)
    assert (told["gamma"], told["selection_mapper"], told["max_vocabulary"]) == ([0.7, 0.9], "muse", 200000)
    dictionary = "results/tiny/corpora/dictionaries/ana-ber.world"
    assert (told["fit"], told["validation"]) == (f"{dictionary}/fit.txt", f"{dictionary}/validation.txt")
    assert {"n_epochs=1", "dis_hidden=128"} <= set(told["set"])
    assert vectors.reallocation_options(opened("paper"), PAIR)["set"] == []
    given = vectors.reallocation_options(opened("tiny", {"vocabulary_reallocation": {"gamma": [0.9]}}), PAIR)
    assert not {"fit", "validation"} & set(given)
