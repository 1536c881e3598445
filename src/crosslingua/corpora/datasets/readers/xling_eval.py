"""xling-eval: `source<TAB>target` a line, single words, cased; train and test are files of their own."""

from collections import Counter

from crosslingua.errors import InputError
from crosslingua.io.bitext import Pair, distinct
from crosslingua.io.decode import decoded_lines


def read(path: str, counts: Counter[str] | None = None) -> list[Pair]:
    """Return the pairs of a file. InputError on a line that is not two words with a tab between them."""
    pairs = []
    for number, line in enumerate(decoded_lines(path), 1):
        words = [word.strip() for word in line.split("\t")]
        if len(words) != 2 or not all(words) or any(" " in word for word in words):
            raise InputError(path, f"expected word<TAB>word, found {line!r}", line=number)
        pairs.append((words[0], words[1]))
    return distinct(pairs, path, counts)
