"""Time and error rates of fast_align beside those measured with the original C++ program.

    python benchmarks/fast_align.py --mirror MIRROR --threads 2

Time: Multi30k de-en (29,000 pairs, 0.67 M tokens) in quarter, half and whole; reading, both directions and
symmetrisation. One direction of the original program took 2.4 s on two cores. Error rates: each gold set of the
data set `word-alignments`, trained on its own text as it stands; the original with `-d -o -v` both ways and
grow-diag-final-and.
"""

from itertools import islice
from pathlib import Path

from measure import Stopwatch, machine, parser, record, report, run_side

ORIGINAL_AER = {"de-en": 49.3, "en-fr": 29.9, "en-hi": 77.6, "ro-en": 51.6}
PAIRS = (7_250, 14_500, 29_000)


def time_alignment(mirror: Path, pairs: int) -> None:
    """Time the alignment of the first `pairs` pairs; compiled code is loaded before."""
    from crosslingua.io.bitext import read_bitext
    from crosslingua.word_aligners.fast_align import FastAlign

    list(FastAlign().align([(["a"], ["b"])] * 2))
    watch = Stopwatch()
    text = read_bitext(*(mirror / "multi30k-task1" / f"train.{language}.gz" for language in ("de", "en")))
    bitext = [(source.split(), target.split()) for source, target in islice(text, pairs)]
    links = list(FastAlign().align(bitext))
    times, tokens = watch.read(), sum(len(source) + len(target) for source, target in bitext)
    report(**times, tokens=tokens, links=sum(map(len, links)))


def error_rate(mirror: Path, pair: str) -> float:
    """Return the alignment error rate on a gold set, trained on its own text."""
    from crosslingua.corpora.datasets.readers.gold_alignment_archive import read
    from crosslingua.word_aligners.fast_align import FastAlign
    from crosslingua.word_aligners.scoring import score

    sentences, gold = read(mirror / "word-alignments" / "alignment-test-sets.tar.gz", pair)
    links = FastAlign().align([(source.split(), target.split()) for source, target in sentences])
    return score(gold, links, samples=1)["aer"]


def main() -> None:
    """Time three sizes, then score the four gold sets."""
    p = parser(__doc__)
    p.add_argument("--mirror", type=Path, required=True, help="folder of the public data sets")
    p.add_argument("--pairs", type=int, nargs="+", default=PAIRS, help="of Multi30k")
    p.add_argument("--threads", type=int, default=2, help="two directions use two at most")
    p.add_argument("--side", help="internal")
    args = p.parse_args()
    if args.side:
        time_alignment(args.mirror, int(args.side))
        return
    print(machine("numpy", "numba", "scipy"))
    for pairs in args.pairs:
        result = run_side(__file__, str(pairs), args.threads, ["--mirror", args.mirror])
        line = "{tokens:7} tokens {seconds:6.2f} s {cpu:6.2f} s CPU {peak_mb:5} MB {links:7} links"
        print(f"{pairs:6} pairs", line.format(**result), flush=True)
        record(args.json, "fast_align, Multi30k", f"{pairs:,} pairs, {result['tokens']:,} tokens", "", result)
    for pair, original in ORIGINAL_AER.items():
        print(f"{pair} AER {(found := error_rate(args.mirror, pair)):5.2f}, original {original}")
        check = f"error rates {found:.1f}, {original}, recorded"
        same = abs(found - original) < 1
        record(args.json, f"fast_align, {pair}", "", "fast_align, C++", same=same, check=check)


if __name__ == "__main__":
    main()
