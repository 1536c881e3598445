"""Jobs of mappers."""

from __future__ import annotations

from configurations import Opener, planned
from crosslingua.workflow import mapping
from crosslingua.workflow.workflow import LexiconPair

PAIR = LexiconPair("ana", "ber", "world")
EMBEDDINGS = "results/tiny/word_embeddings"
MAPPED = "results/tiny/embedding_alignment/ana-ber.world"


def test_what_a_mapping_reads(opened: Opener) -> None:
    w = opened("tiny", {"seeds": [1]})
    independent = [f"{EMBEDDINGS}/independent/{language}/seed1.vec" for language in ("ana", "ber")]
    folder = "results/tiny/corpora/dictionaries/ana-ber.world"
    dictionaries = [f"{folder}/{name}.txt" for name in ("train", "fit", "validation")]
    assert mapping.mapping_inputs(w, ["rcsls"], PAIR) == [*independent, *dictionaries]
    assert mapping.mapping_inputs(w, ["muse"], PAIR) == independent
    joint = [
        f"{EMBEDDINGS}/joint/ana-ber/seed1.{name}" for name in ("source.vec", "target.vec", "shared.txt")
    ]
    assert mapping.mapping_inputs(w, ["rcsls", "joint_ar_rcsls"], PAIR) == [
        *independent,
        *joint,
        *dictionaries,
    ]


def test_systems_of_one_mapper_are_mapped_together_with_a_dictionary_or_without(opened: Opener) -> None:
    found = mapping.mappings(opened("tiny"))
    assert found["rcsls_supervised"] == ["rcsls", "joint_ar_rcsls", "joint_align_rcsls"]
    assert found["muse_unsupervised"] == ["muse", "joint_align_muse", "joint_align_identity", "joint_ar_muse"]
    assert "muse_supervised" not in found
    seeded = {"embeddings": "independent", "mapper": "muse", "settings": {"initialisation": "dictionary"}}
    more = mapping.mappings(opened("tiny", {"joint_align": {"systems": {"seeded": seeded}}}))
    assert more["muse_supervised"] == ["seeded"]


def test_a_mapping_is_a_cell_a_system_and_seed_and_the_first_seed_chooses(opened: Opener) -> None:
    w = opened("tiny", {"joint_align": {"search": {"rcsls": {"lr": [1, 25]}}}})
    cells = planned(mapping.mapping_plan(w, "rcsls_supervised", ["rcsls", "joint_ar_rcsls"], PAIR))
    assert [(cell["seed"], cell["choosing"]) for cell in cells] == [("1", "true"), ("2", "")] * 2
    assert cells[3] == {
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
    muse = planned(mapping.mapping_plan(w, "muse_unsupervised", ["muse"], PAIR))
    assert [(cell["shared"], cell["search"], cell["published_source"]) for cell in muse] == [("", "", "")] * 2


def test_what_a_mapping_writes_is_what_its_cells_name(opened: Opener) -> None:
    w = opened("tiny")
    for name, systems in mapping.mappings(w).items():
        named = {
            value
            for cell in planned(mapping.mapping_plan(w, name, systems, PAIR))
            for column, value in cell.items()
            if value and (column in ("details", "choice") or column.startswith(("out_", "published_")))
        }
        assert {
            file for files in mapping.mapping_outputs(w, systems, PAIR).values() for file in files
        } == named


def test_a_systems_settings_win_over_the_mappers(opened: Opener) -> None:
    systems = {"muse": {"settings": {"lr": 9, "n_epochs": None}}}
    w = opened("tiny", {"joint_align": {"systems": systems}})
    told = mapping.mapping_options(w, ["muse"], PAIR)
    assert (told["mapper"], told["dictionary"], told["validation"]) == ("muse", None, None)
    own = planned(mapping.mapping_plan(w, "muse_unsupervised", ["muse"], PAIR))[0]["set"].split()
    assert "lr=9" in own
    assert not [word for word in own if word.startswith("n_epochs=")]
    assert "epoch_size=2000" in own


def test_the_papers_settings_are_the_published_ones(opened: Opener) -> None:
    w = opened("paper")
    for name, systems in mapping.mappings(w).items():
        if "unsupervised" in name:
            own = {cell["set"] for cell in planned(mapping.mapping_plan(w, name, systems, PAIR))}
            assert own <= {"", "initialisation=identity"}


def test_modules_of_a_system_are_those_of_its_mapper(opened: Opener) -> None:
    w = opened("tiny")
    assert mapping.system_modules(w, "joint") == []
    assert "crosslingua.mappers.rcsls" in mapping.system_modules(w, "rcsls")
    assert "crosslingua.mappers.rcsls" not in mapping.system_modules(w, "muse")
    assert mapping.mapper_modules(w, "procrustes") == ["crosslingua.mappers.procrustes"]
    wrapped = mapping.system_modules(w, "iterative_norm")
    assert {"crosslingua.mappers.iterative_norm", "crosslingua.mappers.procrustes"} <= set(wrapped)
