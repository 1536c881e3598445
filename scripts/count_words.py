"""Count the words of a corpus: `word<TAB>count` a line, most frequent first.

crosslingua count-words --text en.txt --out en.tsv
"""

from crosslingua.cli import parser, run
from crosslingua.corpora.counting import count_words
from crosslingua.io.bitext import write_counts


def main() -> None:
    """Parse, count, write."""
    p = parser(__doc__)
    p.add_argument("--text", required=True, help="UTF-8 text, words separated by spaces")
    p.add_argument("--out", required=True, help="counts to write")
    args = p.parse_args()
    write_counts(args.out, count_words(args.text))


if __name__ == "__main__":
    run(main)
