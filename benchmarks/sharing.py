"""What does oversharing cost as two languages share more words? Controlled worlds that differ in that alone.

    OMP_NUM_THREADS=1 python benchmarks/sharing.py --factors 0 0.1 0.3 1 3

A language of the controlled world shares words with another because they are alike (cognates, names) and because its
text switches into the other now and then. Each factor multiplies the second, words and whole sentences of it;
vocabulary, dictionary and the demo's settings stay. Prints a Markdown table: percent of the joint vocabulary that is
shared, and P@1 of the test dictionary (CSLS), mean and standard deviation over seeds.
"""

import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import yaml

from crosslingua.cli import parser, run
from crosslingua.corpora.counting import count_words
from crosslingua.corpora.world.realise import World
from crosslingua.corpora.world.spec import load_languages
from crosslingua.corpora.world.text import Dictionary, make_dictionary, text_blocks
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction.choice import answered
from crosslingua.mappers.procrustes import Procrustes
from crosslingua.mappers.refinement import refine
from crosslingua.vocabulary_reallocation.spaces import JointVocabulary, validation_values
from crosslingua.word_embeddings.fasttext import FastText

GAMMA = (0.7, 0.8, 0.9, 0.95)
SYSTEMS = ("procrustes", "joint", "joint_ar_procrustes", "joint_vr", "joint_align_procrustes")


def main() -> None:
    """Make each world, train, print a row a pair and factor."""
    p = parser(__doc__)
    p.add_argument("--factors", type=float, nargs="+", default=[0, 0.1, 0.3, 1, 3], help="of code switching")
    p.add_argument("--pairs", nargs="+", default=["ana-ber", "ana-cor"], help="language pairs")
    p.add_argument("--seeds", type=int, default=3, help="trainings")
    p.add_argument("--sentences", type=int, default=40_000, help="of each language")
    p.add_argument(
        "--share", type=float, default=0.1, help="of the source's word types in the training dictionary"
    )
    p.add_argument("--languages", default="world.yaml", help="YAML file of the languages")
    args = p.parse_args()
    logging.disable(logging.WARNING)
    print("| pair | factor | shared, % | " + " | ".join(SYSTEMS) + " |\n" + "|---" * (3 + len(SYSTEMS)) + "|")
    for factor in args.factors:
        with tempfile.TemporaryDirectory() as folder:
            world = World(load_languages(switching(args.languages, factor, Path(folder) / "world.yaml")), 1)
            for pair in args.pairs:
                shared, scores = measured(world, pair.split("-"), args, Path(folder))
                cells = " | ".join(f"{np.mean(s):.1f} ± {np.std(s, ddof=1):.1f}" for s in scores.values())
                print(f"| {pair} | {factor:g} | {shared:.1f} | {cells} |", flush=True)


def switching(path: str, factor: float, out: Path) -> Path:
    """Write the languages of `path` with their code switching multiplied."""
    family = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    for language in family["languages"].values():
        for shares in language.get("code_switching", {}).values():
            shares.update({kind: factor * share for kind, share in shares.items()})
    out.write_text(yaml.safe_dump(family), encoding="utf-8")
    return out


def measured(world: World, codes: list[str], args, folder: Path) -> tuple[float, dict[str, list[float]]]:
    """Return the percent of shared words, and P@1 of each system and seed."""
    texts = [folder / code for code in codes]
    for code, text in zip(codes, texts, strict=True):
        text.write_text("".join(text_blocks(world, code, args.sentences)).lower(), encoding="utf-8")
    counts = [count_words(text) for text in texts]
    dictionary = make_dictionary(world, *codes, lowercase=True, share=args.share)
    scores: dict[str, list[float]] = {system: [] for system in SYSTEMS}
    shares = []
    for seed in range(1, args.seeds + 1):
        joint = JointVocabulary.of(trained(texts, seed), *counts)
        for system, space in spaces(joint, [trained([text], seed) for text in texts], dictionary, seed):
            scores[system].append(100 * np.mean(list(answered(*space, dictionary.test).hits.values())))
        shares.append(100 * len(joint.space(joint.divide(None)).shared) / len(joint.vectors))
    return float(np.mean(shares)), scores


def trained(texts: list[Path], seed: int) -> WordVectors:
    """Train vectors as the demo does."""
    return FastText(dim=64, epoch=5, lr=0.05, ws=5, minCount=5, minn=0, maxn=0, neg=5).train(texts, seed=seed)


def spaces(
    joint: JointVocabulary, apart: list[WordVectors], dictionary: Dictionary, seed: int
) -> Iterator[tuple[str, tuple[WordVectors, WordVectors]]]:
    """Yield each system's source and target vectors; gamma is chosen on validation translations."""
    mapper = Procrustes()
    aligned = refine(mapper, *apart, dictionary.train, seed=seed)
    yield "procrustes", (aligned.source, aligned.target)
    compared = validation_values(
        joint, GAMMA, mapper, dictionary.train, dictionary.valid, seed=seed, max_vocabulary=None
    )
    for gamma, alone, refined in ((None, "joint", "joint_ar"), (compared.best, "joint_vr", "joint_align")):
        space = joint.space(joint.divide(gamma))
        yield alone, (space.source, space.target)
        aligned = refine(mapper, space.source, space.target, dictionary.train, shared=space.shared, seed=seed)
        yield f"{refined}_procrustes", (aligned.source, aligned.target)


if __name__ == "__main__":
    run(main)
