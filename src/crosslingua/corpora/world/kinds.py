"""The kinds of data that the world yields: their command-line options and how they are written.

Kinds of labelled data are the kinds of task (`tasks.kinds`).
"""

import argparse
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from crosslingua.cli import count_number, share_number
from crosslingua.corpora.world.bitext import SPLITS
from crosslingua.corpora.world.dependencies import Trees
from crosslingua.corpora.world.realise import World
from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_open
from crosslingua.tasks import kinds

Arguments = argparse.ArgumentParser


class WorldKind(NamedTuple):
    """One kind of data. `module` (dotted) is imported only when it is written."""

    help: str
    module: str
    add_arguments: Callable[[Arguments], None]
    writer: Callable[[object, World, argparse.Namespace], None]

    def write(self, world: World, args: argparse.Namespace) -> None:
        """Generate and write this kind of data."""
        self.writer(import_module(self.module), world, args)


def write_blocks(path: str | Path, blocks: Iterable[str], description: str) -> None:
    """Write blocks of text atomically, with progress on standard error."""
    with atomic_open(path) as stream:
        for block in tqdm(blocks, desc=description, unit="block", disable=None):
            stream.write(block)


def _raw_option(p: Arguments) -> None:
    p.add_argument("--raw", action="store_true", help="as the language writes: no gold spaces between tokens")


def _trees_option(p: Arguments, nargs: str | None = None) -> None:
    text = "CoNLL-U to write too: the trees of all sentences in the order of the data"
    p.add_argument("--trees", nargs=nargs, help=text)


@contextmanager
def _trees(args: argparse.Namespace) -> Iterator[dict[str, Trees]]:
    """Yield the argument `trees` for what makes the data, if trees are wanted."""
    if not getattr(args, "trees", None):
        yield {}
        return
    name = "-".join([args.kind, args.language, getattr(args, "split", "text")])
    with atomic_open(args.trees) as stream:
        yield {"trees": Trees(stream.write, name)}


def _text_options(p: Arguments) -> None:
    p.add_argument("--language", required=True, help="code of the language")
    p.add_argument("--sentences", type=count_number, help="default: 60000 × the language's `resource`")
    _raw_option(p)
    p.add_argument("--out", required=True, help="text to write, one sentence a line")
    _trees_option(p)


def _write_text(module, world: World, args: argparse.Namespace) -> None:
    n = args.sentences or round(60_000 * world.family[args.language].resource)
    with _trees(args) as trees:
        blocks = module.text_blocks(world, args.language, n, raw=args.raw, **trees)
        write_blocks(args.out, blocks, f"text {args.language}")


def _dictionary_options(p: Arguments) -> None:
    p.add_argument("--source", required=True, help="code of the source language")
    p.add_argument("--target", required=True, help="code of the target language")
    p.add_argument("--lowercase", action="store_true", help="lower-case both sides")
    p.add_argument("--marked", action="store_true", help="add a third column: same or different surface")
    share = (
        "share of the source language's types in the training words, which validation words are then none of"
    )
    p.add_argument("--share", type=share_number, help=share)
    trainable = (
        "share of the words, the most frequent, that may train; rarer words validate and test (default 0.62)"
    )
    p.add_argument("--trainable", type=share_number, help=trainable)
    train = "fit and, without --share, validation: source<TAB>target a line"
    p.add_argument("--out-train", required=True, help=train)
    p.add_argument("--out-fit", required=True, help="training pairs left after validation is held out")
    p.add_argument("--out-validation", required=True, help="held out of training")
    p.add_argument("--out-test", required=True, help="words that are in none of these")


def _write_dictionary(module, world: World, args: argparse.Namespace) -> None:
    if args.share is not None and not 0 < args.share <= 1:
        raise ConfigError(f"--share {args.share}: must be above 0 and at most 1")
    trainable = module.TRAINABLE if args.trainable is None else args.trainable
    if not 0 < trainable < 1:
        raise ConfigError(f"--trainable {trainable}: must be between 0 and 1")
    options = {"lowercase": args.lowercase, "share": args.share, "trainable": trainable}
    dictionary = module.make_dictionary(world, args.source, args.target, **options)
    fit, validation = dictionary.train, dictionary.valid
    train = fit + validation if args.share is None else fit
    splits = {"train": train, "fit": fit, "validation": validation, "test": dictionary.test}
    for split, pairs in splits.items():
        marks = ["\tsame" if same else "\tdifferent" for same in module.same_surface(pairs)]
        lines = [f"{s}\t{t}{mark * args.marked}\n" for (s, t), mark in zip(pairs, marks, strict=True)]
        write_blocks(getattr(args, f"out_{split}"), lines, f"dictionary {split}")


def _bitext_options(p: Arguments) -> None:
    p.add_argument("--source", required=True, help="code of the source language")
    p.add_argument("--target", required=True, help="code of the target language")
    p.add_argument("--sentences", type=count_number, required=True, help="sentence pairs")
    p.add_argument("--split", choices=SPLITS, default="train", help="splits share no source sentence")
    p.add_argument("--out-source", required=True, help="source sentences to write, one a line")
    p.add_argument("--out-target", required=True, help="target sentences to write")
    p.add_argument("--out-links", required=True, help="gold links to write: i-j sure, ipj possible, 0-based")


def _write_bitext(module, world: World, args: argparse.Namespace) -> None:
    blocks = module.bitext_blocks(world, args.source, args.target, args.sentences, split=args.split)
    paths = (args.out_source, args.out_target, args.out_links)
    with ExitStack() as stack:
        streams = [stack.enter_context(atomic_open(path)) for path in paths]
        for block in tqdm(blocks, desc=f"bitext {args.source}-{args.target}", unit="block", disable=None):
            for stream, lines in zip(streams, block, strict=True):
                stream.write(lines)


def _variant_option(p: Arguments) -> None:
    p.add_argument(
        "--variant", choices=("translated", "independent", "long", "short"), default="independent",
        help="translated: the same lines in every language; for questions, long: the same in longer passages, "
             "short: other questions in each language, in shorter passages",
    )  # fmt: skip


OPTIONS = {"trees": partial(_trees_option, nargs="+"), "variant": _variant_option, "raw": _raw_option}


def _of_task(kind: kinds.Kind) -> WorldKind:
    """Return the kind of data of a kind of task."""
    function = kind.sentences.partition(":")[2]
    many = {"nargs": "+", "required": True}

    def options(p: Arguments) -> None:
        p.add_argument("--language", required=True, help="code of the language")
        p.add_argument("--split", choices=SPLITS, help="splits share no sentence", **many)
        p.add_argument("--sentences", type=count_number, help="or pairs, or questions, in each split", **many)
        p.add_argument("--out", help="file to write for each split", **many)
        for name in kind.world_options:
            OPTIONS[name](p)

    def write(module, world: World, args: argparse.Namespace) -> None:
        options = {name: getattr(args, name) for name in kind.world_options if name != "trees"}
        lists = {name: getattr(args, name, None) for name in ("split", "sentences", "out", "trees")}
        lists = {name: values for name, values in lists.items() if values}
        if len(set(map(len, lists.values()))) > 1:
            raise ConfigError("--split, --sentences, --out and --trees must have equally many values")
        for values in zip(*lists.values(), strict=True):
            of_split = argparse.Namespace(**vars(args) | dict(zip(lists, values, strict=True)))
            place = of_split.language, of_split.split
            with _trees(of_split) as trees:
                blocks = getattr(module, function)(world, *place, of_split.sentences, **options, **trees)
                write_blocks(of_split.out, blocks, f"{kind.name} {' '.join(place)}")

    return WorldKind(f"{kind.title.lower()}: {kind.contract}", kind.world, options, write)


_WORLD = "crosslingua.corpora.world"
KINDS = {
    "bitext": WorldKind(
        "parallel text with gold word alignments", f"{_WORLD}.bitext", _bitext_options, _write_bitext
    ),
    "text": WorldKind("monolingual text", f"{_WORLD}.text", _text_options, _write_text),
    "dictionary": WorldKind(
        "bilingual dictionaries, MUSE format", f"{_WORLD}.text", _dictionary_options, _write_dictionary
    ),
    **{name: _of_task(kind) for name, kind in kinds.KINDS.items() if kind.world},
}
