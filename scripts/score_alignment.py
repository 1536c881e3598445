"""Score word alignments against gold: alignment error rate, precision, recall and F1 with bootstrap intervals.

    crosslingua score-alignment --gold alignv2.txt --hypothesis links.pharaoh --out aer.json
    crosslingua score-alignment --gold gold.pharaoh --hypothesis links.pharaoh --out aer.json \\
        --source test.de --target test.en

Reads gold links in Pharaoh's format (`i-j` sure, `ipj` possible; 0-based) or as `id i j [S|P]` lines (1-based; the k-th
distinct id is line k). The first line of the file decides. The hypothesis has one of these formats too. With the
tokenised text, links that point outside are an error in Pharaoh's format, and in the other left out and counted. Writes
JSON: aer, precision, recall, f1 (0-100), their 95% intervals (resampled sentence pairs), counts, and signature.
"""

from collections import Counter
from functools import lru_cache

from crosslingua.cli import cells, natural_number, parser, run, seed_number, write_scores
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import read_bitext
from crosslingua.io.decode import tokens_of
from crosslingua.io.pharaoh import LinkFile
from crosslingua.word_aligners.scoring import read_alignment, score, signature


def main() -> None:
    """Parse, then score."""
    p = parser(__doc__)
    p.add_argument("--gold", required=True, help="gold links")
    p.add_argument("--hypothesis", required=True, help="links to score")
    p.add_argument("--out", required=True, help="JSON to write")
    p.add_argument("--source", help="tokenised source text; with --target, indices are checked")
    p.add_argument("--target", help="tokenised target text")
    p.add_argument(
        "--index-base", type=int, choices=(0, 1), help="first index of the gold (default: by format)"
    )
    p.add_argument(
        "--bootstrap-samples",
        type=natural_number,
        default=1000,
        help="resamplings of the sentence pairs; 0: none",
    )
    p.add_argument("--seed", type=seed_number, default=0, help="of the resamplings")
    calls = cells(p)
    for args in calls:
        if (args.source is None) != (args.target is None):
            raise ConfigError("--source and --target are given together")
    for args in calls:
        write_scores(args.out, result(args))


def result(args):
    """Return the scores of one hypothesis."""
    gold, lengths, base, repairs = read_gold(args.gold, args.source, args.target, args.index_base)
    chosen = read_alignment(args.hypothesis, lengths)
    if len(chosen) != len(gold):
        raise InputError(
            args.hypothesis, f"{len(chosen)} sentence pairs, but {args.gold} has {len(gold)}",
            remedy="if some have no gold link, give the text by --source and --target",
        )  # fmt: skip
    scores = score(gold, (links.possible for links in chosen), samples=args.bootstrap_samples, seed=args.seed)
    named = {"signature": signature(gold, base), "by": "score_alignment.py"}
    return scores | {"gold_repairs": dict(+repairs)} | named


@lru_cache(maxsize=1)  # cells of one gold file share it
def read_gold(path, source, target, index_base):
    """Return the gold links, the lengths of their sentences, the number of the first token, and what was left out."""
    text = read_bitext(source, target) if source else ()
    lengths = [(len(tokens_of(left)), len(tokens_of(right))) for left, right in text] if source else None
    repairs: Counter[str] = Counter()
    file = LinkFile.read(path)
    base = file.index_base if index_base is None else index_base
    return read_alignment(file, lengths, base, repairs), lengths, base, repairs


if __name__ == "__main__":
    run(main)
