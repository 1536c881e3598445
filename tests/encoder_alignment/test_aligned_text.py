"""Parallel text with links: read, cut, counted through, and refused."""

from pathlib import Path

import numpy as np
import pytest

from crosslingua.encoder_alignment.signal import AlignedText
from crosslingua.errors import ConfigError, InputError


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    texts = {"s": "a b\nc\nd e f\n", "t": "x\ny z\nu v\n", "links": "0-0 1-0\n0-1\n0-0 2p1\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path / "s", tmp_path / "t", tmp_path / "links"


def test_links_are_counted_through_the_text(files: tuple[Path, Path, Path]) -> None:
    text = AlignedText.read(*files)
    assert text.flat_links().tolist() == [[0, 0], [1, 0], [2, 2], [3, 3]]  # sure links only
    source, target = ([w for s in side for w in s] for side in (text.source, text.target))
    found = [source[i] + target[j] for i, j in text.flat_links()]
    assert found == ["ax", "bx", "cz", "du"]


def test_links_of_the_other_direction_are_turned(files: tuple[Path, Path, Path]) -> None:
    source, target, links = files
    turned = AlignedText.read(target, source, links, reverse=True)
    as_they_are = AlignedText.read(source, target, links)
    assert sorted(turned.flat_links()[:, ::-1].tolist()) == sorted(as_they_are.flat_links().tolist())
    with pytest.raises(InputError, match="outside"):
        AlignedText.read(target, source, links)


def test_only_the_first_pairs_are_taken(files: tuple[Path, Path, Path]) -> None:
    text = AlignedText.read(*files, take=2)
    assert (len(text), text.source) == (2, [["a", "b"], ["c"]])
    with pytest.raises(ConfigError, match="at least 1"):
        AlignedText.read(*files, take=0)


def test_chunks_keep_links_with_their_pairs(files: tuple[Path, Path, Path]) -> None:
    chunks = list(AlignedText.read(*files).chunks(2))
    assert [len(chunk) for chunk in chunks] == [2, 1]
    np.testing.assert_array_equal(chunks[1].flat_links(), [[0, 0]])
    assert next(AlignedText.read(*files[:2]).chunks(2)).links is None


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ("0-0\n0-0\n", "2 lines of links for 3"),
        ("0-1\n\n\n", "outside"),
        ("\n\n\n", "no sure link"),
        ("x\n\n\n", "no link"),
    ],
)
def test_links_that_do_not_fit_are_refused(files: tuple[Path, Path, Path], links: str, message: str) -> None:
    files[2].write_text(links)
    with pytest.raises(InputError, match=message):
        AlignedText.read(*files)


def test_empty_and_unequal_text_is_refused(files: tuple[Path, Path, Path]) -> None:
    files[1].write_text("x\n")
    with pytest.raises(InputError, match="parallel files"):
        AlignedText.read(*files[:2])
    for path in files[:2]:
        path.write_text("")
    with pytest.raises(InputError, match="is empty"):
        AlignedText.read(*files[:2])
