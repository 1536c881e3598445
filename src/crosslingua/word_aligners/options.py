"""Settings of word aligners, and the command-line options of the scripts that align words on vectors."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from crosslingua.cli import device_option, natural_number
from crosslingua.errors import ConfigError
from crosslingua.settings import read, settings_help
from crosslingua.word_aligners import ALIGNERS

if TYPE_CHECKING:  # else torch would be there before --threads is read
    from crosslingua.io.vectors import WordVectors
    from crosslingua.word_aligners.encoding import UnitEmbedding


def needs_vectors(name: str) -> bool:
    """Whether the word aligner `name` works on an embedding; the others read only the text that they align."""
    return "vectors" in ALIGNERS.needs(name)


def describe_settings() -> str:
    """Return the settings of word aligners as text: each with its default, meaning and range."""
    parts = ((name, settings_help(ALIGNERS.settings(name))) for name in ALIGNERS)
    return "\n\n".join(f"{name} (--set NAME=VALUE ...):\n\n{told}" for name, told in parts)


def build(name: str, settings: Mapping[str, Any] | None = None, embed: UnitEmbedding | None = None) -> Any:
    """Return the word aligner `name` with `settings`; ConfigError for missing vectors, and as of `settings.read`."""
    parts = {"embed": embed} if needs_vectors(name) else {}
    if parts and embed is None:
        raise ConfigError(f"{name} needs vectors: give an encoder, or source and target vectors")
    return read(ALIGNERS[name], f"word aligner {name}", settings or {}, **parts)


# None in the parser, so that an option that is given, and would change nothing, can be told.
DEFAULTS = {"layer": [8], "over_length": "window", "device": "cpu", "dtype": "float32"}
OF_ENCODERS = tuple(DEFAULTS)
OF_VECTORS = ("encoder", "source_vectors", "target_vectors", "batch_tokens")


def add_embedding_options(p: ArgumentParser) -> None:
    """Add the options that say where vectors come from."""
    p.add_argument("--encoder", help="folder of a Hugging Face encoder, or its name on the hub")
    p.add_argument(
        "--layer",
        nargs="+",
        type=natural_number,
        help="of the encoder; 0: embeddings, 1: the first layer (default: 8)",
    )
    p.add_argument(
        "--languages", nargs=2, metavar=("SOURCE", "TARGET"),
        help="of the text: some encoders have ids of them, and lower case differs in Turkish",
    )  # fmt: skip
    p.add_argument(
        "--over-length", choices=("window", "refuse"),
        help="sentences too long for the encoder: encode overlapping windows, or stop (default: window)",
    )  # fmt: skip
    device_option(p, "the encoder")
    p.set_defaults(device=None)
    p.add_argument(
        "--dtype", choices=("float32", "bfloat16"), help="precision of the encoder (default: float32)"
    )
    p.add_argument("--source-vectors", help="cross-lingual word vectors (.vec) in place of an encoder")
    p.add_argument("--target-vectors", help="vectors of the target's words in the same space")


def settle_embedding_options(args: Namespace) -> None:
    """Fill in defaults once the aligner is known. ConfigError for an option that would change nothing."""
    if not args.aligner:
        refuse_options(args, (*OF_ENCODERS, *OF_VECTORS, "set"), "changes nothing without --aligner")
    elif not needs_vectors(args.aligner):
        reason = f"is not for {args.aligner}, which works on the text alone"
        refuse_options(args, (*OF_VECTORS, *OF_ENCODERS), reason)
    elif not args.encoder:
        refuse_options(args, OF_ENCODERS, "is of an encoder: it changes nothing without --encoder")
    for name, value in DEFAULTS.items():
        if getattr(args, name) is None:
            setattr(args, name, value)


def refuse_options(args: Namespace, names: Iterable[str], reason: str) -> None:
    """Raise ConfigError if one of the options is given."""
    for name in names:
        if getattr(args, name, None) not in (None, []):
            raise ConfigError(f"--{name.replace('_', '-')} {reason}")


def load_embedding(args: Namespace) -> UnitEmbedding:
    """Load the encoder or the vectors, cached for the next cell. ConfigError unless one of both is given."""
    if bool(args.encoder) == bool(args.source_vectors or args.target_vectors):
        raise ConfigError(f"{args.aligner} needs --encoder, or --source-vectors and --target-vectors")
    from crosslingua.nn.optimiser import device_of
    from crosslingua.word_aligners.encoding import EncoderEmbedding, StaticEmbedding

    if args.encoder:
        loaded = _encoder(device_of(args.device), args.dtype, args.encoder, max(args.layer))
        return EncoderEmbedding(*loaded, args.layer, args.languages, args.over_length)
    if not (args.source_vectors and args.target_vectors):
        raise ConfigError("give both --source-vectors and --target-vectors")
    return StaticEmbedding(_vectors(args.source_vectors), _vectors(args.target_vectors))


@lru_cache(maxsize=1)
def _encoder(*which: Any) -> tuple[Any, Any]:
    from crosslingua.word_aligners.encoding import load_on

    return load_on(*which)


@lru_cache(maxsize=2)
def _vectors(path: str) -> WordVectors:
    from crosslingua.io.vectors import read_vectors

    return read_vectors(path, drop_zero=True)
