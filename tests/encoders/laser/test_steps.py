from dataclasses import replace

import numpy as np
import pytest

from crosslingua.encoders.data import Pieces
from crosslingua.encoders.laser import Steps, make_batch, read_directions
from crosslingua.errors import ConfigError
from encoders.laser.toys import SMALL, write_bitext, write_tokenizer

END, PADDING = 2, 1


@pytest.fixture
def pieces(tmp_path) -> Pieces:
    return Pieces(write_tokenizer(tmp_path / "tokenizer"))


@pytest.fixture
def files(tmp_path):
    sizes = {("a", "b"): 60, ("c", "a"): 40}
    return {pair: write_bitext(tmp_path, "-".join(pair), slice(0, n)) for pair, n in sizes.items()}


def test_an_epoch_takes_every_pair_of_every_direction_once(files, pieces):
    directions = read_directions(files, ["a", "b"], pieces, 100)
    found = [(d.source, d.pivot, d.language, len(d.rows)) for d in directions]
    assert found == [("a", "b", 1, 60), ("b", "a", 0, 60), ("c", "a", 0, 40)]
    steps = Steps(directions, pieces.specials, replace(SMALL, batch_tokens=30, accumulate=4), seed=1)
    epoch = steps.epoch(0)
    plans = [plan for step in epoch for plan in step]
    assert {len(step) for step in epoch[:-1]} == {4}
    for number, direction in enumerate(directions):
        rows = np.concatenate([plan.rows for plan in plans if plan.direction == number])
        assert sorted(rows) == list(range(len(direction.rows)))
    for plan in plans:
        direction = directions[plan.direction]
        lengths = np.stack([direction.sources.lengths, direction.targets.lengths], axis=1)[plan.rows]
        assert lengths.max() * len(plan.rows) <= 30
        assert np.ptp(lengths[:, 0]) <= 1
    numbers = [plan.direction for plan in plans]
    assert numbers != sorted(numbers)  # directions are mixed


def test_a_batch_holds_the_subwords_of_its_lines(tmp_path, pieces):
    paths = tmp_path / "x", tmp_path / "y"
    paths[0].write_text("a5 a6 a7\na8\n", encoding="utf-8")
    paths[1].write_text("b5\nb6 b7\n", encoding="utf-8")
    (direction,) = read_directions({("a", "b"): tuple(map(str, paths))}, ["b"], pieces, 100)
    batch = make_batch(direction, np.array([1, 0]), pieces.specials)
    a, b = pieces.vocabulary["a5"], pieces.vocabulary["b5"]
    assert batch.source.tolist() == [[a + 3, END, PADDING, PADDING], [a, a + 1, a + 2, END]]
    assert batch.lengths.tolist() == [2, 4]
    assert batch.previous[0].tolist() == [END, b + 1, b + 2]
    assert batch.previous[1, :2].tolist() == [END, b]
    assert batch.target_lengths.tolist() == [3, 2]
    assert batch.following.tolist() == [b + 1, b + 2, END, b, END]
    assert batch.language == 0


def test_epochs_differ_and_repeat_by_seed(files, pieces):
    directions = read_directions(files, ["a", "b"], pieces, 100)

    def order(seed, epoch):
        steps = Steps(directions, pieces.specials, SMALL, seed).epoch(epoch)
        return [plan.rows.tolist() for step in steps for plan in step]

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)


@pytest.mark.parametrize("start", [0, 3, 11, 12, 25])
def test_a_run_can_go_on_anywhere(files, pieces, start):
    directions = read_directions(files, ["a", "b"], pieces, 100)
    steps = Steps(directions, pieces.specials, replace(SMALL, batch_tokens=60), seed=1)
    whole = list(steps.since(0))
    assert len(whole) == steps.number > 25
    rest = list(steps.since(start))
    assert len(rest) == len(whole) - start
    for one, other in zip(whole[start:], rest, strict=True):
        assert one[0].source.tolist() == other[0].source.tolist()


def test_long_and_empty_pairs_are_left_out_and_told(tmp_path, pieces, caplog):
    paths = tmp_path / "x", tmp_path / "y"
    paths[0].write_text("a0 a1 a2\na3\n\na4\n", encoding="utf-8")
    paths[1].write_text("b0\nb1 b2\nb3\nb4\n", encoding="utf-8")
    files = {("a", "b"): tuple(map(str, paths))}
    (direction,) = read_directions(files, ["b"], pieces, max_length=3)
    assert direction.rows.tolist() == [1, 3]
    assert "bitext a-b: 2 pairs" in caplog.text
    with pytest.raises(ConfigError, match="no pair of 1 to 0 subwords"):
        read_directions({("a", "b"): (str(paths[0]), str(paths[0]))}, ["b"], pieces, max_length=1)


def test_bitext_and_pivots_must_fit(files, pieces):
    with pytest.raises(ConfigError, match=r"c-a: one of two languages must be a pivot \(b\)"):
        read_directions(files, ["b"], pieces, 100)
    with pytest.raises(ConfigError, match="pivot d: no bitext"):
        read_directions(files, ["a", "d"], pieces, 100)
    with pytest.raises(ConfigError, match="name each once"):
        read_directions(files, ["a", "a"], pieces, 100)
