"""Train a translation system without parallel text, or with it as the upper line (docs/methods/translation.md).

    crosslingua train-translation --languages en de --text train.en train.de --data halves \\
        --vectors en.mapped.vec de.mapped.vec --shared shared.txt --set epochs=20 --out system

Reads tokenised text, a file a language, and both languages' word vectors in one space. --shared lists words (one a
line) that have one parameter in both languages; without --shared, no word does. Writes a folder: config.json, the
weights of every epoch, and training.json with settings, losses (nats a word), BLEU of held-out sentences and the chosen
epoch. An interrupted run goes on from its last epoch when called again.
"""

from pathlib import Path

from crosslingua.cli import device_option, parser, run, seed_number, set_option, thread_number
from crosslingua.io.atomic import check_output_folder
from crosslingua.settings import settings_help


def main() -> None:
    """Parse, then train."""
    p = parser(__doc__, more=settings_text)
    p.add_argument("--languages", nargs=2, required=True, help="names of source and target")
    p.add_argument("--text", nargs=2, type=Path, required=True, help="text of each; put in lower case")
    p.add_argument(
        "--data",
        choices=("texts", "halves", "alternating", "pairs"),
        default="texts",
        help="texts: two texts; halves: parallel, the first half of the source and the second half of the target; "
        "alternating: parallel, source sentences go to both in turn; pairs: parallel, supervised",
    )
    p.add_argument("--vectors", nargs=2, type=Path, required=True, help="word vectors, in one space")
    p.add_argument("--shared", type=Path, help="shared words with one parameter, one a line")
    set_option(p, "settings over the published values")
    p.add_argument("--seed", type=seed_number, default=1, help="of weights, order, noise and dropout")
    p.add_argument(
        "--threads", type=thread_number, default=1, help="CPU threads; the last bits depend on their number"
    )
    device_option(p, "the training")
    p.add_argument("--out", type=Path, required=True, help="folder to write")
    train(p.parse_args())


def settings_text() -> str:
    """Return what --help says of the settings."""
    from crosslingua.translation.settings import TranslationSettings

    return "settings (--set NAME=VALUE ...):\n\n" + settings_help(TranslationSettings)


def train(args) -> None:
    """Check the options, then train."""
    from crosslingua.translation.model import FILES
    from crosslingua.translation.settings import settings_of

    settings = settings_of(args.set)
    check_output_folder(args.out, FILES)

    from crosslingua.nn.optimiser import device_of, use_threads
    from crosslingua.translation.training import TranslationRun, train_translation

    use_threads(args.threads)
    files = (args.text, args.data, args.vectors, args.shared)
    what = (tuple(args.languages), *files, settings, args.out, args.seed)
    train_translation(TranslationRun(*what, device_of(args.device)))


if __name__ == "__main__":
    run(main)
