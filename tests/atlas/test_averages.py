"""The average pair of each domain, against means by hand and Student's test."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from atlas_cards import card, condition
from crosslingua.atlas.averages import averages, domain, families


def pair(place: int, both: float, without: float, **changed: Any) -> dict[str, Any]:
    """A pair of two languages that no other pair has; `aligned` finds 10 %."""
    values = {"aligned": 10.0, "joint": 9.0, "joint then mapped": 10.0, "both": both}
    alone = {"aligned": 5.0, "both": without}
    conditions = [condition(values), condition(alone, supervision="none"), condition(values, words="all")]
    return card(f"a{place}", f"b{place}", conditions, **changed)


def test_effects_are_those_of_students_test_where_no_pairs_share_a_language() -> None:
    both = np.array([14.0, 13.0, 17.5, 11.0, 16.0, 12.0, 9.0, 15.5, 18.0])
    cards = [pair(place, value, value - 2 - place % 2) for place, value in enumerate(both)]
    (found,) = averages([*cards, cards[0] | {"curve": {"of": "x"}}], domain).values()
    assert (found["pairs"], found["languages"]) == (9, 18)
    assert found["means"] == pytest.approx(
        {"aligned": 10, "joint": 9, "joint then mapped": 10, "both": both.mean()}
    )
    wanted = ttest_1samp(both - 10, 0).confidence_interval()
    lead = found["leads"]["both"]
    assert [lead[name] for name in ("effect", "low", "high")] == pytest.approx(
        [both.mean() - 10, wanted.low, wanted.high], rel=1e-3
    )
    assert found["leads"]["joint"]["effect"] == pytest.approx(-1)
    assert found["dictionary"]["effect"] == pytest.approx(2 + 4 / 9)


def test_domains_stand_apart_and_eight_pairs_are_needed() -> None:
    cards = [pair(place, 12, 10, domain="novels" if place < 7 else "help pages") for place in range(15)]
    found = averages(cards, domain)
    assert list(found) == ["help pages", "novels"]
    assert found["novels"]["leads"] == {}
    assert found["novels"]["dictionary"] is None
    assert found["help pages"]["leads"]["both"]["effect"] == pytest.approx(2)


def test_a_pair_stands_in_the_rows_of_both_its_families_but_for_english() -> None:
    """Branches of Indo-European are rows of their own."""
    rows = [("de", "fi", 20.0, 30.0), ("en", "fi", 10.0, 40.0), ("en", "hu", 12.0, None)]
    cards = []
    for source, target, both, encoder in rows:
        made = pair(0, both, both) | {"languages": [source, target]}
        made["reference"] = None if encoder is None else {"not spelt alike": encoder, "all": 1.0}
        cards.append(made)
    found = averages(cards, families)
    assert {name: (one["pairs"], one["means"]["both"], one["encoder"]) for name, one in found.items()} == {
        "Germanic": (1, 20, 30),
        "Uralic": (3, 14, None),
    }
