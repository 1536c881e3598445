"""Predictions of other programs in their own formats, with scores worked by hand or of another library."""

from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF

from crosslingua import outside
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.json import read_json
from crosslingua.outside import Gold, compare, score_system
from programs import SCRIPTS, call, run_script
from texts import written

GOLD_LINKS = "0-0 1p1\n0-1 1-0\n\n"
# Of 4 links 3 are sure and 1 possible, of 3 sure ones: AER = 1 - (3 + 4) / (4 + 3) = 0 for all of them.
LINKS = {
    "eflomal": "0-0\n0-1 1-0\n\n",  # AER 1 - (3 + 3) / (3 + 3) = 0
    "fast_align": "0-0 1-1 ||| -3.5\n0-0 1-1 ||| -4.25\n ||| 0\n",  # 1 - (1 + 2) / (4 + 3) = 4 / 7
    "fast_align, forced": "a b ||| x y ||| 0-0 1-1 ||| -3.5\na b ||| x y ||| 0-0 1-1 ||| -2\na ||| x ||| ||| -1\n",
    "simalign": "0\t0-0 1-1\n1\t0-0 1-1\n2\t\n",
}
AER = {"eflomal": 0.0, "fast_align": 400 / 7, "fast_align, forced": 400 / 7, "simalign": 400 / 7}


@pytest.mark.parametrize("program", LINKS)
def test_alignments_of_other_programs_have_the_error_rate_by_hand(tmp_path: Path, program: str) -> None:
    gold = Gold(outside.ALIGNMENT, written(tmp_path / "gold.txt", GOLD_LINKS))
    path = written(tmp_path / "links", LINKS[program])
    found = score_system(gold, [path])
    assert found.numbers["aer"] == pytest.approx(AER[program])
    assert np.mean([*found.runs[0].values.values()]) == pytest.approx(AER[program])
    assert (len(found.runs[0].values), found.controls) == (3, {})


def test_the_diagonal_is_a_control_where_the_text_is_given(tmp_path: Path) -> None:
    """Of both pairs of two words it links 0-0 and 1-1: AER 4 / 7 with those of one word, which have 0-0 and no gold:
    1 - (1 + 2) / (5 + 3) = 62.5.
    """
    text = written(tmp_path / "a", "a b\na b\na\n"), written(tmp_path / "b", "x y\nx y\nx\n")
    gold = Gold(outside.ALIGNMENT, written(tmp_path / "gold.txt", GOLD_LINKS), text)
    found = score_system(gold, [written(tmp_path / "links", LINKS["eflomal"])])
    assert found.controls["diagonal"] == pytest.approx(62.5)
    assert found.beats("diagonal")
    with pytest.raises(InputError, match="outside a pair of 1 and 1 tokens"):
        score_system(gold, [written(tmp_path / "links", "0-0\n0-0\n0-1\n")])
    with pytest.raises(InputError, match=r"2 sentence pairs, but .* has 3"):
        score_system(Gold(outside.ALIGNMENT, gold.path), [written(tmp_path / "links", "0-0\n0-0\n")])


DICTIONARY = "dog hund\ncat katze\ncat kater\ntaxi taxi\nsun sonne\n"


@pytest.mark.parametrize(
    "lexicon",
    [
        "dog hund\ncat kater\ntaxi taxi\nmoon mond\n",  # MUSE
        "dog\thund\t0.71\ncat\thaus\t0.5\ncat\tkatze\t0.4\ntaxi\ttaxi\t0.9\n",  # with scores, candidates in order
    ],
)
def test_lexicons_have_the_precision_by_hand(tmp_path: Path, lexicon: str) -> None:
    """Of four words three are answered; `sun` is wrong. Copying has `taxi` right."""
    gold = Gold(outside.LEXICON, written(tmp_path / "test.txt", DICTIONARY))
    found = score_system(gold, [written(tmp_path / "lexicon.txt", lexicon)])
    first = 100.0 if "kater" in lexicon else 0.0
    assert found.runs[0].values == {"dog": 100, "cat": first, "taxi": 100, "sun": 0}
    right = (200 + first) / 100
    assert found.numbers == {
        "p_at_1": pytest.approx(25 * right),
        "answered_p_at_1": pytest.approx(100 * right / 3),
        "not_spelt_alike_p_at_1": pytest.approx(100 * (right - 1) / 3),
        "p_at_5": 75,
        "coverage": 75,
    }
    assert found.controls == {"copying": 25}


def test_a_word_without_an_answer_is_wrong_also_where_copying_is_right(tmp_path: Path) -> None:
    gold = Gold(outside.LEXICON, written(tmp_path / "test.txt", DICTIONARY))
    found = score_system(gold, [written(tmp_path / "lexicon.txt", "dog hund\n")])
    assert found.runs[0].values == {"dog": 100, "cat": 0, "taxi": 0, "sun": 0}
    names = ("p_at_1", "answered_p_at_1", "not_spelt_alike_p_at_1", "coverage")
    assert [found.numbers[name] for name in names] == pytest.approx([25, 100, 100 / 3, 25])


def test_a_lexicon_of_other_words_is_named(tmp_path: Path) -> None:
    gold = Gold(outside.LEXICON, written(tmp_path / "test.txt", DICTIONARY))
    with pytest.raises(InputError, match=r"lexicon\.txt: answers no word of .*test\.txt"):
        score_system(gold, [written(tmp_path / "lexicon.txt", "hund dog\nkatze cat\n")])


TAGS = "Ada\tB-PER\nsaw\tO\nRom\tB-LOC\n\nBo\tB-PER\nsaw\tO\nUlm\tB-LOC\n\nAda\tB-PER\nsaw\tO\nBo\tB-PER\n"


def test_tags_have_the_score_of_seqeval_and_controls(tmp_path: Path) -> None:
    from seqeval.metrics import f1_score

    gold = written(tmp_path / "gold.conll", TAGS)
    path = written(
        tmp_path / "tags.conll", TAGS.replace("Ulm\tB-LOC", "Ulm\tB-PER").replace("Bo\tB-PER\n\n", "")
    )
    found = score_system(Gold("ner", gold, train=str(gold)), [path])
    read = [[line.split("\t")[1] for line in part.split("\n") if line] for part in TAGS.split("\n\n")]
    theirs = [[*read[0]], ["B-PER", "O", "B-PER"], [*read[2]]]
    assert found.numbers["f1"] == pytest.approx(100 * f1_score(read, theirs))
    assert found.controls["majority"] == pytest.approx(
        100 * 2 * 4 / (6 + 9)
    )  # nine spans of one word, all PER
    (shortcut,) = (value for name, value in found.controls.items() if name.startswith("shortcut: "))
    assert shortcut == pytest.approx(100)  # it has learnt the gold
    assert not found.beats(f"{[*found.controls][1]}")
    with pytest.raises(ConfigError, match="unknown task 'nre'"):
        score_system(Gold("nre", gold), [path])


def lexicons(folder: Path, name: str, rate: float) -> list[Path]:
    """Three runs of a system that is right on so many of 300 words."""
    rng = np.random.default_rng(int(100 * rate))
    return [
        written(
            folder / f"{name}{run}.txt",
            "".join(f"s{n} {f't{n}' if rng.random() < rate else 'no'}\n" for n in range(300)),
        )
        for run in range(3)
    ]


def test_two_systems_are_judged_by_their_runs(tmp_path: Path) -> None:
    gold = Gold(outside.LEXICON, written(tmp_path / "test.txt", "".join(f"s{n} t{n}\n" for n in range(300))))
    good, bad = (
        score_system(gold, lexicons(tmp_path, name, rate)) for name, rate in (("a", 0.6), ("b", 0.3))
    )
    found = compare(good, bad)
    assert (found.verdict, found.seeds, found.items) == ("better", 3, 300)
    assert found.effect == pytest.approx(good.interval.effect - bad.interval.effect)
    assert compare(bad, good).verdict == "worse"
    once = compare(score_system(gold, [tmp_path / "a0.txt"]), score_system(gold, [tmp_path / "b0.txt"]))
    assert (once.verdict, once.reason) == ("inconclusive", "one seed; a verdict needs 3")
    assert once.low > 0


def test_of_error_rates_the_lower_is_ahead(tmp_path: Path) -> None:
    gold = Gold(outside.ALIGNMENT, written(tmp_path / "gold.txt", GOLD_LINKS * 40))
    good, bad = (
        score_system(gold, [written(tmp_path / f"{name}.txt", links * 40)] * 3)
        for name, links in (("good", LINKS["eflomal"]), ("bad", LINKS["simalign"]))
    )
    found = compare(good, bad)
    assert (found.verdict, found.effect) == ("better", pytest.approx(400 / 7))


def test_translations_have_the_score_of_sacrebleu_and_copying_is_a_control(tmp_path: Path) -> None:
    references = ["The red house is old.", "she sees a dog and a cat", "we go home in the evening now"]
    said = ["the red house is very old.", "She sees the dog and a cat", "we go home in the morning"]
    sources = ["das rote haus ist alt.", "sie sieht einen hund and a cat", "wir gehen abends heim"]
    files = [
        written(tmp_path / name, "".join(f"{line}\n" for line in lines))
        for name, lines in (("gold", references), ("said", said), ("source", sources))
    ]
    gold = Gold(outside.TRANSLATION, files[0], (files[2],), language="en")
    found = score_system(gold, [files[1]])
    bleu, chrf = BLEU(lowercase=True), CHRF(lowercase=True)
    expected = {"bleu": bleu.corpus_score(said, [references]), "chrf": chrf.corpus_score(said, [references])}
    assert found.numbers == pytest.approx({name: one.score for name, one in expected.items()})
    assert found.controls["copying"] == pytest.approx(bleu.corpus_score(sources, [references]).score)
    assert np.mean([*found.runs[0].values.values()]) == pytest.approx(found.numbers["bleu"], abs=1e-3)
    with pytest.raises(InputError, match="empty: has no lines"):
        score_system(Gold(outside.TRANSLATION, written(tmp_path / "empty", "")), [files[1]])
    short = written(tmp_path / "short", "one line\n")
    with pytest.raises(InputError, match=r"short: 1 lines, but .*gold has 3"):
        score_system(gold, [short])


def test_the_verb_prints_and_writes_scores_and_verdicts(tmp_path: Path, monkeypatch) -> None:
    written(tmp_path / "test.txt", "".join(f"s{n} t{n}\n" for n in range(300)))
    for name, rate in (("a", 0.6), ("b", 0.3)):
        lexicons(tmp_path, name, rate)
    systems = [",".join(f"{name}{run}.txt" for run in range(3)) for name in "ab"]
    options = ("--task", "lexicon", "--gold", "test.txt", "--out", "scores.json")
    monkeypatch.chdir(tmp_path)
    said = run_script(SCRIPTS / "score.py", *systems, *options).stdout
    first, *_, last = said.strip().splitlines()
    assert first.startswith("a0.txt,a1.txt,a2.txt: p_at_1 ")
    assert "  control copying 0.0: beaten" in said
    assert "ahead in p_at_1 by: better: +" in last
    record = read_json(tmp_path / "scores.json")
    assert [one["runs"] for one in record["systems"]] == [3, 3]
    assert {one["signature"] for one in record["systems"]} == {"file|oov=paper|identical=kept"}
    assert record["judged"][0]["verdict"] == "better"
    assert "alignment takes --source and --target together" in call(
        "score.py", "a0.txt", *options, "--source", "test.txt", folder=tmp_path, ok=False
    )
    for more, told in (
        (
            ("--source", "test.txt", "--target", "test.txt"),
            "translation --source, other tasks neither",
        ),
        (("--train", "test.txt"), "which lexicon has none of: leave it out"),
    ):
        assert told in call("score.py", "a0.txt", *options, *more, folder=tmp_path, ok=False)
