from pathlib import Path

import numpy as np
import pytest
from scipy.stats import permutation_test, spearmanr

from crosslingua.report import correlation
from crosslingua.report.correlation import correlations, permuted, permuted_together
from crosslingua.report.tables import read_reference
from metric_rows import frame

SYSTEMS, TASKS = ("mlm", "xlm", "dict_mlm", "align_mlm"), ("nli", "ner", "pos")


def row(system: str, target: str, task: str, metric: str, value: float, seed: int = 1) -> dict:
    return {"system": system, "target": target, "task": task, "metric": metric, "value": value, "seed": seed}


def test_correlation_of_the_papers_numbers_is_the_papers(repository: Path) -> None:
    published = read_reference((repository / "reference").glob("align_mlm_*.csv"))
    rows = frame(*(row(*key, value) for key, value in published.items() if key[0] != "all"))
    found = correlations(rows, SYSTEMS, TASKS)
    for task, rho in (("nli", 0.727), ("ner", 0.781), ("pos", 0.734)):
        (one,) = found[task]
        assert len(one.cells) == 12
        assert one.rho == pytest.approx(rho, abs=5e-4)
        assert one.p < 0.01  # appendix E


def test_correlation_by_hand_takes_each_seed_by_itself() -> None:
    rows = []
    for seed, deltas in ((1, [3.0, 2.0, 1.0, 0.0]), (2, [0.0, 1.0, 2.0, 3.0]), (3, [1.0, 1.0, 1.0, 1.0])):
        for system, delta, score in zip(SYSTEMS, deltas, [10, 20, 40, 30], strict=True):
            rows.append(row(system, "trans", "ner", "delta", delta, seed))
            rows.append(row(system, "trans", "embedding_alignment", "alignment", score, seed))
    rows.append(row("xlm_parallel_1", "trans", "ner", "delta", 50.0))
    rows.append(row("xlm_parallel_1", "trans", "embedding_alignment", "alignment", 50.0))
    found = correlations(frame(*rows), SYSTEMS, TASKS)
    # Ranks 1 2 4 3 against 1 2 3 4: 1 - 6 * 2 / (4 * 15) = 0.8; a seed without spread has no correlation.
    assert [(c.seed, round(c.rho, 6)) for c in found["ner"]] == [(1, 0.8), (2, -0.8)]
    # |rho| is 1 in two of the 24 orders, and 0.8 in six.
    assert found["ner"][0].p == pytest.approx(8 / 24)
    assert found["pos"] == []


def test_cells_lie_beside_their_scores_in_a_stable_order() -> None:
    rows = [row(s, "trans", "ner", "delta", d) for s, d in zip(SYSTEMS, (1.0, 2.0, 3.0, 4.0), strict=True)]
    scores = (("xlm", 5), ("mlm", 6), ("align_mlm", 7))
    rows += [row(system, "trans", "embedding_alignment", "alignment", score) for system, score in scores]
    (one,) = correlations(frame(*rows), SYSTEMS, TASKS)["ner"]
    assert one.cells == (("align_mlm", "trans"), ("mlm", "trans"), ("xlm", "trans"))
    assert (list(one.alignment), list(one.delta)) == ([7, 6, 5], [4, 1, 2])


def test_the_p_value_is_scipys_where_there_is_one_group() -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 6))
    rho, p = permuted(x, y, ["all"] * 6)
    every = {"permutation_type": "pairings", "n_resamples": np.inf}
    known = permutation_test((x,), lambda order: spearmanr(order, y).statistic, **every)
    assert (rho, p) == pytest.approx((known.statistic, known.pvalue))


def test_many_permutations_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 8))
    rho, p = permuted(x, y, "aaaabbbb")
    monkeypatch.setattr(correlation, "MOST", 100)
    assert permuted(x, y, "aaaabbbb") == (rho, pytest.approx(p, abs=0.01))


def test_what_only_sets_groups_apart_is_no_evidence_within_them() -> None:
    """Two groups far apart in both scores and without order inside: the t distribution sees a correlation."""
    x, y = np.array([0, 1, 2, 10, 11, 12]), np.array([1, 0, 2, 11, 12, 10])
    rho, p = permuted(x, y, "aaabbb")
    assert spearmanr(x, y).pvalue < 0.12 < 0.3 < p
    assert rho == pytest.approx(spearmanr(x, y).statistic)


def test_one_seed_alone_has_the_p_value_of_its_correlation() -> None:
    rng = np.random.default_rng(3)
    cells = [(system, target) for system in SYSTEMS for target in ("trans", "trans_inv")]
    points = {cell: tuple(rng.normal(size=2)) for cell in cells}
    x, y = np.array([points[cell] for cell in cells]).T
    assert permuted_together([points]) == pytest.approx(permuted(x, y, [target for _, target in cells])[1])


def test_seeds_are_permuted_alike_and_more_of_the_same_tell_nothing_new() -> None:
    """Four objectives in one transformation: 24 orders, of which the best and its reverse are as far from 0."""
    points = {(system, "trans"): (float(n), float(n)) for n, system in enumerate(SYSTEMS)}
    assert permuted_together([points]) == permuted_together([points] * 9) == pytest.approx(2 / 24)
    both = points | {(system, "trans_inv"): (n + 9.0, n + 9.0) for n, system in enumerate(SYSTEMS)}
    assert permuted_together([both]) == pytest.approx(1 / 24**2)
    assert 0 < permuted_together([both, points]) < 2 / 24
    assert permuted_together([points, {cell: points[cell] for cell in list(points)[:3]}]) is None
