"""A small run's claims, answer and papers, for tests of the results page."""

from typing import Any

from crosslingua.report.page import PagePaper

CLAIM = {
    "claim": "joint_low", "paper": "joint_align", "statement": "Joint is low.", "verdict": "contradicted", "effect": 15,
    "ci_low": 12.0, "ci_high": 18.0, "source": "section 4", "test": "P@1 is below.", "reading": "", "region": "< 0",
    "falsified_by": "By more.", "unit": "points", "seeds": [1, 2, 3], "not_run": [], "not_compared": [], "reason": "",
    "mde": 3.0, "looks": 1, "settle_seeds": None, "settle_items": None, "holds": 0, "fails": 1, "open": 0,
    "likeness": "B", "size": "", "likeness_why": "generated text, 3 seeds", "failures": {},
    "decisive": {"comparison": "joint_ar - joint", "pair": "mean"},
    "comparisons": [
        {"comparison": "joint_ar - joint", "pair": "mean", "effect": 15.0, "low": 0.123, "high": 18.0,
         "level": 0.975, "outcome": "fails"},
    ],
}  # fmt: skip
LEFT_OUT = {"claim": "x", "paper": "joint_align", "statement": "X.", "source": "section 5"}
LEFT_OUT |= {"reason": "not run: duong"}


FIGURES = {"b": "Of b.", "a": "Of a & c."}
PAPERS = (
    PagePaper("joint_align", "Joint or not", "Wang", ("table1", "table2"), FIGURES, lambda _: "<b>more</b>"),
    PagePaper("align_mlm", "ALIGN-MLM", "Tang", (), {}, lambda results: ""),
)


def condition(words: str, both: float, low: float) -> dict[str, Any]:
    strategies = {
        name: {"system": system, "value": value, "low": value - 2, "high": value + 2}
        for name, system, value in (("aligned", "rcsls", 20.0), ("both", "joint_align_rcsls", both))
    }
    gap = {"of": "both", "over": "aligned", "effect": both - 20, "low": low, "high": both}
    return {
        "pair": "ana-ber", "supervision": "dictionary", "words": words, "seeds": 3, "test_words": 400, "leader": "both",
        "best": "both" if low > 0 else "not told apart", "strategies": strategies, "comparisons": [gap],
    }  # fmt: skip


def answer(low: float = 1.5) -> dict[str, Any]:
    summary = {"supervision": "dictionary", "words": "all", "pairs": 1}
    summary |= {"means": {"aligned": 20.0, "both": 30.0}, "leads_in": {"aligned": 0, "both": 1}}
    summary |= {"ahead_in": {"aligned": 0, "both": int(low > 0)}}
    return {"unit": "points", "conditions": [condition("all", 30.0, low)], "summaries": [summary]}
