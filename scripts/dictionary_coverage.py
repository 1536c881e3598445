"""Show what share of a dictionary's source words two texts cover, at several minimum counts, before any training.

    crosslingua dictionary-coverage --counts-source en.tsv --counts-target de.tsv --dictionary test.txt \\
        --min-count 1 3 5 10

Reads:   counts of words (count-words) and a dictionary in MUSE's format (prepare-dictionary)
Writes:  a line for each minimum count to standard output: words in either vocabulary, source words of the dictionary,
         those in vocabulary, those with a translation in vocabulary too, and these in percent
"""

from crosslingua.cli import count_number, parser, run
from crosslingua.corpora.counting import coverage
from crosslingua.io.bitext import read_counts, read_dictionary


def main() -> None:
    """Parse, count, print."""
    p = parser(__doc__)
    p.add_argument("--counts-source", required=True, help="counts of the words of the source language")
    p.add_argument("--counts-target", required=True, help="counts of the words of the target language")
    p.add_argument("--dictionary", required=True, help="source and target word a line")
    p.add_argument("--min-count", type=count_number, nargs="+", default=[1, 3, 5, 10], help="occurrences")
    args = p.parse_args()
    source, target = read_counts(args.counts_source), read_counts(args.counts_target)
    pairs = read_dictionary(args.dictionary)
    print("min_count\tsource_words\ttarget_words\tqueries\tknown\tcovered\tpercent")
    for least in args.min_count:
        found = coverage(pairs, source, target, least)
        sizes = (found.source_words, found.target_words, found.sources, found.with_source, found.covered)
        print(*(least, *sizes, f"{found.percent:.1f}"), sep="\t")


if __name__ == "__main__":
    run(main)
