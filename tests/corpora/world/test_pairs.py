"""Inference and paraphrase pairs: labels that follow from the events, and no shortcut that gives them away."""

from collections import Counter

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from crosslingua.corpora.world import nli, paraphrase
from crosslingua.corpora.world.concepts import ADJUNCTS
from crosslingua.io.pairs import SentencePair, read_pairs
from crosslingua.tasks import kinds
from crosslingua.tasks.readers import pair_readers

ROLES = ("subject", "object", *ADJUNCTS)
PARTS = ("head", "second", "adjective", "numeral", "modifier", "owner", "adposition", "plural")
KINDS = {"nli": nli.nli_blocks, "paraphrase": paraphrase.paraphrase_blocks}


def rows(blocks):
    header, *lines = [line.split("\t") for line in "".join(blocks).splitlines()]
    return header, lines


def parts(world, kind, code="ana"):
    sizes = {"train": 3000, "test": 1200}
    return {split: rows(KINDS[kind](world, code, split, n))[1] for split, n in sizes.items()}


@pytest.fixture(scope="module", params=["ana", "ber"])  # of languages whose objects have no case
def nli_rows(world, request):
    return parts(world, "nli", request.param)


@pytest.fixture(scope="module")
def paraphrase_rows(world):
    return parts(world, "paraphrase")


@pytest.mark.parametrize("code", ["cor", "dax"])
@pytest.mark.parametrize("kind", KINDS)
def test_format_balance_and_prefix(world, written, kind, code):
    n = 600 if kind == "nli" else 200  # paraphrases of short sentences are rare in cor
    blocks = list(KINDS[kind](world, code, "valid", n))
    header, lines = rows(blocks)
    assert header == (["premise", "hypothesis"] if kind == "nli" else ["sentence1", "sentence2"]) + ["label"]
    counts = Counter(label for *_, label in lines)
    assert len(lines) == n
    assert max(counts.values()) - min(counts.values()) < 0.06 * n
    assert set(counts) == ({"entailment", "neutral", "contradiction"} if kind == "nli" else {"0", "1"})
    assert len(list(read_pairs(written(blocks), kinds.KINDS[kind].pairs))) == n
    assert rows(KINDS[kind](world, code, "valid", 100))[1] == lines[:100]


def test_splits_share_no_premise_or_first_sentence(nli_rows, paraphrase_rows):
    people = {split: {frozenset(row[0].split()) for row in nli_rows[split]} for split in nli_rows}
    assert not people["train"] & people["test"]  # nor one with the same words in another order
    for found in (nli_rows, paraphrase_rows):
        train, test = ({row[0] for row in found[split]} for split in ("train", "test"))
        assert not train & test
    train, test = ({s for row in paraphrase_rows[split] for s in row[:2]} for split in ("train", "test"))
    assert not train & test  # an exchanged sentence is the second one of another pair


def words_score(found, text):
    """Accuracy of a linear model of words and word pairs of `text(row)`."""
    vectoriser = CountVectorizer(token_pattern=r"\S+", ngram_range=(1, 2))
    model = LogisticRegression(C=0.3, max_iter=200)
    model.fit(vectoriser.fit_transform(map(text, found["train"])), [row[2] for row in found["train"]])
    return model.score(vectoriser.transform(map(text, found["test"])), [row[2] for row in found["test"]])


def overlap_score(found):
    """Accuracy of a decision tree that sees lengths, how many words are shared, and how often each word is said."""

    def features(row):
        first, second = (sentence.split(" ") for sentence in row[:2])
        sets = {*first}, {*second}
        repeated = [len(words) - len({*words}) for words in (first, second)]
        shared = [len(sets[0] & sets[1]), len(sets[0] - sets[1]), len(sets[1] - sets[0])]
        return [len(first), len(second), *repeated, *shared]

    model = DecisionTreeClassifier(max_depth=6, random_state=0)
    model.fit([features(row) for row in found["train"]], [row[2] for row in found["train"]])
    return model.score([features(row) for row in found["test"]], [row[2] for row in found["test"]])


def changes(row):
    first, second = (set(sentence.split(" ")) for sentence in row[:2])
    return " ".join([*(f"-{word}" for word in first - second), *(f"+{word}" for word in second - first)])


def test_no_word_count_or_length_tells_the_label_of_inference(nli_rows):
    for text in (
        lambda row: row[1],
        lambda row: row[0],
        lambda row: " ".join([*(f"p{w}" for w in row[0].split()), *(f"h{w}" for w in row[1].split())]),
        lambda row: " ".join(f"both{w}" for w in {*row[0].split()} & {*row[1].split()}),
    ):
        assert words_score(nli_rows, text) < 0.4
    assert overlap_score(nli_rows) < 0.4
    assert words_score(nli_rows, changes) < 0.4  # such as a negation in one of the sentences alone


def places_score(found):
    """Accuracy of the library's reader of places."""
    train, test = ([SentencePair(*row) for row in found[split]] for split in ("train", "test"))
    predicted = dict(pair_readers(train))["places"](test)
    return np.mean([one == pair.label for one, pair in zip(predicted, test, strict=True)])


def test_whoever_finds_the_people_again_in_the_premise_knows_the_label(nli_rows):
    assert places_score(nli_rows) > 0.8
    three = [sorted(row[2] for row in nli_rows["test"][i : i + 3]) for i in range(0, 300, 3)]
    assert three == [sorted(nli.LABELS)] * 100  # a hypothesis of each label for every premise


def test_voice_and_place_of_the_third_person_say_nothing_of_the_label(world):
    rng = world.stream("test")
    topics = rng.integers(0, world.family.world.topics, 4000)
    premise, hypothesis, label = nli.sample_pairs(world.knowledge, rng, topics)
    last = premise.a["object.head"] >= 0
    passive = np.where(last, premise.a["passive"], premise.b["passive"])
    for what in (last, passive, hypothesis.a["passive"], passive ^ hypothesis.a["passive"]):
        shares = [what[label == each].mean() for each in range(3)]
        assert shares == pytest.approx([0.5] * 3, abs=0.03)


def test_a_paraphrase_and_an_adversary_of_each_first_sentence_follow_each_other(paraphrase_rows):
    for first, second in zip(paraphrase_rows["test"][0::2], paraphrase_rows["test"][1::2], strict=True):
        assert first[0] == second[0]
        assert len({first[0], first[1], second[1]}) == 3
        assert {first[2], second[2]} == {"0", "1"}
    first_labels = Counter(row[2] for row in paraphrase_rows["test"][0::2])
    assert min(first_labels.values()) > 0.4 * 600  # in either order


def test_bags_of_words_say_nothing_of_paraphrases_and_places_do(paraphrase_rows):
    assert words_score(paraphrase_rows, lambda row: row[0]) == 0.5  # has both labels
    # what is likely to be said
    assert words_score(paraphrase_rows, lambda row: row[1]) == pytest.approx(0.5, abs=0.05)
    assert words_score(paraphrase_rows, changes) < 0.55
    assert overlap_score(paraphrase_rows) < 0.55
    assert places_score(paraphrase_rows) > 0.8  # what must succeed
    words = [[sentence.split() for sentence in row[:2]] for row in paraphrase_rows["test"]]
    shared = [len({*first} & {*second}) / len({*first} | {*second}) for first, second in words]
    assert np.mean(shared) > 0.5


@pytest.mark.parametrize("code", ["cor", "dax"])
def test_the_order_of_a_free_language_says_nothing_of_who_acts(world, code):
    """A paraphrase of an active clause turns the order of its words, all of them kept, as often as not."""
    language = world.language(code)
    clauses, _, _ = paraphrase.sample_paraphrases(
        world.knowledge, world.stream("test"), np.zeros(3000, np.int64)
    )
    active = ~clauses.a["passive"]
    told = clauses.take(active).tell(language)
    place = told.positions()
    both = (place["a.subject.head"] >= 0) & (place["a.object.head"] >= 0)
    before = (place["a.subject.head"] < place["a.object.head"])[both]
    assert both.sum() > 300
    assert before.mean() == pytest.approx(0.5, abs=0.06)
    fixed = world.language("ana")
    place = clauses.take(active).tell(fixed).positions()
    assert (place["a.subject.head"] < place["a.object.head"]).all()


def test_the_agent_of_a_passive_stands_first_as_often_as_the_language_has_it(world):
    clauses, _, _ = paraphrase.sample_paraphrases(
        world.knowledge, world.stream("test"), np.zeros(3000, np.int64)
    )
    passive = clauses.take(clauses.a["passive"])
    for code in ("ana", "ber", "eno"):
        place = passive.tell(world.language(code)).positions()
        first = place["a.agent.head"] < place["a.subject.head"]
        assert first.mean() == pytest.approx(world.family[code].free_order, abs=0.06)
        assert (place["a.agent.adposition"] < place["a.agent.head"]).all()


def facts(batch, i):
    """What clause i says: role -> (head, adjective, numeral, ...), whatever its voice."""
    names = ["verb", "predicate", "adverb"]
    names += [f"{role}.{part}" for role in ROLES if batch[f"{role}.head"][i] >= 0 for part in PARTS]
    return {name: int(batch[name][i]) for name in names if batch[name][i] >= 0}


def test_nli_labels_follow_from_the_facts(world):
    """An independent reading of the events: who does what to whom in the premise, and what its hypothesis says."""
    rng = world.stream("test")
    topics = rng.integers(0, world.family.world.topics, 500)
    premise, hypothesis, label = nli.sample_pairs(world.knowledge, rng, topics)
    assert Counter(label.tolist()) == Counter(dict.fromkeys(range(3), len(label) // 3))
    for i in range(len(label)):
        main, other, said = (facts(batch, i) for batch in (premise.a, premise.b, hypothesis.a))
        if "object.head" not in main:  # the third person is named first
            main, other = other, main
        people = [main["subject.head"], main["object.head"], other["subject.head"]]
        assert len({*people}) == 3
        assert said["verb"] == main["verb"] != other["verb"]
        claim = said["subject.head"], said["object.head"]
        assert {*claim} < {*people}
        doer, done_to = people[:2]
        wanted = {(doer, done_to): nli.ENTAILMENT, (done_to, doer): nli.CONTRADICTION}
        assert wanted.get(claim, nli.NEUTRAL) == label[i]
    doer = np.where(premise.a["object.head"] >= 0, premise.a["subject.head"], premise.b["subject.head"])
    kept = (hypothesis.a["subject.head"] == doer)[label == nli.NEUTRAL]
    assert 0.15 < kept.mean() < 0.35  # of the four that the premise does not say, each as often


def test_paraphrase_labels_follow_from_the_facts(world):
    rng = world.stream("test")
    topics = rng.integers(0, world.family.world.topics, 1500)
    first, second, label = paraphrase.sample_paraphrases(world.knowledge, rng, topics)
    for i in range(len(label)):
        assert (facts(first.a, i) == facts(second.a, i)) == bool(label[i])
