"""Controls of unsupervised mappers."""

from configurations import Opener, planned
from crosslingua.workflow import lexicons

EMBEDDINGS = "results/tiny/word_embeddings"


def test_an_unsupervised_mapper_is_controlled_by_one_language_twice(opened: Opener) -> None:
    w = opened("tiny", {"joint_align": {"controls": 3}})
    assert lexicons.controlled(w) == ["muse", "vecmap"]
    cells = planned(lexicons.control_plan(w))
    assert len(cells) == 2 * 2 * 3
    folder = f"{EMBEDDINGS}/independent/ana"
    assert [(cell["source"], cell["target"]) for cell in cells[:4]] == [
        (f"{folder}/seed1.vec", f"{folder}/seed2.vec"),
        (f"{folder}/seed2.vec", f"{folder}/seed1.vec"),
        (f"{folder}/seed1.vec", f"{folder}/seed2.vec"),
        (f"{folder}/even.seed1.vec", f"{folder}/odd.seed1.vec"),
    ]
    assert [cell["out"] for cell in cells] == lexicons.control_scores(w)
    alone = opened("tiny", {"seeds": [1]})
    assert {cell["source"] for cell in planned(lexicons.control_plan(alone))} == {f"{folder}/even.seed1.vec"}
    assert lexicons.controlled(opened("tiny", {"joint_align": {"controls": None}})) == []
