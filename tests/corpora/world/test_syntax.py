"""Word order and morphology in trees and words; labelled sentences, and the trees beside them."""

import json
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics import accuracy_score, f1_score

from corpora.world.support import make_world, memorise, parse_conll, parse_conllu, read_context, sentences_of
from crosslingua.corpora.derived.syntax import is_projective
from crosslingua.corpora.world.concepts import INTENTS, LABELS
from crosslingua.corpora.world.dependencies import Trees, bio, conll, ner_blocks, treebank_blocks
from crosslingua.corpora.world.lexicon import CASE_ID, noun_feature, verb_feature
from crosslingua.corpora.world.nli import nli_blocks
from crosslingua.corpora.world.paraphrase import paraphrase_blocks
from crosslingua.corpora.world.slots import qa_blocks, slot_blocks
from crosslingua.corpora.world.text import text_blocks
from crosslingua.errors import ConfigError
from crosslingua.io.conll import read_conll
from crosslingua.io.conllu_trees import read_conllu

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
CODES = ("ana", "cor", "dax")
UPOS = {
    "NOUN", "VERB", "ADJ", "ADV", "PROPN", "DET", "ADP", "NUM", "PRON", "AUX", "CCONJ", "SCONJ", "PART", "PUNCT",
}  # fmt: skip


def trees(world, code="aa", n=250):
    return parse_conllu("".join(treebank_blocks(world, code, "train", n)))


def sides(parsed, relation, heads=None):
    """On which side of its head each word of `relation` stands: -1 before, 1 after."""
    return {
        1 if i + 1 > word.head else -1
        for tree in parsed for i, word in enumerate(tree)
        if word.relation == relation and (heads is None or tree[word.head - 1].upos in heads)
    }  # fmt: skip


@settings(max_examples=25)
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
    for node in range(1, len(heads) + 1):
        for _ in heads:
            node = node and heads[node - 1]
        if node:
            return False
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

    assert 0 == first(0.0) < first(0.4) < first(1.0)
    assert first(1.0) > 0.7  # a date in a second clause cannot come first


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


def ner(world, code, split, n):
    return parse_conll("".join(ner_blocks(world, code, split, n)))


def slots(world, code, split, n, **options):
    return parse_conll("".join(slot_blocks(world, code, split, n, **options)))


def pos(world, code, split, n):
    trees = parse_conllu("".join(treebank_blocks(world, code, split, n)))
    return [[(word.form, word.upos) for word in tree] for tree in trees]


def labels(sentences):
    return [[label for _, label in sentence] for sentence in sentences]


def test_bio_begins_where_sentence_span_or_kind_changes():
    kind, span, row = np.array([[1, 1, 1, 2, 0, 2, 2], [0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 1]])
    assert bio(kind, span, row, ["X", "Y"]).tolist() == ["B-X", "I-X", "B-X", "B-Y", "O", "B-Y", "B-Y"]


def test_conll_lines():
    words, tags = np.array(["a", "b", "c"], object), np.array(["O", "B-X", "O"], object)
    lines = conll(words, tags, np.array([2, 1]), ["k = 1", "k = 2"])
    assert lines == "# k = 1\na\tO\nb\tB-X\n\n# k = 2\nc\tO\n\n"


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("kind", [ner_blocks, slot_blocks])
def test_the_library_reads_tagged_data(world, written, kind, code):
    text = "".join(kind(world, code, "valid", 600))
    sentences = list(read_conll(written([text])))
    assert len(sentences) == 600
    assert [list(sentence.labels) for sentence in sentences] == labels(parse_conll(text))


@pytest.mark.parametrize("code", CODES)
def test_the_library_reads_trees(world, written, code):
    assert len(list(read_conllu(written(treebank_blocks(world, code, "valid", 300))))) == 300


@pytest.mark.parametrize("draw", [ner, pos, slots])
def test_splits_share_no_sentence_and_are_prefixes(world, draw):
    parts = {split: draw(world, "ber", split, 2500) for split in ("train", "valid", "test")}
    sets = {split: sentences_of(part) for split, part in parts.items()}
    assert all(len(part) == 2500 for part in parts.values())
    assert all(one.isdisjoint(other) for one, other in combinations(sets.values(), 2))
    assert draw(world, "ber", "test", 300) == parts["test"][:300]


def test_unknown_split_or_variant_is_refused(world):
    with pytest.raises(ConfigError, match="train, valid, test"):
        next(ner_blocks(world, "ana", "dev", 10))
    with pytest.raises(ConfigError, match="translated, independent"):
        next(slot_blocks(world, "ana", "test", 10, variant="parallel"))


@pytest.mark.slow
@pytest.mark.parametrize("code", CODES)
def test_ner_is_learnt_from_context_not_by_heart(world, code):
    train, test = ner(world, code, "train", 2500), ner(world, code, "test", 600)
    gold = labels(test)
    kinds = Counter(label[2:] for sentence in gold for label in sentence if label.startswith("B-"))
    assert set(kinds) == {"PER", "LOC", "ORG", "MISC"}
    assert min(kinds.values()) > 0.05 * kinds.total()
    by_heart = f1_score(gold, memorise(train, test, "O"))
    assert by_heart < 0.45
    assert f1_score(gold, read_context(train, test)) > by_heart + 0.12


@pytest.mark.parametrize(("code", "share"), [("ana", 0.9), ("dax", 0.0)])
def test_capitals_tell_no_names_in_headlines(world, code, share):
    """Of words that are no names, capitals are as frequent as headlines among the sentences; dax has no capitals."""
    concepts = world.concepts
    nouns = {world.lexicon(code).words[c] for name in concepts.nouns for c in concepts.nouns[name]}
    found = [
        word[0].isupper()
        for sentence in ner(world, code, "test", 600) for word, label in sentence
        if label == "O" and word[0].lower() + word[1:] in nouns
    ]  # fmt: skip
    assert len(found) > 200
    assert np.mean(found) == pytest.approx(share, abs=0.05)


def test_most_names_of_the_test_are_new_and_some_are_ambiguous(world):
    def names(split):
        tagged = ner(world, "ana", split, 2500)
        return {(token, tag[2:]) for sentence in tagged for token, tag in sentence if tag.startswith("B-")}

    train, test = names("train"), names("test")
    seen = {token for token, _ in train}
    assert np.mean([token not in seen for token, _ in test]) > 0.4
    kinds = Counter(token for token, _ in train)
    assert np.mean([count > 1 for count in kinds.values()]) > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("code", CODES)
def test_parts_of_speech_are_learnt_from_context_not_by_heart(world, code):
    train, test = pos(world, code, "train", 2000), pos(world, code, "test", 500)
    gold = labels(test)
    assert {label for sentence in gold for label in sentence} <= UPOS
    by_heart = accuracy_score(gold, memorise(train, test, "NOUN"))
    assert by_heart < 0.93
    assert accuracy_score(gold, read_context(train, test)) > by_heart + 0.02


def test_slots_are_learnt_from_context_not_by_heart(world):
    train, test = slots(world, "ana", "train", 2000), slots(world, "ana", "test", 500)
    gold = labels(test)
    by_heart = f1_score(gold, memorise(train, test, "O"))
    assert by_heart < 0.7
    assert f1_score(gold, read_context(train, test)) > by_heart + 0.2
    assert {label[2:] for sentence in gold for label in sentence if label != "O"} == set(LABELS)


def intents(world, code, split, n, **options):
    text = "".join(slot_blocks(world, code, split, n, **options))
    return [line.removeprefix("# intent = ") for line in text.splitlines() if line.startswith("# ")]


def test_intents_cover_five_domains_and_follow_no_majority(world):
    found = Counter(intents(world, "ana", "train", 2000))
    assert set(found) == {intent.name for intent in INTENTS}
    assert len({intent.domain for intent in INTENTS}) == 5
    assert found.most_common(1)[0][1] < 0.25 * found.total()


def spans(sentence):
    return Counter(label[2:] for _, label in sentence if label.startswith("B-"))


def test_translated_commands_are_parallel_and_independent_ones_are_not(world):
    def of(code, variant):
        kinds, tagged = (made(world, code, "test", 400, variant=variant) for made in (intents, slots))
        return list(zip(kinds, map(spans, tagged), strict=True))

    assert of("ana", "translated") == of("cor", "translated") == of("dax", "translated")
    same = [a == b for a, b in zip(of("ana", "independent"), of("cor", "independent"), strict=True)]
    assert np.mean(same) < 0.3


def test_habits_differ_where_the_domain_is_shifted(world):
    def shares(code):
        found = Counter(intents(world, code, "train", 2000))
        return np.array([found[intent.name] / 2000 for intent in INTENTS])

    assert np.abs(shares("dax") - shares("ana")).sum() > np.abs(shares("ana") - 1 / len(INTENTS)).sum() + 0.1


def tagged(text):
    return [" ".join(token for token, _ in sentence) for sentence in parse_conll(text)]


def pairs(text):
    return [sentence for line in text.splitlines()[1:] for sentence in line.split("\t")[:2]]


KINDS = {
    "text": (text_blocks, str.splitlines), "ner": (ner_blocks, tagged), "slots": (slot_blocks, tagged),
    "nli": (nli_blocks, pairs), "paraphrase": (paraphrase_blocks, pairs),
}  # fmt: skip


def with_trees(written, make, world, code, n):
    """The data and the trees, made together; the data without trees is the same."""
    found: list[str] = []
    arguments = (world, code, n) if make is text_blocks else (world, code, "train", n)
    text = "".join(make(*arguments, trees=Trees(found.append, "x")))
    assert text == "".join(make(*arguments))
    return text, list(read_conllu(written(found)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("code", CODES)
def test_trees_are_those_of_the_sentences_in_their_order(world, written, kind, code):
    make, sentences = KINDS[kind]
    sizes = {"text": 5000, "paraphrase": 300}  # of short sentences in other words cor has few
    text, trees = with_trees(written, make, world, code, sizes.get(kind, 1500))
    assert [" ".join(tree.forms) for tree in trees] == sentences(text)
    for tree in trees:  # that heads make a tree is the reader's own check
        assert tree.heads.count(0) == 1
        assert [relation == "root" for relation in tree.relations] == [head == 0 for head in tree.heads]
    assert sum(map(is_projective, trees)) > 0.9 * len(trees)
    assert len({tree.comments["sent_id"] for tree in trees}) == len(trees)


@pytest.mark.parametrize("code", ["ana", "dax"])
def test_trees_of_passages_and_questions(world, written, code):
    text, trees = with_trees(written, qa_blocks, world, code, 100)
    paragraphs = [article["paragraphs"][0] for article in json.loads(text)["data"]]
    size = len(trees) // len(paragraphs)
    for number, paragraph in enumerate(paragraphs):
        *passage, question = [" ".join(tree.forms) for tree in trees[number * size : (number + 1) * size]]
        assert question == paragraph["qas"][0]["question"]
        assert Counter(" ".join(passage).split()) == Counter(paragraph["context"].split())
        assert all(sentence in paragraph["context"] for sentence in passage)


def test_a_premise_hangs_together_as_its_grammar_says(world, written):
    """Of the English-like language: articles before their nouns, subjects of the verb, the full stop of the root."""
    _, trees = with_trees(written, nli_blocks, world, "ana", 300)
    for tree in trees:
        root = tree.heads.index(0) + 1
        assert tree.heads[-1] == root
        assert tree.upos[root - 1] in ("VERB", "ADJ")
        for place, (head, relation) in enumerate(zip(tree.heads, tree.relations, strict=True), 1):
            if relation == "det":
                assert place < head
                assert tree.upos[head - 1] == "NOUN"
            if relation.startswith("nsubj"):
                assert head == root or tree.relations[head - 1] == "conj"  # of the second clause
