"""Exact CSLS and nearest-neighbour retrieval against faiss' exact flat index (IndexFlatIP).

    python benchmarks/csls.py --size 200000 --dimensions 300 --threads 2

Both sides get the same unit vectors: a clustered space and its noisy copy. faiss searches three times for
CSLS (target neighbours, source neighbours, and the ranking as an inner product with the bias as one more
dimension), once for NN. The BLAS kernels that faiss runs are printed. Kernels without AVX2 on a processor that
has AVX2 make no fair peer, and end the benchmark. Asserted: equal top-1 everywhere except where the two best
scores differ by less than 1e-6, which a float32 sum cannot tell apart; how many those are is printed.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from measure import Stopwatch, kernels, machine, named, parser, record, report, run_side

K = 10


def make(folder: Path, size: int, dimensions: int) -> None:
    """Write two unit matrices (size, dimensions): clusters of uneven density, and a noisy copy, shuffled."""
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(size // 100, dimensions))
    scale = 1 / np.sqrt(1 + np.arange(dimensions) / 30)  # a spectrum that falls, as embeddings' do
    source = (
        centres[rng.integers(0, len(centres), size)] + rng.normal(size=(size, dimensions))
    ) * scale + 0.1
    target = (source + 0.7 * rng.normal(size=source.shape) * scale)[rng.permutation(size)]
    for name, matrix in (("source", source), ("target", target)):
        unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        np.save(folder / f"{name}.npy", unit.astype(np.float32))


def load(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read the two matrices."""
    return np.load(folder / "source.npy"), np.load(folder / "target.npy")


def ours(folder: Path, retrieval: str) -> None:
    """Time this suite."""
    from crosslingua.lexicon_induction import RETRIEVALS
    from crosslingua.lexicon_induction import retrieval as module

    source, target = load(folder)
    repaid, module.repaid = module.repaid, lambda: 0
    # imports and compiled code, as faiss' import is not timed
    RETRIEVALS[retrieval](source[:300], target[:300])
    module.repaid = repaid
    watch = Stopwatch()
    indices, scores = RETRIEVALS[retrieval](source, target, k=2)
    times = watch.read()
    np.savez(folder / f"ours_{retrieval}.npz", top=indices[:, 0], gap=scores[:, 0] - scores[:, 1])
    report(**times)


def faiss(folder: Path, retrieval: str) -> None:
    """Time faiss."""
    import faiss

    def search(queries: np.ndarray, candidates: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        index = faiss.IndexFlatIP(candidates.shape[1])
        index.add(candidates)
        return index.search(queries, k)

    source, target = load(folder)
    search(source[:300], target[:300], K)
    watch = Stopwatch()
    if retrieval == "nn":
        _, found = search(source, target, 2)
    else:
        search(source, target, K)  # r_T, which the scores contain
        r_source = search(target, source, K)[0].mean(axis=1)
        queries = np.hstack([source, np.full((len(source), 1), -0.5, dtype=np.float32)])
        _, found = search(queries, np.hstack([target, r_source[:, None]]), 2)
    times = watch.read()
    np.savez(folder / f"faiss_{retrieval}.npz", top=found[:, 0])
    report(**times, kernels=kernels("faiss"))


def main() -> None:
    """Run both sides and compare."""
    p = parser(__doc__)
    p.add_argument("--size", type=int, default=200_000, help="vectors of either side")
    p.add_argument("--dimensions", type=int, default=300)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--retrieval", nargs="+", default=["csls", "nn"])
    p.add_argument("--side", choices=("ours", "faiss"), help="internal")
    p.add_argument("--folder", type=Path, help="internal")
    args = p.parse_args()
    if args.side:
        {"ours": ours, "faiss": faiss}[args.side](args.folder, args.retrieval[0])
        return
    print(machine("numpy", "torch", "numba", "faiss-cpu"))
    print(f"{args.size} x {args.size} x {args.dimensions}, {args.threads} threads")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, args.size, args.dimensions)
        for retrieval in args.retrieval:
            compare(folder, retrieval, args)


def compare(folder: Path, retrieval: str, args: argparse.Namespace) -> None:
    """Run one retrieval on both sides, print the times and assert equal answers."""
    results = {}
    for side in ("ours", "faiss"):
        results[side] = run_side(__file__, side, args.threads, ["--folder", folder, "--retrieval", retrieval])
        print(
            f"{retrieval:5} {side:6} {results[side]['seconds']:9.2f} s {results[side]['peak_mb']:7} MB",
            flush=True,
        )
    print(f"{retrieval:5} faiss runs {results['faiss']['kernels']}")
    mine, theirs = np.load(folder / f"ours_{retrieval}.npz"), np.load(folder / f"faiss_{retrieval}.npz")
    different = mine["top"] != theirs["top"]
    is_tied = bool((mine["gap"][different] < 1e-6).all())
    what = {"csls": "CSLS, exact", "nn": "nearest neighbours, exact"}[retrieval]
    record(
        args.json, what, f"{args.size:,} × {args.size:,} × {args.dimensions}", named("faiss-cpu"), results["ours"],
        results["faiss"], is_tied, "first answers, but for ties",
    )  # fmt: skip
    assert is_tied, "the top-1 answers differ beyond float32's resolution"
    wall, cpu = (results["faiss"][time] / results["ours"][time] for time in ("seconds", "cpu"))
    print(f"{retrieval:5} {wall:.2f} x as fast ({cpu:.2f} x in CPU time)")
    print(f"{retrieval:5} top-1 equal but for {different.sum()} ties below 1e-6")


if __name__ == "__main__":
    main()
