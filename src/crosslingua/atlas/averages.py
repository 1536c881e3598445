"""The average pair of a domain or family: P@1 of each strategy, leads over alignment, and what a dictionary adds."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from crosslingua.atlas.cards import ALIGNED, BOTH, MIN_PAIRS, STRATEGIES, UNLIKE, Card, comparable
from crosslingua.atlas.decides import average
from crosslingua.atlas.languages import facts

Effect = tuple[Sequence[str], float]  # the languages of a pair, and points of P@1


def averages(
    cards: Iterable[Card], groups: Callable[[Card], Iterable[str]], words: str = UNLIKE
) -> dict[str, dict[str, Any]]:
    """Return by group the numbers of `pairs` and `languages`, the `means` of P@1 by strategy, and effects in the
    average pair with `low` and `high`: `leads` over alignment, and `dictionary`, what “both” gains by a dictionary.
    `encoder` is the mean of the published encoder, None where a pair lacks it.

    `groups` names the groups of a pair. Pairs and languages are random effects, so that an interval speaks of other
    languages (`decides`). A group of fewer than 8 pairs has no effects.
    """
    grouped: dict[str, list[tuple[Card, Mapping[str, Any]]]] = {}
    for card, condition in comparable(cards, words):
        for group in groups(card):
            grouped.setdefault(group, []).append((card, condition))
    return {group: _average(found, words) for group, found in sorted(grouped.items())}


def domain(card: Card) -> list[str]:
    """Return what the texts of a pair are."""
    return [card["domain"]]


def families(card: Card) -> list[str]:
    """Return the families of a pair's languages but English; of Indo-European ones, the branches. Errors as `facts`."""
    own = [facts(code) for code in card["languages"] if code != "en"]
    return [*{one["branch" if one["family"] == "Indo-European" else "family"] for one in own}]


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
    encoder = [(card.get("reference") or {}).get(words) for card, _ in found]
    return {
        "pairs": len(found),
        "languages": len({code for card, _ in found for code in card["languages"]}),
        "means": {kind: fmean(p_at_1(condition, kind) for _, condition in found) for kind in STRATEGIES},
        "leads": {kind: mean for kind, effects in leads.items() if (mean := _mean(effects))},
        "dictionary": _mean(dictionary),
        "encoder": None if None in encoder else fmean(encoder),
    }


def _mean(effects: Sequence[Effect]) -> dict[str, float] | None:
    """Return the effect in the average pair; None of fewer than 8 pairs."""
    return average(effects).intervals()[0] if len(effects) >= MIN_PAIRS else None
