"""Align an encoder's vectors of two languages after it was trained (mbert_align).

    crosslingua align-encoder --method norm_rotate --supervision parallel --encoder mbert --languages en de \\
        --source bitext.en --target bitext.de --links bitext.links --out mbert.en-de
    crosslingua align-encoder --method rotate --supervision dictionary --encoder mbert --languages en de \\
        --source bitext.en --target bitext.de --dictionary en-de.txt --lowercase --out mbert.en-de
    crosslingua align-encoder --method finetune --set direction=tgt_to_src --encoder mbert --languages en de \\
        --source bitext.en --target bitext.de --links bitext.links --out mbert.en-de

Reads:   ENCODER (a Hugging Face folder), SOURCE and TARGET (tokenised text, a sentence a line, each line a translation
         of the other's), LINKS (their words', Pharaoh's format, of word-align), DICTIONARY (MUSE's format)
Writes:  OUT, a Hugging Face folder with alignment.json; with rotations.safetensors if the method rotates (source
         vectors only: the target's stay); else the weights are tuned, and OUT.checkpoint/ is there while they are

Lines of --cells that follow each other with the same encoder and text encode it once for all of them.
"""

import argparse
import os
from itertools import groupby
from pathlib import Path

from crosslingua.cli import cells, count_number, device_option, parser, run, seed_number, thread_number
from crosslingua.encoder_alignment import DICTIONARY, ENCODER_ALIGNMENTS, PARALLEL
from crosslingua.errors import ConfigError

WANTED = {"links": PARALLEL, "dictionary": DICTIONARY}  # what a kind of supervision reads
# What calls must agree in to read the text once.
SHARED = (
    "encoder", "source", "target", "languages", "sentences", "layers", "lowercase", "links", "dictionary", "device",
)  # fmt: skip


def main() -> None:
    """Parse, then align."""
    calls = cells(options())
    for args in calls:
        check(args)
    os.environ["OMP_DYNAMIC"] = "false"  # on a busy machine there would be fewer threads, and other sums
    import torch

    from crosslingua.nn.optimiser import use_threads

    use_threads(calls[0].threads)
    torch.set_flush_denormal(True)
    for _, group in groupby(calls, key=lambda args: [str(getattr(args, name)) for name in SHARED]):
        same = list(group)
        signal = read(same)
        for args in same:
            member(args).align(signal, args.out)


def options() -> argparse.ArgumentParser:
    """Return the parser."""
    p = parser(__doc__, more=settings_text)
    p.add_argument("--method", required=True, choices=list(ENCODER_ALIGNMENTS))
    p.add_argument("--supervision", choices=[DICTIONARY, PARALLEL], default=PARALLEL, help="of a rotation")
    p.add_argument("--encoder", required=True, help="Hugging Face folder")
    p.add_argument("--languages", nargs=2, required=True, metavar=("SOURCE", "TARGET"))
    p.add_argument("--source", required=True, help="tokenised text, cased")
    p.add_argument("--target", required=True, help="the translation, line by line")
    p.add_argument("--links", help="links of their words")
    p.add_argument("--reversed", action="store_true", help="the links go from target to source")
    p.add_argument("--dictionary", help="pairs of words")
    p.add_argument("--lowercase", action="store_true", help="the dictionary is in lower case")
    p.add_argument(
        "--sentences", type=count_number, default=30_000, help="sentence pairs that are read (section 4.1)"
    )
    p.add_argument(
        "--layers",
        type=count_number,
        help="how many of the last layers are aligned; default: four, or all where there are fewer (section 4.1)",
    )
    p.add_argument(
        "--set", nargs="+", default=[], metavar="NAME=VALUE", help="settings of finetune; see below"
    )
    p.add_argument("--seed", type=seed_number, default=1, help="of the order in which finetune reads")
    p.add_argument("--threads", type=thread_number, default=1, help="threads; results depend on this number")
    device_option(p, "the encoder")
    p.add_argument("--out", required=True)
    return p


def settings_text() -> str:
    """Return what --help says of the settings."""
    from crosslingua.encoder_alignment.settings import FineTuneSettings
    from crosslingua.settings import settings_help

    return "Settings of finetune:\n\n" + settings_help(FineTuneSettings)


def check(args: argparse.Namespace) -> None:
    """Refuse what cannot be, now and not when all before it is aligned."""
    from crosslingua.encoder_alignment.settings import FineTuneSettings
    from crosslingua.settings import read

    if args.supervision not in ENCODER_ALIGNMENTS.needs(args.method):
        raise ConfigError(
            f"{args.method} cannot learn from a {args.supervision}: say --supervision {PARALLEL}"
        )
    if args.supervision == PARALLEL and not args.links:
        raise ConfigError("supervision by parallel text needs --links: make them with crosslingua word-align")
    if args.supervision == DICTIONARY and not args.dictionary:
        raise ConfigError("supervision by a dictionary needs --dictionary")
    if args.method != "finetune" and args.set:
        raise ConfigError(f"{args.method} has no settings: leave out --set")
    read(FineTuneSettings, "finetune", args.set)


def read(calls: list[argparse.Namespace]):
    """Return the signal of calls that agree in what they read."""
    from crosslingua.encoder_alignment.signal import AlignedText, Signal
    from crosslingua.io.bitext import read_dictionary
    from crosslingua.nn.optimiser import device_of

    args = calls[0]
    files = {name: getattr(args, name) for name in ("source", "target", "links", "dictionary")}
    wanted = {call.supervision for call in calls}
    files = {
        name: path for name, path in files.items() if path and (name not in WANTED or WANTED[name] in wanted)
    }
    return Signal(
        folder=Path(args.encoder),
        text=AlignedText.read(args.source, args.target, files.get("links"), args.sentences, args.reversed),
        languages=tuple(args.languages),
        dictionary=read_dictionary(files[DICTIONARY]) if DICTIONARY in files else None,
        lowercase=args.lowercase,
        number=args.layers,
        files=files,
        device=device_of(args.device),
    )


def member(args: argparse.Namespace):
    """Return the alignment that a call asks for."""
    if args.method == "finetune":
        from crosslingua.encoder_alignment.settings import FineTuneSettings
        from crosslingua.settings import read

        return ENCODER_ALIGNMENTS[args.method](read(FineTuneSettings, "finetune", args.set), args.seed)
    return ENCODER_ALIGNMENTS[args.method](args.supervision)


if __name__ == "__main__":
    run(main)
