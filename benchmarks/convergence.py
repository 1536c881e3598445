"""From how many words on does a mapper without a dictionary converge? One language mapped onto itself, ever more words.

    OMP_NUM_THREADS=1 python benchmarks/convergence.py --words 300 600 1200 1600 --runs 5 --muse-runs 3

Vectors of the controlled world's `ana`, as the demo trains them, are mapped onto those of another seed of training, and
those of the even sentences onto those of the odd ones; of either side the most frequent N words are kept. `vecmap` and
`muse` have the demo's settings, but muse one attempt a run, as restarts hide how often it fails, and on other seeds
alone, since it takes long and of the demo's halves even the upper line is low. That stands beside them: Procrustes
on every second word, tested on the others, which has to succeed where vectors are alike at all.
Prints a Markdown table: words found again (P@1, CSLS), mean over runs, and how many runs solved it (90 % or more).
`--sentences 160000` makes four times the demo's text.
"""

import logging
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from crosslingua.cli import parser, run
from crosslingua.corpora.world.realise import World
from crosslingua.corpora.world.spec import load_languages
from crosslingua.corpora.world.text import text_blocks
from crosslingua.io.json import read_yaml
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction.choice import answered
from crosslingua.mappers.mapper import build
from crosslingua.mappers.refinement import refine
from crosslingua.papers.joint_align.controls import SOLVED
from crosslingua.word_embeddings.fasttext import FastText

LANGUAGE, SEEDS = "ana", 3
Sides = tuple[WordVectors, WordVectors]


def main() -> None:
    """Train, map at every size, print a row a kind and size."""
    p = parser(__doc__)
    p.add_argument("--words", type=int, nargs="+", default=[300, 600, 1200, 1600], help="vocabularies")
    p.add_argument("--runs", type=int, default=5, help="of vecmap and of Procrustes")
    p.add_argument("--muse-runs", type=int, default=3, help="of muse; 0: none")
    p.add_argument("--sentences", type=int, default=40_000)
    p.add_argument("--configuration", default="config.yaml", help="whose settings vectors and mappers have")
    args = p.parse_args()
    logging.disable(logging.WARNING)
    settings = read_yaml(args.configuration)
    systems = {
        "procrustes": ({}, args.runs),
        "vecmap": (settings["mappers"]["vecmap"], args.runs),
        "muse": (settings["mappers"]["muse"] | {"max_restarts": 0}, args.muse_runs),
    }
    systems = {name: one for name, one in systems.items() if one[1]}
    start = time.process_time()
    for number, (kind, sides) in enumerate(spaces(args.sentences, settings["word_embeddings"]).items()):
        if not number:
            print(f"| other vectors | words | {' | '.join(systems)} |\n{'|---' * (2 + len(systems))}|")
        for words in args.words:
            cells = [
                told([found(name, own, sides[r % len(sides)], words, r) for r in range(runs)])
                if name != "muse" or not number
                else "–"
                for name, (own, runs) in systems.items()
            ]
            print(f"| {kind} | {words:,} | " + " | ".join(cells) + " |", flush=True)
    print(f"\n{time.process_time() - start:.0f} s of processor time")


def spaces(sentences: int, settings: Mapping) -> dict[str, list[Sides]]:
    """Return vectors of other seeds, and of the two halves of the text by seed."""
    lines = "".join(text_blocks(World(load_languages("world.yaml"), 1), LANGUAGE, sentences)).lower()
    lines = lines.splitlines(keepends=True)
    trainer = FastText(**{name: value for name, value in settings.items() if name != "max_vocabulary"})
    with tempfile.TemporaryDirectory() as folder:
        texts = {}
        for name, part in (("all", lines), ("even", lines[::2]), ("odd", lines[1::2])):
            texts[name] = Path(folder) / name
            texts[name].write_text("".join(part), encoding="utf-8")
        trained = {
            (name, seed): trainer.train([text], seed=seed)
            for name, text in texts.items()
            for seed in range(1, SEEDS + 1)
        }
    seeds = range(1, SEEDS + 1)
    return {
        "another seed": [(trained["all", s], trained["all", s % SEEDS + 1]) for s in seeds],
        "the other half": [(trained["even", s], trained["odd", s]) for s in seeds],
    }


def found(name: str, settings: Mapping, sides: Sides, words: int, seed: int) -> float:
    """Return the percent of the words of both sides that are found again; of Procrustes of those it was not given."""
    source, target = (side.select(np.arange(min(words, len(side)))) for side in sides)
    same = [(word, word) for word in source.words if word in target]
    train, test = (same[::2], same[1::2]) if name == "procrustes" else (None, same)
    aligned = refine(build(name, settings), source, target, train, seed=seed)
    return 100 * float(np.mean(list(answered(aligned.source, aligned.target, test).hits.values())))


def told(values: Sequence[float]) -> str:
    """Return a cell: the mean, and how many runs solved it."""
    return f"{np.mean(values):.1f}, {sum(value >= SOLVED for value in values)} of {len(values)}"


if __name__ == "__main__":
    run(main)
