"""Parallel text of a question: the lexicon of its word alignment, and whether two texts are parallel at all.

Texts are parallel if they have the same number of lines, and equal lines agree far better than shuffled ones. Two lines
agree by how much their words occur together in other lines: the sum of the words' phi coefficients.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crosslingua.corpora.pipeline import Rules, TextSide, normalise_line
from crosslingua.corpora.text import prepare_bitext
from crosslingua.corpora.tokenise import default_tokeniser, tokeniser
from crosslingua.errors import InputError
from crosslingua.io.bitext import Pair, read_bitext, write_bitext
from crosslingua.io.decode import decoded_lines, lowercase, text_lines, tokens_of
from crosslingua.io.pharaoh import Links, write_pharaoh
from crosslingua.lexicon_induction.bli import Predictions
from crosslingua.lexicon_induction.confidence import InducedLexicon
from crosslingua.word_aligners.gibbs import Gibbs
from crosslingua.word_aligners.lexicon import linked_examples, ranked_translations

SAMPLE = 10_000  # pairs of lines
FOLD = 5  # of which each fifth is tested
LEAST_LINES = 100
PARALLEL = 0.75  # of the tested lines agree better with their own than with another; half do by chance
MAX_TOKENS = 100  # of a sentence that is aligned
BARS = " ||| "  # between the sentences of a line, in fast_align's format
Sentences = Sequence[Sequence[str]]
Ranked = dict[str, list[tuple[str, float, int]]]  # of word_aligners.lexicon.ranked_translations


def are_parallel(texts: tuple[Path, Path], languages: tuple[str, str]) -> bool:
    """Whether line i of one text translates line i of the other (module docstring)."""
    numbers = {sum(1 for _ in text_lines(path, records=True)) for path in texts}
    if len(numbers) > 1 or (number := numbers.pop()) < LEAST_LINES:
        return False
    step = -(-number // SAMPLE)
    sides = [_words(path, language, step) for path, language in zip(texts, languages, strict=True)]
    return agreement(*sides) >= PARALLEL


def _words(path: Path, language: str, step: int) -> list[list[str]]:
    """Return the words of each `step`-th line."""
    divide = tokeniser(default_tokeniser(language), language)
    lines = (line for number, line in enumerate(text_lines(path, records=True)) if not number % step)
    return [divide(lowercase(normalise_line(line)[0], language)) for line in lines]


def agreement(source: Sentences, target: Sentences) -> float:
    """Return in what share (0-1) of the tested lines equal lines agree better than shuffled ones; 0.5 by chance.

    Each fifth line is tested, and the others say which words occur together. Ties count a half.
    """
    x, y = _incidence(source), _incidence(target)
    is_tested = np.arange(x.shape[0]) % FOLD == FOLD - 1
    learnt = [side[~is_tested] for side in (x, y)]
    number = learnt[0].shape[0]
    rates = [np.asarray(side.mean(axis=0)).ravel() for side in learnt]
    together = (learnt[0].T @ learnt[1]).tocoo()
    spread = [np.sqrt(rate * (1 - rate)) for rate in rates]
    scale = spread[0][together.row] * spread[1][together.col]
    joint = together.data / number - rates[0][together.row] * rates[1][together.col]
    # A word of every line tells nothing of any.
    together.data = np.divide(joint, scale, out=np.zeros_like(joint), where=scale > 0)
    known, tested = x[is_tested] @ together.tocsr(), y[is_tested]
    shuffled = tested[np.roll(np.arange(tested.shape[0]), 1)]
    own, other = (np.asarray(known.multiply(side).sum(axis=1)).ravel() for side in (tested, shuffled))
    return float(np.mean((own > other) + 0.5 * (own == other)))


def _incidence(lines: Sentences):
    """Return which line has which word: a sparse matrix (lines, words) of 0 and 1."""
    from scipy.sparse import csr_array

    numbers: dict[str, int] = {}
    columns = [sorted({numbers.setdefault(word, len(numbers)) for word in line}) for line in lines]
    starts = np.cumsum([0, *map(len, columns)])
    places = np.array([place for line in columns for place in line], dtype=np.int64)
    return csr_array((np.ones(len(places)), places, starts), shape=(len(lines), len(numbers)))


def prepare(bitext: Sequence[Path], languages: tuple[str, str], folder: Path) -> tuple[Path, Path]:
    """Write parallel text as two tokenised files in lower case into `folder`, and return them.

    `bitext` are two parallel files, or one: TMX, or lines of a sentence and its translation between which a tab or
    ` ||| ` stands. Raises InputError for anything else.
    """
    outs = folder / "source.txt", folder / "target.txt"
    form = "tmx" if len(bitext) == 1 and ".tmx" in bitext[0].suffixes else "parallel_lines"
    inputs = [str(path) for path in bitext]
    if len(bitext) == 1 and form != "tmx":
        raw = folder / "raw.source.txt", folder / "raw.target.txt"
        write_bitext(_pairs(bitext[0]), *raw)
        inputs = [str(path) for path in raw]
    sides = tuple(TextSide(code, default_tokeniser(code), lowercase=True) for code in languages)
    prepare_bitext(inputs, Rules(sides, max_tokens=MAX_TOKENS), outs, form)
    return outs


def _pairs(path: Path) -> list[tuple[str, str]]:
    pairs = []
    for number, line in enumerate(decoded_lines(path, records=True), 1):
        source, mark, target = line.partition("\t" if "\t" in line else BARS)
        if not mark:
            raise InputError(
                path, f"a line of bitext without a tab or{BARS.rstrip()}: {line[:60]!r}", line=number,
                remedy="write a sentence, a tab and its translation a line, or give two parallel files",
            )  # fmt: skip
        pairs.append((source, target.partition("\t")[0]))
    return pairs


@dataclass(frozen=True)
class AlignedText:
    """Parallel text whose words are aligned: `ranked` translations, the words of either side, the pairs' number, and
    `examples` of linked words, a sentence and its translation.
    """

    ranked: Ranked
    source: frozenset[str]
    target: frozenset[str]
    number: int
    examples: Mapping[Pair, Pair]

    def predictions(self, gold: dict[str, set[str]]) -> Predictions:
        """Return the candidates of each word of a dictionary, as retrieval from vectors gives them. A word of the text
        without a link has none.
        """
        known = [word for word in gold if word in self.source]
        return Predictions(
            "gibbs",
            {word: [(target, dice) for target, dice, _ in self.ranked.get(word, ())] for word in known},
            gold.keys() - self.source,
            set().union(*gold.values()) - self.target,
        )


def align(files: tuple[Path, Path]) -> AlignedText:
    """Align the words of prepared files, and write the links beside them."""
    pairs = [(tokens_of(source), tokens_of(target)) for source, target in read_bitext(*files)]
    links = [Links.of(each) for each in Gibbs().align(pairs)]
    write_pharaoh(files[0].with_name("links.pharaoh"), links)
    sentences = [(source, target, own) for (source, target), own in zip(pairs, links, strict=True)]
    words = (frozenset(word for pair in pairs for word in pair[side]) for side in (0, 1))
    return AlignedText(ranked_translations(sentences), *words, len(pairs), linked_examples(sentences))


def lexicon_of(ranked: Ranked) -> InducedLexicon:
    """Return the lexicon of linked words. Its features are the first candidate's Dice coefficient, its lead, whether
    both words are each other's best, the logarithm of their links, and of the word's place.
    """
    best_of: dict[str, tuple[float, str]] = {}
    for source, candidates in ranked.items():
        for target, dice, _ in candidates:
            best_of[target] = max(best_of.get(target, (0.0, "")), (dice, source))
    second = [candidates[1][:2] if len(candidates) > 1 else ("", 0.0) for candidates in ranked.values()]
    first = [candidates[0] for candidates in ranked.values()]
    features = np.array(
        [
            [dice, dice - behind[1], best_of[target][1] == source, np.log1p(links), np.log1p(place)]
            for place, (source, (target, dice, links), behind) in enumerate(
                zip(ranked, first, second, strict=True)
            )
        ]
    ).reshape(-1, 5)  # of no links, too
    best = [target for target, _, _ in first]
    return InducedLexicon([*ranked], best, [target for target, _ in second], features)
