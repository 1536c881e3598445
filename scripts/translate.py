"""Translate text by a trained system.

    crosslingua translate --system FOLDER --to de --input test.en --out test.de
    crosslingua translate --system FOLDER --to de --input test.en --beam 5 --every-epoch --out FOLDER2

Reads tokenised text, a sentence a line, in any case. Writes a translation a line, by the chosen epoch or by --epoch.
With --every-epoch, OUT is a folder: epoch001.txt and so on by greedy search, and chosen.txt of the chosen epoch with a
beam of --beam hypotheses.
"""

from pathlib import Path

from crosslingua.cli import (
    cells,
    count_number,
    device_option,
    natural_number,
    parser,
    run,
    thread_number,
)
from crosslingua.io.atomic import atomic_folder, atomic_open, check_output_folder

NAMES = ("epoch*.txt", "chosen.txt")


def main() -> None:
    """Parse, then translate each text."""
    p = parser(__doc__)
    p.add_argument("--system", required=True, type=Path, help="folder of train-translation")
    p.add_argument("--to", required=True, help="language to translate into; the text is of the other")
    p.add_argument("--input", required=True, type=Path, help="sentences, one a line")
    p.add_argument("--epoch", type=natural_number, help="epoch of the weights; default: the chosen epoch")
    p.add_argument("--every-epoch", action="store_true", help="translate by each epoch, into a folder")
    p.add_argument("--beam", type=count_number, default=5, help="hypotheses; 1: greedy")
    p.add_argument("--threads", type=thread_number, default=1, help="CPU threads")
    device_option(p, "the translation")
    p.add_argument("--out", required=True, type=Path, help="file, or with --every-epoch folder, to write")
    calls = cells(p)
    for args in calls:
        if args.every_epoch:
            check_output_folder(args.out, NAMES)
    for args in calls:
        translate_file(args)


def translate_file(args) -> None:
    """Translate one file."""
    import torch

    from crosslingua.nn.optimiser import use_threads
    from crosslingua.translation.model import epochs

    use_threads(args.threads)
    torch.set_flush_denormal(True)
    if not args.every_epoch:
        write(args.out, by_epoch(args, args.epoch, args.beam))
        return
    with atomic_folder(args.out, NAMES) as folder:
        for epoch in epochs(args.system):
            write(folder / f"epoch{epoch:03d}.txt", by_epoch(args, epoch, 1))
        write(folder / "chosen.txt", by_epoch(args, None, args.beam))


def by_epoch(args, epoch: int | None, beam: int) -> list[str]:
    """Return the translations of an epoch's model."""
    from crosslingua.nn.optimiser import device_of
    from crosslingua.translation.data import read_lines
    from crosslingua.translation.decoding import translate
    from crosslingua.translation.model import load_translator

    model = load_translator(args.system, epoch).to(device_of(args.device))
    target, languages = model.vocabulary.language(args.to), model.vocabulary.languages
    text = [
        model.vocabulary.encode(1 - target, words) for words in read_lines(args.input, languages[1 - target])
    ]
    found = translate(model, text, 1 - target, target, beam=beam)
    return [" ".join(model.vocabulary.decode(words)) for words in found]


def write(path: Path, lines: list[str]) -> None:
    """Write lines."""
    with atomic_open(path) as stream:
        stream.writelines(f"{line}\n" for line in lines)


if __name__ == "__main__":
    run(main)
