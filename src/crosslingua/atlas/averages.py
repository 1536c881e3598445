"""The average pair of each domain: P@1 of every strategy, the leads over alignment, and what a dictionary is worth."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from crosslingua.atlas.cards import ALIGNED, BOTH, MIN_PAIRS, STRATEGIES, UNLIKE, Card, comparable
from crosslingua.atlas.decides import average

Effect = tuple[Sequence[str], float]  # the languages of a pair, and points of P@1


def averages(cards: Iterable[Card], words: str = UNLIKE) -> dict[str, dict[str, Any]]:
    """Return by domain the numbers of `pairs` and `languages`, the `means` of P@1 by strategy, and effects in the
    average pair with `low` and `high`: `leads` over alignment, and `dictionary`, what “both” gains by a dictionary.

    Pairs and languages are random effects, so that an interval speaks of other languages (`decides`). A domain of
    fewer than 8 pairs has no effects.
    """
    by_domain: dict[str, list[tuple[Card, Mapping[str, Any]]]] = {}
    for card, condition in comparable(cards, words):
        by_domain.setdefault(card["domain"], []).append((card, condition))
    return {domain: _average(found, words) for domain, found in sorted(by_domain.items())}


def _average(found: Sequence[tuple[Card, Mapping[str, Any]]], words: str) -> dict[str, Any]:
    def p_at_1(condition: Mapping[str, Any], kind: str) -> float:
        return float(condition["strategies"][kind]["value"])

    leads: dict[str, list[Effect]] = {
        kind: [
            (card["languages"], p_at_1(condition, kind) - p_at_1(condition, ALIGNED))
            for card, condition in found
        ]
        for kind in STRATEGIES
        if kind != ALIGNED
    }
    dictionary: list[Effect] = [
        (card["languages"], p_at_1(condition, BOTH) - p_at_1(other, BOTH))
        for card, condition in found
        for other in card["conditions"]
        if (other["supervision"], other["words"]) == ("none", words) and BOTH in other["strategies"]
    ]
    return {
        "pairs": len(found),
        "languages": len({code for card, _ in found for code in card["languages"]}),
        "means": {kind: fmean(p_at_1(condition, kind) for _, condition in found) for kind in STRATEGIES},
        "leads": {kind: mean for kind, effects in leads.items() if (mean := _mean(effects))},
        "dictionary": _mean(dictionary),
    }


def _mean(effects: Sequence[Effect]) -> dict[str, float] | None:
    """Return the effect in the average pair; None of fewer than 8 pairs."""
    return average(effects).intervals()[0] if len(effects) >= MIN_PAIRS else None
