"""Jobs of word embeddings, mappers and lexicon induction."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from configurations import Opener, planned
from crosslingua.errors import ConfigError
from crosslingua.workflow import controls, lexicons, mapping, reallocation, vector_systems, vectors
from crosslingua.workflow.workflow import LexiconPair

PAIR = LexiconPair("ana", "ber", "world")
EMBEDDINGS = "results/tiny/word_embeddings"
MAPPED = "results/tiny/embedding_alignment/ana-ber.world"


def test_a_joint_vocabulary_may_be_twice_as_large(opened: Opener) -> None:
    demo, paper = opened(), opened("paper")
    assert vectors.fasttext_options(demo) == demo.config["word_embeddings"]
    assert vectors.fasttext_options(demo, joint=True)["max_vocabulary"] == 400000
    assert vectors.fasttext_options(paper)["dim"] == 300
    assert (vectors.fasttext_options(paper)["minn"], vectors.fasttext_options(demo)["minn"]) == (3, 0)


def test_duong_trains_as_many_dimensions_as_the_others(opened: Opener) -> None:
    told = vectors.duong_options(opened("paper"))
    assert (told["dim"], told["min_count"], told["max_vocabulary"]) == (300, 5, 200000)
    assert (told["window"], told["combine"]) == (48, "output")


def test_joint_training_does_not_know_source_from_target(opened: Opener) -> None:
    w = opened("tiny")
    files = [f"{EMBEDDINGS}/concatenated/ana+ber/seed{seed}.vec" for seed in (1, 2)]
    assert vectors.joint_vectors(w, "ana", "ber") == vectors.joint_vectors(w, "ber", "ana") == files


@pytest.mark.parametrize(
    ("embeddings", "name", "expected"),
    [
        ("independent", "target.vec", "independent/ber/seed2.vec"),
        ("joint", "shared.txt", "joint/ana-ber/seed2.shared.txt"),
        ("joint_vr", "source.vec", "joint_vr/ana-ber.world/seed2.source.vec"),
        ("joint_replace", "source.vec", "joint_replace/ana-ber.world/seed2.source.vec"),
        ("duong", "target.vec", "duong/ana-ber.world/seed2.target.vec"),
    ],
)
def test_spaces_before_a_mapping(opened: Opener, embeddings: str, name: str, expected: str) -> None:
    assert vectors.space(opened("tiny"), embeddings, PAIR, 2, name) == f"{EMBEDDINGS}/{expected}"


def test_a_system_is_judged_by_its_mapping_or_its_space(opened: Opener) -> None:
    w = opened("tiny")
    assert vectors.final(w, "joint", PAIR, 1, "source.vec") == f"{EMBEDDINGS}/joint/ana-ber/seed1.source.vec"
    assert (
        vectors.final(w, "joint_ar_rcsls", PAIR, 1, "source.vec")
        == f"{MAPPED}/joint_ar_rcsls/seed1.source.vec"
    )
    assert vectors.final_vectors(w, "joint_ar_rcsls", PAIR) == [
        f"{MAPPED}/joint_ar_rcsls/seed{seed}.{side}.vec" for seed in (1, 2) for side in ("source", "target")
    ]


@pytest.mark.parametrize(
    ("kind", "read", "folder"),
    [
        ("joint", "concatenated/ana+ber", "joint/ana-ber"),
        ("joint_vr", "concatenated/ana+ber", "joint_vr/ana-ber.world"),
        ("joint_replace", "replaced/ana-ber.world", "joint_replace/ana-ber.world"),
    ],
)
def test_dividing_a_joint_vocabulary_is_a_cell_a_seed(
    opened: Opener, kind: str, read: str, folder: str
) -> None:
    place = SimpleNamespace(
        source="ana", target="ber", **({} if kind == "joint" else {"dictionary": "world"})
    )
    without = dict.fromkeys(("joint_vr", "joint_align_muse", "joint_align_identity"))
    w = opened("tiny", {"joint_align": {"systems": without, "published_training": False}})
    cells = planned(reallocation.division_plan(w, kind, place))
    assert cells == [
        {
            "vectors": f"{EMBEDDINGS}/{read}/seed{seed}.vec",
            "seed": str(seed),
            "report": f"{EMBEDDINGS}/{folder}/division.json",
            "out_source": f"{EMBEDDINGS}/{folder}/seed{seed}.source.vec",
            "out_target": f"{EMBEDDINGS}/{folder}/seed{seed}.target.vec",
            "out_shared": f"{EMBEDDINGS}/{folder}/seed{seed}.shared.txt",
        }
        for seed in (1, 2)
    ]


def test_a_gamma_without_a_dictionary_is_chosen_where_the_joint_vocabulary_is_divided(opened: Opener) -> None:
    place = SimpleNamespace(source="ana", target="ber")
    cells = planned(reallocation.division_plan(opened("tiny"), "joint", place))
    assert [cell["gamma"] for cell in cells] == ["", "", "0.7 0.9", "0.7 0.9"]
    assert cells[2] == {
        "vectors": f"{EMBEDDINGS}/concatenated/ana+ber/seed1.vec",
        "seed": "1",
        "report": f"{EMBEDDINGS}/joint_vr_unsupervised/ana-ber/division.json",
        "out_source": f"{EMBEDDINGS}/joint_vr_unsupervised/ana-ber/seed1.source.vec",
        "out_target": f"{EMBEDDINGS}/joint_vr_unsupervised/ana-ber/seed1.target.vec",
        "out_shared": f"{EMBEDDINGS}/joint_vr_unsupervised/ana-ber/seed1.shared.txt",
        "gamma": "0.7 0.9",
        "selection_mapper": "muse",
        "set": "initialisation=identity",
    }


def test_gamma_is_chosen_under_a_mapper_with_its_settings(opened: Opener) -> None:
    w = opened("tiny", {"vocabulary_reallocation": {"selection_mapper": "muse"}})
    told = reallocation.reallocation_options(w, PAIR)
    assert (told["gamma"], told["selection_mapper"], told["max_vocabulary"]) == ([0.7, 0.9], "muse", 200000)
    dictionary = "results/tiny/corpora/dictionaries/ana-ber.world"
    assert (told["fit"], told["validation"]) == (f"{dictionary}/fit.txt", f"{dictionary}/validation.txt")
    assert {"n_epochs=1", "dis_hidden=128"} <= set(told["set"])
    assert reallocation.reallocation_options(opened("paper"), PAIR)["set"] == []
    given = reallocation.reallocation_options(
        opened("tiny", {"vocabulary_reallocation": {"gamma": [0.9]}}), PAIR
    )
    assert not {"fit", "validation"} & set(given)


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


@pytest.mark.parametrize(
    ("system", "change", "expected"),
    [
        ("rcsls", {}, ("", "published.")),
        ("rcsls", {"search": {"rcsls": None}}, ("",)),
        ("muse", {}, ("",)),  # nothing of the unsupervised is chosen on translations
        ("joint", {}, ("",)),
        ("duong", {}, ("", "published.")),
        ("duong", {"published_training": False}, ("",)),
        ("joint_replace", {"search": {"joint_replace": None}}, ("",)),
    ],
)
def test_systems_run_as_chosen_and_as_published(
    opened: Opener, system: str, change: dict, expected: tuple
) -> None:
    w = opened("tiny", {"joint_align": change})
    assert vector_systems.variants(w, w.systems[system]) == expected


def test_what_sees_a_dictionary_in_training_follows_its_choice(opened: Opener) -> None:
    w = opened("tiny", {"joint_align": {"search": {"duong": {"delta": [0.01, 0.1], "combine": ["input"]}}}})
    told = vectors.choosing_options(w, "duong")
    assert (told["search"], told["seed"]) == (["delta=0.01|0.1", "combine=input"], 1)
    assert "dim=16" in told["set"]
    chosen = f"{EMBEDDINGS}/duong/ana-ber.world/choice.json"
    assert vectors.chosen_settings(w, "duong", PAIR, "") == [chosen]
    assert vectors.chosen_settings(w, "duong", PAIR, "published.") == []
    assert "window" not in vectors.duong_options(w, "published.")


def test_an_unsupervised_mapper_is_controlled_by_one_language_twice(opened: Opener) -> None:
    w = opened("tiny", {"joint_align": {"controls": 3}})
    assert controls.controlled(w) == ["muse", "vecmap"]
    cells = planned(controls.control_plan(w))
    assert len(cells) == 2 * 2 * 3
    folder = f"{EMBEDDINGS}/independent/ana"
    assert [(cell["source"], cell["target"]) for cell in cells[:4]] == [
        (f"{folder}/seed1.vec", f"{folder}/seed2.vec"),
        (f"{folder}/seed2.vec", f"{folder}/seed1.vec"),
        (f"{folder}/seed1.vec", f"{folder}/seed2.vec"),
        (f"{folder}/even.seed1.vec", f"{folder}/odd.seed1.vec"),
    ]
    assert [cell["out"] for cell in cells] == controls.control_scores(w)
    alone = opened("tiny", {"seeds": [1]})
    assert {cell["source"] for cell in planned(controls.control_plan(alone))} == {f"{folder}/even.seed1.vec"}
    assert controls.controlled(opened("tiny", {"joint_align": {"controls": None}})) == []


def test_modules_of_a_system_are_those_of_its_mapper(opened: Opener) -> None:
    w = opened("tiny")
    assert mapping.system_modules(w, "joint") == []
    assert "crosslingua.mappers.rcsls" in mapping.system_modules(w, "rcsls")
    assert "crosslingua.mappers.rcsls" not in mapping.system_modules(w, "muse")
    assert mapping.mapper_modules(w, "procrustes") == ["crosslingua.mappers.procrustes"]
    wrapped = mapping.system_modules(w, "iterative_norm")
    assert {"crosslingua.mappers.iterative_norm", "crosslingua.mappers.procrustes"} <= set(wrapped)


def test_inducing_a_lexicon_is_a_cell_a_system_variant_and_seed(opened: Opener) -> None:
    w = opened("tiny")
    folder = "results/tiny/lexicon_induction/ana-ber.world/joint_ar_rcsls"
    cells = planned(lexicons.lexicon_plan(w, "supervised", ["joint_ar_rcsls", "duong"], PAIR))
    assert cells[:4] == [
        {
            "source": f"{MAPPED}/joint_ar_rcsls/{variant}seed{seed}.source.vec",
            "target": f"{MAPPED}/joint_ar_rcsls/{variant}seed{seed}.target.vec",
            "mapping": f"{MAPPED}/joint_ar_rcsls/{variant}seed{seed}.details.json",
            "out": f"{folder}/{variant}seed{seed}.json",
            "predictions": f"{folder}/{variant}seed{seed}.predictions.tsv",
        }
        for variant in ("", "published.")
        for seed in (1, 2)
    ]
    assert (cells[4]["source"], cells[4]["mapping"]) == (
        f"{EMBEDDINGS}/duong/ana-ber.world/seed1.source.vec",
        "",
    )
    kinds = lexicons.judged(w)
    assert {"muse", "joint", "joint_vr", "joint_align_identity"} <= set(kinds["unsupervised"])
    assert {"procrustes", "duong", "joint_align_rcsls"} <= set(kinds["supervised"])
    told = lexicons.lexicon_options(w, PAIR)
    own = w.config["lexicon_induction"]
    assert {name: told[name] for name in own} == own
    assert (told["identical"], told["max_vocabulary"]) == (["kept", "dropped"], 200000)
    assert told["dictionary"] == ["results/tiny/corpora/dictionaries/ana-ber.world/test.txt"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"joint_align": {"systems": {"new": {"embeddings": "joint", "mapper": "procrutes"}}}},
            "joint_align.systems.new.mapper: 'procrutes' is not .*did you mean 'procrustes'",
        ),
        ({"mappers": {"museum": {}}}, "mappers.museum: 'museum' is not defined under the mappers"),
        (
            {"vocabulary_reallocation": {"selection_mapper": "none"}},
            "vocabulary_reallocation.selection_mapper: 'none' is not defined",
        ),
    ],
)
def test_a_mapper_that_is_not_there_is_named(opened: Opener, change: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        opened(change=change)


@pytest.mark.parametrize("system", ["joint_rr", "joint"])
def test_figure_1_is_refined_by_a_system_with_a_mapper(opened: Opener, system: str) -> None:
    opened(change={"joint_align": {"figure1": {"refined_by": "joint_ar_rcsls"}}})
    with pytest.raises(
        ConfigError, match=f"refined_by: '{system}' is not defined under .* that have a mapper"
    ):
        opened(change={"joint_align": {"figure1": {"refined_by": system}}})
