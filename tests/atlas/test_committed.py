"""What the committed cards say, and that docs/atlas.md says the same."""

import re
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import world_order

from crosslingua.atlas.assemble import assemble, read_cards
from crosslingua.atlas.cards import UNDECIDED, is_told
from crosslingua.claims.statements import read_claims
from crosslingua.claims.verdict import IN_WORDS

ROOT = Path(__file__).parents[2]
CARDS = sorted((ROOT / "results/reference/atlas/cards").glob("*.json"))
WORDS = ("not spelt alike", "all")


@pytest.fixture(scope="module")
def atlas() -> dict[str, Any]:
    claims = read_claims(ROOT / "reference/joint_align_claims.yaml", ROOT / "schemas/claims.schema.yaml")
    return assemble(read_cards(CARDS), claims)


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


def test_the_page_has_what_is_decided_what_has_learnt_and_what_effects_are_certain(
    atlas: dict[str, Any],
) -> None:
    text = (ROOT / "docs/atlas.md").read_text(encoding="utf-8")
    unlike = conditions(atlas, "not spelt alike")
    level = sum(one["best"] == UNDECIDED and is_told(one) for one in unlike)
    says = sum(not is_told(one) and bool(one["would_decide"]) for one in unlike)
    assert f"In {level} more, the best strategies are level" in text
    assert f"In {says} more, the card says" in text
    low = sum(max(kind["value"] for kind in one["strategies"].values()) < 5 for one in unlike)
    assert f"In {low} pairs no strategy finds 5 %" in text
    effects = atlas["decides"]["leads"]["both"]["effects"]
    assert len(effects) == 7  # "by seven numbers of a pair": whether it is of novels follows from these
    certain = {name for name, one in effects.items() if one["low"] > 0 or one["high"] < 0}
    assert certain == {"log10 text words", "type-token ratio", "log10 dictionary words"}
    for one in (*map(effects.get, certain), atlas["averages"]["help pages"]["dictionary"]):
        assert f"{one['effect']:+.1f} ({shown(one['low'])} to {shown(one['high'])}) points" in text


def shown(bound: float) -> str:
    """Return a bound of an interval with one digit, or with two, so that its side of 0 shows."""
    return f"{bound:.1f}" if abs(bound) >= 0.05 else f"{bound:.2f}"


def test_the_page_has_the_numbers_of_pairs_and_what_prediction_is_worth(atlas: dict[str, Any]) -> None:
    text = (ROOT / "docs/atlas.md").read_text(encoding="utf-8")
    novels = sum(card["domain"] == "novels" for card in atlas["pairs"])
    pairs = len(atlas["pairs"])
    assert f"{pairs} pairs: {pairs - novels} of help pages and {novels} of novels" in text
    told = [(card["domain"], re.search(r"as few as (\d+) %", card["unit"])) for card in atlas["pairs"]]
    covered = {
        kind: [int(share[1]) for domain, share in told if domain == kind] for kind in ("help pages", "novels")
    }
    ranges = [f"{min(shares)} to {max(shares)} % in {kind}" for kind, shares in covered.items()]
    assert f"Only test words with vectors count: {', '.join(ranges)}" in text
    unlike = conditions(atlas, "not spelt alike")
    ahead = [
        card["reference"]["not spelt alike"] - one["strategies"]["both"]["value"]
        for card, one in zip(atlas["pairs"], unlike, strict=True)
    ]
    assert f"in {sum(lead > 0 for lead in ahead)} of {pairs} pairs, by up to {max(ahead):.1f} points" in text
    rules = atlas["prediction"]["rules"]
    right = [rules[rule]["right"] for rule in ("predicted", "always both")]
    assert f"in {right[0]:.0f} % of the pairs, and “always both” in {right[1]:.0f} %" in text
    assert not atlas["prediction"]["beats_both"]  # so `make ask` predicts nothing


def curve_rows(atlas: Mapping[str, Any]) -> list[str]:
    """Return the rows of the table of curves: P@1 on words not spelt alike, English-French / English-Spanish."""
    points = {}
    for card in atlas["curves"]:
        one, kind = card["curve"], card["dictionary"].rpartition("_")[2]
        size = f"{kind} entries" if kind.isdigit() else "all entries"
        words = next(name for name, most in SIZES.items() if one["words"] < most)
        for condition in card["conditions"]:
            if condition["words"] == "not spelt alike":
                supervised = size if condition["supervision"] == "dictionary" else "none"
                points[one["of"], words, supervised] = condition["strategies"]
    rows = []
    for words in SIZES:
        for size in ("none", "100 entries", "500 entries", "all entries"):
            pairs = [points.get((pair, words, size)) for pair in ("en-fr", "en-es")]
            if all(pairs):
                cells = [
                    " / ".join(f"{one[kind]['value']:.1f}" if kind in one else "–" for one in pairs)
                    for kind in ("aligned", "joint", "joint then mapped", "both")
                ]
                rows.append(f"| {words} | {size} | {' | '.join(cells)} |")
    return rows


SIZES = {"100,000": 200_000, "300,000": 500_000, "1.3 to 1.4 million": 2_000_000}  # words of the smaller text


def test_the_page_has_the_points_of_the_curves(atlas: dict[str, Any]) -> None:
    text = (ROOT / "docs/atlas.md").read_text(encoding="utf-8")
    rows = curve_rows(atlas)
    assert len(rows) == 8
    for row in rows:
        assert row in text


def test_the_readme_has_the_families_and_the_three_answers(atlas: dict[str, Any]) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, one in atlas["families"].items():
        means = [one["means"][kind] for kind in ("aligned", "joint", "joint then mapped", "both")]
        cells = [f"{value:.1f}" for value in (*means, one["encoder"])]
        assert f"| {name} | {one['pairs']} | {' | '.join(cells)} |" in text
    average = atlas["averages"]["help pages"]
    effects = atlas["decides"]["leads"]["both"]["effects"]
    for one in (average["leads"]["both"], effects["log10 text words"], average["dictionary"]):
        assert f"{one['effect']:+.1f} points ({one['low']:.1f} to {one['high']:.1f})" in text
    assert f"asks {len(atlas['pairs'])} pairs of {atlas['decides']['languages']} languages" in text
    unlike = conditions(atlas, "not spelt alike")
    ahead = [
        card["reference"]["not spelt alike"] > one["strategies"]["both"]["value"]
        for card, one in zip(atlas["pairs"], unlike, strict=True)
    ]
    assert f"in {sum(ahead)} of {len(ahead)} pairs" in text


# Rows of the verdicts of docs/papers/joint_align.md, with the claims that they are of.
STATEMENTS = {
    "the framework beats joint training, also on words that are not shared": (
        "framework_improves_on_joint", "framework_improves_unshared_words"
    ),
    "the framework beats its mapper alone": ("framework_improves_on_its_mapper",),
    "the framework beats joint training with the same dictionary": (
        "joint_align_outperforms_supervised_joint_training",
    ),
    "joint training finds few translations that are spelt differently": ("joint_low_on_different_surface",),
    "refinement alone does not improve joint training": ("refinement_alone_does_not_improve_joint",),
    "reallocation alone improves joint training": ("reallocation_alone_improves_joint",),
    "oversharing is a bottleneck for refinement": ("oversharing_is_a_bottleneck_for_refinement",),
    "a dictionary improves joint training": ("seed_dictionary_improves_joint",),
    "the framework beats every supervised system in every pair": ("joint_align_best_supervised",),
    "alignment beats joint training in every pair": ("alignment_outperforms_joint",),
}  # fmt: skip


def statement_cells(atlas: Mapping[str, Any]) -> dict[str, str]:
    """Return the cells of the column `atlas`: verdicts, and the counts of a statement on which comparisons differ.

    Where the verdicts of a row's claims differ, it is mixed if some comparisons hold and some fail, else open.
    """
    judged = {one["claim"]: one for one in atlas["statements"]}
    found = {}
    for row, claims in STATEMENTS.items():
        verdicts = [IN_WORDS[judged[claim]["verdict"]] for claim in claims]
        outcomes = [one["outcome"] for claim in claims for one in judged[claim]["comparisons"]]
        cell = (
            verdicts[0] if len({*verdicts}) == 1 else "mixed" if {"holds", "fails"} <= {*outcomes} else "open"
        )
        if len({*outcomes}) > 1:
            holds, fails = outcomes.count("holds"), outcomes.count("fails")
            cell += f": {holds} of {len(outcomes)} comparisons {'holds' if holds == 1 else 'hold'}"
            cell += f", {fails} {'fails' if fails == 1 else 'fail'}" if fails else ""
        found[row] = cell
    return found


def test_the_papers_page_has_the_verdicts_over_pairs(atlas: dict[str, Any]) -> None:
    text = (ROOT / "docs/papers/joint_align.md").read_text(encoding="utf-8")
    for row, cell in statement_cells(atlas).items():
        (line,) = [line for line in text.splitlines() if line.startswith(f"| {row} |")]
        assert line.endswith(f" | {cell} |")


def test_the_order_of_systems_in_the_world_is_as_the_page_says() -> None:
    every, unlike = map(world_order.rank_correlation, world_order.TABLES)
    text = (ROOT / "docs/world.md").read_text(encoding="utf-8")
    assert f"rho is {every:.2f} for all words, and {unlike:.2f} for words not spelt alike" in text
    assert len(world_order.means("all")) == len(world_order.means("not spelt alike")) == 13
