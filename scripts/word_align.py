"""Align the words of parallel text.

    python scripts/word_align.py --aligner fast_align --source test.de --target test.en --out links.pharaoh
    python scripts/word_align.py --aligner optimal_transport --encoder FacebookAI/xlm-roberta-base --layer 8 \\
        --source test.de --target test.en --out links.pharaoh
    python scripts/word_align.py --aligner simalign_itermax --set distortion=0.5 --source test.de --target test.en \\
        --source-vectors de.mapped.vec --target-vectors en.mapped.vec --out links.pharaoh

Reads two files of tokenised text, a sentence a line, words separated by spaces. Writes a line of links `i-j` for each
pair: word i of the source and word j of the target, from 0 (Pharaoh's format). A pair with an empty side has none.

Several files make one cell of each position, so that one process does many. Several --layer read the text once for
all, and then there is an --out for each layer of each cell: --source a b --target c d --layer 7 8 \\
--out ac.7 ac.8 bd.7 bd.8
"""

import os
from collections.abc import Iterable
from contextlib import ExitStack

from crosslingua.cli import parser, run
from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.bitext import read_bitext
from crosslingua.io.pharaoh import Link, write_pharaoh
from crosslingua.settings import parse_settings
from crosslingua.word_aligners import ALIGNERS

BATCH_TOKENS = 1024


def main() -> None:
    """Parse, then align one cell after the other."""
    args = options().parse_args()
    if args.threads:
        os.environ["OMP_NUM_THREADS"] = str(args.threads)  # before anything that computes is imported
    layers = args.layer if args.encoder else [0]
    if len(args.target) != len(args.source) or len(args.out) != len(args.source) * len(layers):
        raise ConfigError(
            f"{len(args.source)} --source, {len(args.target)} --target and {len(layers)} layers need "
            f"{len(args.source)} --target and {len(args.source) * len(layers)} --out: {len(args.out)} are given"
        )
    from crosslingua.word_aligners.options import load_embedding
    from crosslingua.word_aligners.settings import build, needs_vectors

    settings = parse_settings(args.set)
    embed = None
    if needs_vectors(args.aligner):
        embed = load_embedding(args)
        settings = {"batch_tokens": str(args.batch_tokens)} | settings
    aligner = build(args.aligner, settings, embed)
    for cell, files in enumerate(zip(args.source, args.target, strict=True)):
        align(aligner, *files, args.out[cell * len(layers) : (cell + 1) * len(layers)])
    if embed is not None:
        embed.report()


def options():
    """Return the parser."""
    from crosslingua.word_aligners.options import add_embedding_options

    p = parser(__doc__)
    p.add_argument("--aligner", required=True, help=f"one of {', '.join(ALIGNERS)}")
    p.add_argument("--source", nargs="+", required=True, help="tokenised text")
    p.add_argument("--target", nargs="+", required=True, help="its translation, line by line")
    p.add_argument("--out", nargs="+", required=True, help="links to write")
    add_embedding_options(p)
    p.add_argument(
        "--set", nargs="+", default=[], metavar="NAME=VALUE", help="settings other than the published ones"
    )
    p.add_argument("--batch-tokens", type=int, default=BATCH_TOKENS, help="subwords encoded at once")
    p.add_argument("--threads", type=int, help="batches at once; default: OMP_NUM_THREADS, or all cores")
    return p


def align(aligner, source, target, outs) -> None:
    """Align one pair of files; one of `outs` for each layer."""
    from tqdm import tqdm

    pairs = ((one.split(), other.split()) for one, other in read_bitext(source, target))
    progress = tqdm(unit=" pairs", desc=str(outs[0]), mininterval=1.0)
    if len(outs) == 1:
        write_pharaoh(outs[0], counted(aligner.align(pairs), progress))
    else:
        write_layers(outs, counted(aligner.align_layers(pairs), progress))
    progress.close()


def counted(items, progress):
    """Pass items on, and count them."""
    for item in items:
        progress.update()
        yield item


def write_layers(outs: list[str], rows: Iterable[tuple[Iterable[Link], ...]]) -> None:
    """Write the links of every layer to its own file while they come; all files appear, or none."""
    with ExitStack() as stack:
        streams = [stack.enter_context(atomic_open(out)) for out in outs]
        for row in rows:
            for stream, links in zip(streams, row, strict=True):
                stream.write(" ".join(f"{i}-{j}" for i, j in sorted(links)) + "\n")


if __name__ == "__main__":
    run(main)
