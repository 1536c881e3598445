"""Score translations by sacrebleu: BLEU and chrF without case, and marks of translations that are none.

    crosslingua score-translation --hypothesis test.de --reference reference.de --source test.en \\
        --language de --out bleu.json

Reads tokenised text, a sentence a line. With --language, Moses's rules detokenise both sides; without, words stay
apart. sacrebleu then tokenises by 13a, Chinese by zh, Japanese and Korean by MeCab if installed, and other languages
without spaces by characters. The signature names the tokeniser.

Writes JSON: bleu and chrf (0-100), signature, sentences; per_sentence (influence values with mean bleu, for confidence
intervals); the shares (0-100) of copied, same, repeating and empty lines; degenerate (100 if a share is too high, else
0). A folder of translate --every-epoch gives a list: a result an epoch, then the chosen epoch's.
"""

from pathlib import Path

from crosslingua.cli import cells, parser, run, write_scores
from crosslingua.errors import InputError
from crosslingua.translation.data import read_lines
from crosslingua.translation.scores import score_translations


def main() -> None:
    """Parse, then score each file or folder."""
    p = parser(__doc__)
    p.add_argument("--hypothesis", required=True, type=Path, help="translations, or a folder of them")
    p.add_argument("--reference", required=True, type=Path, help="the right translations")
    p.add_argument("--source", required=True, type=Path, help="the source text")
    p.add_argument("--language", help="of the translations: Moses's rules, and the tokens that BLEU counts")
    p.add_argument("--out", required=True, type=Path, help="JSON to write")
    for args in cells(p):
        paths = [args.hypothesis]
        if args.hypothesis.is_dir():  # the epochs before the chosen one
            texts = args.hypothesis.glob("*.txt")
            paths = sorted(texts, key=lambda path: (path.stem == "chosen", path.stem))
        if not paths:
            raise InputError(
                args.hypothesis, "holds no translations", remedy="make them: crosslingua translate"
            )
        results = [score(args, path) for path in paths]
        write_scores(args.out, results if args.hypothesis.is_dir() else results[0])


def score(args, path: Path) -> dict:
    """Score one file."""
    hypothesis, reference = (
        [" ".join(words) for words in read_lines(each, args.language or "")]
        for each in (path, args.reference)
    )
    source = [" ".join(words) for words in read_lines(args.source)]
    found = score_translations(hypothesis, reference, source, args.language)
    epoch = f"|epoch={int(path.stem.removeprefix('epoch'))}" if path.stem.startswith("epoch") else "|chosen"
    signature = found["signature"] + (epoch if args.hypothesis.is_dir() else "|chosen")
    return found | {"signature": signature, "by": "score_translation.py"}


if __name__ == "__main__":
    run(main)
