"""BLEU and chrF against published and hand-worked cases; degenerate output is found."""

import numpy as np
import pytest
import sacrebleu

from crosslingua.errors import InputError
from crosslingua.io.vectors import WordVectors
from crosslingua.metrics import conditions
from crosslingua.translation import scores
from crosslingua.translation.decoding import diagnose, repeats
from crosslingua.translation.scores import detokeniser, score_translations, word_bleu

PLAIN = detokeniser(None)


def test_bleu_by_hand() -> None:
    # Papineni et al. 2002 by hand: 4 of 5 words, 3 of 4 pairs, 2 of 3 triples, 1 of 2 quadruples; as long as it ought.
    wanted = 100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25
    assert word_bleu([["a", "b", "c", "d", "x"]], [["a", "b", "c", "d", "e"]]) == pytest.approx(wanted)


def test_sacrebleus_own_example() -> None:
    # From sacrebleu's README (version 2), of which the first reference alone is given here.
    said = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
    wanted = ["The dog bit the man.", "It was not unexpected.", "The man bit him first."]
    found = score_translations(said, wanted, ["x"] * 3)
    assert found["bleu"] == sacrebleu.corpus_bleu(said, [wanted], lowercase=True).score
    lowered, right = [s.lower() for s in said], [s.lower() for s in wanted]
    assert found["chrf"] == sacrebleu.corpus_chrf(lowered, [right]).score
    assert found["sentences"] == 3


def test_influence_values_by_hand() -> None:
    # Right 1, 2, 3, 4 and 4, 3, 2, 1 n-grams of 5 words each, against 8 and 4: precisions are 1 / 2, R / H is 1.2.
    statistics = [[5, 8, 1, 2, 3, 4, 5, 5, 5, 5], [5, 4, 4, 3, 2, 1, 5, 5, 5, 5]]
    bleu = 50 * np.exp(-0.2)
    # The right n-grams balance; the first translation is half of all that was said, and two thirds of what was wanted.
    expected = [bleu * (1 + 2 * 1.2 * s * (1 / 2 - 2 / 3)) for s in (1, -1)]
    assert scores.influence(statistics) == pytest.approx(expected)


def translated(references: list[list[str]], wrong: float, lost: float, seed: int) -> list[str]:
    """Return references with words replaced or lost, more in some sentences than in others."""
    rng, hard = np.random.default_rng(seed), np.random.default_rng(1).uniform(0, 2, len(references))
    return [
        " ".join(
            word if rng.random() > wrong * share else "x"
            for word in words
            if rng.random() > (abs(lost) * share if lost > 0 else 0)
            for _ in range(1 + (lost < 0 and rng.random() < -lost))
        )
        for words, share in zip(references, hard, strict=True)
    ]


def test_the_variance_of_a_difference_in_bleu_is_that_of_the_paired_bootstrap() -> None:
    rng = np.random.default_rng(3)
    references = [[f"w{i}" for i in rng.zipf(1.5, size) % 100] for size in rng.integers(4, 20, 300)]
    wanted = [" ".join(words) for words in references]
    draws = rng.multinomial(300, np.full(300, 1 / 300), size=4000)
    influences, boots = [], []
    # Shorter, shorter, longer than the references.
    for system in ((0.25, 0.1, 5), (0.2, 0.05, 6), (0.3, -0.1, 7)):
        said = translated(references, *system)
        found = score_translations(said, wanted, wanted)
        assert np.mean(found["per_sentence"]) == pytest.approx(found["bleu"], abs=1e-4)
        influences.append(np.array(found["per_sentence"]))
        lines = zip(said, wanted, strict=True)
        parts = [sacrebleu.sentence_bleu(a, [b], use_effective_order=False) for a, b in lines]
        sums = draws @ [[part.sys_len, part.ref_len, *part.counts, *part.totals] for part in parts]
        drawn = [sacrebleu.BLEU.compute_bleu(each[2:6], each[6:], *each[:2]).score for each in sums.tolist()]
        boots.append(np.array(drawn))
    for first, second in ((0, 1), (0, 2), (1, 2)):
        spread = np.var(influences[first] - influences[second]) / 300
        assert spread == pytest.approx(np.var(boots[first] - boots[second]), rel=0.05)
        assert spread < 0.8 * (np.var(influences[first]) + np.var(influences[second])) / 300  # pairing tells


def test_text_is_detokenised_before_it_is_scored() -> None:
    english = detokeniser("en")(["do", "n't", "stop", ",", "she", "said", "."])
    assert english in ("don't stop, she said.", "do n't stop, she said.")
    assert detokeniser("fr")(["l'", "homme"]) == "l'homme"


def test_the_signature_can_be_read_back() -> None:
    read = conditions(score_translations(["a b"], ["a b"], ["c"])["signature"])
    assert {"tok~13a", "case~lc"} <= set(read["bleu"].split(","))
    assert "nc~6" in read["chrf"]


def test_lines_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(InputError, match="1 lines, for 2 of source"):
        score_translations(["a"], ["a", "b"], ["a", "b"])


def test_nothing_at_all_scores_nothing_and_is_marked() -> None:
    found = score_translations(["", ""], ["a b c d", "b"], ["c", "d"])
    assert (found["bleu"], found["empty"], found["degenerate"]) == (0.0, 100.0, 100)
    assert found["per_sentence"] == [0.0, 0.0]


SOURCES = [f"a{i} b{i}" for i in range(10)]
GOOD = [f"c{i} d{i}" for i in range(10)]


@pytest.mark.parametrize(
    ("said", "what"),
    [
        (SOURCES, "copied"),
        (["the same"] * 10, "same"),
        ([f"x{i} {'y ' * 5}" for i in range(10)], "repeating"),
        ([""] * 10, "empty"),
    ],
)
def test_degenerate_output_is_marked(said: list[str], what: str) -> None:
    found = diagnose(said, GOOD, SOURCES)
    assert found["degenerate"] == 100
    assert found[what] >= 90


def test_good_output_is_not_marked() -> None:
    assert diagnose(GOOD, GOOD, SOURCES)["degenerate"] == 0
    # What the references copy too is no fault: names, numbers, a language and itself.
    assert diagnose(SOURCES, SOURCES, SOURCES)["degenerate"] == 0
    assert diagnose(["yes"] * 10, ["yes"] * 10, SOURCES)["degenerate"] == 0


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("a a a a", True), ("b a a a c", False), ("x a b a b a b a b", True), ("a b a b a b", False),
        ("a b c d", False), ("", False), ("a", False),
    ],
)  # fmt: skip
def test_repeats(line: str, found: bool) -> None:
    assert repeats(line) == found


def test_word_by_word() -> None:
    assert scores.word_by_word(["a b c", ""], {"a": "x", "c": "z"}) == ["x b z", ""]


def test_an_induced_dictionary_finds_the_nearest_word() -> None:
    eye = np.eye(4, dtype=np.float32)
    source, target = WordVectors(list("abcd"), eye), WordVectors(list("wxyz"), eye[[1, 0, 3, 2]])
    found = scores.induced_dictionary(source, target, ["a", "c", "unknown"])
    assert found == {"a": "x", "c": "z"}
    assert scores.induced_dictionary(source, target, ["unknown"]) == {}


@pytest.mark.parametrize(
    ("language", "tokeniser"), [("zh", "zh"), ("yue", "zh"), ("th", "char"), ("de", "13a"), (None, "13a")]
)
def test_bleu_counts_the_tokens_of_the_language(language: str | None, tokeniser: str) -> None:
    lines = ["今天天气很好我们去公园", "他们明天回家"]
    found = score_translations(lines, lines, ["a", "b"], language)
    assert f"tok~{tokeniser}," in found["signature"]
    if language in ("zh", "yue", "th"):
        assert found["bleu"] == pytest.approx(100)
