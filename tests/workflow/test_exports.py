"""What is laid out for somebody else's evaluation."""

from configurations import Opener, planned
from crosslingua.workflow import fine_tuning


def test_predictions_and_labels_are_laid_out_once_each(opened: Opener) -> None:
    w = opened("tiny")
    cells = planned(fine_tuning.export_plan(w))
    outs = [cell["out"] for cell in cells]
    assert len(set(outs)) == len(outs)
    for what, folder in (("gold", "labels"), ("predicted", "xlmr/seed1")):
        (pos,) = [cell for cell in cells if cell["out"] == f"results/tiny/xtreme/{folder}/udpos/test-ana.tsv"]
        assert (pos["task"], pos["what"]) == ("pos", what)
    read = fine_tuning.export_inputs(w)
    assert len(set(read)) == len(read)
    assert all(any(cell["input"].startswith(path) for path in read) for cell in cells)


def test_nothing_is_laid_out_where_no_paper_asks(opened: Opener) -> None:
    assert fine_tuning.export_inputs(opened("tiny", {"papers": ["joint_align"]})) == []
