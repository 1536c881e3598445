"""A paper's statements over the pairs of the atlas, against Student's test and verdicts by hand."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from crosslingua.atlas.statements import judged
from crosslingua.claims.statements import SMALLEST, Claim, Comparison, Region

LETTERS = "abcdefghijklmnop"


def card(pair: str, **systems: float) -> dict[str, Any]:
    """A card of two languages, in which each system has one P@1 with both seeds but for ±1."""
    scores = {name: {"1": value - 1, "2": value + 1} for name, value in systems.items()}
    return {"languages": pair.split("-"), "curve": {}, "scores": {"all": scores}}


def claim(of: str, over: str, **more: Any) -> Claim:
    comparisons = (Comparison(of, over),)
    told = {"holds": Region(above=2), "threshold": SMALLEST, "smallest": 2.0} | more
    return Claim("name", "paper", "source", "statement", "test", "precision", comparisons, **told)


def test_pairs_without_common_languages_have_students_interval() -> None:
    lengths = np.random.default_rng(5).normal(6, 4, 8)
    cards = [
        card(f"{LETTERS[2 * i]}-{LETTERS[2 * i + 1]}", ours=30 + gap, theirs=30)
        for i, gap in enumerate(lengths)
    ]
    (found,) = judged(cards, [claim("ours", "theirs")])
    (one,) = found["comparisons"]
    wanted = ttest_1samp(lengths, 0).confidence_interval()
    assert [one["effect"], one["low"], one["high"]] == pytest.approx(
        [lengths.mean(), wanted.low, wanted.high], rel=1e-3
    )
    assert one["pairs"] == 8
    assert one["as_said"] == sum(lengths > 2)


def test_one_language_that_differs_makes_the_average_pair_less_sure() -> None:
    """Seven pairs with one language are one voice about other languages."""
    hub = [card(f"a-{other}", ours=36 + (i % 3), theirs=30) for i, other in enumerate("bcdefgh")]
    rest = [card(f"{LETTERS[8 + i]}-{LETTERS[9 + i]}", ours=28 + (i % 3), theirs=30) for i in range(7)]
    apart = [
        card(
            f"{LETTERS[i]}{i}-{LETTERS[i]}x",
            **{name: of["1"] + 1 for name, of in one["scores"]["all"].items()},
        )
        for i, one in enumerate(hub + rest)
    ]
    (ours,), (theirs,) = (
        judged(hub + rest, [claim("ours", "theirs")]),
        judged(apart, [claim("ours", "theirs")]),
    )
    wide, narrow = (one["comparisons"][0] for one in (ours, theirs))
    assert wide["high"] - wide["low"] > narrow["high"] - narrow["low"]


@pytest.mark.parametrize(
    ("gap", "verdict"),
    [(9, "reproduced"), (-9, "contradicted"), (0.05, "negligible")],
)
def test_verdicts_are_those_of_claims(gap: float, verdict: str) -> None:
    noise = np.random.default_rng(1).normal(0, 1, 10)
    cards = [
        card(f"{LETTERS[i]}-{LETTERS[i + 1]}", ours=40 + gap + one, theirs=40) for i, one in enumerate(noise)
    ]
    assert judged(cards, [claim("ours", "theirs")])[0]["verdict"] == verdict


def test_a_quarter_of_a_system_is_taken_of_its_score() -> None:
    cards = [card(f"{LETTERS[i]}-{LETTERS[i + 1]}", ours=5, theirs=20 + i) for i in range(8)]
    (found,) = judged(cards, [claim("ours", "quarter_of_theirs", holds=Region(below=0))])
    assert found["comparisons"][0]["effect"] == pytest.approx(5 - np.mean(range(20, 28)) / 4, abs=0.05)
    assert found["comparisons"][0]["as_said"] == 7


def test_statements_that_cards_cannot_test_are_left_out() -> None:
    few = [card(f"{LETTERS[i]}-{LETTERS[i + 1]}", ours=5, theirs=2) for i in range(7)]
    more = [*few, card("y-z", ours=5)]
    assert judged(more, [claim("ours", "theirs")]) == []
    enough = [*few, card("y-z", ours=5, theirs=2)]
    others = [
        claim("ours", "theirs", words="shared_source"),
        claim("ours", "theirs", needs=frozenset(["third"])),
    ]
    assert judged(enough, others) == []
    assert len(judged(enough, [claim("ours", "theirs")])) == 1
