"""Draw the alignment grid of a sentence pair.

    python scripts/plot_alignment.py --source test.de --target test.en --line 12 --links links.pharaoh \\
        --gold gold.pharaoh --out grid.png grid.svg
    python scripts/plot_alignment.py --source test.de --target test.en --line 12 --gold gold.pharaoh \\
        --aligner optimal_transport --encoder FacebookAI/xlm-roberta-base --layer 8 --out grid.png

The source's words go down, the target's across. A dot is a chosen link, of --links or else of --aligner; a solid frame
a sure gold link, a dotted one a link that is possible only. With --aligner, cells are shaded by its scores: the
transport plan of optimal_transport, the similarities of simalign_argmax and simalign_itermax. Two words score as their
best two subwords do.
"""

from crosslingua.cli import parser, run
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import read_bitext
from crosslingua.settings import parse_settings
from crosslingua.word_aligners import ALIGNERS
from crosslingua.word_aligners.gold import read_alignment

SCORES = {"optimal_transport": "transport plan"}


def main() -> None:
    """Parse, read the pair and its links, draw."""
    from crosslingua.report.alignment_figure import Grid, plot
    from crosslingua.word_aligners.options import add_embedding_options, settle_embedding_options
    from crosslingua.word_aligners.settings import describe_settings, needs_vectors

    p = parser(__doc__, more=lambda: describe_settings(filter(needs_vectors, ALIGNERS)))
    p.add_argument("--source", required=True, help="tokenised text")
    p.add_argument("--target", required=True, help="its translation, line by line")
    p.add_argument("--line", type=int, default=1, help="line of the pair to draw, from 1")
    p.add_argument("--links", help="links to draw, a line a pair")
    p.add_argument(
        "--gold", help="gold links: Pharaoh's `i-j` and `ipj` (possible only), or `id i j [S|P]` lines"
    )
    p.add_argument(
        "--index-base", type=int, choices=(0, 1), help="first token of the gold (default: by its format)"
    )
    p.add_argument("--aligner", help=f"one of {', '.join(ALIGNERS)} that works on vectors")
    p.add_argument(
        "--set", nargs="+", default=[], metavar="NAME=VALUE", help="settings of the aligner; see below"
    )
    add_embedding_options(p)
    p.add_argument("--caption", default="", help="a line under the grid")
    p.add_argument("--out", nargs="+", required=True, help="pictures to write (.png, .svg)")
    args = p.parse_args()
    settle_embedding_options(args)
    pair, lengths = read_pair(args.source, args.target, args.line)
    scores, links = explain(args, pair) if args.aligner else (None, None)
    if args.links:
        links = read_alignment(args.links, lengths)[args.line - 1].possible
    gold = read_alignment(args.gold, lengths, args.index_base)[args.line - 1] if args.gold else None
    if links is None and gold is None:
        raise ConfigError("nothing to draw: give --links, --gold or --aligner")
    plot(Grid(*pair, scores, SCORES.get(args.aligner, "similarity"), links, gold), args.caption, args.out)


def read_pair(source, target, line):
    """Return the words of both sides of a pair, and the lengths of all pairs, which links are checked against."""
    wanted, lengths = None, []
    for number, lines in enumerate(read_bitext(source, target), 1):
        words = tuple(text.split() for text in lines)
        lengths.append(tuple(map(len, words)))
        if number == line:
            wanted = words
    if wanted is None:
        raise InputError(source, f"has no line {line}: it has {len(lengths)}")
    if not all(wanted):
        raise InputError(source, "an empty side: there is no grid to draw", line=line)
    return wanted, lengths


def explain(args, pair):
    """Return scores and links of the aligner."""
    from crosslingua.word_aligners.options import load_embedding
    from crosslingua.word_aligners.settings import build, needs_vectors

    if not needs_vectors(args.aligner):
        raise ConfigError(
            f"{args.aligner} learns from a whole text: align it with word_align.py, and give --links"
        )
    if len(args.layer) > 1:
        raise ConfigError("--layer: a grid shows one: draw the others one by one")
    return build(args.aligner, parse_settings(args.set), load_embedding(args)).explain(pair)


if __name__ == "__main__":
    run(main)
