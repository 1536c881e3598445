"""What the committed cards say, and that docs/atlas.md says the same."""

from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from crosslingua.atlas.assemble import assemble, read_cards

ROOT = Path(__file__).parents[2]
CARDS = sorted((ROOT / "results/reference/atlas/cards").glob("*.json"))
WORDS = ("not spelt alike", "all")


@pytest.fixture(scope="module")
def atlas() -> dict[str, Any]:
    return assemble(read_cards(CARDS))


def conditions(atlas: Mapping[str, Any], words: str) -> list[Mapping[str, Any]]:
    every = [one for card in atlas["pairs"] for one in card["conditions"]]
    return [one for one in every if (one["supervision"], one["words"]) == ("dictionary", words)]


def test_the_page_has_the_means_of_the_cards(atlas: dict[str, Any]) -> None:
    text = (ROOT / "docs/atlas.md").read_text(encoding="utf-8")
    found = {words: conditions(atlas, words) for words in WORDS}
    assert {len(of) for of in found.values()} == {len(atlas["pairs"])}
    for kind in ("aligned", "joint", "joint then mapped", "both"):
        own = [fmean(one["strategies"][kind]["value"] for one in found[words]) for words in WORDS]
        leads = [sum(one["leader"] == kind for one in found[words]) for words in WORDS]
        decided = [sum(one["best"] == kind for one in found[words]) for words in WORDS]
        row = [f"{mean:.1f}, {lead}, {sure}" for mean, lead, sure in zip(own, leads, decided, strict=True)]
        assert f"| {kind} | {' | '.join(row)} |" in text
    encoder = [fmean(card["reference"][words] for card in atlas["pairs"]) for words in WORDS]
    assert f"| published encoder | {encoder[0]:.1f} | {encoder[1]:.1f} |" in text
    assert f"| each word by itself | – | {fmean(card['spelling'] for card in atlas['pairs']):.1f} |" in text
    below = [
        sum(one["strategies"][kind]["value"] < card["spelling"] for card, one in
            zip(atlas["pairs"], conditions(atlas, "all"), strict=True))
        for kind in ("aligned", "joint")
    ]  # fmt: skip
    assert f"“aligned” in {below[0]} pairs, “joint” in {below[1]}" in text


def test_the_page_has_the_leads_over_alignment(atlas: dict[str, Any]) -> None:
    text = (ROOT / "docs/atlas.md").read_text(encoding="utf-8")
    for kind, lead in atlas["decides"]["leads"].items():
        one = lead["intercept"]
        assert f"“{kind}” {one['effect']:+.1f} ({one['low']:.1f} to {one['high']:.1f})" in text
    assert f"{atlas['decides']['pairs']} pairs of {atlas['decides']['languages']} languages" in text
