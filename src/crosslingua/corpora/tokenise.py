"""Tokenisers by name: each makes, for a language, a function from a normalised line to its tokens."""

import os
import re
import tempfile
import unicodedata
from collections.abc import Callable
from itertools import pairwise

from crosslingua.errors import ConfigError, optional
from crosslingua.io.decode import base_language
from crosslingua.registry import Registry

# Moses's rules look at most one character beyond a mark. The tokens of a word are therefore computed once and
# remembered. The library gets the whole sentence for words that begin or end with an apostrophe, a comma at the
# beginning, MULTI and control characters. Its rule of full stops is written anew, since the library makes a set of all
# lower-case letters of Unicode for every full stop inside a sentence.
REMEMBERED = 1 << 17  # words; about 20 MB
JOINERS = "\u200c\u200d"  # zero-width non-joiner and joiner
SPECIAL = re.compile("^'|'$|MULTI|[\0-\x1f]")
DIGITS = frozenset("0123456789")
WHOLE = "\0"  # stands for the pieces of a special word


def moses(language: str) -> Callable[[str], list[str]]:
    """Return Moses's tokeniser of a language, without XML escapes; unknown ones take English abbreviations. A word
    keeps its combining marks and joiners, which the library would split off.
    """
    from sacremoses import MosesTokenizer

    library = MosesTokenizer(lang=language)
    library.PAD_NOT_ISALNUM = library.PAD_NOT_ISALNUM[0], _padded
    stops = library.handles_nonbreaking_prefixes = _full_stops(library)
    pieces = _Remembered(_word_rules(library)).__getitem__

    def tokenise(text: str) -> list[str]:
        joined = " ".join(map(pieces, text.split()))
        if WHOLE in joined or joined.startswith(","):
            return library.tokenize(text, escape=False)
        if "." in joined:
            joined = stops(joined)
        if "MULTI" in joined:
            joined = library.restore_multidots(joined)
        return joined.split()

    return tokenise


class _Remembered(dict):
    """What `make` returns for a word, kept for the last REMEMBERED words at most."""

    def __init__(self, make: Callable[[str], str]):
        super().__init__()
        self.make = make

    def __missing__(self, word: str) -> str:
        if len(self) >= REMEMBERED:
            self.clear()
        made = self[word] = self.make(word)
        return made


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
    """Return the library's rules up to full stops, in its order, for a word between spaces; WHOLE if it is special."""
    apostrophes = {
        "en": library.ENGLISH_SPECIFIC_APOSTROPHE,
        "fr": library.FR_IT_SPECIFIC_APOSTROPHE,
        "it": library.FR_IT_SPECIFIC_APOSTROPHE,
    }.get(library.lang, [library.NON_SPECIFIC_APOSTROPHE])
    commas = [library.COMMA_SEPARATE_1, library.COMMA_SEPARATE_2, library.COMMA_SEPARATE_3]

    is_plain = re.compile(f"[-{library.IsAlnum}]+").fullmatch

    def apply(word: str) -> str:
        if SPECIAL.search(word):
            return WHOLE
        if is_plain(word):
            return word
        pattern, replacement = library.PAD_NOT_ISALNUM
        text = library.replace_multidots(pattern.sub(replacement, f" {word} "))
        for pattern, replacement in (*commas, *apostrophes):
            text = pattern.sub(replacement, text)
        return " ".join(text.split())

    return apply


def _full_stops(library) -> Callable[[str], str]:
    """Return the library's rule of full stops: one is split off the end of a word, unless the word is an abbreviation
    or a word in lower case follows.
    """
    letters, small = frozenset(library.IsAlpha), frozenset(library.IsLower)
    before_numbers = frozenset(library.NUMERIC_ONLY_PREFIXES)
    abbreviations = frozenset(library.NONBREAKING_PREFIXES) - before_numbers

    def split(text: str) -> str:
        tokens = text.split()
        for index, token in enumerate(tokens):
            if token[-1] != "." or len(token) == 1:
                continue
            word, after = token[:-1], tokens[index + 1][0] if index + 1 < len(tokens) else ""
            if not (
                word in abbreviations
                or after in small
                or ("." in word and not letters.isdisjoint(word))
                or (word in before_numbers and after in DIGITS)
            ):
                tokens[index] = f"{word} ."
        return " ".join(tokens)

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
    segmenter = library.Tokenizer()
    # The library believes a cache that lies in a folder of all users, whoever wrote it and for whatever version. Its
    # dictionary is read anew instead: half a second.
    with tempfile.TemporaryDirectory() as segmenter.tmp_dir:
        segmenter.initialize()
    return lambda text: " ".join(segmenter.lcut(text)).split()


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
