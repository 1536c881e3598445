"""Lexicons: languages share as many words as the parameters say, counted on the words."""

import unicodedata
from collections import defaultdict

import numpy as np
import pytest

from corpora.world.support import make_world
from crosslingua.corpora.world.lexicon import CASED, LETTERS, SCRIPTS, change_sounds
from crosslingua.corpora.world.realise import World
from crosslingua.corpora.world.spec import Family

CLOSED = ("punctuation", "year")


def lexical(world):
    return [c for c, group in enumerate(world.concepts.group) if group not in ("name", *CLOSED)]


def names(world):
    return [c for c, group in enumerate(world.concepts.group) if group == "name"]


@pytest.mark.parametrize("code", ["ber", "cor", "eno"])
def test_share_of_identical_cognates_and_false_friends(world, code):
    lexicon, concepts = world.lexicon(code), lexical(world)
    relation = world.family[code].relations[0]
    other = world.lexicon(relation.to)
    alike = np.mean([lexicon.words[c] == other.words[c] for c in concepts])
    assert alike == pytest.approx(relation.cognates * relation.identical, abs=0.015)
    spelled = defaultdict(set)
    for concept in concepts:
        spelled[other.words[concept]].add(concept)
    false = [c for c in concepts if spelled[lexicon.words[c]] and c not in spelled[lexicon.words[c]]]
    # Words of `ana` can come in through `ber` too, hence the tolerance.
    assert len(false) / len(concepts) == pytest.approx(relation.false_friends, abs=0.02)


def test_near_cognates_look_alike_and_chance_likeness_is_rare(world):
    ana, ber = world.lexicon("ana"), world.lexicon("ber")
    alike = {True: [], False: []}
    for concept in lexical(world):
        if ber.origin[concept] in ("cognate", "native"):
            word = ana.words[concept]
            close = edit_distance(word, ber.words[concept]) <= max(1, len(word) // 2)
            alike[ber.origin[concept] == "cognate"].append(close)
    assert np.mean(alike[True]) > 0.8
    assert np.mean(alike[False]) < 0.1


def edit_distance(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


def test_edit_distance():
    assert edit_distance("kitten", "sitting") == 3


@pytest.mark.parametrize("code", ["ber", "cor", "dax", "eno"])
def test_share_of_borrowed_names(world, code):
    ana, lexicon = world.lexicon("ana"), world.lexicon(code)
    identical = np.mean([lexicon.words[c] == ana.words[c] for c in names(world)])
    assert identical == pytest.approx(world.family[code].names["identical"], abs=0.01)


def test_share_of_ambiguous_and_common_names(world):
    pools, words = world.concepts.pools, world.lexicon("ana").words
    lenders = set(pools["family"])
    for pool in ("place", "organisation", "work"):
        borrowed = np.mean([name in lenders for name in pools[pool]])
        assert borrowed == pytest.approx(world.family.world.ambiguous_names, abs=0.05)
        lenders |= set(pools[pool])
    nouns = {words[c] for c in lexical(world)}
    common = np.mean([words[c].lower() in nouns for c in names(world)])
    assert common == pytest.approx(world.family.world.common_names, abs=0.02)


def test_polysemy_homographs_and_synonyms():
    plain = make_world(aa={})
    rich = make_world(aa={"polysemy": 0.2, "homographs": 0.3, "synonyms": 0.25})
    assert shared_words(plain) == (0, 0)
    within, across = shared_words(rich)
    content = [c for c in lexical(rich) if rich.concepts.pos[c] in ("NOUN", "VERB", "ADJ", "ADV")]
    assert within == pytest.approx(0.2 * len(content) / 2, rel=0.25)
    open_class = [c for c in content if rich.concepts.pos[c] in ("VERB", "ADJ")]
    assert across >= 0.2 * len(open_class)
    lexicon = rich.lexicon("aa")
    assert np.mean([lexicon.words[c] != lexicon.second[c] for c in content]) == pytest.approx(0.25, abs=0.02)


def shared_words(world) -> tuple[int, int]:
    """How many words have two concepts of one part of speech, and how many concepts of two."""
    found = defaultdict(list)
    for concept in lexical(world):
        if world.concepts.group[concept] != "designator":
            found[world.lexicon("aa").words[concept]].append(world.concepts.pos[concept])
    within = sum(len(tags) - len(set(tags)) for tags in found.values())
    return within, sum(len(set(tags)) > 1 for tags in found.values())


def test_function_words_are_no_false_friends(world):
    for code in ("ber", "cor", "eno", "fyr"):
        lexicon = world.lexicon(code)
        assert all(lexicon.origin[c] != "false_friend" for c in world.concepts.function.values())


def test_scripts_are_one_to_one_and_normalised():
    for name, letters in SCRIPTS.items():
        assert len(set(letters)) == len(LETTERS), name
        assert unicodedata.normalize("NFC", letters) == letters
        assert all(letter.lower() == letter for letter in letters)
        if name in CASED:
            assert len({letter.upper() for letter in letters}) == len(LETTERS)


def test_sound_changes_prefer_the_longer_match_and_apply_once():
    assert change_sounds("peater", {"ea": "o", "e": "i", "t": "d", "d": "x"}) == "podir"


def test_words_do_not_depend_on_languages_below(world):
    shorter = Family(world.family.world, {code: world.family[code] for code in ("ana", "ber")})
    assert World(shorter, 1).lexicon("ber").words == world.lexicon("ber").words
