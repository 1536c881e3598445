"""Questions and conclusions of `crosslingua ask`: refusals, earlier answers, and the whole path on a small world."""

import gzip
import json
import random
import re
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest
import yaml

from checkout import copy_checkout
from corpora.world.support import make_world
from crosslingua.corpora.world.bitext import bitext_blocks
from crosslingua.corpora.world.text import text_blocks
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import read_dictionary
from crosslingua.io.json import read_yaml
from crosslingua.io.pharaoh import read_pharaoh
from crosslingua.io.vectors import WordVectors, read_vectors, write_vectors
from crosslingua.two_texts import cost
from crosslingua.two_texts.conclusion import Answer, conclude
from crosslingua.two_texts.question import (
    PairToAsk,
    check,
    check_different,
    configure,
    language_of,
    set_earlier_aside,
)
from crosslingua.word_aligners.lexicon import linked_words
from programs import SCRIPTS, call, run_script
from snakemake_logger_plugin_crosslingua import minutes_by_stage as shown
from texts import csv_rows, written

WORDS = [f"w{number}" for number in range(400)]
WORD_COUNT = 300
HELD, TRAINED = 200, 20  # entries of the dictionary
SYSTEM = "joint_align_rcsls"


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
    left_out = {name for name, system in config["joint_align"]["systems"].items() if system is None}
    assert left_out == {"duong", "vecmap", "iterative_norm"}
    without = yaml.safe_load(configure(replace(question, dictionary=None)).read_text())
    left_out = without["joint_align"]["systems"]
    assert {"procrustes", "vecmap", "joint", "joint_vr"} < set(left_out)
    assert "joint_align_identity" not in left_out
    atlas = read_yaml("scales/atlas.yaml")
    for section in ("vocabulary_reallocation", "mappers"):
        assert config[section] == without[section] == atlas[section]
    assert {name for name, grid in atlas["joint_align"]["search"].items() if grid is None} < set(
        config["joint_align"]["search"]
    )


FREQUENT = b"".join(b"e%d\n" % number for number in range(99))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("text.en", b"", "has no words"),
        ("text.en", b"one single line " * 50, "is one single line"),
        ("text.en", gzip.compress(b"one single line", mtime=0), "is one single line"),
        ("text.en", b"\xff\xfe\n\n", "text.en:1: "),
        (
            "text.en",
            FREQUENT * 5,
            "has 99 words that occur 5 times or more, and 100 are the least .*give more text",
        ),
    ],
)
def test_a_text_that_is_none_is_refused(question: PairToAsk, tmp_path: Path, name, content, message) -> None:
    texts = question.texts[0], written(tmp_path / name, content)
    with pytest.raises(InputError, match=message):
        check(replace(question, texts=texts, dictionary=None))


def test_pairs_that_cannot_be_meant_are_refused(question: PairToAsk, tmp_path: Path) -> None:
    first = question.texts[0]
    for same in (first, written(tmp_path / "copy.en", first.read_bytes())):
        with pytest.raises(InputError, match=r"has the words of .*text\.sw"):
            check(replace(question, texts=(first, same), dictionary=None))
    for left, right, entries, message in (
        ("e", "s", 400, "is the wrong way round: 0 of its 400 pairs .*source word first"),
        ("x", "y", 400, "has 0 entries with both words in the texts"),
        ("s", "e", 299, "has 299 entries, fewer than 300"),
    ):
        with pytest.raises(InputError, match=message):
            check(replace(question, dictionary=dictionary(tmp_path / "other.txt", left, right, entries)))


def test_two_texts_of_one_language_are_told(question: PairToAsk, tmp_path: Path) -> None:
    check_different(question)
    frequent = " ".join(f"f{number}" for number in range(24)) + "\n"  # of 50
    for share, words in ((24, frequent), (25, frequent.replace("\n", " f24\n"))):
        texts = [written(tmp_path / path.name, path.read_text() + words * 300) for path in question.texts]
        asked = replace(question, texts=tuple(texts))
        if share < 25:
            check_different(asked)
            continue
        with pytest.raises(
            InputError, match=r"text\.en: seems to be of the language of .*: 25 of the 50 .*--languages"
        ):
            check_different(asked)


def test_an_earlier_answer_does_not_stand_as_this_ones(question: PairToAsk) -> None:
    written(question.folder / "answer.html", "of before")
    set_earlier_aside(question)
    set_earlier_aside(question)  # a second failure keeps the last answer
    assert list(question.folder.rglob("*.html")) == [question.folder / "earlier/answer.html"]


def test_names_of_texts_end_in_their_language() -> None:
    names = {"text.sw": "sw", "text.SW.gz": "sw", "swahili.txt": "none", "a.en.txt.xz": "en", "x": "none"}
    names["a.yue.zst"] = "yue"
    assert {name: language_of(Path(name), "none") for name in names} == names
    for name in ("a.en.tar", "a.tmx", "text.tok", "a.bb", "a.1", "text.bin"):
        with pytest.raises(
            ConfigError, match=rf"{name}: .{name.rpartition('.')[2]} is no code .*--languages"
        ):
            language_of(Path(name), "none")


@pytest.mark.parametrize(
    ("words", "passes", "measured"),
    [
        # help pages
        ([270_825, 224_400], 15, {"train_joint": 20.8, "train_joint_replace": 22.5, "train_independent": 9.2}),
        # novels
        ([1_792_415, 1_434_911], 7, {"train_joint": 75.3, "train_joint_replace": 78.3, "train_independent": 32.9}),
    ],
)  # fmt: skip
def test_the_time_told_is_that_of_measured_runs(
    question: PairToAsk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[int], passes: int,
    measured: dict[str, float],
) -> None:  # fmt: skip
    """The seconds of processor time that a job took."""
    monkeypatch.setattr(PairToAsk, "words", words)
    monkeypatch.setattr(PairToAsk, "epochs", passes)
    asked = replace(question, folder=tmp_path)
    monkeypatch.setattr(cost, "_thousands_of_words", lambda counts: 17.9)
    told = {stage: 60 * minutes for stage, minutes in cost.minutes_by_stage(asked).items()}
    for stage, seconds in measured.items():
        assert told[stage] == pytest.approx(seconds, rel=0.25), stage
    monkeypatch.setenv("CROSSLINGUA_COSTS", str(cost.write_costs(asked)))
    assert 60 * shown(tmp_path)["train_joint"] == pytest.approx(told["train_joint"], rel=0.01)


def condition(words: str, low: float, seeds: int = 3) -> dict:
    """`both` leads with 40 % by 10 points over joint, with an interval from `low`."""
    return {
        "pair": "sw-en", "supervision": "dictionary", "words": words, "seeds": seeds, "test_words": 200,
        "leader": "both", "best": "both" if low > 0 else "not told apart",
        "strategies": {
            "joint": {"system": "joint_replace", "value": 30.0, "low": 25.0, "high": 35.0},
            "both": {"system": SYSTEM, "value": 40.0, "low": 35.0, "high": 45.0},
        },
        "comparisons": [{"of": "both", "over": "joint", "effect": 10.0, "low": low, "high": 20.0}],
    }  # fmt: skip


@pytest.fixture
def finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PairToAsk:
    """A finished run of two seeds in which a half of the words is translated well."""
    monkeypatch.chdir(tmp_path)
    folder = Path("results/ask_sw_en")
    rng = np.random.default_rng(1)
    target = rng.normal(size=(WORD_COUNT, 40)).astype(np.float32)
    noise = rng.normal(size=target.shape).astype(np.float32)
    source = target + noise * rng.choice([0.3, 2.5], (WORD_COUNT, 1), p=[0.5, 0.5])
    plan = "source,target,out\n"
    for seed in (1, 2):
        paths = [folder / f"embedding_alignment/seed{seed}.{side}.vec" for side in ("source", "target")]
        for path, letter, matrix in zip(paths, "st", (source, target), strict=True):
            noise = rng.normal(size=matrix.shape).astype(np.float32) * 0.1
            write_vectors(path, WordVectors([f"{letter}{n}" for n in range(WORD_COUNT)], matrix + noise))
        plan += f"{paths[0]},{paths[1]},lexicons/{SYSTEM}/seed{seed}.json\n"
        plan += f"{paths[0]},{paths[0]},lexicons/joint/seed{seed}.json\n"
    texts = {}
    for side, language in (("s", "sw"), ("t", "en")):
        text = "".join(f"{side}{n} " * (1 + WORD_COUNT - n) + "\n" for n in range(WORD_COUNT))
        texts[language] = written(tmp_path / f"text.{language}", text)
    for part, numbers in (("test", range(HELD)), ("train", [*range(HELD, HELD + TRAINED), WORD_COUNT])):
        pairs = "".join(f"s{n} t{n}\n" for n in numbers)
        written(folder / f"corpora/dictionaries/sw-en.own/{part}.txt", pairs)
    written(folder / "plans/induce_lexicon/sw-en.own.csv", plan)
    pairs = written(tmp_path / "pairs.txt", "the dictionary")
    return PairToAsk(("sw", "en"), (texts["sw"], texts["en"]), pairs, folder)


def told_of(question: PairToAsk, *conditions: dict) -> Answer:
    (question.folder / "claims.json").write_text(json.dumps({"answer": {"conditions": conditions}}))
    return conclude(question)


def answered(question: PairToAsk, *conditions: dict) -> str:
    return told_of(question, *conditions).text


def check_page(folder: Path) -> str:
    """Check that the page is one file without requests whose links lead to files; return it."""
    page = (folder / "answer.html").read_text()
    assert not re.search(r"<script|<link|src=|https?:", page)
    linked = [unquote(link) for link in re.findall(r'href="([^"]+)"', page)]
    assert len(linked) == 7 + (folder / "dictionary.parquet").exists()
    assert (folder / "dictionary.parquet").exists() is (find_spec("pyarrow") is not None)
    for link in linked:
        assert link == "report.html" or (folder / link).is_file(), link
    return page


def test_the_best_of_all_systems_is_named_with_its_interval(finished: PairToAsk) -> None:
    finished.folder.joinpath("answer.html").write_text("of before")
    set_earlier_aside(finished)
    answer = told_of(finished, condition("all", 2.0), condition("not spelt alike", -3.0))
    told = answer.text
    first, second, *_ = told.splitlines()
    gap = "P@1 40.0 %, +10.0 points [2.0, 20.0] over joint; 200"
    assert first.startswith(f"Of test words that the texts cover: use “both” ({SYSTEM}). {gap}")
    leads = f"these texts cannot tell; “both” ({SYSTEM}) leads"
    assert second.startswith(f"Of test words not spelt alike: {leads}")
    for part in (
        "45,450 words of sw and 45,450 words of en",  # 1 + ... + 300, and 300 more
        "Coverage: 200 of 200 held-out words",
        "rank correlation of 1.00",  # translations are equally frequent
    ):
        assert part in told
    assert "40.0 [35.0, 45.0]" in check_page(finished.folder)
    *by_words, use = answer.verdict.splitlines()
    assert by_words == [first, second]
    record = json.loads((finished.folder / "recommendation.json").read_text())
    right, tested = (record["dictionary"][name] for name in ("right", "tested"))
    of = "Of held-out translations that are no copy of their word"
    assert use.startswith(f"As a dictionary: usable. {of}, {100 * right / tested:.0f} % are right [")
    assert f"{right} of {tested};" in use
    rows = answer.table[answer.table["words"] == "all"].to_dict("list")
    assert (rows["strategy"], rows["value"], rows["low"]) == (["joint", "both"], [30, 40], [25, 35])
    assert [read_vectors(path).words[0] for path in answer.vectors] == ["s0", "t0"]
    assert not (finished.folder / "earlier").exists()
    card = (finished.folder / "README.md").read_text()
    assert "| sw | `embedding_alignment/seed1.source.vec` | 300 | 40 |" in card
    assert "| all | 40.0 [35.0, 45.0] | 200 | 3 |" in card
    assert "\n- Coverage: 200 of 200 held-out words" in card
    assert json.loads((finished.folder / "recommendation.json").read_text())["system"] == SYSTEM


def test_the_dictionary_is_of_the_strategy_that_leads_on_words_not_spelt_alike(finished: PairToAsk) -> None:
    unlike = condition("not spelt alike", -3.0) | {"leader": "joint"}
    unlike["comparisons"] = [{"of": "joint", "over": "both", "effect": 1.0, "low": -3.0, "high": 5.0}]
    unlike["strategies"]["joint"]["system"] = "joint"
    answered(finished, unlike, condition("all", 2.0))
    assert json.loads((finished.folder / "recommendation.json").read_text())["system"] == "joint"


def test_the_dictionary_has_every_word_and_its_confidence_is_calibrated(finished: PairToAsk) -> None:
    told = answered(finished, condition("all", 2.0))
    assert "One run is a look" not in told
    rows = csv_rows(finished.folder / "dictionary.tsv", "\t")
    assert [row["source"] for row in rows] == [f"s{n}" for n in range(WORD_COUNT + 1)]
    given = {row["source"]: row["target"] for row in rows if row["origin"] == "given"}
    assert given == {f"s{n}": f"t{n}" for n in [*range(HELD + TRAINED), WORD_COUNT]}
    rows = [row for row in rows if row["origin"] == "induced"]
    assert [int(row["frequency"]) for row in rows] == [*range(1 + WORD_COUNT - HELD - TRAINED, 1, -1)]
    right = np.array([row["target"][1:] == row["source"][1:] for row in rows])
    lexicon = told_of(finished, condition("all", 2.0)).lexicon
    assert lexicon["source"].tolist() == [f"s{n}" for n in range(WORD_COUNT + 1)]
    given = lexicon["origin"] == "given"
    assert lexicon["confidence"].isna().equals(given)
    assert lexicon["target"][~given].tolist() == [row["target"] for row in rows]
    confidence = np.array([float(row["confidence"]) for row in rows])
    assert 20 < right.sum() < len(rows) - 10
    assert confidence[right].mean() > confidence[~right].mean() + 0.3
    assert confidence.mean() == pytest.approx(right.mean(), abs=0.08)
    (error,) = re.findall(
        rf"calibrated on {HELD} held-out entries: .* calibration error is (\d+) points", told
    )
    assert int(error) <= 8
    (precision,) = re.findall(r"that are no copy of their word, (\d+) % are right ", told)
    assert 55 < int(precision) < 80
    assert "One run is a look: a verdict takes three." in answered(finished, condition("all", -1.0, seeds=1))


def test_a_dictionary_without_right_entries_is_not_usable(finished: PairToAsk) -> None:
    """Of `HELD` held-out words, whose translations are others now, none is right."""
    pairs = "".join(f"s{n} t{HELD - 1 - n}\n" for n in range(HELD))
    written(finished.prepared, pairs)
    told = answered(finished, condition("all", 2.0))
    assert "As a dictionary: not usable. " in told
    record = json.loads((finished.folder / "recommendation.json").read_text())["dictionary"]
    assert (record["usable"], record["tested"]) == ("no", HELD)
    assert 0 <= record["value"] < record["high"] < 5


@pytest.mark.slow
def test_from_two_texts_to_an_answer_which_an_empty_text_leaves_in_place(repository: Path, tmp_path) -> None:
    checkout = copy_checkout(repository, tmp_path / "checkout")
    world = make_world(aa={}, bb={"relations": [{"to": "aa", "cognates": 0.3, "identical": 0.5}]})
    for code in ("aa", "bb"):
        (tmp_path / f"text.{code}").write_text("".join(text_blocks(world, code, 1500)))
    texts = [f"--source={tmp_path}/text.aa", f"--target={tmp_path}/text.bb"]
    command = [
        sys.executable,
        "scripts/ask.py",
        "--cores",
        "1",
        "--seeds",
        "2",
        *texts,
        "--languages",
        "aa",
        "bb",
    ]
    told = checkout.call(command)
    assert re.search(r"\d+ jobs on 1 cores: about ", told)
    assert "No dictionary was given, so nothing can say which strategy is best." in told
    folder = checkout.root / "results/ask_aa_bb"
    check_page(folder)
    assert (folder / "report.html").is_file()
    vectors = read_vectors(checkout.root / re.search(r"Vectors of aa .*: (\S+)", told)[1])
    induced = (folder / "dictionary.tsv").read_text().splitlines()
    assert [line.split("\t")[0] for line in induced[1:]] == vectors.words
    empty = written(tmp_path / "text.bb", "")
    assert f"error: {empty}: has no words" in checkout.call(command, ok=False).splitlines()[-1]
    assert (folder / "answer.html").is_file()
    assert not (folder / "earlier").exists()


@pytest.mark.slow
def test_parallel_texts_are_noticed_and_word_alignment_is_the_answer(
    repository: Path, tmp_path: Path
) -> None:
    checkout = copy_checkout(repository, tmp_path / "checkout")
    world = make_world(aa={}, bb={"relations": [{"to": "aa", "cognates": 0.3, "identical": 0.1}]})
    blocks = [*bitext_blocks(world, "aa", "bb", 1500)]
    source, target, links = ("".join(block[part] for block in blocks) for part in range(3))
    gold = linked_words(
        (one.split(), other.split(), own)
        for one, other, own in zip(
            source.splitlines(),
            target.splitlines(),
            read_pharaoh("gold", lines=links.splitlines()),
            strict=True,
        )
    )
    written(tmp_path / "text.aa", source)
    written(tmp_path / "text.bb", target)
    written(tmp_path / "pairs.txt", "".join(f"{one}\t{other}\n" for one, other in gold))
    options = {"source": "text.aa", "target": "text.bb", "dictionary": "pairs.txt"}
    given = [f"--{name}={tmp_path / file}" for name, file in options.items()]
    languages = ["--languages", "aa", "bb"]
    told = checkout.call(
        [sys.executable, "scripts/ask.py", "--cores", "1", "--seeds", "1", *given, *languages]
    )
    assert "they are taken for translations and word alignment competes: 1,500 sentence pairs" in told
    assert re.search(r"Of test words not spelt alike: .*“word alignment” \(gibbs\)", told)
    rows = csv_rows(checkout.root / "results/ask_aa_bb/dictionary.tsv", "\t")
    assert {(row["source"], row["target"]) for row in rows if row["origin"] == "given"} == {
        (one.lower(), other.lower()) for one, other in gold
    }
    check_page(checkout.root / "results/ask_aa_bb")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two texts of one content, and an earlier answer."""
    for name in ("text.sw", "text.en", "text/empty"):
        written(tmp_path / name, "two\nlines\n")
    written(tmp_path / "results/ask_sw_en/answer.html", "of before")
    return tmp_path


@pytest.mark.parametrize(
    ("source", "more", "message"),
    [
        ("", (), "a text is not named: say make ask SOURCE=text.sw TARGET=text.en"),
        ("text", (), "text: is a folder"),
        ("text.xx", (), "text.xx: no such file"),
        ("text.sw", ("--languages", "SW", "en"), "--languages: 'SW': write lower-case .* and _, for example sw"),
        ("text.sw", ("--languages", "../x", "en"), "--languages: '../x': write .*, for example x"),
        ("text.sw", ("--languages", "en", "en"), "both texts are en"),
        ("text.sw", (), "has the words of"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(folder: Path, source: str, more: tuple[str, ...], message) -> None:
    said = call("ask.py", "--source", source, "--target", "text.en", *more, folder=folder, ok=False)
    assert re.search(message, said)
    assert [path.name for path in (folder / "results").rglob("*")] == ["ask_sw_en", "answer.html"]


def test_numbers_out_of_range_are_refused(folder: Path) -> None:
    texts = ("--source", folder / "text.sw", "--target", folder / "text.en")
    for option, value, message in (
        ("--cores", "0", "0: write a whole number from 1, or all"),
        ("--cores", "some", "some: write a whole number"),
        ("--seeds", "1001", "1001: must be a whole number from 1 to 1000"),
    ):
        ended = run_script(SCRIPTS / "ask.py", *texts, option, value)
        assert (ended.status, message in ended.stderr) == (2, True), ended.stderr
