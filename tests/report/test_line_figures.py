import json

import pytest

from crosslingua.errors import InputError
from crosslingua.report.figures import colour_of_vectors, colours_of, plot_losses, read_curve

CURVES = {
    "a run": {"step": [1, 2], "loss": [3.0, 2.0], "mlm": [3.0, 2.0]},
    "two terms": {"step": [1, 2], "loss": [5.0, 4.0], "mlm": [3.0, 2.0], "tlm": [2.0, 2.0]},
}


def test_a_panel_for_each_term_names_the_runs_that_have_it(tmp_path):
    plot_losses(CURVES, "", [tmp_path / "loss.svg"])
    drawn = (tmp_path / "loss.svg").read_text()
    assert [drawn.count(f"<!-- {name} -->") for name in ("mlm", "tlm", "a run", "two terms")] == [1, 1, 1, 2]


def test_reads_what_training_wrote(tmp_path):
    (tmp_path / "training.json").write_text(json.dumps({"loss_curve": CURVES["a run"]}))
    assert read_curve(tmp_path) == CURVES["a run"]
    (tmp_path / "training.json").write_text("{}")
    with pytest.raises(InputError, match="no loss_curve"):
        read_curve(tmp_path)


def test_one_colour_means_one_system_and_no_two_share_one() -> None:
    assert colours_of(["xlm", "xlm_align"])["xlm_align"] == colours_of(["xlm_align", "other"])["xlm_align"]
    assert len(set(colours_of(["a", "xlm", "b", "c", "d", "e", "f", "g"]).values())) == 8
    assert colours_of(["optimal_transport+xlmr"]).popitem()[1] == colours_of(["xlmr.trans"]).popitem()[1]
    families = {"joint_align": "joint_align_rcsls", "joint": "joint", "duong": "duong", "align": "procrustes"}
    for name, system in families.items():
        assert colour_of_vectors(system) == colours_of([name])[name]
