"""Jobs of encoders and their fine-tuning: lines, options, choice of settings, predictions, scores."""

import json

import pytest

from configurations import Opener, job, lines
from crosslingua.errors import ConfigError
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow import encoders, fine_tuning
from crosslingua.workflow.fine_tuning import Prediction, Tuning
from crosslingua.workflow.runs import runs
from crosslingua.workflow.workflow import Workflow

CORPORA = "results/tiny/corpora"
TUNINGS, ENCODERS = "results/tiny/fine_tuning/align_mlm", "results/tiny/encoders"
FULL = "results/full"
TEXT = f"{FULL}/corpora/text_cased"


@pytest.fixture
def w(opened: Opener) -> Workflow:
    return opened("tiny", {"encoders": {"seeds": [3, 4]}})


def test_papers_that_tune_nothing_have_no_fine_tunings(opened: Opener, w: Workflow) -> None:
    assert [len(group) for group in w.paper("joint_align").fine_tunings().values()] == [2]
    without = opened("tiny", {"joint_align": {"table3": None}})
    assert not any(without.paper("joint_align").fine_tunings().values())
    assert without.paper("mbert_align").fine_tunings() == {}


def test_a_fine_tuning_is_a_line_a_seed_and_reads_each_split_where_it_is_used(w: Workflow) -> None:
    tuned = lines(w, "finetune/align_mlm.mlm.trans")
    encoders, outs = ([f"{place}/mlm.trans/seed{seed}" for seed in "34"] for place in (ENCODERS, TUNINGS))
    told = [(line["encoder"], line["out"], line["seed"]) for line in tuned]
    assert told == list(zip(encoders, outs, "34", strict=True))
    sets = {"train": ("ana", "ana_trans"), "valid": ("ana", "ana_trans"), "test": ("ana_trans",)}
    files = []
    for split, names in sets.items():
        told = [f"{task}/{name}" for task in ("ner", "pos") for name in names]
        assert tuned[0][split].split() == [f"{name}={CORPORA}/{name}.{split}.conll" for name in told]
        files += [f"{CORPORA}/{name}.{split}.conll" for name in told]
    assert sorted(job(w, "finetune/align_mlm.mlm.trans").files()) == sorted([*encoders, *files])
    settings = w.section("align_mlm").tasks
    expected = {f"{task}.{k}={json.dumps(v)}" for task in ("ner", "pos") for k, v in settings[task].items()}
    assert set(tuned[0]["set"].split()) == expected


@pytest.mark.parametrize("scale", ["tiny", "full", "real", "paper"])
def test_an_encoder_knows_every_language_that_align_mlm_tunes_it_in(opened: Opener, scale: str) -> None:
    w = opened(scale, {})
    for own in w.paper("align_mlm").fine_tunings()["main"]:
        assert set(fine_tuning.read_languages(w, own).values()) <= set(runs(w)[own.encoder].languages)


def test_a_set_in_another_name_of_an_encoder_s_language_is_read_in_that_language(opened: Opener) -> None:
    """Where real text is derived from, English is `eng`, of which encoders of several languages know nothing."""
    w, sets = opened("real", {}), (("pos", "eng"), ("pos", "eng_trans_inv"))
    assert list(fine_tuning.read_languages(w, Tuning("mlm.trans_inv", sets, ())).values()) == [
        "eng",
        "eng_trans_inv",
    ]
    assert list(fine_tuning.read_languages(w, Tuning("xlm", sets, ())).values()) == ["en", "eng_trans_inv"]


def test_the_code_of_a_job_is_that_of_its_tasks(w: Workflow) -> None:
    tuned = job(w, "finetune/align_mlm.align_mlm_dictionary_50.trans_inv")  # of the ablations
    assert tuned.members == ["crosslingua.tasks.tagging", "crosslingua.tasks.text_to_text"]
    assert job(w, "score_predictions/align_mlm.ablations").members == ["crosslingua.tasks.scoring"]


def test_device_and_threads_are_those_of_encoders(opened: Opener) -> None:
    name = "finetune/xlm_align.xlmr"
    assert job(opened("tiny"), name).options == {"threads": 1, "device": "cpu"}
    assert job(opened("paper"), name).options == {"threads": 8, "device": "cuda"}


def test_what_is_tuned_on_every_set_is_tested_on_every_set_of_the_same_task(w: Workflow) -> None:
    train = (("ner", "ana"), ("ner", "ber"), ("xquad", "ana_short"))
    own = Tuning("e", train, (("ner", "cor"), ("xquad", "cor_long"), ("xquad", "dax_long")))
    predicted = fine_tuning.predictions(w, own)
    assert [(one.seed, one.task, one.trained, one.tested, one.gold) for one in predicted] == [
        (seed, *rest)
        for seed in (3, 4)
        for rest in (
            ("ner", "ana", "cor", "cor"), ("ner", "ber", "cor", "cor"),
            # named by language, scored against its set
            ("xquad", "ana", "cor", "cor_long"), ("xquad", "ana", "dax", "dax_long"),
        )
    ]  # fmt: skip


@pytest.mark.parametrize("group", ["main", "ablations"])
def test_every_prediction_of_a_group_is_scored_against_its_gold(w: Workflow, group: str) -> None:
    scoring = job(w, f"score_predictions/align_mlm.{group}")
    tunings = w.paper("align_mlm").fine_tunings()[group]
    assert len(scoring.lines) == len(tunings) * 2 * 2 * 2  # seeds, tasks, languages that train
    # shortcuts of the sets for training are scored, too
    gold = {line[name] for line in scoring.lines for name in ("gold", "train")}
    assert set(scoring.files()) == gold | {f"{TUNINGS}/{one.encoder}" for one in tunings}
    for line in scoring.lines:
        assert line["hypothesis"].startswith(f"{line['hypothesis'].made_by[0]}/")
        assert line["hypothesis"].endswith(f".{KINDS[line['task']].form.predictions}")
        assert line["out"].startswith(f"results/tiny/scores/align_mlm.{group}/")
    assert len({line["out"] for line in scoring.lines}) == len(scoring.lines)


def test_probes_read_each_encoder_and_its_pairs_of_tokens(w: Workflow) -> None:
    names = [f"align_mlm_{changed}.trans_inv" for changed in ("dictionary_50", "steps_30")]
    trained = [(name, seed, f"{ENCODERS}/{name}/seed{seed}") for name in names for seed in (3, 4)]
    assert lines(w, "probe_embeddings/align_mlm.ablations") == [
        {"encoder": folder, "pairs": f"{folder}/token_pairs.tsv", "languages": "ana ana_trans_inv",
         "out": f"results/tiny/probes/align_mlm.ablations/{name}.seed{seed}.json"}
        for name, seed, folder in trained
    ]  # fmt: skip
    assert job(w, "probe_embeddings/align_mlm.ablations").files() == [folder for *_, folder in trained]


def test_predictions_and_labels_are_laid_out_once_each(opened: Opener) -> None:
    w = opened("tiny")
    one = Prediction("mlm.trans", 3, "nli", "ana", "ana_trans")
    assert one.file(w, "align_mlm") == f"{TUNINGS}/mlm.trans/seed3/nli/ana/ana_trans.txt"
    assert one.score == "mlm.trans/seed3/nli.ana.ana_trans.json"
    export = job(w, "export_xtreme")
    outs = [line["out"] for line in export.lines]
    assert len(set(outs)) == len(outs)
    for what, folder in (("gold", "labels"), ("predicted", "xlmr/seed1")):
        out = f"results/tiny/xtreme/{folder}/udpos/test-ana.tsv"
        (pos,) = [line for line in export.lines if line["out"] == out]
        assert (pos["task"], pos["what"]) == ("pos", what)
    assert "results/tiny/fine_tuning/xlm_align/xlmr" in export.files()
    with pytest.raises(ConfigError, match="is not defined under"):
        job(opened("tiny", {"papers": ["joint_align"]}), "export_xtreme")


CHOSEN = "results/tiny/chosen_settings/align_mlm/mlm.trans"
GRID = {"lr": [1e-3, 2e-3], "freeze_embeddings": [False, True], "epochs": 1, "batch_size": 8}


def test_a_value_is_chosen_on_the_natural_language_without_a_test_file_for_all_seeds(opened: Opener) -> None:
    w = opened("tiny", {"encoders": {"seeds": [3, 4]}, "align_mlm": {"tasks": {"pos": GRID}}})
    name, encoder = "select_settings/align_mlm.mlm.trans", f"{ENCODERS}/mlm.trans/seed3"
    data = {split: f"{CORPORA}/pos/ana.{split}.conll" for split in ("train", "valid")}
    settings = "pos.epochs=1 pos.batch_size=8 pos.lr=0.001,0.002 pos.freeze_embeddings=false,true"
    assert lines(w, name) == [{
        "encoder": encoder, "seed": "3", "out": CHOSEN, "models": f"{TUNINGS}/mlm.trans.seed3.models",
        "joint": "", "set": settings, **{split: f"pos/ana={file}" for split, file in data.items()},
    }]  # fmt: skip
    assert job(w, name).files() == [encoder, *data.values()]
    tuned = job(w, "finetune/align_mlm.mlm.trans")
    assert CHOSEN in tuned.files()
    assert [line["selected"] for line in tuned.lines] == [CHOSEN, CHOSEN]
    named = {f"ner.{k}={json.dumps(v)}" for k, v in w.section("align_mlm").tasks["ner"].items()}
    assert set(tuned.lines[0]["set"]) == {"pos.epochs=1", "pos.batch_size=8"} | named


def test_joint_validation_is_on_the_sets_of_the_tasks_that_have_a_grid() -> None:
    train, joint = (("pos", "en"), ("ner", "en")), (("pos", "en"), ("ner", "en"), ("pos", "de"))
    own = Tuning("e", train, (), {"pos": {"epochs": [1, 2]}, "ner": {"epochs": 1}}, joint)
    assert own.chosen_on == (("pos", "en"),)
    assert own.validated_on == (("pos", "en"), ("pos", "de"))
    assert Tuning("e", train, ()).grids == {}


def test_a_tokeniser_reads_text_with_its_case(opened: Opener) -> None:
    w = opened("full")
    languages = ("ana", "ber", "cor", "dax")
    assert job(w, "train_tokeniser/multilingual").files() == [f"{TEXT}/{name}.txt" for name in languages]
    assert lines(w, "train_tokeniser/ana_copied_25") == [{"text": f"{TEXT}/ana.txt"}]
    assert encoders.tokeniser_folder(w, "laser") == f"{FULL}/encoders/tokenisers/laser"


def test_what_an_encoder_of_several_languages_reads(opened: Opener) -> None:
    w = opened("tiny", {"encoders": {"seeds": [1, 3]}})
    text = "results/tiny/corpora/text_cased"
    bitext = [f"results/tiny/corpora/bitext/ana-ber.{language}.txt" for language in ("ana", "ber")]
    begin = [f"{ENCODERS}/tokenisers/multilingual", f"{ENCODERS}/xlmr/seed3"]
    training = job(w, "pretrain/xlm_align.seed3")
    assert training.files() == [*begin, f"{text}/ana.txt", f"{text}/ber.txt", *bitext]
    objectives = ("mlm", "tlm", "dwa")
    assert training.options == {
        "objective": objectives, "dictionary": None, "tokenizer": begin[0], "init": begin[1], "threads": 1,
        "set": ["device=cpu", *(f"{k}={str(v).lower()}" for k, v in runs(w)["xlm_align"].settings.items())],
    }  # fmt: skip
    assert training.members == [f"crosslingua.encoders.objectives.{name}" for name in objectives]
    assert training.inputs(w)["cells"] == "results/tiny/plans/pretrain/xlm_align.csv"  # of all seeds
    assert lines(w, "pretrain/xlm_align.seed3") == [
        {"text": f"ana={text}/ana.txt ber={text}/ber.txt", "bitext": f"ana-ber={','.join(bitext)}"}
    ]
    assert lines(w, "pretrain/mbert.seed1")[0]["bitext"] == ""
    assert job(w, "pretrain/mbert.seed1").files() == [begin[0], f"{text}/ana.txt", f"{text}/ber.txt"]


def test_a_derived_languages_text_is_parallel_to_its_parents(opened: Opener) -> None:
    w, name = opened("full"), "pretrain/xlm_parallel_1.trans_inv.seed2"
    told = job(w, name).options
    texts = [f"{TEXT}/ana.txt", f"{TEXT}/ana_trans_inv.txt"]
    bitext = f"ana-ana_trans_inv={','.join(texts)}"
    assert lines(w, name) == [{"text": f"ana={texts[0]} ana_trans_inv={texts[1]}", "bitext": bitext}]
    assert "parallel_share=0.01" in told["set"]
    assert (told["init"], told["dictionary"]) == (None, None)
    words = job(w, "pretrain/align_mlm.trans_inv.seed1").options
    assert words["dictionary"] == f"{FULL}/encoders/tokenisers/ana_copied_0/token_pairs.tsv"


def test_bitext_with_a_name_of_its_own_is_told_by_its_languages(opened: Opener) -> None:
    w = opened("paper")
    files = [f"results/paper/corpora/bitext/en-fr.multiun.{language}.txt" for language in ("en", "fr")]
    assert job(w, "pretrain/no_dwa.seed1").lines[0]["bitext"][0] == f"en-fr={','.join(files)}"
    told = job(w, "pretrain/no_dwa.seed1").options
    assert (told["tokenizer"], told["init"]) == (None, "data/encoders/published/FacebookAI--xlm-roberta-base")
    assert (told["threads"], told["set"][0]) == (8, "device=cuda")


def test_a_training_is_started_on_each_gpu(opened: Opener) -> None:
    asked = [("cpu", 4), ("cuda", 1), ("cuda", 4)]
    on = [opened("tiny", {"device": device, "encoders": {"gpus": gpus}}) for device, gpus in asked]
    launchers = ["python", "python", "torchrun --standalone --nproc-per-node 4"]
    assert [encoders.launcher(w) for w in on] == launchers
    assert [(w.gpu, w.gpus) for w in on] == [(0, 0), (1, 1), (1, 4)]


def test_auto_is_the_gpu_of_this_machine(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    w = opened("tiny", {"device": "auto"})
    found = []
    for there in (None, "/usr/bin/nvidia-smi"):
        monkeypatch.setattr("shutil.which", lambda name, there=there: there)
        found.append((w.device, w.on_gpu))
    assert found == [("cpu", {}), ("cuda", {"device": "cuda"})]


def test_encoders_are_made_for_each_seed_and_published_ones_once(opened: Opener) -> None:
    full = encoders.multilingual_encoders(opened("full"))
    assert len(full) == 13 * 5
    assert {f"{FULL}/encoders/no_tlm/seed1", f"{FULL}/encoders/no_tlm/seed5"} <= set(full)
    paper = encoders.multilingual_encoders(opened("paper", {"encoders": {"seeds": [1, 2]}}))
    assert len([folder for folder in paper if folder.startswith("data/encoders/published/")]) == 6
    assert len(paper) == len(set(paper)) == 6 + 2 * 11
