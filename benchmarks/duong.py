"""Words a second of the Duong trainer against the fastText library's CBOW, one thread each.

    python benchmarks/duong.py --words 4000000 --dimensions 300

Same two texts (fastText reads them concatenated), dimensions, window, negative samples, epochs, minimum
count and subsampling; no subwords. The trainer does more a word: a second prediction (the translation), the
choice of it, and the tie. Reading the text is part of both times. Asserted: equal vocabularies.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from measure import Stopwatch, machine, named, parser, record, report, run_side

VOCABULARY = 50_000


def make(folder: Path, words: int) -> None:
    """Write two texts with Zipf-distributed words and a dictionary with two translations for each third word."""
    rng = np.random.default_rng(1)
    weights = 1 / np.arange(1, VOCABULARY + 1)
    for name in "ab":
        numbers = rng.choice(VOCABULARY, words // 2, p=weights / weights.sum())
        lines = (
            " ".join(f"{name}{i}" for i in numbers[start : start + 20])
            for start in range(0, len(numbers), 20)
        )
        (folder / name).write_text("\n".join(lines) + "\n")
    pairs = [f"a{i} b{i}\na{i} b{(i * 7) % VOCABULARY}\n" for i in range(0, VOCABULARY, 3)]
    (folder / "dictionary").write_text("".join(pairs))
    (folder / "both").write_bytes((folder / "a").read_bytes() + (folder / "b").read_bytes())


def ours(folder: Path, args: argparse.Namespace) -> None:
    """Time the trainer; compiled code is loaded before."""
    from crosslingua.io.bitext import read_dictionary
    from crosslingua.word_embeddings.duong import learn
    from crosslingua.word_embeddings.settings import Duong

    pairs = read_dictionary(folder / "dictionary")
    (folder / "tiny").write_text("a0 b0 a0 b0\n")
    learn(
        folder / "tiny", folder / "tiny", [("a0", "a0")], Duong(dim=4, min_count=1, epoch=1, sample=1), seed=1
    )
    options = Duong(dim=args.dimensions, window=args.window, negative=args.negative, epoch=args.epochs)
    watch = Stopwatch()
    vectors = learn(folder / "a", folder / "b", pairs, options, seed=1).vectors(options)
    report(**watch.read(), vocabulary=sorted(word for side in vectors for word in side.words))


def peer(folder: Path, args: argparse.Namespace) -> None:
    """Time fastText."""
    import fasttext

    watch = Stopwatch()
    model = fasttext.train_unsupervised(
        str(folder / "both"), model="cbow", dim=args.dimensions, ws=args.window, neg=args.negative,
        epoch=args.epochs, minCount=5, t=1e-4, lr=0.025, minn=0, maxn=0, thread=1, verbose=0,
    )  # fmt: skip
    report(**watch.read(), vocabulary=sorted(word for word in model.words if word != "</s>"))


def main() -> None:
    """Run both and compare."""
    p = parser(__doc__)
    p.add_argument("--words", type=int, default=4_000_000, help="of both texts together")
    p.add_argument("--dimensions", type=int, default=300)
    p.add_argument("--window", type=int, default=5)
    p.add_argument("--negative", type=int, default=5)
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--side", choices=("ours", "fasttext"), help="internal")
    p.add_argument("--folder", type=Path, help="internal")
    args = p.parse_args()
    if args.side:
        {"ours": ours, "fasttext": peer}[args.side](args.folder, args)
        return
    print(machine("numpy", "numba", "fasttext"))
    print(
        f"{args.words} words, {args.dimensions} dimensions, window {args.window}, {args.negative} negatives, one thread"
    )
    options = [f"--{name}={getattr(args, name)}" for name in ("dimensions", "window", "negative", "epochs")]
    results = {}
    with tempfile.TemporaryDirectory() as name:
        make(Path(name), args.words)
        for side in ("ours", "fasttext"):
            results[side] = run_side(__file__, side, 1, ["--folder", name, *options])
            speed = args.words * args.epochs / results[side]["cpu"] / 1000
            times = "{seconds:8.2f} s {cpu:8.2f} s CPU {peak_mb:6} MB".format(**results[side])
            print(f"{side:8} {speed:7.0f} thousand words/s of CPU {times}", flush=True)
    is_same = results["ours"]["vocabulary"] == results["fasttext"]["vocabulary"]
    record(
        args.json, "Duong's training, two predictions a word", f"{args.words:,} words × {args.dimensions}",
        f"CBOW, {named('fasttext')}", *results.values(), is_same, "vocabularies",
    )  # fmt: skip
    assert is_same, "the vocabularies differ"
    print(f"{results['fasttext']['cpu'] / results['ours']['cpu']:.2f} x fastText's speed; equal vocabularies")


if __name__ == "__main__":
    main()
