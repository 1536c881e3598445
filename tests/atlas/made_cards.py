"""Cards of pairs with made-up numbers, for tests of what the atlas computes from cards."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from crosslingua.atlas.cards import STRATEGIES

CODES = ["ca", "cs", "de", "en", "es", "et", "eu", "fi", "fr", "hu", "id", "it", "ko", "pl", "pt", "ru", "tr"]


def pairs_of(rng: np.random.Generator, number: int = 46) -> list[tuple[str, str]]:
    every = list(combinations(CODES, 2))
    return [every[i] for i in rng.choice(len(every), number, replace=False)]


def made(pair: tuple[str, str], rng: np.random.Generator) -> dict[str, Any]:
    """A card without conditions."""
    return {
        "pair": "-".join(pair),
        "languages": [*pair],
        "domain": rng.choice(["novels", "help pages"], p=[0.3, 0.7]),
        "curve": {},
        "statistics": {
            "text_words": [int(n) for n in 10 ** rng.uniform(5, 6.5, 2)],
            "type_token_ratio": [float(r) for r in rng.uniform(0.1, 0.5, 2)],
            "spelt_alike": float(rng.uniform(2, 40)),
            "train_words": int(10 ** rng.uniform(2.5, 3.5)),
            "test_words": 200,
            "eigen_similarity": float(rng.uniform(2, 30)),
        },
        "conditions": [],
    }


def with_values(
    card: dict[str, Any], values: list[float], margin: float = 1.0, words: str = "not spelt alike"
) -> dict[str, Any]:
    """The card with one more condition: P@1 of each strategy, the winner decided where it leads by over `margin`."""
    found = dict(zip(STRATEGIES, map(float, values), strict=True))
    leader = max(found, key=lambda kind: found[kind])
    behind = {kind: found[leader] - value for kind, value in found.items() if kind != leader}
    leads = {kind: value - found["aligned"] for kind, value in found.items() if kind != "aligned"}
    condition = {
        "supervision": "dictionary",
        "words": words,
        "seeds": 3,
        "leader": leader,
        "best": leader if min(behind.values()) > margin else "not told apart",
        "strategies": {kind: {"system": kind, "value": value} for kind, value in found.items()},
        "comparisons": [
            {"of": leader, "over": kind, "effect": gap, "low": gap - margin, "high": gap + margin}
            for kind, gap in behind.items()
        ],
        "leads": {
            kind: {"effect": lead, "low": lead - margin, "high": lead + margin}
            for kind, lead in leads.items()
        },
    }
    return card | {"conditions": [*card["conditions"], condition]}


def atlas(
    rng: np.random.Generator, values: Callable[[dict[str, Any]], list[float]], number: int = 46
) -> list[dict[str, Any]]:
    """Cards with one condition each, whose P@1 by strategy is a function of the card."""
    return [with_values(card, values(card)) for card in (made(pair, rng) for pair in pairs_of(rng, number))]
