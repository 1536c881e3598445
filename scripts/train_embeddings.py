"""Train word vectors of one text, or of several texts concatenated (joint training).

    crosslingua train-embeddings --text en.txt --dim 300 --out en.vec
    crosslingua train-embeddings --text en.txt de.txt --seed 1 --out joint.vec
    crosslingua train-embeddings --text en.txt de.txt --replace train.txt --seed 1 --out joint_replace.vec

Reads UTF-8 text, a sentence a line, words separated by spaces. Writes fastText `.vec` text, most frequent words first.
--replace takes a dictionary (`source target` a line) and first replaces words of both texts by their translations at
random (joint_align's Joint-Replace).
"""

from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from crosslingua.cli import count_number, parser, run, seed_number, share_number
from crosslingua.errors import ConfigError
from crosslingua.io.bitext import read_dictionary
from crosslingua.io.decode import decoded_lines
from crosslingua.io.json import read_settings
from crosslingua.io.vectors import write_vectors
from crosslingua.settings import add_options, read
from crosslingua.word_embeddings.fasttext import FastText
from crosslingua.word_embeddings.joint_replace import replace_texts

HALVES = {"even": 0, "odd": 1}


def half(path, lines: str, out: Path) -> Path:
    """Write every other line of a text, from the first or the second on; return the file."""
    with out.open("w", encoding="utf-8") as stream:
        stream.writelines(f"{line}\n" for line in islice(decoded_lines(path), HALVES[lines], None, 2))
    return out


def main() -> None:
    """Parse, train, write."""
    p = parser(__doc__)
    p.add_argument("--text", nargs="+", required=True, help="corpora; several are concatenated in this order")
    p.add_argument("--out", required=True, help="vectors to write")
    p.add_argument("--seed", type=seed_number, default=0, help="of the initial vectors and the sampling")
    p.add_argument("--max-vocabulary", type=count_number, default=200_000, help="most frequent words to keep")
    add_options(p, FastText, but=("t",))
    p.add_argument("--lines", choices=list(HALVES), help="train on every other line only: half of the corpus")
    p.add_argument("--replace", metavar="DICTIONARY", help="seed dictionary of two texts, source to target")
    p.add_argument("--probability", type=share_number, default=0.5, help="of replacing an occurrence, 0 to 1")
    p.add_argument("--choice", help="JSON of choose-training, whose settings stand in place of these")
    args = vars(p.parse_args())
    names = ("text", "out", "seed", "max_vocabulary", "choice", "lines")
    text, out, seed, cap, choice, lines = (args.pop(name) for name in names)
    args |= read_settings(choice) if choice else {}
    dictionary, probability = args.pop("replace"), float(args.pop("probability"))
    if dictionary and len(text) != 2:
        raise ConfigError(f"--replace needs a source and a target --text, not {len(text)}")
    with TemporaryDirectory() as folder:
        if lines:
            text = [half(path, lines, Path(folder, f"half{number}.txt")) for number, path in enumerate(text)]
        if dictionary:
            pairs = read_dictionary(dictionary)
            text = replace_texts(text, pairs, folder, seed=seed, probability=probability)
        write_vectors(out, read(FastText, "fastText", args).train(text, seed=seed, max_vocabulary=cap))


if __name__ == "__main__":
    run(main)
