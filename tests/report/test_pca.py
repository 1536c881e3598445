from pathlib import Path

import numpy as np
from PIL import Image

from crosslingua.io.vectors import WordVectors
from crosslingua.report.pca import Panel, choose_pairs, plot
from pictures import drawn_twice


def panel(title: str = "joint") -> Panel:
    random = np.random.default_rng(0)
    shared = random.normal(size=(2, 5)).astype(np.float32)
    own = random.normal(size=(8, 5)).astype(np.float32)
    source = np.vstack([own[0], shared[0], own[1], shared[1], own[2], own[3]])
    target = np.vstack([own[4], own[5], shared, own[6], own[7]])
    sides = ["s1", "both", "s2", "berlin", "s3", "s4"], ["t1", "t2", "both", "berlin", "t3", "t4"]
    spaces = (WordVectors(*side) for side in zip(sides, (source, target), strict=True))
    return Panel(title, *spaces, frozenset({"both", "berlin"}))


def test_groups_hold_the_most_frequent_words_of_either_side() -> None:
    groups = {name: [word for word, _ in items] for name, items in panel().groups(4).items()}
    assert groups == {"source": ["s1", "s2"], "target": ["t1", "t2"], "shared": ["both", "berlin"]}


def test_labelled_pairs_are_words_of_one_language_each() -> None:
    pairs = "both-t1 s1-t2 s1-t1 s2-t2 unknown-t3 s2-berlin s4-t3"
    dictionary = [tuple(pair.split("-")) for pair in pairs.split()]
    assert choose_pairs(panel(), dictionary, 5) == [("s1", "t2"), ("s4", "t3")]
    assert choose_pairs(panel(), dictionary, 1) == [("s1", "t2")]


def test_the_picture_has_a_panel_each_and_repeats_to_the_byte(tmp_path: Path) -> None:
    panels = [panel("before"), panel("after")]
    text = drawn_twice(tmp_path, lambda out: plot(panels, [("s1", "t1")], ("en", "de"), 6, "caption", out))
    assert text.startswith("<?xml")
    width, height = Image.open(tmp_path / "first.png").size
    assert width > 1.5 * height
