"""The jobs of align_mlm."""

from collections import Counter

import pytest

from configurations import Opener, job
from crosslingua.errors import ConfigError
from crosslingua.papers.align_mlm.experiments import AlignMlm
from crosslingua.workflow import fine_tuning
from crosslingua.workflow.fine_tuning import Tuning
from crosslingua.workflow.runs import runs, tokenisers

NLI = {"tasks": {"nli": {"epochs": 1}}}


def test_encoders_may_have_seeds_of_their_own(opened: Opener) -> None:
    w = opened("tiny", {"encoders": {"seeds": [3, 4]}, "align_mlm": {"seeds": [7, 5, 6]}})
    found = [cell for cell in AlignMlm(w).cells("main") if cell.system == "mlm"]
    assert {cell.seed for cell in found} == {5, 6, 7}
    one = next(own for own in AlignMlm(w).fine_tunings()["main"] if own.encoder == "mlm.trans")
    folders = [f"results/tiny/encoders/mlm.trans/seed{seed}" for seed in (7, 5, 6)]
    assert [line["encoder"] for line in job(w, "finetune/align_mlm.mlm.trans").lines] == folders
    assert job(w, "pretrain/mlm.trans.seed6").script == "pretrain.py"
    assert {made.seed for made in fine_tuning.predictions(w, one)} == {5, 6, 7}
    grid = opened("tiny", {"align_mlm": {"seeds": [7], "tasks": {"pos": {"epochs": [1, 2]}}}})
    assert folders[0] in job(grid, "select_settings/align_mlm.mlm.trans").files()
    drawn = AlignMlm(w).drawings()["loss"].inputs["runs"]
    assert all(folder.endswith("/seed7") for folder in drawn)


def test_a_transformation_may_have_seeds_of_its_own(opened: Opener) -> None:
    w = opened("full", {"align_mlm": {"seeds": {"trans_inv": [1, 2, 3, 4, 5, 6]}}})
    found = {(cell.target, cell.seed) for cell in AlignMlm(w).cells("main")}
    assert Counter(name for name, _ in found) == {"trans": 5, "trans_inv": 6, "trans_syn": 5}
    tuned = {own.encoder: own.seeds for own in AlignMlm(w).fine_tunings()["main"]}
    assert (len(tuned["xlm.trans_inv"]), len(tuned["xlm.trans"])) == (6, 5)
    assert AlignMlm(w).drawings()["figure2"].settings["caption"] == "Scale full; number of seeds: 5 or 6."


def test_the_recipe_of_fine_tuning_is_chosen_on_the_natural_languages_validation_data(opened: Opener) -> None:
    w, tasks = opened("full"), ("ner", "pos")
    every = [own for group in AlignMlm(w).fine_tunings().values() for own in group]
    for own in every:
        assert own.chosen_on == own.validated_on == tuple((t, "ana") for t in tasks)
        (line,) = job(w, f"select_settings/align_mlm.{own.encoder}").lines
        for split in ("train", "valid"):
            assert line[split] == [f"{t}/ana=results/full/corpora/{t}/ana.{split}.conll" for t in tasks]
    assert every


def test_the_ablations_change_what_the_papers_tables_change(opened: Opener) -> None:
    w = opened("full")
    found = {one.encoder: one.table for one in AlignMlm(w).variants("ablations")}
    assert found.items() >= {
        "xlm_parallel_1.trans_inv": "table1", "align_mlm_dictionary_50.trans_inv": "table2",
        "align_mlm_dictionary_50.trans_syn": "table5", "xlm_overlap_25.trans_inv": "table7",
        "mlm_steps_1000.trans": "training_length", "align_mlm_alpha_1.trans_inv": "alpha",
    }.items()  # fmt: skip
    assert {cell.table for cell in AlignMlm(w).cells("ablations")} == {*found.values(), "table8"}
    trained = runs(w)
    assert trained["xlm_parallel_1.trans_inv"].settings["parallel_share"] == 0.01
    assert trained["align_mlm_dictionary_50.trans_syn"].settings["dictionary_share"] == 0.5
    lengths = [trained[f"mlm{longer}.trans"].settings["steps"] for longer in ("", "_steps_1000")]
    assert lengths == [2000, 1000]
    assert trained["align_mlm_alpha_100.trans_inv"].settings["align_alpha"] == 100
    assert trained["xlm_overlap_25.trans_inv"].languages == ("ana", "ana_trans_inv_25")
    assert tokenisers(w)[trained["xlm_overlap_25.trans_inv"].tokeniser].options["overlap"] == 0.25


def test_derived_languages_with_one_script_and_overlap_share_a_tokeniser(opened: Opener) -> None:
    found = AlignMlm(opened("full")).encoders()
    assert found["mlm.trans"].tokeniser == found["align_mlm.trans_inv"].tokeniser == "ana_copied_0"
    assert len({run.tokeniser for run in found.values()}) == 3
    assert {run.tokeniser for run in found.values()} == set(AlignMlm(opened("full")).tokenisers())
    options = AlignMlm(opened("paper")).tokenisers()["eng_copied_0"].options
    assert options == {
        "vocabulary_size": 40000, "transliterate": True, "seed": 1, "script": "hangul", "overlap": 0.0,
    }  # fmt: skip


def test_encoders_may_begin_with_one_whose_pieces_are_copied(opened: Opener) -> None:
    folder = "results/real/encoders/tokenisers/eng_copied_0"
    w = opened("real", {"align_mlm": {"init": "e5_small_q4"}})
    begun = job(w, "pretrain/align_mlm.trans_inv.seed2").options
    assert (str(begun["init"]), str(begun["tokenizer"])) == (folder, folder)
    assert str(begun["dictionary"]) == f"{folder}/token_pairs.tsv"
    copied = job(w, "train_tokeniser/eng_copied_0").options
    assert str(copied["encoder"]) == "results/real/encoders/e5_small_q4/pruned"
    assert copied["vocabulary_size"] == 3000
    assert "results/real/corpora/text_cased/eng.txt" not in job(w, "prune_encoder/e5_small_q4").files()
    head = job(opened("real"), "train_tokeniser/eng_copied_0").options
    assert str(head["encoder"]) == "results/real/encoders/e5_head/seed1"
    with pytest.raises(ConfigError, match=r"align_mlm\.init: 'e5' is not defined"):
        opened("real", {"align_mlm": {"init": "e5"}})


def test_a_systems_settings_win_over_the_papers_and_those_over_all_encoders(opened: Opener) -> None:
    own = {"settings": {"steps": 7, "lr": 0.5}, "systems": {"mlm": {"settings": {"steps": 9}}}}
    w = opened("full", {"align_mlm": own, "encoders": {"settings": {"warmup": 1}}})
    found = AlignMlm(w).encoders()
    mlm, xlm = (found[f"{name}.trans_inv"].settings for name in ("mlm", "xlm"))
    assert (mlm["steps"], xlm["steps"], xlm["lr"], xlm["warmup"]) == (9, 7, 0.5, 1)


def test_null_takes_a_system_a_transformation_a_task_and_an_ablation_out(opened: Opener) -> None:
    section = {
        "systems": {"mlm": None}, "transformations": {"trans_syn": None}, "tasks": {"nli": None},
        "ablations": {"parallel": None, "length": None, "dictionary": {"transformations": ["trans_inv"]}},
    }  # fmt: skip
    w = opened("full", {"align_mlm": section})
    names = list(AlignMlm(w).encoders())
    assert not [name for name in names if name.startswith("mlm.") or "syn" in name or "parallel" in name]
    assert {cell.task for cell in AlignMlm(w).cells("main")} == {"ner", "pos", "embedding_alignment"}
    none = {"ablations": dict.fromkeys(("parallel", "dictionary", "overlap", "length", "alpha"))}
    assert AlignMlm(opened("full", {"align_mlm": none})).groups() == ["main"]


def test_both_languages_train_and_the_derived_one_is_tested(opened: Opener) -> None:
    w = opened("tiny")
    one = AlignMlm(w).fine_tunings()["main"][1]
    assert one == Tuning(
        "mlm.trans_inv",
        tuple((task, name) for task in ("ner", "pos") for name in ("ana", "ana_trans_inv")),
        (("ner", "ana_trans_inv"), ("pos", "ana_trans_inv")),
        {task: w.section("align_mlm").tasks[task] for task in ("ner", "pos")},
        seeds=tuple(w.encoder_seeds),
    )


def test_a_task_is_scored_supervised_zero_shot_and_by_their_difference(opened: Opener) -> None:
    found = AlignMlm(opened("full", {"align_mlm": NLI})).cells("main")
    scores = "results/full/scores/align_mlm.main/xlm.trans_inv/seed2"
    own = [c for c in found if (c.system, c.target, c.seed) == ("xlm", "trans_inv", 2)]
    supervised, zero_shot = (f"{scores}/nli.{name}.ana_trans_inv.json" for name in ("ana_trans_inv", "ana"))
    assert [(c.score, c.metrics, c.less) for c in own if c.task == "nli"] == [
        (supervised, ("supervised=accuracy", "majority", "shortcut_supervised=shortcut_accuracy"), ""),
        (zero_shot, ("zero_shot=accuracy", "shortcut_zero_shot=shortcut_accuracy"), ""),
        (supervised, ("delta=accuracy",), zero_shot),
    ]
    floors = {
        "supervised": ("majority", "majority_accuracy", "shortcut_supervised=shortcut_f1"),
        "zero_shot": ("shortcut_zero_shot=shortcut_f1",), "delta": (),
    }  # fmt: skip
    expected = [(f"{name}=f1", *more, f"{name}_accuracy=accuracy") for name, more in floors.items()]
    assert [c.metrics for c in own if c.task == "pos"] == expected
    assert [c.metrics[-1] for c in own if c.task == "ner"] == [f"{name}_conll=f1_conll" for name in floors]
    (probe,) = [c for c in own if c.task == "embedding_alignment"]
    assert (probe.table, probe.metrics) == ("table8", ("alignment",))
    assert probe.score == "results/full/probes/align_mlm.main/xlm.trans_inv.seed2.json"
    assert {c.source for c in found} == {"ana"}


def test_a_table_says_how_its_encoders_were_trained(opened: Opener) -> None:
    told = "Encoders: trained here (2 layers of 128 dimensions, 2,000 steps of 2,048 tokens)."
    assert AlignMlm(opened()).tables()["table3"].note == told
    other = opened("full", {"align_mlm": {"systems": {"xlm": {"settings": {"steps": 300}}}}})
    told = AlignMlm(other).tables()["table3"].note
    assert told.startswith("mlm, align_mlm: trained here (")
    assert "xlm: trained here (2 layers of 128 dimensions, 300 steps of 2,048 tokens)." in told


def test_figures_are_drawn_of_the_rows_and_of_the_first_seeds_losses(opened: Opener) -> None:
    drawings = AlignMlm(opened("full")).drawings()
    assert drawings["figure3"].inputs == {
        "rows": ["results/full/rows/align_mlm.main.csv"],
        "published": [f"{opened.repository}/reference/align_mlm_table3.csv"],
    }  # fmt: skip
    runs, names = drawings["loss"].inputs["runs"], drawings["loss"].settings["names"]
    assert (runs[0], names[0]) == ("results/full/encoders/mlm.trans/seed1", "mlm.trans")


def test_a_task_needs_data_of_every_language(opened: Opener) -> None:
    with pytest.raises(ConfigError, match=r"align_mlm.tasks.nli: 'ana' is not defined under the sets of nli"):
        opened("full", {"align_mlm": NLI, "world": {"tasks": {"nli": None}}})
