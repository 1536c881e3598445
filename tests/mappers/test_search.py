"""Settings of a mapper are chosen on held-out pairs: where the answer is known, and where nothing is to choose."""

import numpy as np
import pytest

from crosslingua.errors import ConfigError
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction.choice import answered, candidates, parse_grid
from crosslingua.mappers import MAPPERS
from crosslingua.mappers.mapper import build
from crosslingua.mappers.refinement import UnmappedSpace, choose_mapper

N, D = 120, 10
PAIRS = [(f"s{i}", f"t{i}") for i in range(N)]


def rotated(offset: float = 0.0) -> UnmappedSpace:
    """Two languages that differ by a rotation, and by an offset of the target that centring takes away."""
    random = np.random.default_rng(3)
    source = random.normal(size=(N, D)).astype(np.float32)
    rotation, _ = np.linalg.qr(random.normal(size=(D, D)))
    target = (source @ rotation + offset * random.normal(size=D)).astype(np.float32)
    return UnmappedSpace(*map(WordVectors, map(list, zip(*PAIRS, strict=True)), (source, target)))


def tried(mapper: str, *grid: str):
    return candidates({}, parse_grid(grid), lambda settings: build(mapper, settings))


def test_centring_is_chosen_where_a_space_is_offset() -> None:
    grid = tried("procrustes", "normalise=none|unit,centre,unit")
    choice = choose_mapper("procrustes", grid, [rotated(offset=4.0)], PAIRS[:60], PAIRS[60:])
    assert choice.settings == {"normalise": "unit,centre,unit"}
    (_, published), (_, centred) = choice.scores
    assert published < centred
    assert choice.record()["queries"] == 60
    aligned = rotated(offset=4.0)
    assert answered(aligned.source, aligned.target, PAIRS[60:]).hits.keys() == {s for s, _ in PAIRS[60:]}


def test_what_is_published_stays_where_nothing_is_better() -> None:
    grid = tried("procrustes", "normalise=unit,centre,unit|none")
    choice = choose_mapper("procrustes", grid, [rotated(), rotated()], PAIRS[:60], PAIRS[60:])
    assert choice.settings == {}


def test_a_grid_is_a_product_without_what_is_said_twice() -> None:
    grid = tried("rcsls", "lr=1|25", "niter=10|20")  # lr 1 and niter 10 are the defaults
    assert grid == [{}, {"lr": "1", "niter": "20"}, {"lr": "25", "niter": "10"}, {"lr": "25", "niter": "20"}]
    with pytest.raises(ConfigError, match="--search lr: write name=value"):
        parse_grid(["lr"])


def test_what_trains_does_not_choose() -> None:
    with pytest.raises(ConfigError, match=r"1 words both train and select, e\.g\. s5"):
        choose_mapper("procrustes", tried("procrustes", "normalise=none"), [rotated()], PAIRS[:6], PAIRS[5:])


@pytest.mark.parametrize("name", [name for name in MAPPERS if MAPPERS.member(name).grid])
def test_every_grid_is_of_settings_that_the_mapper_has_and_holds_the_published_ones(name: str) -> None:
    grid = MAPPERS.member(name).grid
    published = build(name)
    for setting, values in grid.items():
        made = [build(name, {setting: str(value)}) for value in values]
        assert len(set(map(repr, made))) == len(values)
        assert published in made
