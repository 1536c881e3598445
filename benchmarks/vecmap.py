"""Unsupervised VecMap's self-learning, whole, against the same computed plainly in numpy.

    python benchmarks/vecmap.py --size 1500 --dimensions 64 --threads 1

The plain way is written from section 3 of Artetxe et al. (2018) as their program computes it: all similarities of an
iteration at once, neighbours by partition, a random number for every similarity that may be dropped, the argmax of CSLS
in either direction. Both sides get the same vectors, first dictionary and settings (by default the published ones), and
learn until nothing is dropped and the objective is at rest. They draw other numbers, so that the iterations differ;
asserted is that both find the right translations. `seconds` are of one iteration.
"""

import tempfile
from pathlib import Path

import numpy as np

from measure import Stopwatch, machine, named, parser, record, report, run_side

Settings = dict[str, float]


def make(folder: Path, size: int, dimensions: int, noise: float) -> None:
    """Write unit matrices (size, dimensions) with a spectrum that falls, the second a rotated, noisy copy."""
    rng = np.random.default_rng(1)
    scale = 1 / np.sqrt(1 + np.arange(dimensions) / 8)
    # Heavy tails, as embeddings have: normal values alike in all directions give no distribution to begin with.
    source = rng.standard_t(4, size=(size, dimensions)) * scale
    rotation, _ = np.linalg.qr(rng.normal(size=(dimensions, dimensions)))
    target = (source + noise * rng.normal(size=source.shape) * scale) @ rotation
    for name, matrix in (("source", source), ("target", target)):
        unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        centred = unit - unit.mean(axis=0)
        centred /= np.linalg.norm(centred, axis=1, keepdims=True)
        np.save(folder / f"{name}.npy", centred.astype(np.float32))


def start(folder: Path, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return both matrices, and the first dictionary of the suite (section 3.2) for either side."""
    from crosslingua.mappers.vecmap import initial_dictionary

    source, target = (np.load(folder / f"{name}.npy") for name in ("source", "target"))
    return source, target, initial_dictionary(source[:size], target[:size], "unit,centre,unit", 10)


def ours(folder: Path, initial: int, interval: int) -> None:
    """Time this suite; its compiled code was loaded by the first dictionary."""
    from crosslingua.mappers.mapper import blas_threads
    from crosslingua.mappers.vecmap import VecMap

    source, target, pairs = start(folder, initial)
    mapper = VecMap(stochastic_interval=interval)
    few = source[:300]
    mapper._learn(few, few, np.stack([np.arange(300)] * 2, axis=1), (1, 0))
    with blas_threads(1):
        watch = Stopwatch()
        found, details = mapper._learn(source, target, pairs, (1, 0))
        times = watch.read()
    report(**times, iterations=details["iterations"], objective=details["objective"][-1], right=right(found))


def plain(folder: Path, initial: int, interval: int) -> None:
    """Time the plain way."""
    source, target, pairs = start(folder, initial)
    watch = Stopwatch()
    found, objectives = plain_learn(source, target, pairs, interval)
    report(**watch.read(), iterations=len(objectives), objective=objectives[-1], right=right(found))


def right(pairs: np.ndarray) -> float:
    """Return the share of pairs whose words translate each other: they have the same row."""
    return float(np.mean(pairs[:, 0] == pairs[:, 1]))


def plain_learn(x: np.ndarray, z: np.ndarray, pairs: np.ndarray, interval: int) -> tuple[np.ndarray, list]:
    """Return the dictionary (k, 2) that is learnt and the objective of each iteration (section 3.3)."""
    rng, keep, best, rested, objectives = np.random.default_rng(1), 0.1, -np.inf, 0, []
    while True:
        u, _, vt = np.linalg.svd(x[pairs[:, 0]].T @ z[pairs[:, 1]])
        similarities = (x @ u) @ (z @ vt.T).T
        near_x, near_z = (neighbourhood(one) for one in (similarities, similarities.T))
        forward, up = translations(similarities, near_z, keep, rng)
        backward, down = translations(similarities.T, near_x, keep, rng)
        pairs = np.concatenate(
            [np.stack([np.arange(len(x)), forward], axis=1), np.stack([backward, np.arange(len(z))], axis=1)]
        )
        objectives.append((up + down) / 2)
        rested = 0 if objectives[-1] > best + 1e-6 else rested + 1
        best = max(best, objectives[-1])
        if rested > interval:
            if keep >= 1:
                return pairs, objectives
            keep, rested = min(1.0, 2 * keep), 0


def neighbourhood(similarities: np.ndarray, k: int = 10) -> np.ndarray:
    """Return the mean (n,) of each row's k largest."""
    return np.partition(similarities, -k, axis=1)[:, -k:].mean(axis=1)


def translations(
    similarities: np.ndarray, near: np.ndarray, keep: float, rng: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Return each row's best column (n,) by CSLS of what is kept, and the mean cosine of the best of all."""
    csls = 2 * similarities - near
    best = np.take_along_axis(similarities, csls.argmax(axis=1)[:, None], axis=1).mean()
    if keep < 1:
        csls[rng.random(csls.shape, dtype=np.float32) >= keep] = -np.inf
    return csls.argmax(axis=1), float(best)


def main() -> None:
    """Run both sides and compare."""
    p = parser(__doc__)
    p.add_argument("--size", type=int, default=1500, help="vectors of either side")
    p.add_argument("--dimensions", type=int, default=64)
    p.add_argument(
        "--noise", type=float, default=0.4, help="of the second side, as a share of the first's spread"
    )
    p.add_argument("--initial", type=int, default=4000, help="most frequent words of the first dictionary")
    p.add_argument(
        "--interval", type=int, default=50, help="iterations without improvement that count as rest"
    )
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--side", choices=("ours", "plain"), help="internal")
    p.add_argument("--folder", type=Path, help="internal")
    args = p.parse_args()
    if args.side:
        {"ours": ours, "plain": plain}[args.side](args.folder, args.initial, args.interval)
        return
    print(machine("numpy", "numba"))
    with tempfile.TemporaryDirectory() as name:
        make(Path(name), args.size, args.dimensions, args.noise)
        given = ["--folder", name, "--initial", args.initial, "--interval", args.interval]
        sides = {side: run_side(__file__, side, args.threads, given) for side in ("ours", "plain")}
    for side, found in sides.items():
        print(
            f"{side:6} {found['iterations']:4} iterations, {found['cpu']:7.2f} s CPU, "
            f"{1000 * found['cpu'] / found['iterations']:7.1f} ms each, {found['peak_mb']:5} MB, "
            f"objective {found['objective']:.4f}, right {found['right']:.1%}"
        )
    is_same = all(found["right"] > 0.9 for found in sides.values())
    each = [
        {"cpu": sides[name]["cpu"] / sides[name]["iterations"], "peak_mb": sides[name]["peak_mb"]}
        for name in ("ours", "plain")
    ]
    record(
        args.json, "VecMap, an iteration", f"{args.size:,} × {args.dimensions}", f"plain program, {named('numpy')}",
        *each, is_same, "90 % of translations",
    )  # fmt: skip
    assert is_same, "not the same solution"
    whole = [found["cpu"] for found in (sides["plain"], sides["ours"])]
    print(
        f"{each[1]['cpu'] / each[0]['cpu']:.2f} x as fast an iteration, {whole[0] / whole[1]:.2f} x the whole"
    )


if __name__ == "__main__":
    main()
