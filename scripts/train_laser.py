"""Train a LASER sentence encoder: translation of every language into the pivot languages (docs/methods/encoders.md).

    crosslingua train-laser --bitext ana-ber=train.ana,train.ber ana-cor=train2.ana,train2.cor \\
        --pivots ana ber --tokenizer TOKENIZER --test ana-cor=test.ana,test.cor --out laser

Reads tokenised bitext, two files a pair of languages, one of which is a pivot, and a tokenizer folder
(train-tokenizer). Writes a folder: config.json, model.safetensors, tokenizer.json and training.json. The
last has settings, the loss curve (nats a subword) and, for every --test pair, the percentage of sentences whose
translation is nearest by cosine. An interrupted run goes on from OUT.checkpoint/ when called again.
"""

import os
from pathlib import Path

from crosslingua.cli import cells, parser, run, seed_number, set_option, thread_number
from crosslingua.errors import ConfigError
from crosslingua.io.atomic import check_output_folder
from crosslingua.io.tokenizer_files import TRAINED_LASER
from crosslingua.settings import read, settings_help


def main() -> None:
    """Parse, then train."""
    p = parser(__doc__, more=settings_text)
    p.add_argument(
        "--bitext", nargs="+", required=True, metavar="A-B=FILE,FILE", help="translations to train on"
    )
    p.add_argument(
        "--pivots", nargs="+", required=True, help="languages to translate into; two, as published"
    )
    p.add_argument("--tokenizer", required=True, help="folder with the tokenizer.json of all languages")
    p.add_argument("--test", nargs="+", default=[], metavar="A-B=FILE,FILE", help="translations to search in")
    set_option(p, "settings over the published values")
    p.add_argument("--seed", type=seed_number, default=1, help="of weights, order and dropout")
    p.add_argument(
        "--threads", type=thread_number, default=1, help="CPU threads; the last bits depend on their number"
    )
    p.add_argument("--out", required=True, help="folder to write")
    for args in cells(p):
        train(args)


def settings_text() -> str:
    """Return what --help says of the settings."""
    from crosslingua.laser.settings import LaserSettings

    return "settings (--set NAME=VALUE ...):\n\n" + settings_help(LaserSettings)


def train(args) -> None:
    """Check the options, then train."""
    bitext, test = parse_pairs(args.bitext), parse_pairs(args.test)
    check_output_folder(args.out, TRAINED_LASER)
    os.environ["RAYON_NUM_THREADS"] = str(args.threads)  # of the tokeniser

    from crosslingua.encoders.laser_training import LaserRun, train_laser
    from crosslingua.laser.settings import LaserSettings
    from crosslingua.nn.optimiser import use_threads

    use_threads(args.threads)
    settings, tokenizer, out = read(LaserSettings, "LASER", args.set), Path(args.tokenizer), Path(args.out)
    train_laser(LaserRun(bitext, args.pivots, tokenizer, settings, out, test, args.seed))


def parse_pairs(options: list[str]) -> dict[tuple[str, str], tuple[str, str]]:
    """Return `{("ana", "ber"): ("x.txt", "y.txt")}` for `["ana-ber=x.txt,y.txt"]`."""
    pairs = {}
    for option in options:
        languages, equals, files = option.partition("=")
        names, paths = tuple(languages.split("-")), tuple(files.split(","))
        if not equals or len(names) != 2 or len(paths) != 2 or names in pairs:
            raise ConfigError(f"bitext {option!r}: write each pair once, as A-B=FILE,FILE")
        pairs[names] = paths
    return pairs


if __name__ == "__main__":
    run(main)
