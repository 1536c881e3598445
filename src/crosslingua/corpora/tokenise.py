"""Tokenisers by name: each makes, for a language, a function from a normalised line to its tokens."""

from __future__ import annotations

import os
from collections.abc import Callable

from crosslingua.corpora.moses import moses
from crosslingua.errors import ConfigError
from crosslingua.extras import optional
from crosslingua.registry import Registry

Tokenise = Callable[[str], list[str]]

TOKENISERS = Registry(
    "tokeniser",
    {
        "moses": "crosslingua.corpora.tokenise:moses",
        "jieba": "crosslingua.corpora.tokenise:jieba",
        "newmm": "crosslingua.corpora.tokenise:newmm",
        "janome": "crosslingua.corpora.tokenise:janome",
        "whitespace": "crosslingua.corpora.tokenise:whitespace",
        "none": "crosslingua.corpora.tokenise:whitespace",
    },
)
__all__ = ["TOKENISERS", "default_tokeniser", "moses", "tokeniser"]

LANGUAGES = {"jieba": "zh", "newmm": "th", "janome": "ja"}
DEFAULTS = {language: name for name, language in LANGUAGES.items()}


def default_tokeniser(language: str) -> str:
    """Return the tokeniser of a language that none is named for: Chinese, Thai and Japanese have their own, every
    other two-letter ISO 639-1 code takes Moses; any other code, such as a generated language's, whitespace.
    """
    return DEFAULTS.get(language, "moses" if len(language) == 2 else "whitespace")


def tokeniser(name: str, language: str) -> Tokenise:
    """Return the tokeniser `name` for `language` (ISO 639-1). ConfigError if it is made for another language."""
    own = LANGUAGES.get(name, language)
    if language != own:
        raise ConfigError(f"tokeniser {name} is made for {own}, not for {language}")
    return TOKENISERS[name](language)


def whitespace(language: str) -> Tokenise:
    """Split at white space: for text that is tokenised already."""
    return str.split


def jieba(language: str) -> Tokenise:
    """Segment Chinese by jieba's dictionary and hidden Markov model (its accurate mode)."""
    library = optional("jieba", "chinese", "tokeniser jieba")
    library.setLogLevel("WARNING")  # it tells of its cache on every start
    library.initialize()
    return lambda text: " ".join(library.lcut(text)).split()


def newmm(language: str) -> Tokenise:
    """Segment Thai by PyThaiNLP's newmm: maximal matching within Thai character clusters."""
    if "PYTHAINLP_READ_MODE" not in os.environ:
        os.environ.setdefault("PYTHAINLP_READ_ONLY", "1")  # else it makes a folder in the user's home
    library = optional("pythainlp.tokenize", "thai", "tokeniser newmm")
    return lambda text: " ".join(library.word_tokenize(text, engine="newmm")).split()


def janome(language: str) -> Tokenise:
    """Segment Japanese by Janome, whose dictionary is MeCab's IPADIC."""
    segmenter = optional("janome.tokenizer", "japanese", "tokeniser janome").Tokenizer(wakati=True)
    return lambda text: " ".join(segmenter.tokenize(text)).split()
