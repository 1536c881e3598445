"""Optimal transport as loops over one pair, written down once more for the tests."""

import numpy as np

Links = set[tuple[int, int]]


def literal_sinkhorn(f: np.ndarray, mu: float, iterations: int) -> np.ndarray:
    """Eq. 4 to 6 of one pair, as printed."""
    kernel = np.exp(f / mu)
    v = np.ones(f.shape[1])
    for _ in range(iterations):
        u = 1 / (kernel @ v)
        v = 1 / (kernel.T @ u)
    return np.diag(u) @ kernel @ np.diag(v)


def literal_filter(plan: np.ndarray, alpha: float, iterations: int, to_the_letter: bool) -> Links:
    """Eq. 7 to 9 of one pair, as printed, or without pairs of linked units, as Itermax; what is 0 is not linked."""
    plan = plan.copy()
    n, m = plan.shape
    links: Links = set()
    for _ in range(iterations):
        forward = {(i, max(range(m), key=lambda k, i=i: plan[i, k])) for i in range(n)}
        backward = {(max(range(n), key=lambda k, j=j: plan[k, j]), j) for j in range(m)}
        links |= {(i, j) for i, j in forward & backward if plan[i, j] > 0}
        for i in range(n):
            for j in range(m):
                if (i, j) in links:
                    plan[i, j] = 0
                    continue
                row, column = any((i, k) in links for k in range(m)), any((k, j) in links for k in range(n))
                if row and column and not to_the_letter:
                    plan[i, j] = 0
                elif row or column:
                    plan[i, j] *= alpha
    return links
