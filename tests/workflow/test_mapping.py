"""Jobs of mappers."""

import pytest

from configurations import Opener, planned
from crosslingua.workflow import vectors
from crosslingua.workflow.vectors import ANY_PAIR, ANY_PAIR_OF_CURVE, variants
from crosslingua.workflow.workflow import LexiconPair

PAIR = LexiconPair("ana", "ber", "world")
EMBEDDINGS = "results/tiny/word_embeddings"
MAPPED = "results/tiny/embedding_alignment/ana-ber.world"


def test_what_a_mapping_reads(opened: Opener) -> None:
    w = opened("tiny", {"seeds": [1]})
    independent = [f"{EMBEDDINGS}/independent/{language}/seed1.vec" for language in ("ana", "ber")]
    folder = "results/tiny/corpora/dictionaries/ana-ber.world"
    dictionaries = [f"{folder}/{name}.txt" for name in ("train", "fit", "validation")]
    assert vectors.mapping_inputs(w, "rcsls", PAIR) == [*independent, *dictionaries]
    assert vectors.mapping_inputs(w, "muse", PAIR) == independent
    joint = [
        f"{EMBEDDINGS}/joint/ana-ber/seed1.{name}" for name in ("source.vec", "target.vec", "shared.txt")
    ]
    assert vectors.mapping_inputs(w, "joint_ar_rcsls", PAIR) == [*joint, *dictionaries]


def test_systems_are_mapped_by_rules_with_a_search_or_without(opened: Opener) -> None:
    w = opened("tiny", {"joint_align": {"search": {"geomm": None}}})
    searched, others = (vectors.mapped_systems(w, searched=choice) for choice in (True, False))
    assert {"rcsls", "joint_ar_rcsls", "joint_align_rcsls"} <= set(searched)
    assert {"muse", "joint_align_identity", "vecmap", "geomm", "joint_ar_geomm"} <= set(others)
    assert {*searched, *others} == set(w.systems) - {"duong", "joint", "joint_replace", "joint_vr"}
    assert not {*searched} & {*others}


def test_names_of_dictionaries_are_those_of_pairs(opened: Opener) -> None:
    w = opened("tiny")
    assert vectors.dictionary_names(w.lexicon_pairs) == ["world"]
    assert vectors.dictionary_names(w.curve_pairs) == ["world_55"]
    assert vectors.dictionary_names({"sw-en.none": LexiconPair("sw", "en", "")}) == ["none"]


def test_a_mapping_is_a_cell_a_seed_and_the_first_seed_chooses(opened: Opener) -> None:
    w = opened("tiny", {"joint_align": {"search": {"rcsls": {"lr": [1, 25]}}}})
    cells = planned(vectors.mapping_plan(w, "joint_ar_rcsls", PAIR))
    assert [(cell["seed"], cell["choosing"]) for cell in cells] == [("1", "true"), ("2", "")]
    assert cells[1] == {
        "source": f"{EMBEDDINGS}/joint/ana-ber/seed2.source.vec",
        "target": f"{EMBEDDINGS}/joint/ana-ber/seed2.target.vec",
        "shared": f"{EMBEDDINGS}/joint/ana-ber/seed2.shared.txt",
        "seed": "2",
        "set": "",
        "details": f"{MAPPED}/joint_ar_rcsls/seed2.details.json",
        "out_source": f"{MAPPED}/joint_ar_rcsls/seed2.source.vec",
        "out_target": f"{MAPPED}/joint_ar_rcsls/seed2.target.vec",
        "search": "'lr=1|25'",
        "choice": f"{MAPPED}/joint_ar_rcsls/choice.json",
        "choosing": "",
        "published_source": f"{MAPPED}/joint_ar_rcsls/published.seed2.source.vec",
        "published_target": f"{MAPPED}/joint_ar_rcsls/published.seed2.target.vec",
        "published_details": f"{MAPPED}/joint_ar_rcsls/published.seed2.details.json",
    }
    muse = planned(vectors.mapping_plan(w, "muse", PAIR))
    assert [(cell["shared"], cell["search"], cell["published_source"]) for cell in muse] == [("", "", "")] * 2


@pytest.mark.parametrize("curve", [False, True])
@pytest.mark.parametrize("searched", [False, True])
def test_what_a_rule_writes_is_what_the_cells_of_its_systems_name(
    opened: Opener, searched: bool, curve: bool
) -> None:
    w = opened("tiny")
    pair, pattern = (w.curve_pairs["ana-ber.world_55"], ANY_PAIR_OF_CURVE) if curve else (PAIR, ANY_PAIR)
    patterns = vectors.mapping_outputs(w, pattern, searched=searched).values()
    for system in vectors.mapped_systems(w, searched=searched):
        place = {"source": "ana", "target": "ber", "dictionary": pair.dictionary, "system": system}
        named = {
            value
            for cell in planned(vectors.mapping_plan(w, system, pair))
            for column, value in cell.items()
            if value and (column in ("details", "choice") or column.startswith(("out_", "published_")))
        }
        assert {file.format(**place) for files in patterns for file in files} == named


def test_a_mapper_on_vectors_that_see_a_dictionary_runs_under_its_own_settings(opened: Opener) -> None:
    """As it is published besides where its settings are searched for, whether or not training is."""
    systems = {f"duong_{mapper}": {"embeddings": "duong", "mapper": mapper} for mapper in ("rcsls", "muse")}
    w = opened("tiny", {"joint_align": {"systems": systems, "published_training": True}})
    assert variants(w, w.systems["duong_rcsls"]) == ("", "published.")
    assert variants(w, w.systems["duong_muse"]) == ("",)
    assert variants(w, w.systems["duong"]) == ("", "published.")


def test_a_systems_settings_win_over_the_mappers(opened: Opener) -> None:
    systems = {"muse": {"settings": {"lr": 9, "n_epochs": None}}}
    w = opened("tiny", {"joint_align": {"systems": systems}})
    told = vectors.mapping_options(w, "muse", PAIR)
    assert (told["mapper"], told["dictionary"], told["validation"]) == ("muse", None, None)
    own = planned(vectors.mapping_plan(w, "muse", PAIR))[0]["set"].split()
    assert "lr=9" in own
    assert not [word for word in own if word.startswith("n_epochs=")]
    assert "epoch_size=2000" in own


def test_the_papers_settings_are_the_published_ones(opened: Opener) -> None:
    w = opened("paper")
    unsupervised = [name for name, one in w.systems.items() if one["mapper"] in ("muse", "vecmap")]
    assert unsupervised
    for name in unsupervised:
        own = {cell["set"] for cell in planned(vectors.mapping_plan(w, name, PAIR))}
        assert own <= {"", "initialisation=identity"}


def test_modules_of_a_system_are_those_of_its_mapper(opened: Opener) -> None:
    w = opened("tiny")
    assert vectors.system_modules(w, "joint") == []
    assert "crosslingua.mappers.rcsls" in vectors.system_modules(w, "rcsls")
    assert "crosslingua.mappers.rcsls" not in vectors.system_modules(w, "muse")
    assert vectors.mapper_modules(w, "procrustes") == ["crosslingua.mappers.procrustes"]
    wrapped = vectors.system_modules(w, "iterative_norm")
    assert {"crosslingua.mappers.iterative_norm", "crosslingua.mappers.procrustes"} <= set(wrapped)
