"""What rotation does to names that two languages spell alike: is such a word's nearest word of the source itself?

    python benchmarks/spelled_alike.py --folder results/real --source en --target es

Reads the features of mbert_align's NER at a scale that was run (seed 1). A word stands for the mean of its vectors;
names are words that are mostly inside entities in the source's training data and in the target's test data.
"""

import argparse
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from crosslingua.embedders.features import Features
from crosslingua.io.conll import read_conll
from crosslingua.tasks.batches import shared_rows

SYSTEMS = ("mbert", "rotate_parallel", "norm_rotate_parallel", "finetune_src_to_tgt")
TUNED = "finetune"


def main() -> None:
    """Parse, measure each system, print."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--folder", required=True, type=Path, help="results of a scale")
    p.add_argument("--source", required=True)
    p.add_argument("--target", required=True)
    args = p.parse_args()
    features = args.folder / f"features/mbert_align/ner.{args.source}"
    data = args.folder / "corpora/ner"
    for system in SYSTEMS:
        own = "mbert.seed1" if system == "mbert" else f"{system}.{args.source}-{args.target}.seed1"
        plain = own if system.startswith(TUNED) else "mbert.seed1"
        first = names(
            features / own / f"ner.{args.source}.train.safetensors", data / f"{args.source}.train.conll"
        )
        second = names(
            features / plain / f"ner.{args.target}.test.safetensors", data / f"{args.target}.test.conll"
        )
        print(system, compared(first, second))


def names(features: Path, data: Path) -> tuple[dict[str, np.ndarray], set[str]]:
    """Return the unit vector of every word, and the words that are mostly inside entities."""
    found = Features.load(features)
    sentences = list(read_conll(data, "bio2"))
    sentences = [sentences[place] for place in shared_rows(len(sentences), found.share)]
    found.check(features, [one.tokens for one in sentences])
    table = found.table.float().sum(dim=1).numpy()
    words = [word for one in sentences for word in one.tokens]
    labels = [label for one in sentences for label in one.labels]
    bounds, rows = found.pieces.offsets, found.pieces.values
    vectors, inside = defaultdict(list), defaultdict(Counter)
    for place, (word, label) in enumerate(zip(words, labels, strict=True)):
        vectors[word].append(table[rows[bounds[place] : bounds[place + 1]]].mean(axis=0))
        inside[word][label != "O"] += 1
    means = {word: np.mean(each, axis=0) for word, each in vectors.items()}
    units = {word: mean / np.linalg.norm(mean) for word, mean in means.items()}
    return units, {word for word, counts in inside.items() if counts[True] > counts[False]}


def compared(first: tuple[dict, set], second: tuple[dict, set]) -> str:
    """Say of how many names spelled alike the nearest word of the source is the same."""
    (source, of_source), (target, of_target) = first, second
    alike, words = sorted(of_source & of_target), list(source)
    cosines = np.stack([target[word] for word in alike]) @ np.stack(list(source.values())).T
    nearest = [words[place] for place in cosines.argmax(axis=1)]
    itself = np.mean([found == word for found, word in zip(nearest, alike, strict=True)])
    cosine = np.mean([source[word] @ target[word] for word in alike])
    return (
        f"{len(alike)} names spelled alike: nearest is itself {100 * itself:.0f} %, mean cosine {cosine:.2f}"
    )


if __name__ == "__main__":
    main()
