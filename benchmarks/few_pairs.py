"""With how little parallel text does fast_align fall behind aligners that need none? AER by the pairs it learns from.

    python benchmarks/few_pairs.py --results results/full --known 1 5 20 100 500

Reads the gold alignments that `snakemake aer --configfile scales/full.yaml` leaves in --results. fast_align gets their
text in groups of so many sentence pairs and learns from nothing but the group that it aligns. Prints a Markdown table
of AER by language pair, to be held against table 2, which is of the same sentence pairs.
"""

import logging
from pathlib import Path

from crosslingua.cli import parser, run
from crosslingua.io.bitext import read_bitext
from crosslingua.word_aligners.fast_align import FastAlign
from crosslingua.word_aligners.scoring import count_links, rates, read_alignment


def main() -> None:
    """Print a row for each number of pairs."""
    p = parser(__doc__)
    p.add_argument("--results", type=Path, required=True, help="results/<scale> of a finished run")
    p.add_argument("--known", type=int, nargs="+", default=[1, 5, 10, 20, 50, 100, 250, 500], help="pairs")
    p.add_argument("--pairs", nargs="+", default=["ana-ber", "ana-cor", "ana-dax"], help="gold alignments")
    args = p.parse_args()
    logging.disable(logging.WARNING)
    folder = args.results / "corpora/gold_alignment"
    print(f"| pairs known | {' | '.join(args.pairs)} |\n" + "|---" * (len(args.pairs) + 1) + "|")
    for known in args.known:
        errors = [f"{error(folder, pair, known):.1f}" for pair in args.pairs]
        print(f"| {known} | {' | '.join(errors)} |", flush=True)


def error(folder: Path, pair: str, known: int) -> float:
    """Return fast_align's AER where it learns from groups of `known` sentence pairs, each by itself."""
    sides = (folder / f"{pair}.{language}.txt" for language in pair.split("-"))
    text = [tuple(line.lower().split() for line in lines) for lines in read_bitext(*sides)]
    groups = [text[start : start + known] for start in range(0, len(text), known)]
    links = [one for group in groups for one in FastAlign().align(group)]
    return float(rates(count_links(read_alignment(folder / f"{pair}.links"), links).sum(axis=0))["aer"])


if __name__ == "__main__":
    run(main)
