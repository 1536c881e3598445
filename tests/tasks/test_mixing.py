"""Shares of tagged files: of their size, always the same sentences, the same that taggers on features train on."""

from pathlib import Path

import numpy as np
import pytest

from crosslingua.errors import ConfigError
from crosslingua.io.conll import TaggedSentence, read_conll, write_conll
from crosslingua.tasks.batches import share_of, shared_rows


def write(path: Path, word: str, size: int) -> Path:
    write_conll(path, (TaggedSentence((f"{word}{n}",), ("O" if n % 2 else "B-X",)) for n in range(size)))
    return path


def test_a_share_is_of_its_size_in_order_and_without_repeats() -> None:
    rows = shared_rows(1000, 0.25)
    assert len(rows) == 250
    assert (np.diff(rows) > 0).all()
    assert rows[-1] < 1000
    assert shared_rows(1000, 1.0).tolist() == list(range(1000))
    assert len(shared_rows(3, 0.01)) == 1
    assert set(shared_rows(400, 0.1)) <= set(shared_rows(400, 0.4))  # a larger one holds the smaller


@pytest.mark.parametrize("part", [0, -0.5, 1.5])
def test_what_is_no_share_is_refused(part: float) -> None:
    with pytest.raises(ConfigError, match="must be above 0, and at most 1"):
        shared_rows(10, part)


def test_files_are_mixed_in_lower_case_through_the_script(script, tmp_path: Path) -> None:
    files = write(tmp_path / "a", "Word", 40), write(tmp_path / "b", "Wort", 20)
    mix = ("mix_tagged.py", "--data", *files, "--task", "ner", "--out", "out", "--share", 1)
    script(*mix, 0.25, "--lowercase")
    found = list(read_conll(tmp_path / "out", "bio2"))
    assert len(found) == 40 + 5
    assert [one.tokens[0] for one in found[:2]] == ["word0", "word1"]
    assert found[40:] == share_of(files[1], "bio2", 0.25, lowercase=True)
    assert all(one.tokens[0].startswith("wort") for one in found[40:])
    assert "2 files and 1 shares" in script(*mix, status=1).stderr
