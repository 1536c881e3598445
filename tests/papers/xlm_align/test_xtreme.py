"""The plan of XTREME."""

from configurations import SCRATCH, Opener, job, jobs, rows
from crosslingua.papers.xlm_align.experiments import XlmAlign
from crosslingua.papers.xlm_align.xtreme import Xtreme
from crosslingua.workflow.results import targets
from crosslingua.workflow.workflow import Workflow


def xtreme(w: Workflow) -> Xtreme:
    found = XlmAlign(w).xtreme
    assert found
    return found


def with_pos(models: dict | None = None) -> dict:
    settings = {"epochs": 2, "lr": 1.0e-3}
    pos = {"train": "ana", "sets": "{language}", "settings": settings, "models": models}
    return {"xlm_align": {"xtreme": {"models": ["mbert", "xlm", "mt5", "xlmr"], "tasks": {"pos": pos}}}}


def test_settings_of_one_encoder_stand_over_those_of_the_task(opened: Opener) -> None:
    plain = opened(change=with_pos())
    own = opened(change=with_pos(models={"mbert": {"epochs": 6}, "mt5": None}))
    for name, epochs in (("mbert", 6), ("xlmr", 2)):
        assert f"pos.epochs={epochs}" in job(own, f"finetune/xlm_align.{name}").lines[0]["set"]
    tuned = {name: xtreme(own).tuning(name, "xtreme") for name in ("mbert", "xlm", "xlmr")}
    assert tuned["mbert"].settings["pos"] == {**xtreme(plain).settings_of("pos", "mbert"), "epochs": 6}
    for name in ("xlm", "xlmr"):
        assert tuned[name].settings["pos"] == xtreme(plain).tuning(name, "xtreme").settings["pos"]
    before, after = ([row for row in rows(w, "xlm_align") if row["task"] == "pos"] for w in (plain, own))
    both = zip(before, after, strict=True)
    moved = {old["system"] for old, new in both if old["config_hash"] != new["config_hash"]}
    assert moved == {"mbert"}  # not taken for the same


def test_a_task_may_name_the_encoders_that_are_tuned_on_it(opened: Opener) -> None:
    only = {"xlm_align": {"xtreme": {"tasks": {"pos": {"only": ["xlmr"]}}}}}
    w = opened(change=only)
    kinds = {one.encoder: {kind for kind, _ in one.train} for one in xtreme(w).fine_tunings["xtreme"]}
    assert {name for name, of in kinds.items() if "pos" in of} == {"xlmr"}
    assert all("ner" in of for of in kinds.values())
    none = {"xlm_align": {"xtreme": {"tasks": {"pos": {"only": []}}}}}
    assert list(xtreme(opened(change=none)).tasks) == ["ner"]
    opened.refuses(
        "xlm_align.xtreme.tasks.pos.only", ["nobody"], "'nobody' is not defined under xlm_align.xtreme.models"
    )


def test_a_grid_of_one_encoder_is_searched_for_it_alone(opened: Opener) -> None:
    w = opened(change=with_pos(models={"mt5": {"epochs": [2, 6]}}))
    assert "pos" in xtreme(w).tuning("mt5", "xtreme").grids
    assert "pos" not in xtreme(w).tuning("xlmr", "xtreme").grids
    joint = [name for kind, name in xtreme(w).tuning("mt5", "xtreme").joint if kind == "pos"]
    assert joint == ["ana", "ber", "cor", "dax"]
    assert [n for kind, n in xtreme(w).tuning("xlmr", "xtreme").joint if kind == "pos"] == ["ana"]


def test_an_empty_column_says_why(opened: Opener) -> None:
    """Of the languages tested, the sheet of scale real has no test set of these tasks."""
    note = xtreme(opened(SCRATCH)).tables()["table1"].note
    assert "Empty cells have no test data: XQuAD fr, nl, tr, hi; MLQA fr, nl, tr, hi;" in note
    assert "no test data" not in xtreme(opened()).tables()["table1"].note


def test_scale_real_tests_in_every_language_with_data(opened: Opener) -> None:
    w = opened("real")
    assert {task: " ".join(sorted(xtreme(w).tested(task))) for task in xtreme(w).tasks} == {
        "pos": "de en es eu fr hi hu it nl tr", "ner": "de en es eu fr hi hu nl tr", "xquad": "de en es",
        "mlqa": "de en es", "tydiqa": "en fi id ko sw", "xnli": "de en es fr hi tr", "pawsx": "de en es fr",
    }  # fmt: skip
    assert xtreme(w).untested() == {}


def test_languages_of_a_data_set_that_no_encoder_has_read_are_named(opened: Opener) -> None:
    read = opened("real", change={"xlm_align": {"xtreme": {"languages": None}}})
    note = xtreme(read).tables()["table1"].note
    others = "POS tr, eu, hu, hi, it; NER tr, eu, hu, hi; TyDiQA fi, id, ko, sw; XNLI tr, hi."
    assert note.endswith(f"Not tested, since no encoder trained here has read them: {others}")
    assert "Not tested" not in xtreme(opened()).tables()["table1"].note
    fewer = opened("real", change={"xlm_align": {"xtreme": {"languages": ["en", "fr", "tr"]}}})
    assert xtreme(fewer).untested()["xnli"] == ["de", "es", "hi"]
    told = "Not tested, since the configuration names other languages: POS"
    assert told in xtreme(fewer).tables()["table1"].note


def test_the_share_of_training_sets_is_told(opened: Opener) -> None:
    less = {"xlm_align": {"xtreme": {"tasks": {"ner": {"models": {"mbert": {"share": 0.25}}}}}}}
    demo, real = (
        xtreme(opened(scale, change)).tables()["table1"].note for scale, change in (("", less), (SCRATCH, {}))
    )
    told = "Share of the training set in use: "
    assert told + "mbert: NER 25 %." in demo
    assert told + "POS 50 %, NER 50 %." in real
    assert told not in xtreme(opened("paper")).tables()["table1"].note


def test_without_labelled_data_nothing_is_tuned_drawn_or_laid_out(opened: Opener) -> None:
    world = opened().config.world
    none = {key: dict.fromkeys(getattr(world, key)) for key in ("tasks", "derived")}
    w = opened(change={"world": none, "papers": ["xlm_align"]})
    paper = XlmAlign(w)
    assert paper.groups() == ["main"]
    assert paper.fine_tunings() == paper.exports() == paper.encoder_runs() == {}
    assert set(paper.tables()) == {"table2"}
    assert "xtreme" not in paper.drawings()
    assert set(targets(w)) == {"aer"}


def test_shortcuts_learn_from_as_much_as_the_encoder_that_learns_from_most(opened: Opener) -> None:
    def shares(w: Workflow) -> dict[str, set[str]]:
        lines = jobs(w)["score_predictions/xlm_align.xtreme"].lines
        return {
            task: {str(line["share"]) for line in lines if line["task"] == task} for task in ("pos", "nli")
        }

    less = {"xlm_align": {"xtreme": {"tasks": {"pos": {"models": {"mbert": {"share": 0.25}}}}}}}
    assert shares(opened("full", less)) == {"pos": {""}, "nli": {""}}  # mbert alone learns from a quarter
    assert shares(opened("real")) == {"pos": {"0.1"}, "nli": {"0.45"}}
