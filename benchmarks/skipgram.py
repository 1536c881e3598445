"""Skip-gram against gensim and fastText, one thread each, on two languages of the generated world.

    python benchmarks/skipgram.py --sentences 40000 --seeds 10
    python benchmarks/skipgram.py --largest 6 --dimensions 100

All sides have the same settings, noise and initial rate; reading the text is part of each time. Compared is P@1 of a
Procrustes map between the languages, the mean of the seeds.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from measure import Stopwatch, machine, named, parser, record, report, run_side

LANGUAGES = ("ana", "ber")
ALIKE = 2  # points of P@1
SIDES = ("ours", "gensim", "fasttext")


def make(folder: Path, sentences: int) -> None:
    """Write the texts and the dictionaries."""
    from crosslingua.corpora.world.realise import World
    from crosslingua.corpora.world.spec import load_languages
    from crosslingua.corpora.world.text import make_dictionary, text_blocks

    world = World(load_languages("world.yaml"), 1)
    for code in LANGUAGES:
        (folder / code).write_text("".join(text_blocks(world, code, sentences)).lower())
    dictionary = make_dictionary(world, *LANGUAGES, lowercase=True, share=0.1)
    for split in ("train", "test"):
        pairs = getattr(dictionary, split)
        (folder / split).write_text("".join(f"{source} {target}\n" for source, target in pairs))


def ours(text: Path, args: argparse.Namespace, seed: int) -> tuple[list[str], np.ndarray]:
    """Train by the suite's kernel; return words and vectors."""
    from crosslingua.word_embeddings.fasttext import FastText

    vectors = FastText(dim=args.dimensions, epoch=args.epochs, maxn=args.largest).train([text], seed=seed)
    return vectors.words, vectors.matrix


def gensim(text: Path, args: argparse.Namespace, seed: int) -> tuple[list[str], np.ndarray]:
    """Train by gensim."""
    from gensim.models import FastText, Word2Vec

    model = (FastText if args.largest else Word2Vec)(
        corpus_file=str(text), sg=1, vector_size=args.dimensions, epochs=args.epochs, seed=seed, workers=1,
        min_count=5, alpha=0.05, ns_exponent=0.5, window=5, negative=5, sample=1e-4,
        **({"max_n": args.largest} if args.largest else {}),
    )  # fmt: skip
    return model.wv.index_to_key, model.wv.vectors


def fasttext(text: Path, args: argparse.Namespace, seed: int) -> tuple[list[str], np.ndarray]:
    """Train by fastText from initial vectors of its distribution, some of which it leaves undrawn itself."""
    from crosslingua.word_embeddings.fasttext import FastText

    settings = FastText(program="fasttext", dim=args.dimensions, epoch=args.epochs, maxn=args.largest)
    vectors = settings.train([text], seed=seed)
    return vectors.words, vectors.matrix


def side(args: argparse.Namespace) -> None:
    """Train on each language, compiled code loaded before, and score the map between them."""
    train = {"ours": ours, "gensim": gensim, "fasttext": fasttext}[args.side]
    tiny = args.folder / "tiny"
    tiny.write_text("a b c d e f\n" * 20)
    train(tiny, args, 1)
    watch = Stopwatch()
    spaces = [[train(args.folder / code, args, seed) for code in LANGUAGES]
              for seed in range(1, args.seeds + 1)]  # fmt: skip
    times = {name: value / args.seeds for name, value in watch.read().items()}
    precisions = [precision(args.folder, *pair) for pair in spaces]
    report(**times, precisions=precisions)


def precision(
    folder: Path, source: tuple[list[str], np.ndarray], target: tuple[list[str], np.ndarray]
) -> float:
    """Return P@1 in percent of the test words, by CSLS after a Procrustes map."""
    import crosslingua
    from crosslingua.io.bitext import read_dictionary
    from crosslingua.lexicon_induction.bli import predict, score

    mapped = crosslingua.map_vectors(source, target, folder / "train", "procrustes")
    pairs = read_dictionary(folder / "test")
    return score(predict(mapped.source, mapped.target, pairs), pairs)["p_at_1"]


def main() -> None:
    """Run all sides and compare."""
    p = parser(__doc__)
    p.add_argument("--sentences", type=int, default=40_000, help="of each language")
    p.add_argument("--dimensions", type=int, default=64)
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--largest", type=int, default=0, help="characters of the largest subword; 0: no subwords")
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--side", choices=SIDES, help="internal")
    p.add_argument("--folder", type=Path, help="internal")
    args = p.parse_args()
    if args.side:
        side(args)
        return
    print(machine("numpy", "numba", "gensim", "fasttext"))
    options = [f"--{name}={getattr(args, name)}" for name in ("dimensions", "epochs", "largest", "seeds")]
    results = {}
    with tempfile.TemporaryDirectory() as name:
        make(Path(name), args.sentences)
        for each in SIDES:
            results[each] = found = run_side(__file__, each, 1, ["--folder", name, *options])
            scores = np.array(found["precisions"])
            print(
                f"{each:8} {found['cpu']:6.2f} s CPU, P@1 {scores.mean():.1f} (deviation {scores.std(ddof=1):.1f})"
            )
    what = f"skip-gram {'with' if args.largest else 'without'} subwords"
    size = f"2 × {args.sentences:,} sentences × {args.dimensions}"
    own = np.mean(results["ours"]["precisions"])
    for each in SIDES[1:]:
        lead = own - np.mean(results[each]["precisions"])
        record(
            args.json, what, size, named(each), results["ours"], results[each], bool(lead >= -ALIKE),
            f"P@1, at most {ALIKE} points lower",
        )  # fmt: skip
        ratio = results[each]["cpu"] / results["ours"]["cpu"]
        print(f"{ratio:.1f} x {each}'s speed; P@1 {lead:+.1f} points")


if __name__ == "__main__":
    main()
