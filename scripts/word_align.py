"""Align the words of parallel text.

    crosslingua word-align --aligner gibbs --source test.de --target test.en --out links.pharaoh
    crosslingua word-align --aligner optimal_transport --encoder FacebookAI/xlm-roberta-base --layer 8 \\
        --source test.de --target test.en --out links.pharaoh
    crosslingua word-align --aligner simalign_itermax --set distortion=0.5 --source test.de --target test.en \\
        --source-vectors de.mapped.vec --target-vectors en.mapped.vec --out links.pharaoh

Reads two files of tokenised text, a sentence a line, words separated by spaces. Writes a line of links `i-j` for each
pair: word i of the source and word j of the target, from 0 (Pharaoh's format). A pair with an empty side has none.

Several --layer read the text once for all, and then there is an --out for each. An encoder with language ids needs
--languages. Lines of --cells that follow each other with one encoder load it once; they all have one --threads.
"""

import os
from collections.abc import Iterable
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

from crosslingua.cli import cells, count_number, parser, run, set_option, thread_number
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.bitext import read_bitext
from crosslingua.io.decode import known_lines, lowercase, tokens_of
from crosslingua.io.pharaoh import Link, write_pharaoh
from crosslingua.settings import parse_settings
from crosslingua.word_aligners import ALIGNERS


def main() -> None:
    """Parse, then align each pair of files."""
    from crosslingua.word_aligners.options import add_embedding_options, describe_settings

    p = parser(__doc__, more=describe_settings)
    p.add_argument("--aligner", required=True, help=f"one of {', '.join(ALIGNERS)}")
    p.add_argument("--source", required=True, help="tokenised text")
    p.add_argument("--target", required=True, help="the translation, line by line")
    p.add_argument("--out", nargs="+", required=True, help="links to write, a file for each layer")
    add_embedding_options(p)
    p.add_argument("--lowercase", action="store_true", help="align the words in lower case")
    p.add_argument(
        "--training-source", nargs="+", default=[], help="aligners on text: more tokenised text to train on"
    )
    p.add_argument("--training-target", nargs="+", default=[], help="the translation, line by line")
    set_option(p, "settings of the aligner; see below")
    p.add_argument("--batch-tokens", type=count_number, help="subwords encoded at once (default: 1024)")
    p.add_argument(
        "--threads", type=thread_number, help="batches at once; default: OMP_NUM_THREADS, or all cores"
    )
    calls = cells(p)
    if calls[0].threads:
        os.environ["OMP_NUM_THREADS"] = str(calls[0].threads)  # before anything that computes is imported
    for args in calls:
        check(args)
    for args in calls:
        aligner = make_aligner(args)
        pairs = not_empty(tokenised(aligner, args.source, args.target, args), args.source)
        align(aligner, pairs, training_text(aligner, args), args.out, known_lines(args.source))
        if hasattr(aligner, "embed"):
            aligner.embed.report()


def check(args) -> None:
    """Fill in defaults; refuse what cannot be, now and not when all before it is aligned."""
    from crosslingua.word_aligners.options import settle_embedding_options

    settle_embedding_options(args)
    layers = len(args.layer) if args.encoder else 1
    if len(args.out) != layers:
        raise ConfigError(f"{layers} layers need {layers} --out: {len(args.out)} are given")
    for out in args.out:
        if Path(out).is_dir():
            raise InputError(out, "is a folder", remedy="name the file of links to write")


def make_aligner(args):
    """Return the aligner, with the vectors that it needs."""
    from crosslingua.word_aligners.options import build, load_embedding, needs_vectors

    settings = parse_settings(args.set)
    if not needs_vectors(args.aligner):
        return build(args.aligner, settings)
    if args.training_source or args.training_target:
        raise ConfigError(f"{args.aligner} does not train: leave out --training-source and --training-target")
    if args.batch_tokens is not None:
        settings = {"batch_tokens": str(args.batch_tokens)} | settings
    return build(args.aligner, settings, load_embedding(args))


def tokenised(aligner, source, target, args):
    """Return the words of each pair of lines, of which an aligner may refuse the longest."""
    pairs = (tuple(map(tokens_of, pair)) for pair in read_bitext(source, target))
    if args.lowercase:
        pairs = (
            tuple(
                [lowercase(word, language) for word in words]
                for words, language in zip(pair, args.languages or ("", ""), strict=True)
            )
            for pair in pairs
        )
    return aligner.admitted(pairs, source) if hasattr(aligner, "admitted") else pairs


def not_empty(pairs, source):
    """Pass pairs on; a text without any is an error."""
    pair = None
    for pair in pairs:
        yield pair
    if pair is None:
        raise InputError(source, "is empty: there is nothing to align")


def training_text(aligner, args):
    """Return the pairs of all training files; nothing where there are none."""
    if len(args.training_source) != len(args.training_target):
        raise ConfigError("--training-source and --training-target must name equally many files")
    files = zip(args.training_source, args.training_target, strict=True)
    return chain.from_iterable(tokenised(aligner, *pair, args) for pair in files)


def align(aligner, pairs, training, outs, number=None) -> None:
    """Align tokenised pairs; one of `outs` for each layer. Aligners on vectors know no training text.

    `number`: how many pairs there are, where that is known, so that the progress bar shows the time left.
    """
    from tqdm import tqdm

    progress = tqdm(total=number, unit=" pairs", desc=str(outs[0]), mininterval=1.0)
    if len(outs) > 1:
        write_layers(outs, counted(aligner.align_layers(pairs), progress))
    elif hasattr(aligner, "embed"):
        write_pharaoh(outs[0], counted(aligner.align(pairs), progress))
    else:
        write_pharaoh(outs[0], counted(aligner.align(pairs, training), progress))
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
