"""Readers of a task without an encoder, learnt from its training data: what is given to them is counted and compared.

A reader is a function of gold data, their labels unread. It returns the labels of each sentence, the label of each
pair, or the answer of each question by its id.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any

import numpy as np

from crosslingua.io.conll import Scheme, TaggedSentence, repair
from crosslingua.io.pairs import SentencePair
from crosslingua.io.squad import Paragraph, Question

Reader = Callable[[Any], Any]
Asked = Sequence[tuple[Paragraph, Question]]
Labels = tuple[str, ...]
AFFIX = 5  # letters of the longest prefix and suffix of a word
STEM = 3  # letters that two forms of a word have in common
PLACES = 12  # words at the beginning of a sentence whose places are compared
NEAR = 4  # words to either side that tell whether a word answers a question
LONGEST = 8  # words of an answer


def _fitted(seen: Iterable[Sequence[str]], wanted: Sequence[Any]) -> Any:
    """Return logistic regression on the features that each example has. Five passes of averaged stochastic gradients
    take a second or two for 30,000 words.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import SGDClassifier
    from sklearn.pipeline import make_pipeline

    model = SGDClassifier(loss="log_loss", alpha=1e-5, max_iter=5, tol=None, average=True, random_state=0)
    return make_pipeline(CountVectorizer(analyzer=list, binary=True), model).fit(seen, wanted)


def tag_readers(train: Sequence[TaggedSentence], scheme: Scheme) -> Iterator[tuple[str, Reader]]:
    """Yield what tags words by heart, and a linear model of letters and neighbouring words."""
    yield "words by heart", _by_heart(train)
    yield "linear", _by_letters(train, scheme)


def _by_heart(train: Sequence[TaggedSentence]) -> Reader:
    """Return what gives a word its most frequent tag, and another word the most frequent of all."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in train:
        for word, tag in zip(sentence.tokens, sentence.labels, strict=True):
            seen[word][tag] += 1
    tags = {word: counts.most_common(1)[0][0] for word, counts in seen.items()}
    frequent = sum(seen.values(), Counter()).most_common(1)[0][0]
    return lambda gold: [tuple(tags.get(word, frequent) for word in one.tokens) for one in gold]


def _by_letters(train: Sequence[TaggedSentence], scheme: Scheme) -> Reader:
    """Return a linear model of each word's tag; a tag I that goes on nothing becomes B."""
    wanted = [*chain.from_iterable(sentence.labels for sentence in train)]
    if len({*wanted}) < 2:
        return _by_heart(train)
    model = _fitted(chain.from_iterable(map(_letters, train)), wanted)

    def read(gold: Sequence[TaggedSentence]) -> list[Labels]:
        found = iter(model.predict([*chain.from_iterable(map(_letters, gold))]).tolist())
        tags = [tuple(next(found) for _ in sentence.tokens) for sentence in gold]
        return [tuple(repair(each)[0]) for each in tags] if scheme == "bio2" else tags

    return read


def _letters(sentence: TaggedSentence) -> Iterator[list[str]]:
    """Yield of each word the word, its shape and affixes, those of its neighbours, and the words next to these."""
    parts = [_parts(word) for word in sentence.tokens]
    outside = [["#"]] * 2
    padded = [*outside, *parts, *outside]
    for place in range(len(parts)):
        near = padded[place : place + 5]
        whole = [near[0][:2], *near[1:4], near[4][:2]]
        yield [f"{offset} {part}" for offset, each in enumerate(whole) for part in each]


def _parts(word: str) -> list[str]:
    """Return a word, its shape (`Aa`, `0-0`), and its prefixes and suffixes."""
    kinds = ("A" if c.isupper() else "a" if c.isalpha() else "0" if c.isdigit() else c for c in word)
    lengths = range(1, min(AFFIX, len(word)) + 1)
    shape = "".join(kind for kind, _ in groupby(kinds))
    return [word, f"= {shape}", *(f"{word[:n]}-" for n in lengths), *(f"-{word[-n:]}" for n in lengths)]


def pair_readers(train: Sequence[SentencePair]) -> Iterator[tuple[str, Reader]]:
    """Yield linear models of words, and trees of counts and of places, by what they see of a pair."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import SGDClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier

    labels = [pair.label for pair in train]
    views = {
        "first sentence": lambda pair: pair.first.split(),
        "second sentence": lambda pair: pair.second.split(),
        "words of both": lambda pair: [f"{side} {word}" for side in (0, 1) for word in pair[side].split()],
        "changed words": _changes,
    }
    for name, view in views.items():
        words = CountVectorizer(analyzer=lambda pair, view=view: ["", *view(pair)])  # of no pair without any
        model = SGDClassifier(loss="log_loss", alpha=1e-3, random_state=0)
        yield name, make_pipeline(words, model).fit(train, labels).predict
    trees = {
        "counts": (_counts, DecisionTreeClassifier(max_depth=6, random_state=0)),
        "places": (_places, DecisionTreeClassifier(min_samples_leaf=3, random_state=0)),
    }
    for name, (view, tree) in trees.items():
        tree.fit([*map(view, train)], labels)
        yield name, lambda gold, view=view, tree=tree: tree.predict([*map(view, gold)])


def _changes(pair: SentencePair) -> list[str]:
    """Return the words that stand in one of the sentences alone, such as a negation, marked by the sentence."""
    first, second = ({*sentence.split()} for sentence in pair[:2])
    return [
        *(f"- {word}" for word in sorted(first - second)),
        *(f"+ {word}" for word in sorted(second - first)),
    ]


def _counts(pair: SentencePair) -> list[int]:
    """Return lengths, and how many words are shared, lost, new, and repeated in either sentence."""
    first, second = pair.first.split(), pair.second.split()
    one, other = {*first}, {*second}
    repeated = [len(first) - len(one), len(second) - len(other)]
    return [len(first), len(second), len(one & other), len(one - other), len(other - one), *repeated]


def _places(pair: SentencePair) -> list[int]:
    """Return where the first words of each sentence stand in the other, as wholes and by their stems; the order of
    those that both have; and how many of them stand before a word that they follow in the other sentence.
    """
    first, second = pair.first.split(), pair.second.split()
    found = [len(first), len(second)]
    for cut in (None, STEM):
        one, other = ([word[:cut] for word in words] for words in (first, second))
        for here, there in ((one, other), (other, one)):
            at = {word: place for place, word in reversed([*enumerate(there)])}
            places = [at.get(word, -1) for word in here]
            both = [place for place in places if place >= 0]
            ranks = {place: rank for rank, place in enumerate(sorted({*both}))}
            turned = sum(before > after for i, before in enumerate(both) for after in both[i + 1 :])
            order = [ranks[place] for place in both]
            found += [*_first(places), *_first(order), turned]
    return found


def _first(values: Sequence[int]) -> list[int]:
    return [*values, *[-2] * PLACES][:PLACES]


def question_readers(train: Asked) -> Iterator[tuple[str, Reader]]:
    """Yield the longest run of unasked words, and a linear model of places and copies."""
    yield "overlap", _longest
    yield "places", _by_places(train)


def _bare(word: str) -> str:
    return word.strip(".,?!").lower()


def _longest(gold: Asked) -> dict[str, str]:
    """Return of the sentence that shares most words with the question the longest run of words that it lacks."""
    found = {}
    for paragraph, question in gold:
        asked = {word.strip(".,?!") for word in question.text.split()}
        sentences = [sentence.split() for sentence in paragraph.context.replace("\n", " ").split(". ")]
        nearest = max(sentences, key=lambda words: len(asked & {word.strip(".,?!") for word in words}))
        runs = groupby(nearest, key=lambda word: word.strip(".,?!") in asked)
        unasked = [list(words) for shared, words in runs if not shared]
        found[question.id] = " ".join(max(unasked, key=len, default=[])).rstrip(" .,?!")
    return found


def _by_places(train: Asked) -> Reader:
    """Return what answers with the run of words that are likeliest, together, to belong to the answer."""
    wanted, seen = [], []
    for paragraph, question in train:
        answer, at = question.answers[0], 0
        for word in paragraph.context.split():
            at = paragraph.context.index(word, at)
            wanted.append(answer.start <= at < answer.start + len(answer.text))
            at += len(word)
        seen += _copies(paragraph.context, question.text)
    if len({*wanted}) < 2:
        return _longest
    model = _fitted(seen, wanted)

    def read(gold: Asked) -> dict[str, str]:
        seen = [_copies(paragraph.context, question.text) for paragraph, question in gold]
        odds = iter(model.decision_function([*chain.from_iterable(seen)]))
        return {
            question.id: _likeliest(paragraph.context.split(), [next(odds) for _ in words])
            for (paragraph, question), words in zip(gold, seen, strict=True)
        }

    return read


def _likeliest(words: Sequence[str], odds: Sequence[float]) -> str:
    """Return the run of at most LONGEST words with the highest sum of log odds."""
    sums = np.concatenate([[0.0], np.cumsum(odds)])
    runs = [(i, j) for i in range(len(words)) for j in range(i + 1, min(i + LONGEST, len(words)) + 1)]
    start, end = max(runs, key=lambda run: sums[run[1]] - sums[run[0]], default=(0, 0))
    return " ".join(words[start:end]).rstrip(" .,?!")


def _copies(context: str, question: str) -> list[list[str]]:
    """Return of each word what the question has of the words about it, where, and whether its sentence has most."""
    words, asked = context.split(), [bare for word in question.split() if (bare := _bare(word))]
    at = {word[: STEM + 1]: place for place, word in reversed([*enumerate(asked)])}
    bare, whole = [_bare(word) for word in words], {*asked}
    places = [at.get(word[: STEM + 1]) if word else None for word in bare]
    codes = ["." if not word else "x" if place is None else "=" if word in whole else "~"
             for word, place in zip(bare, places, strict=True)]  # fmt: skip
    sentences = np.cumsum([0, *(word[-1] in ".?!" for word in words[:-1])]).tolist()
    shared = Counter(number for number, place in zip(sentences, places, strict=True) if place is not None)
    most, edge, found = max(shared.values(), default=0), ["#"] * NEAR, []
    padded, said = [*edge, *codes, *edge], asked[0] if asked else ""
    sides = zip(_last(places), _last(places[::-1])[::-1], strict=True)
    for place, (left, right) in enumerate(sides):
        about, is_near = padded[place : place + 2 * NEAR + 1], shared[sentences[place]] == most
        runs = about[3:6], about[2:7], about[: NEAR + 1], about[NEAR:]
        own = [f"{n} {code}" for n, code in enumerate(about)]
        own += [f"{n} {is_near} {''.join(run)}" for n, run in enumerate(runs)]
        own += [f"< {left - len(asked)}", f"> {right}", f"<> {left - len(asked)} {right}"]
        found.append([*own, *(f"{said} {one}" for one in own), f"word {bare[place]}"])
    return found


def _last(places: Sequence[int | None]) -> list[int]:
    """Return for each place the last of those before it that is known, or -1."""
    found, last = [], -1
    for place in places:
        found.append(last)
        last = last if place is None else place
    return found
