"""Lexicons counted on their words, the tables that events are drawn from, and the YAML file of languages."""

import re
import unicodedata
from collections import defaultdict

import numpy as np
import pytest
import yaml
from scipy.stats import chisquare

from corpora.world.support import make_world
from crosslingua.corpora.world.bitext import Quota
from crosslingua.corpora.world.concepts import InverseTable, stream, zipf
from crosslingua.corpora.world.lexicon import CASED, LETTERS, SCRIPTS, change_sounds
from crosslingua.corpora.world.realise import World
from crosslingua.corpora.world.spec import Family, load_languages
from crosslingua.errors import ConfigError, CrosslinguaError, InputError
from crosslingua.report.language_distance import levenshtein
from texts import written

CLOSED = ("punctuation", "year")
TOO_NEAR = {"to": "aa", "cognates": 0.8, "false_friends": 0.4}
MINIMAL = {"word_order": "SVO", "syllables": {"onsets": ["b"], "nuclei": ["a"]}}


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
    spelled = {other.words[c] for c in concepts}
    false = [c for c in concepts if lexicon.words[c] in spelled and lexicon.words[c] != other.words[c]]
    # Words of `ana` can come in through `ber` too, hence the tolerance.
    assert len(false) / len(concepts) == pytest.approx(relation.false_friends, abs=0.02)


def test_near_cognates_look_alike_and_chance_likeness_is_rare(world):
    ana, ber = world.lexicon("ana"), world.lexicon("ber")
    alike = {True: [], False: []}
    for concept in lexical(world):
        if ber.origin[concept] in ("cognate", "native"):
            word = ana.words[concept]
            close = levenshtein(word, ber.words[concept]) <= max(1, len(word) // 2)
            alike[ber.origin[concept] == "cognate"].append(close)
    assert np.mean(alike[True]) > 0.8
    assert np.mean(alike[False]) < 0.1


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


def test_streams_are_fixed_by_seed_and_name():
    assert stream(1, "text", 3).random() == stream(1, "text", 3).random()
    names = ((1, "text", 3), (2, "text", 3), (1, "text", 4), (1, "ner", 3))
    assert len({stream(*name).random() for name in names}) == 4


def test_zipf_falls_with_rank():
    weights = zipf(50, 1.0)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] / weights[2] == pytest.approx(4 / 2)


def test_table_draws_follow_the_weights():
    weights = np.array([[5.0, 3.0, 2.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
    table = InverseTable(weights, stream(1, "a"))
    for row in range(2):
        counts = np.bincount(table.draw(stream(1, "b"), np.full(20_000, row)), minlength=4)
        wanted = weights[row] / weights[row].sum() * 20_000
        assert not counts[wanted == 0].any()
        assert chisquare(counts[wanted > 0], wanted[wanted > 0]).pvalue > 1e-3


def test_items_rarer_than_a_cell_keep_their_share_over_rows():
    weights = np.tile([1.0, 1 / 500], (2000, 1))
    table = InverseTable(weights, stream(1, "a"), size=100)
    drawn = table.draw(stream(1, "b"), np.repeat(np.arange(2000), 100))
    assert drawn.mean() == pytest.approx(1 / 501, rel=0.3)


def test_quota_takes_what_is_wanted_and_no_more():
    quota = Quota(5, "words")
    taken = [quota.take(np.arange(3)).tolist() for _ in quota]
    assert taken == [[0, 1, 2], [0, 1]]


def test_quota_gives_up_when_nothing_can_be_drawn():
    quota = Quota(5, "nli aa train")
    with pytest.raises(CrosslinguaError, match="nli aa train: 1 of 5 found"):
        for number in quota:
            quota.take(np.arange(1 if number == 0 else 0))


@pytest.fixture
def load(tmp_path):
    def load(**languages):
        return load_languages(written(tmp_path / "languages.yaml", yaml.safe_dump({"languages": languages})))

    return load


def test_shipped_family_has_the_six_languages(repository):
    family = load_languages(repository / "world.yaml")
    assert list(family) == ["ana", "ber", "cor", "dax", "eno", "fyr"]
    ana, _, cor, dax, eno, fyr = family.values()
    assert (ana.word_order, cor.compounding) == ("SVO", True)
    assert (dax.script != ana.script, dax.articles, dax.spaces) == (True, "none", False)
    assert max(eno.resource, fyr.resource) < 1
    assert {relation.to for relation in fyr.relations} == {"dax"}


def test_minimal_language_gets_defaults_and_an_unknown_one_is_told_with_the_known_ones(load):
    family = load(aa=MINIMAL, bb=MINIMAL)
    assert (family["aa"].adjectives, family["aa"].morphology.number) == ("before", True)
    with pytest.raises(ConfigError, match="aa, bb"):
        family["cc"]


@pytest.mark.parametrize(("change", "parts"), [
    ({"word_order": "SXV"}, ["languages.xx.word_order", "'SXV'", "'SOV'"]),
    ({"word_ordre": "SOV"}, ["languages.xx.word_ordre", "word_order"]),
    ({"fronting": 2}, ["languages.xx.fronting", "2"]),
    ({"morphology": {"fusion": "none"}}, ["languages.xx.morphology.fusion", "'agglutinating'"]),
    ({"script": "runic"}, ["languages.xx.script", "'georgian'"]),
    ({"compounding": "yes"}, ["languages.xx.compounding", "true or false"]),
])  # fmt: skip
def test_an_error_names_the_file_the_key_and_what_is_allowed(load, change, parts):
    with pytest.raises(ConfigError) as error:
        load(xx=MINIMAL | change)
    for part in ["languages.yaml", *parts]:
        assert part in str(error.value)


@pytest.mark.parametrize(("languages", "message"), [
    ({"aa": MINIMAL | {"relations": [{"to": "bb"}]}, "bb": MINIMAL}, "'bb' must be a language above it"),
    ({"aa": MINIMAL, "bb": MINIMAL | {"relations": [TOO_NEAR]}}, "sum to 1.2"),
    ({"aa": MINIMAL | {"code_switching": {"zz": {"words": 0.1}}}}, "'zz' must be another language"),
    ({"aa": MINIMAL | {"names": {"identical": 0.7, "adapted": 0.6}}}, "more than 1"),
])  # fmt: skip
def test_references_between_languages_are_checked(load, languages, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        load(**languages)


def test_missing_file_and_broken_yaml(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        load_languages(tmp_path / "none.yaml")
    with pytest.raises(InputError, match=r"broken\.yaml:2"):
        load_languages(written(tmp_path / "broken.yaml", "languages: [\n"))
