"""Train both languages' vectors jointly under a dictionary (Duong et al. 2016).

    crosslingua train-duong --text en.txt de.txt --dictionary train.txt --seed 1 --out en.vec de.vec

Reads a source and a target text (UTF-8, a sentence a line, words separated by spaces; not parallel) and a dictionary
(`source target` a line). Writes fastText `.vec` text for each language, in one space, most frequent words first. One
thread: the same seed gives the same vectors.
"""

from pathlib import Path

from crosslingua.cli import parser, run, seed_number
from crosslingua.io.bitext import read_dictionary
from crosslingua.io.json import read_settings
from crosslingua.io.vectors import write_vectors
from crosslingua.settings import add_options, read
from crosslingua.word_embeddings.duong import learn
from crosslingua.word_embeddings.settings import Duong


def main() -> None:
    """Parse, train, write."""
    p = parser(__doc__)
    p.add_argument("--text", nargs=2, type=Path, required=True, help="source text, target text")
    p.add_argument("--dictionary", type=Path, required=True, help="seed dictionary, source to target")
    p.add_argument("--out", nargs=2, type=Path, required=True, help="source vectors, target vectors")
    p.add_argument(
        "--seed", type=seed_number, default=0, help="of initial vectors, sampling and sentence order"
    )
    add_options(p, Duong)
    p.add_argument("--choice", help="JSON of choose-training, whose settings stand in place of these")
    args = vars(p.parse_args())
    names = ("text", "out", "dictionary", "seed", "choice")
    text, out, dictionary, seed, choice = (args.pop(name) for name in names)
    options = read(Duong, "duong", args | (read_settings(choice) if choice else {}))
    made = learn(*text, read_dictionary(dictionary), options, seed=seed).vectors(options)
    for path, vectors in zip(out, made, strict=True):
        write_vectors(path, vectors)


if __name__ == "__main__":
    run(main)
