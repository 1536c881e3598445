"""Reading a large `.vec` file: this suite's reader against the loop that MUSE and vecmap use.

    python benchmarks/vectors_io.py --size 200000 --dimensions 300

The peer reads line by line and hands each to numpy.fromstring (one core, as ours). Asserted: equal words,
equal bits. The file has five significant digits a number, as fastText writes it; `--digits 9` writes what
this suite writes.
"""

import tempfile
from pathlib import Path

import numpy as np

from measure import Stopwatch, machine, named, parser, record, report, run_side


def make(path: Path, size: int, dimensions: int, digits: int) -> None:
    """Write random vectors as fastText does."""
    rng = np.random.default_rng(1)
    template = f" %.{digits}g" * dimensions + "\n"
    with path.open("w") as stream:
        stream.write(f"{size} {dimensions}\n")
        for start in range(0, size, 1000):
            rows = 0.1 * rng.normal(size=(min(1000, size - start), dimensions)).astype(np.float32)
            stream.writelines(
                f"word{start + i}" + template % tuple(row) for i, row in enumerate(rows.tolist())
            )


def ours(path: Path) -> None:
    """Time a reading, the import of what it needs included."""
    watch = Stopwatch()
    from crosslingua.io.vectors import read_vectors

    vectors = read_vectors(path)
    times = watch.read()
    report(**times, check=[len(vectors), hash_of(vectors.words, vectors.matrix)])


def peer(path: Path) -> None:
    """Time the usual loop."""
    watch = Stopwatch()
    words = []
    with path.open(encoding="utf-8", newline="\n") as stream:
        size, dimensions = map(int, stream.readline().split())
        matrix = np.empty((size, dimensions), dtype=np.float32)
        for row, line in enumerate(stream):
            word, numbers = line.rstrip().split(" ", 1)
            words.append(word)
            matrix[row] = np.fromstring(numbers, sep=" ")
    times = watch.read()
    report(**times, check=[len(words), hash_of(words, matrix)])


def hash_of(words: list[str], matrix: np.ndarray) -> str:
    """Return a digest of words and bits."""
    import hashlib

    return hashlib.sha256("\n".join(words).encode() + np.ascontiguousarray(matrix).tobytes()).hexdigest()


def main() -> None:
    """Write the file, run all sides, compare."""
    p = parser(__doc__)
    p.add_argument("--size", type=int, default=200_000, help="vectors")
    p.add_argument("--dimensions", type=int, default=300)
    p.add_argument("--digits", type=int, default=5, help="significant digits a number")
    p.add_argument("--side", choices=("peer", "ours"), help="internal")
    p.add_argument("--path", type=Path, help="internal")
    args = p.parse_args()
    if args.side:
        peer(args.path) if args.side == "peer" else ours(args.path)
        return
    print(machine("numpy", "pandas"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.vec"
        make(path, args.size, args.dimensions, args.digits)
        size = path.stat().st_size / 2**20
        print(f"{args.size} x {args.dimensions}, {args.digits} digits, {size:.0f} MiB")
        results = {}
        for name in ("peer", "ours"):
            results[name] = run_side(__file__, name, 1, ["--path", path])
            times = "{seconds:8.2f} s {cpu:8.2f} s CPU {peak_mb:6} MB".format(**results[name])
            print(f"{name:4} {times}", flush=True)
    is_same = results["ours"]["check"] == results["peer"]["check"]
    record(
        args.json, "reading vectors", f"{args.size:,} × {args.dimensions}", f"plain loop, {named('numpy')}",
        results["ours"], results["peer"], is_same, "words and bits",
    )  # fmt: skip
    assert is_same, "words or bits differ"
    print("equal words and bits")


if __name__ == "__main__":
    main()
