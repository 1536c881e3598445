"""The dictionaries that the links of parallel text make."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from crosslingua.io.bitext import Pair, read_bitext
from crosslingua.io.decode import is_word, lowercase, tokens_of
from crosslingua.io.pharaoh import Links, read_pharaoh

Sentences = Iterable[tuple[Sequence[str], Sequence[str], Links]]
SHORT = 20  # words of either sentence of an example


def read_linked_words(
    bitext: Sequence[str | Path], links: str | Path, languages: Sequence[str], *, lower: bool = False
) -> list[Pair]:
    """Return `linked_words` of a bitext's two files and a file of links in Pharaoh's format.

    Raises InputError where a file cannot be read, or the links are of other sentences.
    """
    sentences = [
        tuple(
            tokens_of(lowercase(line, language) if lower else line)
            for line, language in zip(pair, languages, strict=True)
        )
        for pair in read_bitext(*bitext)
    ]
    read = read_pharaoh(links, [(len(source), len(target)) for source, target in sentences])
    return linked_words((source, target, own) for (source, target), own in zip(sentences, read, strict=True))


def linked_words(sentences: Sentences) -> list[Pair]:
    """Return the pairs of words that are each other's best translation, the pair with most sure links first.

    The best translation has the highest Dice coefficient of links: twice the links of both words with each other,
    divided by the links of either. Words without a letter have none.
    """
    both, ordered = _by_dice(sentences)
    best: tuple[dict[str, Pair], dict[str, Pair]] = {}, {}
    for pair in ordered:
        for side, word in zip(best, pair, strict=True):
            side.setdefault(word, pair)
    mutual = [pair for pair in best[0].values() if best[1][pair[1]] == pair]
    return sorted(mutual, key=lambda pair: (-both[pair], pair))


def ranked_translations(sentences: Sentences) -> dict[str, list[tuple[str, float, int]]]:
    """Return the words that each source word is linked to, with the Dice coefficient and the number of links, the
    highest coefficient first. The source word with most links comes first.
    """
    both, ordered = _by_dice(sentences)
    found: dict[str, list[tuple[str, float, int]]] = {}
    for (source, target), dice in ordered.items():
        found.setdefault(source, []).append((target, dice, both[source, target]))
    number = {word: sum(links for _, _, links in candidates) for word, candidates in found.items()}
    return {word: found[word] for word in sorted(found, key=lambda word: (-number[word], word))}


def linked_examples(sentences: Sentences) -> dict[Pair, Pair]:
    """Return for each two words with a sure link their example: the first sentence and its translation that link them.
    Sentence pairs of at most SHORT words a side go before longer ones. Words without a letter have no example.
    """
    short: dict[Pair, Pair] = {}
    long: dict[Pair, Pair] = {}
    for source, target, links in sentences:
        found = short if max(len(source), len(target)) <= SHORT else long
        example = " ".join(source), " ".join(target)
        for pair in _linked_pairs(source, target, links):
            found.setdefault(pair, example)
    return {**long, **short}


def _linked_pairs(source: Sequence[str], target: Sequence[str], links: Links) -> Iterator[Pair]:
    for i, j in links.sure:
        if is_word(source[i]) and is_word(target[j]):
            yield source[i], target[j]


def _by_dice(sentences: Sentences) -> tuple[Counter[Pair], dict[Pair, float]]:
    """Return how often two words are linked, and their Dice coefficients, the highest first."""
    both = Counter[Pair]()
    for source, target, links in sentences:
        both.update(_linked_pairs(source, target, links))
    alone: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    for pair, number in both.items():
        for side, word in zip(alone, pair, strict=True):
            side[word] += number
    dice = {pair: 2 * both[pair] / (alone[0][pair[0]] + alone[1][pair[1]]) for pair in both}
    # Equal ones by number, then by spelling, on every machine.
    ordered = sorted(dice, key=lambda pair: (-dice[pair], -both[pair], pair))
    return both, {pair: dice[pair] for pair in ordered}
