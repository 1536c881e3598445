"""RCSLS against the plain way: all products of all dictionary pairs, partitioned, at every step.

    python benchmarks/rcsls.py --size 40000 --dimensions 300 --pairs 10000 --threads 2

The plain way is how Joulin et al. (2018)'s program finds neighbours. Both sides get the same vectors, start and steps
(lr 1, 10 steps, a step that raises the loss taken back); a source word has two translations, as in MUSE's
dictionaries. Asserted: equal losses, to a float32 sum's rounding.
"""

import tempfile
from pathlib import Path

import numpy as np

from csls import load, make
from measure import Stopwatch, machine, named, parser, record, report, run_side

K, STEPS = 10, 10


def pairs_of(size: int, count: int) -> np.ndarray:
    """Return a dictionary (count, 2): each source word twice."""
    words = np.random.default_rng(2).permutation(size)[:count]
    return np.stack([np.repeat(words[: count // 2], 2), words[: count // 2 * 2]], axis=1)


def ours(folder: Path, pairs: int) -> None:
    """Time this suite."""
    from crosslingua.mappers.rcsls import RCSLS

    source, target = load(folder)
    few = source[:300]
    RCSLS().fit(few, few, np.stack([np.arange(200)] * 2, axis=1))  # compiled code, as imports are not timed
    watch = Stopwatch()
    mapping = RCSLS(lr=1.0, niter=STEPS, knn=K).fit(source, target, pairs_of(len(source), pairs))
    report(**watch.read(), losses=mapping.details["losses"])


def plain(folder: Path, pairs: int) -> None:
    """Time the plain way."""
    source, target = load(folder)
    watch = Stopwatch()
    dictionary = pairs_of(len(source), pairs)
    x, y = source[dictionary[:, 0]], target[dictionary[:, 1]]
    u, _, vt = np.linalg.svd(x.T @ y)
    w, lr = u @ vt, 1.0
    loss, gradient = plain_loss(x, y, source, target, w)
    losses = [loss]
    for _ in range(STEPS):
        tried = w - lr * gradient
        new_loss, new_gradient = plain_loss(x, y, source, target, tried)
        if new_loss > loss:
            lr /= 2
            continue
        w, loss, gradient = tried, new_loss, new_gradient
        losses.append(loss)
    report(**watch.read(), losses=losses)


def plain_loss(
    x: np.ndarray, y: np.ndarray, source: np.ndarray, target: np.ndarray, w: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return the loss and its gradient (d, d)."""
    near_x = target[np.argpartition((x @ w) @ target.T, -K, axis=1)[:, -K:]].mean(axis=1)
    near_y = source[np.argpartition(y @ (source @ w).T, -K, axis=1)[:, -K:]].mean(axis=1)
    gradient = (-2 * x.T @ y + x.T @ near_x + near_y.T @ y) / len(x)
    return float((w * gradient).sum()), gradient


def main() -> None:
    """Run both sides and compare."""
    p = parser(__doc__)
    p.add_argument("--size", type=int, default=40_000, help="vectors of either side")
    p.add_argument("--dimensions", type=int, default=300)
    p.add_argument("--pairs", type=int, default=10_000)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--side", choices=("ours", "plain"), help="internal")
    p.add_argument("--folder", type=Path, help="internal")
    args = p.parse_args()
    if args.side:
        {"ours": ours, "plain": plain}[args.side](args.folder, args.pairs)
        return
    print(machine("numpy", "numba"))
    with tempfile.TemporaryDirectory() as name:
        make(Path(name), args.size, args.dimensions)
        given = ["--folder", name, "--pairs", args.pairs]
        mine, theirs = (run_side(__file__, side, args.threads, given) for side in ("ours", "plain"))
    is_same = np.shape(mine["losses"]) == np.shape(theirs["losses"]) and np.allclose(
        mine["losses"], theirs["losses"], rtol=1e-4
    )
    record(
        args.json, f"RCSLS, {STEPS} steps", f"{args.size:,} × {args.dimensions}, {args.pairs:,} pairs",
        f"plain program, {named('numpy')}", mine, theirs, bool(is_same), "losses within 0.01 %",
    )  # fmt: skip
    assert is_same, f"the losses differ: {mine['losses']} and {theirs['losses']}"
    for side, found in (("ours", mine), ("plain", theirs)):
        print(f"{side:6} {found['seconds']:9.2f} s {found['cpu']:9.2f} s CPU {found['peak_mb']:7} MB")
    print(
        f"{theirs['seconds'] / mine['seconds']:.2f} x as fast ({theirs['cpu'] / mine['cpu']:.2f} x in CPU time)"
    )


if __name__ == "__main__":
    main()
