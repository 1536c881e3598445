"""Figure 1 of joint_align from the files of its three stages."""

from pathlib import Path

import numpy as np

from crosslingua.papers.joint_align.figures import FIGURES


def write_vectors(path: Path, words: list[str], seed: int) -> Path:
    matrix = np.random.default_rng(seed).normal(size=(len(words), 4))
    lines = [f"{word} {' '.join(f'{x:.4f}' for x in v)}" for word, v in zip(words, matrix, strict=True)]
    path.write_text("\n".join([f"{len(words)} 4", *lines, ""]))
    return path


def test_figure1_shows_the_three_stages_and_labels_translations(tmp_path: Path) -> None:
    source = [write_vectors(tmp_path / f"{n}.en.vec", ["dog", "cat", "taxi"], n) for n in range(3)]
    target = [write_vectors(tmp_path / f"{n}.de.vec", ["hund", "katze", "taxi"], n + 5) for n in range(3)]
    (tmp_path / "shared.txt").write_text("taxi\n")
    (tmp_path / "none.txt").write_text("")
    (tmp_path / "dictionary.txt").write_text("dog hund\ncat katze\n")
    inputs = {
        "source": source, "target": target, "dictionary": [tmp_path / "dictionary.txt"],
        "shared": [tmp_path / "shared.txt", tmp_path / "none.txt", tmp_path / "none.txt"],
    }  # fmt: skip
    settings = {"languages": ["English", "German"], "pairs": 1, "caption": "demo"}
    FIGURES["figure1"].draw(inputs, settings, [tmp_path / "f.svg"])
    text = (tmp_path / "f.svg").read_text()
    panels = ("(a) joint training", "(c) after alignment refinement")
    for shown in ("demo", *panels, "English only", "1 dog = hund"):
        assert f"<!-- {shown} -->" in text
    assert "<!-- katze -->" not in text
