"""Jobs of fine-tuning: an encoder's cells, what is predicted, and its scores."""

import json

import pytest

from configurations import Opener, planned
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow import fine_tuning
from crosslingua.workflow.fine_tuning import Prediction, Tuning
from crosslingua.workflow.runs import runs
from crosslingua.workflow.workflow import Workflow

CORPORA = "results/tiny/corpora"
TUNINGS = "results/tiny/fine_tuning/align_mlm"


@pytest.fixture
def w(opened: Opener) -> Workflow:
    return opened("tiny", {"encoders": {"seeds": [3, 4]}})


def test_a_prediction_lies_where_finetune_writes_it_and_its_score_beside_the_others() -> None:
    one = Prediction("mlm.trans", 3, "nli", "ana", "ana_trans")
    assert one.path == "mlm.trans/seed3/nli/ana/ana_trans.txt"
    assert one.score == "mlm.trans/seed3/nli.ana.ana_trans.json"


def test_papers_that_tune_nothing_have_no_fine_tunings(opened: Opener, w: Workflow) -> None:
    assert [len(group) for group in fine_tuning.fine_tunings(w, "joint_align").values()] == [2]
    without = opened("tiny", {"joint_align": {"table3": None}})
    assert not any(fine_tuning.fine_tunings(without, "joint_align").values())
    assert fine_tuning.fine_tunings(without, "mbert_align") == {}


def test_a_fine_tuning_reads_every_seed_of_its_encoder_and_each_split_where_it_is_used(w: Workflow) -> None:
    assert fine_tuning.tuning_inputs(w, "align_mlm", "mlm.trans") == {
        "encoders": ["results/tiny/encoders/mlm.trans/seed3", "results/tiny/encoders/mlm.trans/seed4"],
        "train": [
            f"{CORPORA}/{task}/{name}.train.conll" for task in ("ner", "pos") for name in ("ana", "ana_trans")
        ],
        "valid": [
            f"{CORPORA}/{task}/{name}.valid.conll" for task in ("ner", "pos") for name in ("ana", "ana_trans")
        ],
        "test": [f"{CORPORA}/ner/ana_trans.test.conll", f"{CORPORA}/pos/ana_trans.test.conll"],
        "selected": [],
    }


def test_a_fine_tuning_is_a_cell_a_seed(w: Workflow) -> None:
    cells = planned(fine_tuning.tuning_plan(w, "align_mlm", "mlm.trans"))
    assert [(cell["encoder"], cell["seed"], cell["out"]) for cell in cells] == [
        (f"results/tiny/encoders/mlm.trans/seed{seed}", str(seed), f"{TUNINGS}/mlm.trans/seed{seed}")
        for seed in (3, 4)
    ]
    inputs = fine_tuning.tuning_inputs(w, "align_mlm", "mlm.trans")
    for split in ("train", "valid", "test"):
        told = dict(word.split("=") for word in cells[0][split].split())
        assert list(told.values()) == inputs[split]
        assert all(path.startswith(f"{CORPORA}/{name}.{split}.") for name, path in told.items())
    settings = w.config["align_mlm"]["tasks"]
    expected = {f"{task}.{k}={json.dumps(v)}" for task in ("ner", "pos") for k, v in settings[task].items()}
    assert set(cells[0]["set"].split()) == expected


@pytest.mark.parametrize("scale", ["tiny", "full", "small", "paper"])
def test_an_encoder_knows_every_language_that_align_mlm_tunes_it_in(opened: Opener, scale: str) -> None:
    w = opened(scale, {})
    for own in fine_tuning.fine_tunings(w, "align_mlm")["main"]:
        told = fine_tuning.data_files(w, own, (*own.train, *own.test), "test")
        assert {name.partition("/")[2] for name in told} <= set(runs(w)[own.encoder].languages)


def test_a_set_in_another_name_of_an_encoder_s_language_is_read_in_that_language(opened: Opener) -> None:
    """Where real text is derived from, English is `eng`, of which encoders of several languages know nothing."""
    w, sets = opened("small", {}), (("pos", "eng"), ("pos", "eng_trans"))
    assert list(fine_tuning.read_languages(w, Tuning("mlm.trans", sets, ())).values()) == ["eng", "eng_trans"]
    assert list(fine_tuning.read_languages(w, Tuning("xlm", sets, ())).values()) == ["en", "eng_trans"]


def test_an_encoder_is_found_in_any_group(w: Workflow) -> None:
    own = fine_tuning.tuning(w, "align_mlm", "align_mlm_dictionary_50.trans_inv")
    assert own.test == (("ner", "ana_trans_inv"), ("pos", "ana_trans_inv"))
    modules = ["crosslingua.tasks.tagging", "crosslingua.tasks.text_to_text.tags"]
    assert fine_tuning.tuning_modules(w, "align_mlm", own.encoder) == modules
    assert fine_tuning.score_modules(w, "align_mlm", "ablations") == ["crosslingua.tasks.scoring"]


def test_device_and_threads_are_those_of_encoders(opened: Opener) -> None:
    assert fine_tuning.tuning_options(opened("tiny")) == {"threads": 1, "device": "cpu"}
    assert fine_tuning.tuning_options(opened("paper")) == {"threads": 8, "device": "cuda"}


def test_what_is_tuned_on_every_set_is_tested_on_every_set_of_the_same_task(w: Workflow) -> None:
    train = (("ner", "ana"), ("ner", "ber"), ("xquad", "ana_short"))
    own = Tuning("e", train, (("ner", "cor"), ("xquad", "cor_long"), ("xquad", "dax_long")))
    found = [
        (one.seed, one.task, one.trained, one.tested, one.gold) for one in fine_tuning.predictions(w, own)
    ]
    assert found == [
        (seed, *rest)
        for seed in (3, 4)
        for rest in (
            ("ner", "ana", "cor", "cor"),
            ("ner", "ber", "cor", "cor"),
            ("xquad", "ana", "cor", "cor_long"),  # named by language, scored against its set
            ("xquad", "ana", "dax", "dax_long"),
        )
    ]


@pytest.mark.parametrize("group", ["main", "ablations"])
def test_every_prediction_of_a_group_is_scored_against_its_gold(w: Workflow, group: str) -> None:
    cells = planned(fine_tuning.score_plan(w, "align_mlm", group))
    inputs = fine_tuning.score_inputs(w, "align_mlm", group)
    tunings = fine_tuning.fine_tunings(w, "align_mlm")[group]
    assert len(cells) == len(tunings) * 2 * 2 * 2  # seeds, tasks, languages that train
    assert {cell["gold"] for cell in cells} == set(inputs["gold"])
    for cell in cells:
        folder = next(
            folder for folder in inputs["predictions"] if cell["hypothesis"].startswith(f"{folder}/")
        )
        assert folder.startswith(f"{TUNINGS}/")
        assert cell["hypothesis"].endswith(f".{KINDS[cell['task']].prediction_suffix}")
        assert cell["out"].startswith(f"results/tiny/scores/align_mlm.{group}/")
    assert len({cell["out"] for cell in cells}) == len(cells)


def test_probes_read_each_encoder_and_its_pairs_of_tokens(w: Workflow) -> None:
    cells = planned(fine_tuning.probe_plan(w, "align_mlm", "ablations"))
    names = [f"align_mlm_{changed}.trans_inv" for changed in ("dictionary_50", "steps_30")]
    trained = {
        f"{name}.seed{seed}": f"results/tiny/encoders/{name}/seed{seed}" for name in names for seed in (3, 4)
    }
    assert cells == [
        {
            "encoder": folder,
            "pairs": f"{folder}/token_pairs.tsv",
            "languages": "ana ana_trans_inv",
            "out": f"results/tiny/probes/align_mlm.ablations/{name}.json",
        }
        for name, folder in trained.items()
    ]
    assert fine_tuning.probe_inputs(w, "align_mlm", "ablations") == list(trained.values())
