"""What `ask` does before a run: it finds parallel text, and refuses what could not compete."""

from pathlib import Path

import pytest

from crosslingua.errors import ConfigError, InputError
from crosslingua.two_texts import run
from crosslingua.two_texts.question import PairToAsk
from texts import written
from two_texts.test_parallel import sentences, text


@pytest.fixture
def parallel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Two texts of which line i translates line i; a run would succeed."""
    monkeypatch.setattr(run.command, "run", lambda arguments: 0)
    monkeypatch.setattr(run, "conclude", lambda question: question)
    monkeypatch.setattr(run, "check", lambda question: None)
    source = sentences()
    first = written(tmp_path / "text.sw", text(source, "s"))
    return first, written(tmp_path / "text.en", text([line[::-1] for line in source], "t"))


def asked(texts: tuple[Path, Path], **more: object) -> PairToAsk:
    """The question that a run concludes."""
    return run.ask(*texts, results=str(texts[0].parent / "out"), **more)  # type: ignore[return-value]


def test_parallel_texts_are_their_own_bitext(parallel, tmp_path: Path) -> None:
    question = asked(parallel)
    assert question.bitext == question.texts
    for path, given in zip(question.aligned, parallel, strict=True):
        assert path.read_text(encoding="utf-8") == given.read_text(encoding="utf-8")
    others = written(tmp_path / "other.en", text(sentences(seed=2), "t"))
    assert asked((parallel[0], others)).bitext == ()


def test_a_bitext_that_is_given_is_aligned(parallel, tmp_path: Path) -> None:
    pairs = written(tmp_path / "pairs.tsv", "Habari\tNews\n")
    question = asked(parallel, bitext=[pairs])
    assert question.bitext == (pairs,)
    assert [path.read_text(encoding="utf-8") for path in question.aligned] == ["habari\n", "news\n"]


def test_what_cannot_compete_is_refused_before_the_run(parallel, tmp_path: Path) -> None:
    dictionary = written(tmp_path / "pairs.txt", "s1 t1\n" * 10)
    wrong = written(tmp_path / "wrong.vec", "these are no\nword vectors\n")
    with pytest.raises(ConfigError, match="vectors are compared by a dictionary"):
        asked(parallel, vectors=(wrong, wrong))
    with pytest.raises(ConfigError, match="vectors are compared by a dictionary"):
        asked(parallel, encoder="some/encoder")
    with pytest.raises(ConfigError, match="a bitext is two files, or one: 3 are given"):
        asked(parallel, bitext=[wrong] * 3)
    with pytest.raises(InputError, match=r"wrong\.vec"):
        asked(parallel, dictionary=dictionary, vectors=(wrong, wrong))
    with pytest.raises(InputError, match=r"none\.vec: no such file"):
        asked(parallel, dictionary=dictionary, vectors=(tmp_path / "none.vec", wrong))
