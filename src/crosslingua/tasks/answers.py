"""Right answers: SQuAD's exact match and F1, under the two normalisations that XTREME scores with.

`squad`: SQuAD 1.1 (Rajpurkar et al. 2016), which XTREME takes for XQuAD and TyDiQA-GoldP in every language: lower case,
ASCII punctuation off, English articles off, words at white space. `mlqa`: MLQA (Lewis et al. 2020): Unicode
punctuation off, the articles of the answer's language off, Chinese characters words of their own. MLQA has seven
languages; others keep all their words there, and are divided at white space.
"""

import re
import string
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Literal

Convention = Literal["squad", "mlqa"]
Normalise = Callable[[str], str]

_ENGLISH = r"\b(a|an|the)\b"
# As MLQA's evaluation has them. Its Arabic pattern takes the article off wherever the two letters stand.
ARTICLES = {
    "en": _ENGLISH,
    "es": r"\b(un|una|unos|unas|el|la|los|las)\b",
    "de": r"\b(ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b",
    "vi": r"\b(của|là|cái|chiếc|những)\b",
    "ar": r"\sال^|ال",
    "hi": None,
    "zh": None,
}
MIXED = ("zh",)  # characters are words, the rest is divided at white space
CHINESE = re.compile("[\u4e00-\u9fa5]")


def normaliser(convention: Convention, language: str) -> Normalise:
    """Return how answers of `language` are normalised."""
    return squad_normalise if convention == "squad" else partial(mlqa_normalise, language=language)


def squad_normalise(text: str) -> str:
    """Return lower-cased words without ASCII punctuation and English articles, one space between."""
    bare = "".join(char for char in text.lower() if char not in string.punctuation)
    return " ".join(re.sub(_ENGLISH, " ", bare).split())


def mlqa_normalise(text: str, language: str) -> str:
    """Return lower-cased words without punctuation and the language's articles, one space between."""
    bare = "".join(char for char in text.lower() if char not in _punctuation())
    if pattern := ARTICLES.get(language):
        bare = re.sub(pattern, " ", bare)
    if language in MIXED:
        bare = CHINESE.sub(r" \g<0> ", bare)
    return " ".join(bare.split())


@cache
def _punctuation() -> frozenset[str]:
    """All characters of a category P, and what ASCII calls punctuation: $ + < = > ^ ` | ~ are symbols."""
    every = map(chr, range(sys.maxunicode))
    return frozenset(c for c in every if unicodedata.category(c).startswith("P")) | set(string.punctuation)


def exact_match(prediction: str, answers: Sequence[str], normalise: Normalise) -> bool:
    """Whether a prediction is one of the answers, both normalised."""
    found = normalise(prediction)
    return any(found == normalise(answer) for answer in answers)


def f1(prediction: str, answers: Sequence[str], normalise: Normalise) -> float:
    """Return the highest F1 (0 to 1) of the words of a prediction and those of an answer; 0 where either has none."""
    found = Counter(normalise(prediction).split())
    return max(_f1(found, Counter(normalise(answer).split())) for answer in answers)


def _f1(found: Counter[str], wanted: Counter[str]) -> float:
    shared = (found & wanted).total()
    return 2 * shared / (found.total() + wanted.total()) if shared else 0.0
