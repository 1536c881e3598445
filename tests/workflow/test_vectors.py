"""Jobs of word vectors and lexicon induction: trained, divided, mapped, and the mappers' controls."""

from collections import Counter
from pathlib import Path, PurePath
from typing import Any

import pytest

from configurations import Opener, job, jobs
from crosslingua.errors import ConfigError
from crosslingua.workflow import lexicon_induction, planning, vectors
from crosslingua.workflow.jobs import Job, Jobs
from crosslingua.workflow.lexicon_induction import Controls
from crosslingua.workflow.vectors import ANY_PAIR, ANY_PAIR_OF_CURVE, all_systems
from crosslingua.workflow.workflow import LexiconPair, Workflow
from texts import written

PAIR = LexiconPair("ana", "ber", "world")
EMBEDDINGS = "results/tiny/word_embeddings"
MAPPED = "results/tiny/embedding_alignment/ana-ber.world"
DICTIONARY = "results/tiny/corpora/dictionaries/ana-ber.world"
DUONG = {"joint_align": {"search": {"duong": {"delta": [0.01, 0.1], "combine": ["input"]}}}}
INDUCED = "results/tiny/lexicon_induction"


def training(w: Workflow, name: str) -> dict[str, Any]:
    return dict(Jobs(vectors.training_jobs(w))[name].options)


def division(w: Workflow, name: str) -> Job:
    return Jobs(vectors.division_jobs(w))[f"divide_vocabulary/{name}"]


def mapping(w: Workflow, system: str, pair: str = "ana-ber.world") -> Job:
    return Jobs(vectors.mapping_jobs(w))[f"align_vectors/{pair}.{system}"]


@pytest.mark.parametrize(("system", "change", "expected"), [
    ("rcsls", {}, ("", "published.")), ("rcsls", {"search": {"rcsls": None}}, ("",)),
    ("muse", {}, ("",)),  # nothing of the unsupervised is chosen on translations
    ("joint", {}, ("",)), ("duong", {}, ("", "published.")),
    ("duong", {"published_training": False}, ("",)),
    ("joint_replace", {"search": {"joint_replace": None}}, ("",)),
    # on vectors that see a dictionary: as published besides where the mapper's settings are searched for
    ("mine", {"systems": {"mine": {"embeddings": "duong", "mapper": "rcsls"}}}, ("", "published.")),
    ("mine", {"systems": {"mine": {"embeddings": "duong", "mapper": "muse"}}}, ("",)),
])  # fmt: skip
def test_systems_run_as_chosen_and_as_published(opened: Opener, system: str, change: dict, expected) -> None:
    w = opened("tiny", {"joint_align": {"published_training": True} | change})
    assert all_systems(w)[system].variants() == expected


def test_a_system_is_judged_by_its_mapping_or_its_space(opened: Opener) -> None:
    w = opened("tiny")
    for embeddings, name, expected in (
        ("independent", "target.vec", "independent/ber/seed2.vec"),
        ("joint", "shared.txt", "joint/ana-ber/seed2.shared.txt"),
        ("joint_vr", "source.vec", "joint_vr/ana-ber.world/seed2.source.vec"),
        ("joint_replace", "source.vec", "joint_replace/ana-ber.world/seed2.source.vec"),
        ("duong", "target.vec", "duong/ana-ber.world/seed2.target.vec"),
    ):
        assert vectors.space(w, embeddings, PAIR, 2, name) == f"{EMBEDDINGS}/{expected}"
    judged = [all_systems(w)[system].final(PAIR, 1, "source.vec") for system in ("joint", "joint_ar_rcsls")]
    folders = (f"{EMBEDDINGS}/joint/ana-ber", f"{MAPPED}/joint_ar_rcsls")
    assert judged == [f"{folder}/seed1.source.vec" for folder in folders]


def test_sizes_of_training_of_which_a_joint_vocabulary_may_be_twice_as_large(opened: Opener) -> None:
    demo, paper = opened(), opened("paper")
    independent = training(demo, "train_independent/ana/seed1")
    section = {key: value for key, value in demo.config.word_embeddings.items() if key != "words_read"}
    text = ["results/demo/corpora/text/ana.txt"]
    assert independent == {"text": text, "seed": 1, **section, "lines": None}
    assert training(demo, "train_joint/ana+ber/seed1")["max_vocabulary"] == 2 * section["max_vocabulary"]
    halves = [training(demo, f"train_independent/ana/{half}seed1")["lines"] for half in ("even.", "odd.")]
    assert halves == ["even", "odd"]
    published = training(paper, "train_independent/en/seed1")
    assert (published["dim"], published["minn"], independent["minn"]) == (300, 3, 0)
    pair = next(name for name, pair in paper.lexicon_pairs.items() if pair.dictionary)
    duong = training(paper, f"train_duong/{pair}/seed{paper.seeds[0]}")
    assert (duong["dim"], duong["min_count"], duong["max_vocabulary"]) == (300, 5, 200000)
    assert (duong["window"], duong["combine"]) == (48, "output")


def test_joint_training_does_not_know_source_from_target(opened: Opener) -> None:
    w = opened("tiny", {"pairs": ["ana-ber", "ber-ana"]})
    both = [division(w, name).lines[0]["vectors"] for name in ("joint.ana-ber", "joint.ber-ana")]
    assert both == [f"{EMBEDDINGS}/concatenated/ana+ber/seed1.vec"] * 2


def test_what_sees_a_dictionary_in_training_follows_its_choice(opened: Opener) -> None:
    w = opened("tiny", DUONG)
    told = training(w, "choose_training/duong/ana-ber.world")
    assert (told["search"], told["seed"]) == (["delta=0.01|0.1", "combine=input"], 1)
    assert "dim=16" in told["set"]
    assert told["validation"] == f"{DICTIONARY}/validation.txt"
    chosen = f"{EMBEDDINGS}/duong/ana-ber.world/choice.json"
    job = Jobs(vectors.training_jobs(w))["train_duong/ana-ber.world/seed1"]
    assert job.options["choice"] == [chosen]
    assert {chosen, f"{DICTIONARY}/train.txt"} < set(job.files())
    published = training(w, "train_duong/ana-ber.world/published.seed1")
    assert published["choice"] == []
    assert "window" not in published


def divided(read: str, folder: str, seed: int) -> dict[str, Any]:
    """The line of one division."""
    sides = {f"out_{side}": f"{folder}/seed{seed}.{side}.vec" for side in ("source", "target")}
    sides |= {"vectors": f"{EMBEDDINGS}/{read}/seed{seed}.vec", "seed": seed}
    return sides | {"report": f"{folder}/division.json", "out_shared": f"{folder}/seed{seed}.shared.txt"}


@pytest.mark.parametrize(("kind", "pair", "read"), [
    ("joint", "ana-ber", "concatenated/ana+ber"),
    ("joint_vr", "ana-ber.world", "concatenated/ana+ber"),
    ("joint_replace", "ana-ber.world", "replaced/ana-ber.world"),
])  # fmt: skip
def test_dividing_is_a_line_a_seed(opened: Opener, kind: str, pair: str, read: str) -> None:
    without = dict.fromkeys(("joint_vr", "joint_align_muse", "joint_align_identity"))
    w = opened("tiny", {"joint_align": {"systems": without, "published_training": False}})
    folder = f"{EMBEDDINGS}/{kind}/{pair}"
    job = division(w, f"{kind}.{pair}")
    assert job.lines == [divided(read, folder, seed) for seed in (1, 2)]
    counts = {f"results/tiny/corpora/counts/{language}.tsv" for language in ("ana", "ber")}
    assert counts | {line["vectors"] for line in job.lines} <= set(job.files())


def test_a_gamma_without_a_dictionary_is_chosen_where_the_joint_vocabulary_is_divided(opened: Opener) -> None:
    lines = division(opened("tiny"), "joint.ana-ber").lines
    assert [line.get("gamma") for line in lines] == [None, None, [0.7, 0.9], [0.7, 0.9]]
    folder = f"{EMBEDDINGS}/joint_vr_unsupervised/ana-ber"
    told = {"gamma": [0.7, 0.9], "selection_mapper": "muse", "set": ["initialisation=identity"]}
    assert lines[2] == divided("concatenated/ana+ber", folder, 1) | told


def test_gamma_is_chosen_under_a_mapper_with_its_settings(opened: Opener) -> None:
    w = opened("tiny", {"vocabulary_reallocation": {"selection_mapper": "muse"}})
    job = division(w, "joint_vr.ana-ber.world")
    told = job.options
    assert (told["gamma"], told["selection_mapper"], told["max_vocabulary"]) == ([0.7, 0.9], "muse", 200000)
    assert (told["fit"], told["validation"]) == (f"{DICTIONARY}/fit.txt", f"{DICTIONARY}/validation.txt")
    assert {"n_epochs=1", "dis_hidden=128"} <= set(told["set"])
    assert job.members == ["crosslingua.mappers.muse"]
    assert vectors.reallocation(opened("paper"), PAIR)["set"] == []
    given = vectors.reallocation(opened("tiny", {"vocabulary_reallocation": {"gamma": [0.9]}}), PAIR)
    assert not {"fit", "validation"} & set(given)


def test_what_a_mapping_reads(opened: Opener) -> None:
    w = opened("tiny", {"seeds": [1]})
    independent = [f"{EMBEDDINGS}/independent/{language}/seed1.vec" for language in ("ana", "ber")]
    dictionaries = [f"{DICTIONARY}/{name}.txt" for name in ("train", "fit", "validation")]
    assert mapping(w, "rcsls").files() == [*dictionaries, *independent]
    assert mapping(w, "muse").files() == independent
    names = ("source.vec", "target.vec", "shared.txt")
    joint = [f"{EMBEDDINGS}/joint/ana-ber/seed1.{name}" for name in names]
    assert mapping(w, "joint_ar_rcsls").files() == [*dictionaries, *joint]


def test_systems_are_mapped_by_rules_with_a_search_or_without(opened: Opener) -> None:
    w = opened("tiny", {"joint_align": {"search": {"geomm": None}}})
    searched, others = (vectors.mapped_systems(w, searched=choice) for choice in (True, False))
    assert {"rcsls", "joint_ar_rcsls", "joint_align_rcsls"} <= set(searched)
    assert {"muse", "joint_align_identity", "vecmap", "geomm", "joint_ar_geomm"} <= set(others)
    assert {*searched, *others} == set(all_systems(w)) - {"duong", "joint", "joint_replace", "joint_vr"}
    assert not {*searched} & {*others}


def test_names_of_dictionaries_are_those_of_pairs(opened: Opener) -> None:
    w = opened("tiny")
    assert vectors.dictionary_names(w.lexicon_pairs) == ["world"]
    assert vectors.dictionary_names(w.curve_pairs) == ["world_55"]
    assert vectors.dictionary_names({"sw-en.none": LexiconPair("sw", "en", "")}) == ["none"]


def test_a_mapping_is_a_line_a_seed_and_the_first_seed_chooses(opened: Opener) -> None:
    w = opened("tiny")
    lines = mapping(w, "joint_ar_rcsls").lines
    assert [(line["seed"], line["choosing"]) for line in lines] == [(1, True), (2, False)]
    read, folder = f"{EMBEDDINGS}/joint/ana-ber/seed2", f"{MAPPED}/joint_ar_rcsls"
    assert lines[1] == {
        "source": f"{read}.source.vec", "target": f"{read}.target.vec", "shared": f"{read}.shared.txt",
        "search": ["lr=1|25", "niter=2", "normalise=unit"], "seed": 2, "set": [],
        "choice": f"{folder}/choice.json", "choosing": False, "details": f"{folder}/seed2.details.json",
        "out_source": f"{folder}/seed2.source.vec", "out_target": f"{folder}/seed2.target.vec",
        "published_source": f"{folder}/published.seed2.source.vec",
        "published_target": f"{folder}/published.seed2.target.vec",
        "published_details": f"{folder}/published.seed2.details.json",
    }  # fmt: skip
    muse = mapping(w, "muse").lines
    assert [(line["shared"], line["search"], line["published_source"]) for line in muse] == [("", [], "")] * 2


@pytest.mark.parametrize(("searched", "curve"), [(False, False), (True, False), (True, True)])
def test_a_rule_writes_what_its_lines_name(opened: Opener, searched: bool, curve: bool) -> None:
    w = opened("tiny")
    pair, pattern = (w.curve_pairs["ana-ber.world_55"], ANY_PAIR_OF_CURVE) if curve else (PAIR, ANY_PAIR)
    patterns = vectors.mapping_outputs(w, pattern, searched=searched).values()
    systems = vectors.mapped_systems(w, searched=searched)
    assert systems
    for system in systems:
        place = {"source": "ana", "target": "ber", "dictionary": pair.dictionary, "system": system}
        cells = [cell for line in mapping(w, system, pair.name).lines for cell in line.items()]
        written = ("details", "choice", "out_", "published_")
        named = {value for column, value in cells if value and column.startswith(written)}
        assert {file.format(**place) for files in patterns for file in files} == named


def test_a_systems_settings_win_over_the_mappers(opened: Opener) -> None:
    w = opened("tiny", {"joint_align": {"systems": {"muse": {"settings": {"lr": 9, "n_epochs": None}}}}})
    job = mapping(w, "muse")
    assert job.options == {"mapper": "muse", "dictionary": None, "fit": None, "validation": None}
    settings = job.lines[0]["set"]
    assert {"lr=9", "epoch_size=2000"} <= set(settings)
    assert not [word for word in settings if word.startswith("n_epochs=")]


def test_the_papers_settings_are_the_published_ones(opened: Opener) -> None:
    jobs = Jobs(vectors.mapping_jobs(opened("paper"))).values()
    unsupervised = [job for job in jobs if job.options["mapper"] in ("muse", "vecmap")]
    assert unsupervised
    assert all(line["set"] in ([], ["initialisation=identity"]) for job in unsupervised for line in job.lines)


def test_modules_of_a_system_are_those_of_its_mapper(opened: Opener) -> None:
    w = opened("tiny")
    assert "crosslingua.mappers.rcsls" in mapping(w, "rcsls").members
    assert "crosslingua.mappers.rcsls" not in mapping(w, "muse").members
    assert division(w, "joint_vr.ana-ber.world").members == ["crosslingua.mappers.procrustes"]
    wrapped = mapping(w, "iterative_norm").members
    assert {"crosslingua.mappers.iterative_norm", "crosslingua.mappers.procrustes"} <= set(wrapped)


def induction(w: Workflow, name: str) -> Job:
    return Jobs(lexicon_induction.lexicon_jobs(w))[f"induce_lexicon/{name}"]


def test_inducing_a_lexicon_is_a_line_a_variant_and_seed(opened: Opener) -> None:
    w = opened("tiny")
    folder, mapped = f"{INDUCED}/ana-ber.world/supervised/joint_ar_rcsls", f"{MAPPED}/joint_ar_rcsls"
    job = induction(w, "ana-ber.world.joint_ar_rcsls")
    assert job.lines == [
        {"source": f"{mapped}/{run}.source.vec", "target": f"{mapped}/{run}.target.vec",
         "mapping": f"{mapped}/{run}.details.json",
         "out": f"{folder}/{run}.json", "predictions": f"{folder}/{run}.predictions.tsv"}
        for run in ("seed1", "seed2", "published.seed1", "published.seed2")
    ]  # fmt: skip
    read = {line[name] for line in job.lines for name in ("source", "target", "mapping")}
    assert set(job.files()) == read | {*job.options["dictionary"]}
    assert lexicon_induction.score_file(w, "joint_ar_rcsls", w.lexicon_pairs["ana-ber.world"], 1).made_by == (
        folder,
    )
    duong = induction(w, "ana-ber.world.duong").lines[0]
    assert (duong["source"], duong["mapping"]) == (f"{EMBEDDINGS}/duong/ana-ber.world/seed1.source.vec", "")
    told, section = induction(w, "ana-ber.world.muse").options, w.config.lexicon_induction
    assert told.items() >= dict(section).items()
    assert (told["identical"], told["max_vocabulary"]) == (["kept", "dropped"], 200000)
    assert told["dictionary"] == ["results/tiny/corpora/dictionaries/ana-ber.world/test.txt"]


def test_a_job_of_the_curve_is_of_all_systems_that_need_a_dictionary(opened: Opener) -> None:
    w = opened("tiny")
    scores = [line["out"] for line in induction(w, "ana-ber.world_55").lines]
    judged = [PurePath(score).parent.name for score in scores]
    assert {"procrustes", "duong", "joint_align_rcsls"} <= set(judged)
    assert not {"muse", "joint", "joint_vr", "joint_align_identity"} & set(judged)
    assert max(Counter(judged).values()) == len(w.seeds)  # none under published settings
    made = lexicon_induction.score_file(w, "duong", w.curve_pairs["ana-ber.world_55"], 1).made_by
    assert made == (f"{INDUCED}/ana-ber.world_55/supervised",)


def test_an_unsupervised_mapper_is_controlled_by_one_language_twice(opened: Opener) -> None:
    w = opened("tiny", {"joint_align": {"controls": 3}})
    assert w.stage(Controls).systems == ["muse", "vecmap"]
    (job,) = w.stage(Controls).jobs()
    assert job.members == [f"crosslingua.mappers.{name}" for name in ("muse", "vecmap", "procrustes")]
    assert len(job.lines) == 3 * 2 * 3
    upper = job.lines[-6:]  # the line above them, on the same vectors
    assert all((line["mapper"], line["set"]) == ("procrustes", []) for line in upper)
    for name in ("source", "target", "seed"):
        assert [line[name] for line in upper] == [line[name] for line in job.lines[:6]]
    folder = f"{EMBEDDINGS}/independent/ana"
    runs = [("seed1", "seed2"), ("seed2", "seed1"), ("seed1", "seed2"), ("even.seed1", "odd.seed1")]
    read = [(line["source"], line["target"]) for line in job.lines[:4]]
    assert read == [(f"{folder}/{source}.vec", f"{folder}/{target}.vec") for source, target in runs]
    (alone,) = opened("tiny", {"seeds": [1]}).stage(Controls).jobs()
    assert alone.files() == [f"{folder}/{half}.seed1.vec" for half in ("even", "odd")]
    assert list(opened("tiny", {"joint_align": {"controls": None}}).stage(Controls).jobs()) == []


@pytest.mark.parametrize("lost", ["predictions.tsv", "json"])
def test_a_folder_that_lost_a_file_that_its_plan_writes_is_incomplete(opened: Opener, lost: str) -> None:
    w = opened("tiny")
    planned, place = jobs(w), "results/tiny/lexicon_induction/ana-ber.world/supervised"
    for line in planned["induce_lexicon/ana-ber.world.rcsls"].lines:
        for name in ("out", "predictions"):
            written(Path(line[name]), "")
    assert planning.incomplete(w, planned) == set()
    Path(f"{place}/rcsls/seed1.{lost}").unlink()
    assert planning.incomplete(w, planned) == {f"{place}/rcsls"}


def test_the_curve_maps_by_a_mapper_that_needs_a_dictionary_and_has_no_grid(opened: Opener) -> None:
    w = opened(change={"joint_align": {"search": {"procrustes": None}}})
    jobs = planning.stated(w)  # where an input that no job makes is refused
    smaller = next(name for name in w.curve_pairs)
    mapping = jobs[f"align_vectors/{smaller}.procrustes"]
    assert [line["search"] for line in mapping.lines] == [[]] * len(w.seeds)
    assert {line["out_source"] for line in mapping.lines} <= {*jobs[f"induce_lexicon/{smaller}"].files()}


def test_an_encoders_vectors_are_of_a_language_and_serve_all_pairs_and_seeds(opened: Opener) -> None:
    w = opened("atlas")
    pair = next(pair for pair in w.lexicon_pairs.values() if pair.source == "eu_a")
    system = all_systems(w)["e5_small_q4"]
    folder = "results/atlas/word_embeddings/encoder/e5_small_q4"
    assert {system.final(pair, seed, "source.vec") for seed in w.seeds} == {f"{folder}/eu_a.vec"}
    assert not system.needs_dictionary
    told = job(w, "embed_vocabulary/e5_small_q4/eu_a")
    assert (told.options["language"], told.options["min_count"]) == ("eu", 3)
    assert told.files()[0].startswith("data/encoders/published/")


@pytest.mark.parametrize(("system", "message"), [
    ({"embeddings": "encoder", "mapper": None}, "the key 'encoder' names the encoder"),
    ({"embeddings": "joint", "mapper": None, "encoder": "mbert"}, "the key 'encoder' names the encoder"),
    ({"embeddings": "encoder", "mapper": None, "encoder": "mbrt"}, "did you mean 'mbert'"),
])  # fmt: skip
def test_the_encoder_of_a_system_is_named_and_known(opened: Opener, system: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        opened(change={"joint_align": {"systems": {"words": system}}})


def test_together_one_job_has_the_lines_of_all_systems_and_makes_the_folder_that_others_read(
    opened: Opener,
) -> None:
    apart, together = (opened("tiny", {"joint_align": {"together": value}}) for value in (False, True))
    system = all_systems(together)["procrustes"]
    for kind, mapped in (("align_vectors", True), ("induce_lexicon", False)):
        single = [
            (one.mapper if mapped else "", {**jobs(apart)[f"{kind}/{PAIR.name}.{name}"].options, **line})
            for name, one in vectors.systems_of(apart, PAIR).items()
            if one.mapper or not mapped
            for line in jobs(apart)[f"{kind}/{PAIR.name}.{name}"].lines
        ]
        whole = job(together, f"{kind}/{PAIR.name}")
        assert [{**whole.options, **line} for line in whole.lines] == [line for _, line in single]
    assert system.mapped(PAIR, 1, "source.vec").made_by == (MAPPED,)  # type: ignore[attr-defined]
    assert MAPPED in job(together, f"induce_lexicon/{PAIR.name}").files()
    assert f"{INDUCED}/{PAIR.name}" in job(together, "cells/joint_align.main").files()
