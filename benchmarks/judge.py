"""Is the judge of claims right on real runs? Wrong verdicts where the truth is known, not simulated.

    OMP_NUM_THREADS=1 python benchmarks/judge.py --runs 20

Each run is a small world of its own (its seed is the run's number): two languages' text, fastText vectors of six seeds,
Procrustes, the test dictionary's queries. Half of the seeds are called one system and half another, in all ten ways:

- null: the two are the same system, so that either verdict on "the one is above the other" is wrong;
- true: of the other's right answers a known share is taken away (planted), so that "below" is wrong.

Prints a Markdown table: verdicts of experiments, by truth. tests/claims/test_calibration.py does the same with made-up
results for every claim; here the noise is that of training.
"""

import logging
import tempfile
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np

from crosslingua.claims.interval import Evidence
from crosslingua.claims.statements import Claim, Comparison, Region
from crosslingua.claims.verdict import judge
from crosslingua.cli import parser, run
from crosslingua.corpora.world.realise import World
from crosslingua.corpora.world.spec import load_languages
from crosslingua.corpora.world.text import Dictionary, make_dictionary, text_blocks
from crosslingua.lexicon_induction import choice
from crosslingua.mappers.procrustes import Procrustes
from crosslingua.mappers.refinement import refine
from crosslingua.word_embeddings.fasttext import FastText

SEEDS = 6
Hits = dict[str, float]


def main() -> None:
    """Judge the same two statements on every run."""
    p = parser(__doc__)
    p.add_argument("--runs", type=int, default=20, help="worlds")
    p.add_argument("--sentences", type=int, default=3000, help="of each language")
    p.add_argument("--languages", default="world.yaml", help="YAML file of the languages")
    p.add_argument(
        "--planted", type=float, nargs="+", default=[0.1, 0.3], help="shares of right answers taken away"
    )
    args = p.parse_args()
    logging.disable(logging.INFO)
    verdicts: dict[str, Counter[str]] = {}
    precisions = []
    for number in range(1, args.runs + 1):
        runs = hits(World(load_languages(args.languages), number), args.sentences)
        precisions.append([100 * np.mean(list(one.values())) for one in runs])
        for taken in (0.0, *args.planted):
            counted = verdicts.setdefault(f"{taken:.0%} taken away" if taken else "null", Counter())
            counted.update(experiments(runs, taken, np.random.default_rng(number)))
    over_seeds = np.mean(np.std(precisions, axis=1, ddof=1))
    print(f"P@1 {np.mean(precisions):.1f}, standard deviation over seeds {over_seeds:.2f}\n")
    print("| truth | experiments | reproduced | contradicted | inconclusive |\n|---|---|---|---|---|")
    for truth, counted in verdicts.items():
        kinds = " | ".join(
            f"{100 * counted[kind] / counted.total():.1f} %"
            for kind in ("reproduced", "contradicted", "inconclusive")
        )
        print(f"| {truth} | {counted.total()} | {kinds} |")


def hits(world: World, sentences: int) -> list[Hits]:
    """Return which queries each seed's vectors answer right: 1 or 0."""
    dictionary = make_dictionary(world, "ana", "ber")
    with tempfile.TemporaryDirectory() as folder:
        texts = []
        for code in ("ana", "ber"):
            texts.append(Path(folder) / code)
            texts[-1].write_text("".join(text_blocks(world, code, sentences)), encoding="utf-8")
        return [answered(texts, dictionary, seed) for seed in range(1, SEEDS + 1)]


def answered(texts: list[Path], dictionary: Dictionary, seed: int) -> Hits:
    """Train, map and translate with one seed."""
    settings = FastText(dim=32, epoch=10, lr=0.2, minn=0, maxn=0, minCount=3)
    source, target = (settings.train([text], seed=seed) for text in texts)
    mapped = refine(Procrustes(), source, target, dictionary.train, seed=seed)
    return choice.answered(mapped.source, mapped.target, dictionary.test).hits


def experiments(runs: list[Hits], taken: float, rng: np.random.Generator):
    """Yield the verdict of each division of the seeds into two systems."""
    claim = Claim(
        "one_above_other", "", "", "", "", "precision", (Comparison("one", "other"),), Region(above=0.0)
    )
    for chosen in combinations(range(SEEDS), SEEDS // 2):
        if 0 in chosen:  # each division once
            found = Evidence("points")
            others = [seed for seed in range(SEEDS) if seed not in chosen]
            for system, members, loss in (("one", chosen, 0.0), ("other", others, taken)):
                for seed, member in enumerate(members, 1):
                    values = {q: 100 * v * (rng.random() >= loss) for q, v in runs[member].items()}
                    found.add("ana-ber", system, seed, values)
            yield judge(claim, {("precision", "all"): found}).verdict


if __name__ == "__main__":
    run(main)
