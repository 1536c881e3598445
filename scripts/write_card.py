"""Write the card of a language pair: which strategy translates best, and what its texts and dictionary are like.

    crosslingua write-card --cells plans/card/eu_a-hu_b.panlex.csv --pair eu_a-hu_b --domain "help pages" \\
        --strategies procrustes=aligned joint=joint --text eu.txt hu.txt --counts eu.tsv hu.tsv --train train.txt \\
        --test test.txt --vectors eu.vec hu.vec --out eu_a-hu_b.panlex.json

Reads the cells of lexicon induction on the pair, two prepared texts with their word counts, the parts of the dictionary
and two spaces trained separately. Writes JSON: the answer by words and supervision, P@1 by system and seed, statistics.
"""

import argparse
from collections import Counter
from statistics import fmean

from crosslingua.atlas.card_statistics import card_statistics
from crosslingua.cells import read_cells
from crosslingua.cli import count_number, parser, run
from crosslingua.io.bitext import read_counts, read_dictionary
from crosslingua.io.decode import base_language, decoded_lines
from crosslingua.io.json import read_json, write_json
from crosslingua.io.vectors import read_vectors
from crosslingua.papers.joint_align.answer import WORDS, answer
from crosslingua.papers.joint_align.claims import RETRIEVAL, TABLES, precision
from crosslingua.papers.joint_align.convention import leading


def main() -> None:
    """Parse, gather, write."""
    args = options().parse_args()
    languages = [base_language(language) for language in args.pair.split("-")]
    cells = read_cells(args.cells)
    unsupervised = {cell.system for cell in cells if cell.conditions.get("supervision") == "none"}
    found = {
        ("precision", words): precision(cell for cell in cells if cell.table == table)
        for words, table in TABLES.items()
    }
    strategies = dict(word.split("=", 1) for word in args.strategies)
    answered = answer(found, unsupervised, strategies)
    counts = [Counter(read_counts(path)) for path in args.counts]
    train, test = read_dictionary(args.train), read_dictionary(args.test)
    vectors = [read_vectors(path) for path in args.vectors]
    statistics = card_statistics(args.text, counts, train, test, args.min_count, vectors)
    point = {"words": min(statistics["text_words"]), "dictionary": len({source for source, _ in train})}
    if args.bitext:
        point["bitext"] = sum(1 for _ in decoded_lines(args.bitext, records=True))
    scores = {WORDS[words]: _scores(one) for (_, words), one in found.items()}
    write_json(args.out, {
        "pair": args.pair,
        "dictionary": cells[0].conditions["dictionary"],
        "languages": languages,
        "domain": args.domain,
        "command": args.command,
        "curve": {"of": args.point_of, **point} if args.point_of else {},
        "dictionary_words": point["dictionary"],
        "statistics": statistics,
        "seeds": sorted({cell.seed for cell in cells}),
        "unit": answered["unit"],
        "conditions": [
            {name: value for name, value in condition.items() if name != "pair"}
            for condition in answered["conditions"]
        ],
        "scores": scores,
        "reference": _reference(scores, strategies),
        "spelling": _spelling(cells),
    })  # fmt: skip


def _scores(found):
    """Return P@1 by system and seed, in percent."""
    return {
        system: {str(seed): sum(values.values()) / len(values) for seed, values in seeds.items() if values}
        for systems in found.values.values()
        for system, seeds in systems.items()
    }


def _reference(scores, strategies):
    """Return P@1 by words of the best system that stands for no strategy, as a published encoder; None without one."""
    others = {
        words: [fmean(seeds.values()) for system, seeds in of.items() if system not in strategies and seeds]
        for words, of in scores.items()
    }
    return {words: max(values) for words, values in others.items() if values} or None


def _spelling(cells):
    """Return P@1 of the control on all words, which translates each word by itself, in percent: the highest of systems,
    whose known words differ.
    """
    every = [
        (set(result["signature"].split("|")), result)
        for cell in cells
        if cell.table == TABLES["all"]
        for result in read_json(cell.score)
    ]
    own = [(signature, result) for signature, result in every if {RETRIEVAL, "identical=kept"} <= signature]
    rule = f"oov={leading([result['coverage'] for _, result in own])}"
    return max(result["spelled_alike"] for signature, result in own if rule in signature)


def options() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    p = parser(__doc__)
    p.add_argument("--cells", required=True, help="CSV of the pair's scored cells, of tables 1 and 2")
    p.add_argument("--pair", required=True, help="source-target, as the configuration names their texts")
    p.add_argument("--domain", required=True, help="what the texts are")
    p.add_argument("--command", default="", help="what makes the card again")
    p.add_argument("--point-of", help="the pair whose learning curve this one is a point of")
    p.add_argument("--bitext", help="one side of the parallel text whose words train")
    p.add_argument("--strategies", nargs="+", required=True, help="system=strategy, for each system")
    p.add_argument("--text", nargs=2, required=True, help="prepared texts of source and target")
    p.add_argument("--counts", nargs=2, required=True, help="their counts of words")
    p.add_argument("--train", required=True, help="training pairs of the dictionary")
    p.add_argument("--test", required=True, help="test pairs")
    p.add_argument(
        "--min-count", type=count_number, required=True, help="least occurrences of a word with a vector"
    )
    p.add_argument("--vectors", nargs=2, required=True, help="spaces trained separately")
    p.add_argument("--out", required=True, help="JSON to write")
    return p


if __name__ == "__main__":
    run(main)
