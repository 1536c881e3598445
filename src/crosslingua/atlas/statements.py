"""A paper's statements about lexicons, judged over the pairs of the atlas, which stand for pairs of other languages.

The effect of a comparison in a pair is the difference of two systems' P@1, in the mean over seeds, each on the test
words that have vectors. Pairs and languages are random effects (`decides`). So the interval is that of the average
pair, and the verdict, by the rules of `claims.verdict`, too. Of a statement about every pair, it counts in how many the
effect lies where the statement puts it.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from crosslingua.atlas.cards import MIN_PAIRS, Card
from crosslingua.atlas.decides import average
from crosslingua.claims.statements import Claim, Comparison
from crosslingua.claims.verdict import Finding, decide
from crosslingua.statistics.interval import Spread

MEASURE = "precision"
WORDS = {"all": "all", "different_surface": "not spelt alike"}  # what claims call the words of cards
QUARTER = "quarter_of_"


def judged(cards: Iterable[Card], claims: Iterable[Claim]) -> list[dict[str, Any]]:
    """Return the claims that the systems of 8 pairs and more can test, each with `verdict` and `comparisons`.

    A comparison has `effect`, `low`, `high`, `outcome`, and the number of `pairs`, in some of which it is `as_said`.
    """
    pairs = list(cards)
    found = []
    for claim in claims:
        words = WORDS.get(claim.words)
        if claim.measure != MEASURE or words is None or claim.tested_on:
            continue
        effects = {one: _effects(pairs, one, words, claim.needs) for one in claim.comparisons}
        effects = {one: of for one, of in effects.items() if len(of) >= MIN_PAIRS}
        if not effects:
            continue
        judgement = decide(claim, [_finding(claim, one, of) for one, of in effects.items()])
        found.append({
            "claim": claim.claim, "statement": claim.statement, "source": claim.source, "words": words,
            "every_pair": claim.pairs == "each", "verdict": judgement.verdict,
            "comparisons": [
                {
                    "of": finding.comparison.system, "over": finding.comparison.over,
                    "effect": finding.spread.effect, "low": finding.at(finding.level).low,
                    "high": finding.at(finding.level).high, "outcome": finding.outcome,
                    "pairs": len(of := effects[finding.comparison]),
                    "as_said": sum(claim.holds.slack(effect, effect) > 0 for _, effect in of),
                }
                for finding in judgement.findings
            ],
        })  # fmt: skip
    return found


def _effects(
    cards: Sequence[Card], comparison: Comparison, words: str, needs: Iterable[str]
) -> list[tuple[Sequence[str], float]]:
    """Return the languages and the effect of each pair that has the systems."""
    found = []
    for card in cards:
        own = card["scores"].get(words, {})
        if all(_system(name) in own for name in (*comparison.systems, *needs)):
            first, *other = (_score(own, name) for name in comparison.systems)
            found.append((card["languages"], first - sum(other)))
    return found


def _system(name: str) -> str:
    return name.removeprefix(QUARTER)


def _score(systems: Mapping[str, Mapping[str, float]], name: str) -> float:
    value = fmean(systems[_system(name)].values())
    return value / 4 if name.startswith(QUARTER) else value


def _finding(claim: Claim, comparison: Comparison, effects: Sequence[tuple[Sequence[str], float]]) -> Finding:
    """Return the mean effect, whose sampling error is part of what differs between pairs."""
    fit = average(effects)
    # Pairs take the place of seeds: as many as the degrees of freedom tell of.
    spread = Spread(
        float(fit.coefficients[0]), float(fit.covariance[0, 0]), 0.0, 0.0, 1 + int(fit.freedom[0]), 1
    )
    return Finding(claim, comparison, "mean", spread)
