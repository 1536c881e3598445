"""Word order and morphology parameters have their effect on trees and words."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.world.support import make_world, parse_conllu
from crosslingua.corpora.world.dependencies import treebank_blocks
from crosslingua.corpora.world.lexicon import CASE_ID, noun_feature, verb_feature

SIDES = st.sampled_from(["before", "after"])
LANGUAGES = st.fixed_dictionaries(
    {
        "word_order": st.sampled_from(["SVO", "SOV", "VSO", "VOS", "OVS", "OSV"]),
        "adjectives": SIDES, "numerals": SIDES, "genitives": SIDES, "adpositions": SIDES, "auxiliaries": SIDES,
        "articles": st.sampled_from(["none", "definite", "both"]),
        "question_words": st.sampled_from(["first", "in_place"]),
        "fronting": st.sampled_from([0.0, 0.5]),
        "pro_drop": st.booleans(),
        "compounding": st.booleans(),
        "spaces": st.booleans(),
        "morphology": st.fixed_dictionaries({
            "fusion": st.sampled_from(["agglutinating", "fusional"]),
            "number": st.booleans(), "agreement": st.booleans(), "adjective_agreement": st.booleans(),
            "future": st.sampled_from(["auxiliary", "suffix"]),
            "negation": st.sampled_from(["particle", "suffix"]),
            "passive": st.sampled_from(["auxiliary", "suffix"]),
            "object": st.sampled_from(["none", "case"]),
            "place": st.sampled_from(["adposition", "case", "both"]),
            "genitive": st.sampled_from(["adposition", "case", "both"]),
        }),
    }
)  # fmt: skip


def trees(world, code="aa", n=250):
    return parse_conllu("".join(treebank_blocks(world, code, "train", n)))


def sides(parsed, relation, heads=None):
    """On which side of its head each word of `relation` stands: -1 before, 1 after."""
    return {
        1 if i + 1 > word.head else -1
        for tree in parsed for i, word in enumerate(tree)
        if word.relation == relation and (heads is None or tree[word.head - 1].upos in heads)
    }  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(spec=LANGUAGES)
def test_every_grammar_gives_trees_and_its_own_order(spec):
    parsed = trees(make_world(aa=spec))
    for tree in parsed:
        assert is_tree([word.head for word in tree])
    order = spec["word_order"]
    for relation, letter in (("nsubj", "S"), ("obj", "O")):
        assert sides(parsed, relation, {"VERB"}) == {-1 if order.index(letter) < order.index("V") else 1}
    named = {"adjectives": "amod", "numerals": "nummod", "genitives": "nmod", "adpositions": "case"}
    for parameter, relation in named.items():
        assert sides(parsed, relation) == {-1 if spec[parameter] == "before" else 1}
    assert sides(parsed, "det") <= {-1}
    if "aux" in {word.relation for tree in parsed for word in tree}:
        assert sides(parsed, "aux") == {-1 if spec["auxiliaries"] == "before" else 1}
    tags = Counter(word.upos for tree in parsed for word in tree)
    assert ("DET" in tags) == (spec["articles"] != "none")
    assert ("PART" in tags) == (spec["morphology"]["negation"] == "particle")


@pytest.mark.parametrize("order", ["SVO", "SOV", "VSO", "VOS", "OVS", "OSV"])
def test_core_order_is_the_order_of_subject_verb_and_object(order):
    found = set()
    for tree in trees(make_world(aa={"word_order": order}), n=400):
        for place, verb in enumerate(tree, 1):
            core = {"V": place} | {
                {"nsubj": "S", "obj": "O"}[word.relation]: i
                for i, word in enumerate(tree, 1) if word.head == place and word.relation in ("nsubj", "obj")
            }  # fmt: skip
            if verb.upos == "VERB" and len(core) == 3:
                found.add("".join(sorted(core, key=core.get)))
    assert found == {order}


def is_tree(heads: list[int]) -> bool:
    """One root, every head in range, and the root is reached from everywhere (brute force)."""
    if heads.count(0) != 1 or not all(0 <= head <= len(heads) for head in heads):
        return False
    for start in range(1, len(heads) + 1):
        seen, node = set(), start
        while node:
            if node in seen:
                return False
            seen.add(node)
            node = heads[node - 1]
    return True


def test_is_tree():
    assert is_tree([2, 0, 2])
    assert not is_tree([2, 1, 0])
    assert not is_tree([0, 0])


def test_trees_are_projective(world):
    for code in ("ana", "cor", "dax", "eno"):
        for tree in trees(world, code):
            arcs = [sorted((i, word.head)) for i, word in enumerate(tree, 1) if word.head]
            assert not any(a < c < b < d for a, b in arcs for c, d in arcs)


def forms(world, concept, feature):
    language = world.language("aa")
    return language.surfaces[language.forms.form[0, concept, feature]]


@pytest.mark.parametrize("fusion", ["agglutinating", "fusional"])
def test_a_noun_adds_a_suffix_for_each_meaning_or_has_an_ending_of_its_own_for_both(fusion):
    world = make_world(aa={"morphology": {"fusion": fusion, "object": "case"}})
    noun = int(world.concepts.nouns["animal"][3])
    stem, plural = forms(world, noun, noun_feature(0, 0)), forms(world, noun, noun_feature(1, 0))
    case = forms(world, noun, noun_feature(0, CASE_ID["object"]))
    both = forms(world, noun, noun_feature(1, CASE_ID["object"]))
    assert len({stem, plural, case, both}) == 4
    assert (both == plural + case.removeprefix(stem)) == (fusion == "agglutinating")


def test_what_is_said_by_separate_words_leaves_the_verb_alone():
    analytic = make_world(aa={"morphology": {"future": "auxiliary", "negation": "particle"}})
    synthetic = make_world(aa={"morphology": {"future": "suffix", "negation": "suffix"}})
    verb = int(analytic.concepts.verbs["make"][0])
    bare, future, negated = verb_feature(0, 0, 0, 0), verb_feature(2, 0, 0, 0), verb_feature(0, 0, 0, 1)
    assert forms(analytic, verb, future) == forms(analytic, verb, bare) == forms(analytic, verb, negated)
    assert len({forms(synthetic, verb, feature) for feature in (bare, future, negated)}) == 3


def test_syncretism_writes_plural_nouns_and_singular_verbs_alike():
    world = make_world(aa={"morphology": {"agreement": True, "syncretism": True}})
    noun, verb = int(world.concepts.nouns["animal"][3]), int(world.concepts.verbs["make"][0])
    plural = forms(world, noun, noun_feature(1, 0)).removeprefix(forms(world, noun, 0))
    singular = forms(world, verb, verb_feature(0, 1, 0, 0)).removeprefix(forms(world, verb, 0))
    assert plural == singular != ""


def test_fronting_share():
    def first(fronting):
        parsed = trees(make_world(aa={"fronting": fronting}), n=1500)
        dated = [tree for tree in parsed if any(word.form.isdigit() for word in tree)]
        return np.mean([any(word.form.isdigit() for word in tree[:2]) for tree in dated])

    assert first(0.0) == 0
    assert first(1.0) > 0.7  # a date in a second clause cannot come first
    assert first(0.0) < first(0.4) < first(1.0)


def test_pro_drop_leaves_out_subject_pronouns():
    def pronouns(drop):
        parsed = trees(make_world(aa={"pro_drop": drop}), n=600)
        return sum(word.upos == "PRON" and word.relation == "nsubj" for tree in parsed for word in tree)

    assert pronouns(False) > 20
    assert pronouns(True) == 0


def test_no_space_language_is_written_without_spaces():
    for spaces in (True, False):
        text = "".join(treebank_blocks(make_world(aa={"spaces": spaces}), "aa", "train", 50))
        for block in text.strip().split("\n\n"):
            lines = block.split("\n")
            rows = [line.split("\t") for line in lines if not line.startswith("#")]
            rebuilt = "".join(row[1] + ("" if row[9] == "SpaceAfter=No" else " ") for row in rows).strip()
            assert f"# text = {rebuilt}" in lines
            assert (" " in rebuilt) == (spaces and len(rows) > 2)
            assert all(a[9] == "SpaceAfter=No" for a, b in pairwise(rows) if b[1] == ".")
