"""Which of alignment and joint training is ahead, by task."""

from pathlib import Path

import pytest

from crosslingua.claims.interval import Evidence
from crosslingua.claims.statements import read_claims
from crosslingua.claims.verdict import Judgement, LeftOut, judge
from crosslingua.papers.joint_align.claims import lead_by_task

SEEDS = (1, 2, 3)


def evidence(**scores: dict[str, tuple[float, ...]]) -> dict[tuple[str, str], Evidence]:
    """Evidence by measure: of each system its score in each pair, a little more with each seed."""
    found = {}
    for measure in ("precision", "entities", "translation"):
        found[measure, "all"] = Evidence("points")
        for system, values in scores.get(measure, {}).items():
            for pair, value in enumerate(values):
                for seed in SEEDS:
                    items = {("en", str(n)): value + seed / 10 + n for n in (-1, 0, 1)}
                    found[measure, "all"].add(f"pair{pair}", system, seed, items)
    return found


AS_PUBLISHED = {
    "precision": {"procrustes": (70, 60), "joint": (40, 36)},
    "entities": {"align": (60, 50), "joint": (50, 30)},
    "translation": {"align": (20,), "joint": (24,)},
}


def verdict(repository: Path, **scores: dict) -> Judgement | LeftOut:
    claims = read_claims(
        repository / "reference/joint_align_claims.yaml", repository / "schemas/claims.schema.yaml"
    )
    (claim,) = [one for one in claims if one.claim == "relative_performance_depends_on_the_task"]
    return judge(claim, {("lead_by_task", "all"): lead_by_task(evidence(**scores))})


def test_a_lead_is_the_mean_over_pairs() -> None:
    found = lead_by_task(evidence(**AS_PUBLISHED)).values["all"]
    (value,) = found["alignment_in_lexicons"][2].values()
    assert value == pytest.approx((30 + 24) / 2)
    assert set(found) == {"alignment_in_lexicons", "alignment_in_entities", "joint_in_translation"}


def test_another_order_in_each_task_is_reproduced_and_the_same_in_all_contradicts(repository: Path) -> None:
    assert verdict(repository, **AS_PUBLISHED).verdict == "reproduced"
    alike = AS_PUBLISHED | {"translation": {"align": (24,), "joint": (20,)}}
    contradicted = verdict(repository, **alike)
    assert contradicted.verdict == "contradicted"
    assert contradicted.decisive.comparison.system == "joint_in_translation"


def test_without_translation_nothing_can_be_said(repository: Path) -> None:
    left = verdict(repository, **{name: own for name, own in AS_PUBLISHED.items() if name != "translation"})
    assert left.reason == "not run at this scale: joint_in_translation"
