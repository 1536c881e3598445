"""What the atlas reads off the cards of its pairs: comparable conditions, and numbers that may decide a winner."""

from collections.abc import Iterable, Mapping
from math import log10
from statistics import fmean
from typing import Any

from crosslingua.atlas.languages import distance, facts

ALIGNED, JOINT, JOINT_MAPPED, BOTH = STRATEGIES = ("aligned", "joint", "joint then mapped", "both")
UNDECIDED = "not told apart"
UNLIKE = "not spelt alike"  # test words
MIN_PAIRS = 8  # for a regression
SPACES = "eigen similarity"  # the one number that needs trained vectors
YES_NO = ("same script", "novels")

Card = Mapping[str, Any]


def comparable(cards: Iterable[Card], words: str) -> list[tuple[Card, Mapping[str, Any]]]:
    """Return each pair that is no point of a curve, with its condition: a dictionary, these words, all strategies."""
    return [
        (card, condition)
        for card in cards
        if not card.get("curve")
        for condition in card["conditions"]
        if (condition["supervision"], condition["words"]) == ("dictionary", words)
        and set(STRATEGIES) <= set(condition["strategies"])
    ]


def is_told(condition: Mapping[str, Any]) -> bool:
    """Whether each other strategy is certainly behind the leader, or level with it."""
    level = condition.get("level", [])
    near = bool(level) and all(each["low"] > 0 or each["over"] in level for each in condition["comparisons"])
    return near or condition["best"] != UNDECIDED


def predictors(card: Card) -> dict[str, float | None]:
    """Return the numbers of a pair by name; None for one that is not measured. Needs `languages`, `domain` and
    `statistics` of the card. Errors as `languages.facts`.
    """
    a, b = card["languages"]
    found = card["statistics"]
    return {
        "log10 text words": log10(min(found["text_words"])),
        "log10 dictionary words": log10(max(found["train_words"], 1)),
        "spelt alike": found["spelt_alike"],
        "type-token ratio": fmean(found["type_token_ratio"]),
        "same script": float(facts(a)["script"] == facts(b)["script"]),
        "family distance": float(distance(a, b)),
        SPACES: found.get("eigen_similarity"),
        "novels": float(card["domain"] == "novels"),
    }
