"""Jobs that choose settings of fine-tuning."""

import json

import pytest

from configurations import Opener, planned
from crosslingua.workflow import fine_tuning
from crosslingua.workflow.fine_tuning import Tuning
from crosslingua.workflow.workflow import Workflow

CORPORA = "results/tiny/corpora"
CHOSEN = "results/tiny/chosen_settings/align_mlm/mlm.trans"
GRID = {
    "pos": {"learning_rate": [1e-3, 2e-3], "freeze_embeddings": [False, True], "epochs": 1, "batch_size": 8}
}


@pytest.fixture
def w(opened: Opener) -> Workflow:
    return opened("tiny", {"encoders": {"seeds": [3, 4]}, "align_mlm": {"tasks": GRID}})


def test_a_list_of_values_is_chosen_from_on_the_natural_language(w: Workflow) -> None:
    cells = planned(fine_tuning.selection_plan(w, "align_mlm", "mlm.trans"))
    assert cells == [
        {
            "encoder": "results/tiny/encoders/mlm.trans/seed3",
            "seed": "3",
            "out": CHOSEN,
            "models": "results/tiny/fine_tuning/align_mlm/mlm.trans.seed3.models",
            "joint": "",
            "set": "pos.epochs=1 pos.batch_size=8 pos.learning_rate=0.001,0.002 pos.freeze_embeddings=false,true",
            "train": f"pos/ana={CORPORA}/pos/ana.train.conll",
            "valid": f"pos/ana={CORPORA}/pos/ana.valid.conll",
        }
    ]


def test_no_choice_is_given_a_test_file(w: Workflow) -> None:
    inputs = fine_tuning.selection_inputs(w, "align_mlm", "mlm.trans")
    assert inputs["encoder"] == "results/tiny/encoders/mlm.trans/seed3"
    assert not [path for path in (*inputs["train"], *inputs["valid"]) if ".test." in path]
    assert set(inputs) == {"encoder", "train", "valid"}


def test_all_seeds_are_tuned_with_what_was_chosen(w: Workflow) -> None:
    assert fine_tuning.tuning_inputs(w, "align_mlm", "mlm.trans")["selected"] == [CHOSEN]
    cells = planned(fine_tuning.tuning_plan(w, "align_mlm", "mlm.trans"))
    assert [cell["selected"] for cell in cells] == [CHOSEN, CHOSEN]
    own = w.config["align_mlm"]["tasks"]["ner"]
    assert set(cells[0]["set"].split()) == {
        "pos.epochs=1",
        "pos.batch_size=8",
        *(f"ner.{k}={json.dumps(v)}" for k, v in own.items()),
    }


def test_joint_validation_is_on_the_sets_of_the_tasks_that_have_a_grid() -> None:
    train, joint = (("pos", "en"), ("ner", "en")), (("pos", "en"), ("ner", "en"), ("pos", "de"))
    own = Tuning("e", train, (), {"pos": {"epochs": [1, 2]}, "ner": {"epochs": 1}}, joint)
    assert fine_tuning.chosen_on(own) == (("pos", "en"),)
    assert fine_tuning.validated_on(own) == (("pos", "en"), ("pos", "de"))
    assert own.validation == joint
    assert Tuning("e", train, ()).validation == train
    assert Tuning("e", train, ()).grids == {}
