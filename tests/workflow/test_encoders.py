"""Jobs of encoders: files and options of tokenisers and pre-training."""

import pytest

from configurations import Opener, job, lines
from crosslingua.workflow import encoders
from crosslingua.workflow.runs import runs

DEMO = "results/demo"
TEXT = f"{DEMO}/corpora/text_cased"


def test_a_tokeniser_reads_text_with_its_case(opened: Opener) -> None:
    w = opened()
    languages = ("ana", "ber", "cor", "dax")
    assert job(w, "train_tokeniser/multilingual").files() == [f"{TEXT}/{name}.txt" for name in languages]
    assert lines(w, "train_tokeniser/ana_copied_25") == [{"text": f"{TEXT}/ana.txt"}]
    assert encoders.tokeniser_folder(w, "laser") == f"{DEMO}/encoders/tokenisers/laser"


def test_what_an_encoder_of_several_languages_reads(opened: Opener) -> None:
    w = opened("tiny", {"encoders": {"seeds": [1, 3]}})
    text = "results/tiny/corpora/text_cased"
    bitext = [f"results/tiny/corpora/bitext/ana-ber.{language}.txt" for language in ("ana", "ber")]
    begin = ["results/tiny/encoders/tokenisers/multilingual", "results/tiny/encoders/xlmr/seed3"]
    training = job(w, "pretrain/xlm_align.seed3")
    assert training.files() == [*begin, f"{text}/ana.txt", f"{text}/ber.txt", *bitext]
    assert training.options == {
        "objective": ("mlm", "tlm", "dwa"),
        "dictionary": None,
        "tokenizer": begin[0],
        "init": begin[1],
        "set": ["device=cpu", *(f"{k}={str(v).lower()}" for k, v in runs(w)["xlm_align"].settings.items())],
        "threads": 1,
    }
    place = "crosslingua.encoders.objectives"
    assert training.members == [f"{place}.{name}" for name in ("mlm", "tlm", "dwa")]
    assert training.inputs(w)["cells"] == "results/tiny/plans/pretrain/xlm_align.csv"  # of all seeds
    assert lines(w, "pretrain/xlm_align.seed3") == [
        {"text": f"ana={text}/ana.txt ber={text}/ber.txt", "bitext": f"ana-ber={','.join(bitext)}"}
    ]
    assert lines(w, "pretrain/mbert.seed1")[0]["bitext"] == ""
    assert job(w, "pretrain/mbert.seed1").files() == [begin[0], f"{text}/ana.txt", f"{text}/ber.txt"]


def test_a_derived_languages_text_is_parallel_to_its_parents(opened: Opener) -> None:
    w, name = opened(), "pretrain/xlm_parallel_1.trans_inv.seed2"
    told = job(w, name).options
    texts = [f"{TEXT}/ana.txt", f"{TEXT}/ana_trans_inv.txt"]
    bitext = f"ana-ana_trans_inv={','.join(texts)}"
    assert lines(w, name) == [{"text": f"ana={texts[0]} ana_trans_inv={texts[1]}", "bitext": bitext}]
    assert "parallel_share=0.01" in told["set"]
    assert (told["init"], told["dictionary"]) == (None, None)
    words = job(w, "pretrain/align_mlm.trans_inv.seed1").options
    assert words["dictionary"] == f"{DEMO}/encoders/tokenisers/ana_copied_0/token_pairs.tsv"


def test_bitext_with_a_name_of_its_own_is_told_by_its_languages(opened: Opener) -> None:
    w = opened("paper")
    files = [f"results/paper/corpora/bitext/en-fr.multiun.{language}.txt" for language in ("en", "fr")]
    assert job(w, "pretrain/no_dwa.seed1").lines[0]["bitext"][0] == f"en-fr={','.join(files)}"
    told = job(w, "pretrain/no_dwa.seed1").options
    assert (told["tokenizer"], told["init"]) == (None, "data/encoders/hub/FacebookAI--xlm-roberta-base")
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
    demo = encoders.multilingual_encoders(opened())
    assert len(demo) == 13 * 2
    assert {f"{DEMO}/encoders/no_tlm/seed1", f"{DEMO}/encoders/no_tlm/seed2"} <= set(demo)
    paper = encoders.multilingual_encoders(opened("paper", {"encoders": {"seeds": [1, 2]}}))
    assert len([folder for folder in paper if folder.startswith("data/encoders/hub/")]) == 6
    assert len(paper) == len(set(paper)) == 6 + 2 * 11
