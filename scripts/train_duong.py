"""Train both languages' vectors jointly under a dictionary (Duong et al. 2016).

    python scripts/train_duong.py --text en.txt de.txt --dictionary train.txt --seed 1 --out en.vec de.vec

Reads a source and a target text (UTF-8, one sentence a line, words separated by spaces; no parallel text
needed) and a dictionary (`source target` a line); writes either language's vectors in fastText `.vec` text,
in one space, most frequent words first. One thread: the same seed gives the same vectors.
"""

from pathlib import Path

from crosslingua.cli import parser, run
from crosslingua.io.bitext import read_dictionary
from crosslingua.io.json import read_json
from crosslingua.io.vectors import write_vectors
from crosslingua.settings import read
from crosslingua.word_embeddings.duong import COMBINATIONS, Duong, train_duong


def main() -> None:
    """Parse, train, write."""
    p = parser(__doc__)
    p.add_argument("--text", nargs=2, type=Path, required=True, help="source text, target text")
    p.add_argument("--dictionary", type=Path, required=True, help="seed dictionary, source to target")
    p.add_argument("--out", nargs=2, type=Path, required=True, help="source vectors, target vectors")
    p.add_argument("--seed", type=int, default=0, help="of initial vectors, sampling and sentence order")
    p.add_argument("--dim", type=int, default=Duong.dim, help="dimensions")
    p.add_argument("--window", type=int, default=Duong.window, help="words on either side, at most")
    p.add_argument("--negative", type=int, default=Duong.negative, help="negative samples a word")
    p.add_argument("--epoch", type=int, default=Duong.epoch, help="passes over both texts")
    p.add_argument("--lr", type=float, default=Duong.lr, help="initial learning rate")
    p.add_argument(
        "--sample", type=float, default=Duong.sample, help="frequency from which words are thinned out"
    )
    p.add_argument("--min-count", type=int, default=Duong.min_count, help="least occurrences of a word")
    p.add_argument("--max-vocabulary", type=int, default=Duong.max_vocabulary, help="words a language")
    p.add_argument(
        "--alpha", type=float, default=Duong.alpha, help="weight of the word against its translation"
    )
    p.add_argument("--delta", type=float, default=Duong.delta, help="strength of the tie of u and v")
    p.add_argument("--combine", choices=COMBINATIONS, default=Duong.combine, help="of u and v in the result")
    p.add_argument("--gamma", type=float, default=Duong.gamma, help="weight of v in the interpolation")
    p.add_argument("--choice", help="JSON of choose_training.py, whose settings stand in place of these")
    args = vars(p.parse_args())
    names = ("text", "out", "dictionary", "seed", "choice")
    text, out, dictionary, seed, choice = (args.pop(name) for name in names)
    options = read(Duong, "duong", args | (read_json(choice)["settings"] if choice else {}))
    made = train_duong(*text, read_dictionary(dictionary), options, seed=seed)
    for path, vectors in zip(out, made, strict=True):
        write_vectors(path, vectors)


if __name__ == "__main__":
    run(main)
