"""Prepare a gold word alignment: parallel text and its links in Pharaoh's format, 0-based.

    crosslingua prepare-gold-alignment --archive alignment-test-sets.tar.gz --pair de-en \\
        --out-source test.de --out-target test.en --out-links gold.pharaoh --report report.json

Reads:   ARCHIVE, the benchmark of XLM-Align (data set `word-alignments`)
Writes:  OUT_SOURCE and OUT_TARGET (tokens joined by one space), OUT_LINKS (`i-j` sure, `ipj` possible only), and
         REPORT (JSON: pairs, sure and possible links, links dropped by reason)
"""

from collections import Counter

from crosslingua.cli import parser, run
from crosslingua.corpora.datasets.readers.gold_alignment_archive import read
from crosslingua.corpora.pipeline import lowercase
from crosslingua.io.bitext import write_bitext
from crosslingua.io.json import write_json
from crosslingua.io.pharaoh import write_pharaoh


def main() -> None:
    """Parse, read, write."""
    p = parser(__doc__)
    p.add_argument("--archive", required=True)
    p.add_argument("--pair", required=True, help="folder in the archive, <source>-<target>")
    p.add_argument("--lowercase", action="store_true")
    p.add_argument("--out-source", required=True)
    p.add_argument("--out-target", required=True)
    p.add_argument("--out-links", required=True)
    p.add_argument("--report", required=True, help="JSON to write")
    args = p.parse_args()
    counts: Counter[str] = Counter()
    sentences, links = read(args.archive, args.pair, counts)
    if args.lowercase:
        first, second = args.pair.split("-")
        sentences = [(lowercase(left, first), lowercase(right, second)) for left, right in sentences]
    write_bitext(sentences, args.out_source, args.out_target)
    write_pharaoh(args.out_links, links)
    report = {
        "pairs": len(links),
        "sure": sum(len(pair.sure) for pair in links),
        "possible": sum(len(pair.possible) for pair in links),
        "dropped": dict(counts),
    }
    write_json(args.report, report)


if __name__ == "__main__":
    run(main)
