"""Questions: what cannot be meant is refused, an earlier answer is set aside, and time is told beforehand."""

import gzip
import random
from pathlib import Path

import pytest
import yaml

from crosslingua.ask import cost
from crosslingua.ask.question import PairToAsk, check, configure, language_of, set_earlier_aside
from crosslingua.errors import InputError
from crosslingua.io.bitext import read_dictionary
from snakemake_logger_plugin_crosslingua import minutes_by_stage as shown
from texts import written

PACKED = gzip.compress(b"two\nlines\n", mtime=0)
WORDS = [f"w{number}" for number in range(400)]


def text(path: Path, prefix: str, lines: int = 200) -> Path:
    draw = random.Random(prefix)
    sentences = (" ".join(prefix + w for w in draw.choices(WORDS, k=8)) + ".\n" for _ in range(lines))
    return written(path, "".join(sentences))


def dictionary(path: Path, left: str, right: str, entries: int = 400) -> Path:
    return written(path, "".join(f"{left}{word}\t{right}{word}\n" for word in WORDS[:entries]))


@pytest.fixture
def question(tmp_path: Path) -> PairToAsk:
    texts = text(tmp_path / "text.sw", "s"), text(tmp_path / "text.en", "e")
    pairs = dictionary(tmp_path / "pairs.txt", "s", "e")
    return PairToAsk(("sw", "en"), texts, pairs, tmp_path / "ask_sw_en")


def test_a_question_becomes_a_configuration_with_held_out_words(
    question: PairToAsk, monkeypatch: pytest.MonkeyPatch, repository: Path
) -> None:
    monkeypatch.chdir(repository)
    check(question)
    config = yaml.safe_load(configure(question).read_text())
    assert (config["pairs"], config["seeds"]) == (["sw-en"], [1, 2, 3])
    assert config["word_embeddings"]["epoch"] == 15  # 3,200 words
    pairs = (read_dictionary(config["dictionaries"][part]) for part in ("train", "test"))
    train, test = ({source for source, _ in part} for part in pairs)
    assert (len(train), len(test), train & test) == (280, 120, set())
    without = PairToAsk(question.languages, question.texts, None, question.folder)
    systems = yaml.safe_load(configure(without).read_text())["joint_align"]["systems"]
    assert "procrustes" in systems
    assert not {"vecmap", "joint", "joint_vr", "joint_align_identity"} & set(systems)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("text.en", b"", "has no words"),
        ("text.en", b"one single line " * 50, "is one single line"),
        ("text.en", PACKED, "is not compressed as its name says .*call it .*text.en.gz"),
        ("text.en.gz", b"two\nlines\n", "is not compressed as its name says .*call it .*text.en[)]"),
        ("text.en", b"\xff\xfe\n\n", "text.en:1: "),
    ],
)
def test_a_text_that_is_none_is_refused(question: PairToAsk, tmp_path: Path, name, content, message) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        check(PairToAsk(("sw", "en"), (question.texts[0], tmp_path / name), None, question.folder))


def test_pairs_that_cannot_be_meant_are_refused(question: PairToAsk, tmp_path: Path) -> None:
    def asked(pairs: Path | None, second: Path = question.texts[1]) -> PairToAsk:
        return PairToAsk(("sw", "en"), (question.texts[0], second), pairs, question.folder)

    copied = written(tmp_path / "copy.en", question.texts[0].read_bytes())
    for same in (question.texts[0], copied):
        with pytest.raises(InputError, match=r"has the words of .*text\.sw"):
            check(asked(None, same))
    for left, right, entries, message in (
        ("e", "s", 400, "is the wrong way round: 0 of its 400 pairs .*source word first"),
        ("x", "y", 400, "has 0 entries with both words in the texts"),
        ("s", "e", 299, "has 299 entries, fewer than 300"),
    ):
        with pytest.raises(InputError, match=message):
            check(asked(dictionary(tmp_path / "other.txt", left, right, entries)))
    check(asked(question.dictionary))


def test_an_earlier_answer_does_not_stand_as_this_ones(question: PairToAsk) -> None:
    written(question.folder / "answer.html", "of before")
    set_earlier_aside(question)
    set_earlier_aside(question)  # a second failure keeps the last answer
    assert list(question.folder.rglob("*.html")) == [question.folder / "earlier/answer.html"]


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("text.sw", "sw"),
        ("text.SW.gz", "sw"),
        ("swahili.txt", "source"),
        ("a.en.txt.xz", "en"),
        ("x", "source"),
    ],
)
def test_names_of_texts_end_in_their_language(name: str, language: str) -> None:
    assert language_of(Path(name), "source") == language


@pytest.mark.parametrize(
    ("words", "thousands", "seeds", "measured"),
    [
        # captions, read 15 times
        ([210_834, 98_448], 2.4, 1, {"train_joint": 32.8, "train_joint_replace": 35.1, "train_independent": 14.0}),
        # novels, read 8 times
        (
            [1_999_552, 1_987_508], 17.9, 3,
            {"train_joint": 280, "train_joint_replace": 286, "train_independent": 122, "divide_joint": 225,
             "measure_hubness": 45, "induce_lexicon": 7.8, "align_vectors": 8.2},
        ),
    ],
)  # fmt: skip
def test_the_time_told_is_that_of_measured_runs(
    question: PairToAsk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[int], thousands: float,
    seeds: int, measured: dict[str, float],
) -> None:  # fmt: skip
    """The seconds of processor time that a job took."""
    monkeypatch.setattr(PairToAsk, "words", words)
    asked = PairToAsk(question.languages, question.texts, question.dictionary, tmp_path, seeds=seeds)
    monkeypatch.setattr(cost, "_thousands_of_words", lambda counts: thousands)
    told = {stage: 60 * minutes for stage, minutes in cost.minutes_by_stage(asked).items()}
    for stage, seconds in measured.items():
        assert told[stage] == pytest.approx(seconds, rel=0.25), stage
    monkeypatch.setenv("CROSSLINGUA_COSTS", str(cost.write_costs(asked)))
    assert 60 * shown(tmp_path)["train_joint"] == pytest.approx(told["train_joint"], rel=0.01)
