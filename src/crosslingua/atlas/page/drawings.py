"""The shapes of the atlas's drawings, in units of their SVG: symbols, the map of winners, learning curves."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crosslingua.atlas.cards import STRATEGIES
from crosslingua.atlas.page.pairs import UNDECIDED, VIEWS

# One shape a strategy, since colour alone does not tell them; the centre is 0, 0.
GLYPHS = dict(
    zip(
        (*STRATEGIES, UNDECIDED),
        (
            "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
            "M-4.6-4.6h9.2v9.2h-9.2z",
            "M0-5.8L5.8 4.6H-5.8z",
            "M0-6.4L6.4 0L0 6.4L-6.4 0z",
            "M-4-4L4 4M-4 4L4-4",
        ),
        strict=True,
    )
)
LEFT, RIGHT, TOP, BOTTOM = 46, 14, 10, 44  # margins of a drawing with axes
Ticks = list[tuple[float, str]]  # place and label


def steps(most: float) -> list[float]:
    """Return round numbers from 0 up to the first that reaches `most`, at most six."""
    size = 10 ** math.floor(math.log10(most)) if most > 0 else 1
    step = next(step for step in (size / 5, size / 2, size, size * 2) if most / step <= 5)
    return [round(step * place, 9) for place in range(math.ceil(most / step) + 1)]


def count_label(number: float) -> str:
    """Return a count of words as a short label."""
    return f"{number / 1e6:g} million" if number >= 1e6 else f"{number:,.0f}"


def scatter(rows: Sequence[Mapping[str, Any]], width: int = 480, height: int = 320) -> dict[str, Any]:
    """Return the map of pairs by the words of the smaller text (log) and the share of words spelt alike: `points` by
    the pair's id, and ticks `x`, `y`.
    """
    logs = [math.log10(max(row["words"], 1)) for row in rows]
    low, high = min(logs) - 0.06, max(logs) + 0.06
    rises = steps(max(row["card"]["statistics"]["spelt_alike"] for row in rows))

    def across(log: float) -> float:
        return round(LEFT + (log - low) / (high - low) * (width - LEFT - RIGHT), 1)

    def up(share: float) -> float:
        return round(height - BOTTOM - share / rises[-1] * (height - TOP - BOTTOM), 1)

    marks = [head * 10**power for power in range(int(low), int(high) + 1) for head in (1, 2, 5)]
    return {
        "width": width,
        "height": height,
        "points": {
            row["id"]: (across(log), up(row["card"]["statistics"]["spelt_alike"]))
            for row, log in zip(rows, logs, strict=True)
        },
        "x": [
            (across(math.log10(mark)), count_label(mark)) for mark in marks if low <= math.log10(mark) <= high
        ],
        "y": [(up(rise), f"{rise:g}") for rise in rises],
    }


def panels(cards: Iterable[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the learning curves of each pair, by its name: P@1 by words of text, with the dictionary that has most
    points; by words of the dictionary, with the text that has most; and by sentence pairs, from none. A curve needs two
    points.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    by_pair: dict[str, list[Mapping[str, Any]]] = {}
    for card in cards:
        by_pair.setdefault(card["curve"]["of"], []).append(card)
    for pair, points in by_pair.items():
        linked = [card for card in points if card["curve"].get("bitext")]
        others = [card for card in points if not card["curve"].get("bitext")]
        # The pair's own card, judged without its dictionary, has no bitext.
        none = [
            {**card, "curve": card["curve"] | {"bitext": 0, "dictionary": 0}}
            for card in others
            if linked and card["pair"] == pair
        ]
        for along, fixed, cards in (
            ("words", "dictionary", others),
            ("dictionary", "words", others),
            ("bitext", "words", linked + none),
        ):
            groups: dict[float, dict[float, Mapping[str, Any]]] = {}
            for card in cards:
                # Texts are cut at sentences, so that their counts differ a little.
                level = float(f"{card['curve'][fixed]:.2g}")
                groups.setdefault(level, {})[card["curve"][along]] = card
            level, group = max(groups.items(), key=lambda item: (len(item[1]), item[0]), default=(0, {}))
            if len(group) > 1:
                drawn = [_panel([*sorted(group.items())], words) for words in ("not spelt alike", "all")]
                found.setdefault(pair, []).append({"along": along, "level": level, "views": drawn})
    return found


def _panel(points: Sequence[tuple[float, Mapping[str, Any]]], words: str) -> dict[str, Any]:
    """Return the lines of the strategies over some test words; a point without a dictionary is judged without."""
    width, height = 300, 220
    conditions = []
    for _, card in points:
        supervision = "dictionary" if card["curve"]["dictionary"] else "none"
        of_words = {one["supervision"]: one for one in card["conditions"] if one["words"] == words}
        conditions.append(of_words.get(supervision, {"strategies": {}})["strategies"])
    rises = steps(max((one["high"] for each in conditions for one in each.values()), default=1))
    across = [
        round(LEFT + 14 + place * (width - LEFT - RIGHT - 28) / (len(points) - 1), 1)
        for place in range(len(points))
    ]

    def up(value: float) -> float:
        return round(height - BOTTOM - value / rises[-1] * (height - TOP - BOTTOM), 1)

    return {
        "width": width,
        "height": height,
        "numbers": [number for number, (by, word) in enumerate(VIEWS) if word == words],
        "lines": {
            # Side by side, since intervals would hide each other.
            kind: [
                (at + 4 * place - 6, *(up(each[kind][name]) for name in ("value", "low", "high")))
                for at, each in zip(across, conditions, strict=True)
                if kind in each
            ]
            for place, kind in enumerate(STRATEGIES)
        },
        "x": [
            (at, count_label(float(f"{count:.2g}"))) for at, (count, _) in zip(across, points, strict=True)
        ],
        "y": [(up(rise), f"{rise:g}") for rise in rises],
    }
