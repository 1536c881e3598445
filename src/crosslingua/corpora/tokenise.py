"""Tokenisers by name: each makes, for a language, a function from a normalised line to its tokens."""

import os
import re
import unicodedata
from collections.abc import Callable
from itertools import pairwise

from crosslingua.errors import ConfigError, optional
from crosslingua.io.decode import base_language
from crosslingua.registry import Registry

# Moses's rules look at most one character beyond a mark. The tokens of a word are therefore computed once and
# remembered, which is 1.4 to 1.6 times as fast. The library gets the whole sentence for words that begin or end with an
# apostrophe, a comma at the beginning, MULTI, control characters, and full stops before the last word.
REMEMBERED = 1 << 17  # words; about 20 MB
JOINERS = "\u200c\u200d"  # zero-width non-joiner and joiner
SPECIAL = re.compile("^'|'$|MULTI|[\0-\x1f]")


def moses(language: str) -> Callable[[str], list[str]]:
    """Return Moses's tokeniser of a language, without XML escapes; unknown ones take English abbreviations. A word
    keeps its combining marks and joiners, which the library would split off.
    """
    from sacremoses import MosesTokenizer

    library = MosesTokenizer(lang=language)
    library.PAD_NOT_ISALNUM = library.PAD_NOT_ISALNUM[0], _padded
    word_rules = _word_rules(library)
    end_stop = _last_stop(library)
    remembered: dict[str, str | None] = {}

    def tokenise(text: str) -> list[str]:
        made = []
        for word in text.split():
            try:
                pieces = remembered[word]
            except KeyError:
                if len(remembered) >= REMEMBERED:
                    remembered.clear()
                pieces = remembered[word] = None if SPECIAL.search(word) else word_rules(word)
            if pieces is None:
                return library.tokenize(text, escape=False)
            made.append(pieces)
        joined = " ".join(made)
        if joined.startswith(","):
            return library.tokenize(text, escape=False)
        if "." in joined:
            joined = library.handles_nonbreaking_prefixes(joined) if ". " in joined else end_stop(joined)
        if "MULTI" in joined:
            joined = library.restore_multidots(joined)
        return joined.split()

    return tokenise


def _padded(match: re.Match[str]) -> str:
    """Return a character that is neither letter nor digit with spaces around it, unless it is part of a word."""
    character, place, text = match[0], match.start(), match.string
    before = text[place - 1 : place]
    if unicodedata.category(character)[0] == "M":
        is_inside = before.isalnum() or _joins(before)
    else:
        after = text[place + 1 : place + 2]
        is_inside = character in JOINERS and (before.isalnum() or _joins(before)) and after.isalpha()
    return character if is_inside else f" {character} "


def _joins(character: str) -> bool:
    return character != "" and (character in JOINERS or unicodedata.category(character)[0] == "M")


def _word_rules(library) -> Callable[[str], str]:
    """Return the library's rules up to full stops, in its order, for a word between spaces."""
    apostrophes = {
        "en": library.ENGLISH_SPECIFIC_APOSTROPHE,
        "fr": library.FR_IT_SPECIFIC_APOSTROPHE,
        "it": library.FR_IT_SPECIFIC_APOSTROPHE,
    }.get(library.lang, [library.NON_SPECIFIC_APOSTROPHE])
    commas = [library.COMMA_SEPARATE_1, library.COMMA_SEPARATE_2, library.COMMA_SEPARATE_3]

    def apply(word: str) -> str:
        pattern, replacement = library.PAD_NOT_ISALNUM
        text = library.replace_multidots(pattern.sub(replacement, f" {word} "))
        for pattern, replacement in (*commas, *apostrophes):
            text = pattern.sub(replacement, text)
        return " ".join(text.split())

    return apply


def _last_stop(library) -> Callable[[str], str]:
    """Return the library's rule for a full stop at the very end, where no other word has one."""
    abbreviations = set(library.NONBREAKING_PREFIXES) - set(library.NUMERIC_ONLY_PREFIXES)

    def split(text: str) -> str:
        before, space, last = text.rpartition(" ")
        if not last.endswith(".") or len(last) == 1:
            return text
        if "." in last[:-1]:
            return library.handles_nonbreaking_prefixes(text)
        return text if last[:-1] in abbreviations else f"{before}{space}{last[:-1]} ."

    return split


Tokenise = Callable[[str], list[str]]

_MEMBERS = {name: f"{__name__}:{name}" for name in ("moses", "jieba", "newmm", "janome", "icu", "whitespace")}
TOKENISERS = Registry("tokeniser", _MEMBERS | {"none": _MEMBERS["whitespace"]})
LANGUAGES = {"jieba": ("zh",), "newmm": ("th",), "janome": ("ja",), "icu": ("km", "lo", "my", "th")}
GENERATED = ("ana", "ber", "cor", "dax")  # languages of the controlled world, whose text is tokenised
DEFAULTS = {language: name for name, languages in reversed(LANGUAGES.items()) for language in languages}


def default_tokeniser(language: str) -> str:
    """Return the tokeniser of a language that none is named for: its own, or Moses."""
    if language in GENERATED:
        return "whitespace"
    return DEFAULTS.get(base_language(language), "moses")


def tokeniser(name: str, language: str) -> Tokenise:
    """Return the tokeniser `name` for the code of a language. ConfigError if it is made for another language."""
    base = base_language(language)
    made_for = LANGUAGES.get(name, (base,))
    if base not in made_for:
        raise ConfigError(f"tokeniser {name} is made for {', '.join(made_for)}, not for {language}")
    return TOKENISERS[name](base)


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


def icu(language: str) -> Tokenise:
    """Segment Khmer, Lao or Burmese, which have no spaces between words, by the dictionaries of ICU."""
    library = optional("icu", "icu", "tokeniser icu")
    words = library.BreakIterator.createWordInstance(library.Locale(language))

    def tokenise(text: str) -> list[str]:
        words.setText(text)  # it counts UTF-16 units
        units, ends = text.encode("utf-16-le"), [0, *words]
        pieces = (units[2 * a : 2 * b].decode("utf-16-le") for a, b in pairwise(ends))
        return " ".join(pieces).split()

    return tokenise


def janome(language: str) -> Tokenise:
    """Segment Japanese by Janome, whose dictionary is MeCab's IPADIC."""
    segmenter = optional("janome.tokenizer", "japanese", "tokeniser janome").Tokenizer(wakati=True)
    return lambda text: " ".join(segmenter.tokenize(text)).split()
