"""Systems of word vectors: settings that run, are chosen, are missing."""

import pytest

from configurations import Opener
from crosslingua.errors import ConfigError
from crosslingua.workflow import vectors


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
    assert vectors.variants(w, w.systems[system]) == expected


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
