"""The jobs of mbert_align."""

from collections import Counter

import pytest

from configurations import SCRATCH, Opener, job, lines, rows
from crosslingua.errors import ConfigError
from crosslingua.papers.mbert_align.experiments import MbertAlign
from crosslingua.workflow.encoder_alignment import AlignedEncoder, EncoderAlignment

TWO_ENCODERS = {"encoders": {"seeds": [1, 2], "tagged": None}}


def test_a_score_is_where_the_tagger_of_its_system_is_scored(opened: Opener) -> None:
    w = opened()
    taggers = MbertAlign(w).taggers()["main"]
    made = {one.score(seed, tested.name) for one in taggers for seed in one.seeds for tested in one.test}
    scores = {cell.score for cell in MbertAlign(w).cells("main") if cell.table in ("table3", "source")}
    assert scores == {f"results/demo/scores/mbert_align.main/{name}" for name in made}


def test_intents_are_scored_where_they_are_learnt(opened: Opener) -> None:
    for change, learnt in (({}, True), ({"mbert_align": {"tagger": {"intents": False}}}, False)):
        found = [c for c in MbertAlign(opened(change=change)).cells("main") if c.table == "table3"]
        scored = {(c.task, c.system) for c in found if any("intent" in metric for metric in c.metrics)}
        assert scored == ({("slots", c.system) for c in found} if learnt else set())


def test_intents_are_learnt_where_both_sets_tell_them(opened: Opener) -> None:
    """SNIPS comes without, Facebook's and xSID's with."""
    found = [c for c in MbertAlign(opened("real")).cells("main") if c.table == "table3"]
    scored = {c.target for c in found if any("intent" in metric for metric in c.metrics)}
    assert scored == {c.target for c in found if c.source == "en_facebook"} != set()
    majority = next(c for c in found if c.target == "es_facebook" and c.system == "majority")
    assert "intent_accuracy=majority_intent_accuracy" in majority.metrics
    settings = {one.name: one.settings for one in MbertAlign(opened("real")).taggers()["main"]}
    learnt = [settings[f"mbert/{name}"].get("intents") for name in ("es_facebook", "de_xsid", "de")]
    assert learnt == [True, None, None]


def test_rotations_move_the_source_and_tuning_both(opened: Opener) -> None:
    w = opened(change=TWO_ENCODERS | {"mbert_align": {"seeds": None}})
    taggers = {one.name: one for one in MbertAlign(w).taggers()["main"] if one.task == "ner"}
    rotated, tuned = taggers["norm_rotate_dict/dax"], taggers["finetune_tgt_to_src/dax"]
    (source,), (target, home) = rotated.train, rotated.test
    assert (home.name, home.embeddings) == ("ana", source.embeddings)
    assert source.embeddings[1].settings["rotations"].endswith("seed2/rotations/ana-dax.norm_rotate_dict")
    assert all("rotations" not in one.settings for one in target.embeddings)
    encoders = {one.settings["encoder"] for one in (*source.embeddings, *target.embeddings)}
    assert encoders == {f"results/demo/encoders/mbert/seed{seed}" for seed in (1, 2)}
    (source,), (target, _) = tuned.train, tuned.test
    assert source.embeddings == target.embeddings
    assert source.embeddings[0].settings["encoder"].endswith("seed1/ana-dax.finetune_tgt_to_src")


def test_encoders_are_used_in_turn_by_the_seeds_of_taggers(opened: Opener) -> None:
    def read(tagged: int | None) -> list[str]:
        w = opened(change={"encoders": {"seeds": [1, 2], "tagged": tagged}, "mbert_align": {"seeds": None}})
        baseline = next(one for one in MbertAlign(w).taggers()["main"] if one.name == "mbert/ber")
        return [one.name for one in baseline.train[0].embeddings]

    assert read(None) == read(2) == ["mbert.seed1", "mbert.seed2", "mbert.seed1"]
    assert read(1) == ["mbert.seed1"] * 3
    baseline = next(one for one in MbertAlign(opened()).taggers()["main"] if one.name == "mbert/ber")
    assert [one.name for one in baseline.test] == [
        "ber",
        "cor",
        "dax",
        "ana",
    ]  # one training serves all targets


def test_scale_paper_has_five_runs_and_no_dictionary_of_armenian(opened: Opener) -> None:
    """Section 4.2, and table 3's caption."""
    w = opened("paper")
    found = Counter((c.system, c.target) for c in MbertAlign(w).cells("main") if c.table == "table3")
    assert found["norm_rotate_parallel", "th_facebook"] == 5
    assert ("rotate_dict", "hy") not in found
    note = MbertAlign(w).tables()["table3"].note
    assert "Not run for en-hy: no dictionary (rotate_dict, norm_rotate_dict)." in note
    learning = [one for one in MbertAlign(w).taggers()["main"] if one.member != "majority"]
    rates = {one.test[0].name: one.settings["lr"] for one in learning}
    assert (rates["de"], rates["th_facebook"], rates["es_facebook"]) == (1e-4, 1e-5, 1e-4)


def test_targets_of_other_settings_have_a_baseline_of_their_own(opened: Opener) -> None:
    w = opened(change={"mbert_align": {"tagger_of": {"dax": {"lr": 0.5}}}})
    found = {one.name: one for one in MbertAlign(w).taggers()["main"] if one.task == "ner"}
    assert [one.name for one in found["mbert/ber"].test] == ["ber", "cor", "ana"]
    assert [one.name for one in found["mbert/dax"].test] == ["dax", "ana"]
    assert found["rotate_dict/dax"].settings["lr"] == 0.5
    assert found["rotate_dict/ber"].settings["lr"] != 0.5


def test_all_rotations_of_an_encoder_are_one_plan(opened: Opener) -> None:
    rotations = lines(opened(change=TWO_ENCODERS), "align_encoder/mbert.seed2.rotations")
    assert Counter(line["languages"] for line in rotations) == {"ana ber": 4, "ana cor": 4, "ana dax": 4}
    assert len({line["out"] for line in rotations}) == 12
    assert {line["encoder"] for line in rotations} == {"results/demo/encoders/mbert/seed2"}


def test_both_directions_of_tuning_are_one_plan(opened: Opener) -> None:
    w, name = opened(), "align_encoder/mbert.seed1.ana-ber"
    tuned = lines(w, name)
    assert [line["set"].split()[0] for line in tuned] == ["direction=tgt_to_src", "direction=src_to_tgt"]
    text = "results/demo/corpora/bitext/ana-ber"
    assert job(w, name).files() == [
        "results/demo/encoders/mbert/seed1", f"{text}.ana.txt", f"{text}.ber.txt",
        "results/demo/word_alignment/bitext/ana-ber.links",
    ]  # fmt: skip


def test_parallel_text_of_the_other_direction_is_turned(opened: Opener) -> None:
    """Sheets have tr-en where English is transferred from."""
    w = opened("real", {"mbert_align": {"transfer": {"ner": None, "slots": {"en_atis": ["tr_atis"]}}}})
    files = w.stage(EncoderAlignment).text_of_pair(
        AlignedEncoder("e5_small_q4", "rotate_parallel", "en", "tr")
    )
    assert files["source"].endswith("bitext/tr-en.tatoeba.en.txt")
    assert files["target"].endswith("bitext/tr-en.tatoeba.tr.txt")
    rotations = lines(w, "align_encoder/e5_small_q4.seed1.rotations")
    turned = {line["languages"]: line["reversed"] for line in rotations}
    assert (turned["en tr"], turned["en de"]) == ("true", "")


def test_what_cannot_be_aligned_is_left_out_with_its_reason(opened: Opener) -> None:
    """Armenian has no parallel text and no dictionary in the sheet of scale real."""
    change = {"mbert_align": {"transfer": {"ner": {"ana": None, "en": ["hy"]}, "slots": None}}}
    w = opened("real", change)
    assert {c.system for c in MbertAlign(w).cells("main")} == {"majority", "random_vectors", "mbert"}
    assert "Not run for en-hy: no parallel text (rotate_dict" in MbertAlign(w).tables()["table3"].note
    assert MbertAlign(w).drawings() == {}


def test_a_tagger_on_aligned_words_serves_all_sets_of_a_language(opened: Opener) -> None:
    w = opened("real")
    found = {one.name: one for one in MbertAlign(w).taggers()["main"] if one.job == "ner.en"}
    german = found["rotate_parallel/de"]
    assert [one.name for one in german.test] == ["de", "de_pud", "en"]
    assert "rotate_parallel/de_pud" not in found
    assert found["rotate_parallel/es"].test[0].embeddings == german.test[0].embeddings  # the encoder as it is
    cells = [c for c in MbertAlign(w).cells("main") if (c.table, c.seed) == ("table3", 1)]
    scored = {(c.system, c.target): c.score for c in cells}
    assert scored["rotate_parallel", "de"] != scored["rotate_parallel", "de_pud"]


def test_columns_of_the_paper_that_a_scale_lacks_are_told_with_their_reason(opened: Opener) -> None:
    note = MbertAlign(opened(SCRATCH)).tables()["table3"].note
    lacking = "NER hy, slots th_facebook, slots tr_xsid, slots it_xsid, slots tr_atis."
    assert f"no text of the language of {lacking}" in note
    assert "Not run for en-th: no parallel text (rotate_dict" in note
    assert "Not run for en-tr" not in note
    assert "Empty columns: slots hi_atis, slots it_snips: the data are not at hand." in note
    assert "No target_language for NER de, NER de_pud, NER hy, slots th_facebook, slots de_xsid" in note
    fewer = {"ner": {"en": ["de"]}, "slots": {"en_facebook": ["es_facebook"], "en_atis": None}}
    note = MbertAlign(opened(SCRATCH, {"mbert_align": {"transfer": fewer}})).tables()["table3"].note
    assert "NER nl, NER es: left out by the configuration." in note
    assert "NER hy, slots tr_atis, slots th_facebook: no text for the encoder to learn from." in note
    for w in (opened(), opened("paper")):
        assert "Empty columns" not in MbertAlign(w).tables()["table3"].note


def test_a_published_encoder_is_rotated_and_read_once_and_tuned_for_every_seed(opened: Opener) -> None:
    w = opened("real")
    jobs = {one.name for one in w.stage(EncoderAlignment).jobs()}
    assert [name for name in sorted(jobs) if name.endswith("rotations")] == [
        "align_encoder/e5_small_q4.seed1.rotations"
    ]
    assert {f"align_encoder/e5_small_q4.seed{seed}.en-es" for seed in (1, 2, 3)} <= jobs
    read = {
        (one.name, where.name)
        for one in MbertAlign(w).taggers()["main"]
        for every in (*one.train, *one.test)
        for where in every.embeddings
        if where.embedder == "encoder_layers"
    }
    tuned = {seen for system, seen in read if system.startswith("finetune")}
    assert {seen.rpartition(".")[2] for seen in tuned} == {"seed1", "seed2", "seed3"}
    assert {seen.rpartition(".")[2] for system, seen in read if seen not in tuned} == {"seed1"}


def test_how_far_apart_centroids_are_is_a_cell_of_each_run_of_the_encoder(opened: Opener) -> None:
    w = opened(change=TWO_ENCODERS)
    found = [c for c in MbertAlign(w).cells("main") if c.system == "separation" and c.task == "ner"]
    folder = "results/demo/encoder_alignment/mbert/seed2/rotations"
    assert {c.score for c in found if c.target == "dax"} == {
        f"results/demo/encoder_alignment/mbert/seed{seed}/rotations/ana-dax.rotate_parallel/alignment.json"
        for seed in (1, 2)
    }
    assert {c.metrics for c in found} == {("separation", "separation_after")}
    assert folder in job(w, "cells/mbert_align.main").files()


def test_slots_that_are_not_translated_are_told_apart(opened: Opener) -> None:
    every = MbertAlign(opened("full")).cells("main")
    found = {c.target: c.conditions for c in every if (c.table, c.task) == ("table3", "slots")}
    assert found["ber"] == {"translated": "no"}
    assert found["ber_translated"] == {}
    assert not any(c.conditions for c in MbertAlign(opened("real")).cells("main"))


def test_hashes_tell_what_differs(opened: Opener) -> None:
    def hashes(change):
        found = rows(opened(change={"mbert_align": change}), "mbert_align")
        return {(one["system"], one["task"], one["target"]): one["config_hash"] for one in found}

    before, after = hashes({}), hashes({"finetune": {"epochs": 7}})
    changed = {key for key in before if before[key] != after[key]}
    assert {system for system, *_ in changed} == {"finetune_tgt_to_src", "finetune_src_to_tgt"}
    after = hashes({"tagger": {"epochs": 7}})
    same = {key[0] for key, value in before.items() if value == after[key]}
    assert same == {"majority", "distance", "separation"}


def test_a_language_of_training_that_begins_no_pair_is_named(opened: Opener) -> None:
    change = {"pairs": ["ber-ana"], "mbert_align": {"transfer": {"slots": None}}}
    with pytest.raises(ConfigError, match=r"names nothing .* \(no pair of `pairs` begins with ana\)"):
        opened(change={"papers": ["mbert_align"], **change})


def test_tags_have_no_scores_of_spans(opened: Opener) -> None:
    w = opened(change={"mbert_align": {"transfer": {"pos": {"ana": ["ber"]}, "slots": None}}})
    found = {cell.task: cell.metrics for cell in MbertAlign(w).cells("main") if cell.table == "table3"}
    assert found["pos"] == ("f1", "shortcut_f1")
    assert {"f1_conll", "precision", "recall"} < {*found["ner"]}
