"""Reading comprehension: offsets, one right answer, wrong ones of the same class beside it."""

import json
from itertools import product

import numpy as np
import pytest

from crosslingua.corpora.world.concepts import ROLES
from crosslingua.corpora.world.edits import sample_passages
from crosslingua.corpora.world.slots import qa_blocks
from crosslingua.errors import ConfigError
from crosslingua.io.squad import questions, read_squad


def items(world, code, split, n, **options):
    """Return (context, question, answer, offset) of each question."""
    data = json.loads("".join(qa_blocks(world, code, split, n, **options)))
    assert data["version"] == "1.1"
    return [
        (paragraph["context"], qa["question"], answer["text"], answer["answer_start"])
        for article in data["data"] for paragraph in article["paragraphs"]
        for qa in paragraph["qas"] for answer in qa["answers"]
    ]  # fmt: skip


def answering(world, code, split, n, **options):
    """Return the sentences that hold the answers."""
    return {
        context.split(" . ")[context[:start].count(" . ")].removesuffix(" .")
        for context, _, _, start in items(world, code, split, n, **options)
    }


SENTENCES = {"translated": 4, "long": 6, "short": 3}  # of a passage
VARIANTS = [*product(["independent"], ("ana", "cor", "dax", "eno")), *product(SENTENCES, ("ana", "dax"))]


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize(("variant", "code"), VARIANTS)
def test_offsets_point_at_the_answer_in_passages_of_the_variants_length(world, written, variant, code, raw):
    found = items(world, code, "valid", 400, variant=variant, raw=raw)
    assert len(found) == 400
    for context, question, answer, start in found:
        assert answer
        assert context[start : start + len(answer)] == answer
        assert question.endswith("?")
        assert (" " in context) == (not raw or world.family[code].spaces)
        assert variant == "independent" or context.count(".") == SENTENCES[variant]
        assert context.endswith(".")
    articles = read_squad(written(qa_blocks(world, code, "valid", 50, variant=variant, raw=raw)))
    assert len(list(questions(articles))) == 50


def test_questions_are_numbered_and_prefixes_hold(world):
    data = json.loads("".join(qa_blocks(world, "ana", "train", 700)))["data"]
    assert [article["title"] for article in data] == [f"ana-train-{i}" for i in range(700)]
    assert items(world, "ana", "train", 100) == items(world, "ana", "train", 700)[:100]


def test_splits_share_no_answering_sentence(world):
    assert not answering(world, "cor", "train", 800) & answering(world, "cor", "test", 800)


def test_one_event_only_fits_the_question(world):
    """Brute force over events: what is asked of one sentence is said, affirmatively, by no other."""
    rng = world.stream("test")
    passages = sample_passages(world.knowledge, rng, rng.integers(0, world.family.world.topics, 6000))
    assert passages.target.size > 300

    def names(batch, role, i):
        return {int(batch[f"{role}.{part}"][i]) for part in ("head", "second")} - {-1}

    for i in range(300):
        role = ROLES[passages.asked[i]]
        given = [r for r in ROLES if r != role and names(passages.wording, r, i)]
        assert given
        assert not passages.target["negated"][i]
        fitting = [
            other for other in passages.rest
            if other["verb"][i] == passages.target["verb"][i] and not other["negated"][i]
            and all(names(other, r, i) & names(passages.target, r, i) for r in given)
        ]  # fmt: skip
        assert not fitting
        near = [names(other, role, i) for other in passages.rest[:3]]
        assert all(near)
        assert not any(answer & names(passages.target, role, i) for answer in near)


def test_near_misses_have_the_verb_and_the_subject_and_what_is_left_out_is_a_second_candidate(world):
    rng = world.stream("test")
    passages = sample_passages(world.knowledge, rng, rng.integers(0, world.family.world.topics, 6000))
    target, wording, denial = passages.target, passages.wording, passages.rest[0]
    about_others = passages.asked != ROLES.index("subject")
    for near in passages.rest[:3]:
        assert (near["verb"] == target["verb"]).all()
        assert (near["subject.head"] == target["subject.head"])[about_others].all()
    assert denial["negated"].all()
    for place, role in enumerate(ROLES):
        others = passages.asked != place
        assert (denial[f"{role}.head"] == target[f"{role}.head"])[others].all()
    left_out = [(target[f"{role}.head"] >= 0) & (wording[f"{role}.head"] < 0) for role in ROLES]
    assert (np.sum(left_out, axis=0) == 1).all()


def test_questions_say_synonyms_for_words_and_words_for_synonyms(world):
    rng, language = world.stream("test"), world.language("ana")
    passages = sample_passages(world.knowledge, rng, rng.integers(0, world.family.world.topics, 6000))
    alike = passages.target["passive"] == passages.wording["passive"]
    told = [batch.take(alike) for batch in (passages.target, passages.wording)]
    said, asked = (language.tell(batch) for batch in told)
    twice = np.array([a != b for a, b in zip(language.lexicon.words, language.lexicon.second, strict=True)])
    compared = 0
    for key in {*said.keys} & {*asked.keys} - {"end"}:
        ours, theirs = said.keys.index(key), asked.keys.index(key)
        both = (said.form[:, ours] >= 0) & (asked.form[:, theirs] >= 0) & twice[said.concept[:, ours]]
        assert (said.form[both, ours] != asked.form[both, theirs]).all()
        compared += both.sum()
    assert compared > 50


def test_position_says_little_and_wrong_answers_of_the_class_abound(world):
    found = items(world, "ana", "test", 1000)
    places = np.array([context[:start].count(" . ") for context, _, _, start in found])
    assert np.bincount(places, minlength=7).max() < 0.22 * len(found)
    names = [(c, a) for c, _, a, _ in found if a[0].isupper()]
    share = [1 / sum(token[0].isupper() for token in context.split(" ")) for context, _ in names]
    assert len(names) > 200
    assert np.mean(share) < 0.3  # guessing any name


def years(contexts):
    return [sorted(w for w in context.split(" ") if w.isdigit() and len(w) == 4) for context in contexts]


@pytest.mark.parametrize("variant", ["translated", "long"])
def test_questions_of_a_translated_variant_are_the_same_in_every_language(world, variant):
    """Years and names that are spelled alike everywhere stand in both texts, question by question."""
    told = {
        code: json.loads("".join(qa_blocks(world, code, "test", 300, variant=variant)))["data"]
        for code in ("ana", "ber", "dax")
    }
    ids = {code: [article["title"] for article in data] for code, data in told.items()}
    assert ids["ana"] == ids["ber"] == ids["dax"] == [f"{variant}-ana-test-{i}" for i in range(300)]
    paragraphs = {code: [article["paragraphs"][0] for article in data] for code, data in told.items()}
    dated = {code: years(one["context"] for one in found) for code, found in paragraphs.items()}
    assert dated["ana"] == dated["ber"] == dated["dax"]
    assert sum(map(bool, dated["ana"])) > 30  # else nothing was compared

    def place(one):  # which of a passage's sentences holds the answer
        return one["context"][: one["qas"][0]["answers"][0]["answer_start"]].count(" . ")

    places = {code: list(map(place, found)) for code, found in paragraphs.items()}
    assert places["ana"] == places["ber"] == places["dax"]
    assert set(places["ana"]) == set(range(SENTENCES[variant]))


def test_each_language_has_short_questions_of_its_own(world):
    ana, ber = (items(world, code, "test", 200, variant="short") for code in ("ana", "ber"))
    assert years(context for context, *_ in ana) != years(context for context, *_ in ber)
    assert ana != items(world, "ana", "test", 200, variant="translated")


def test_training_questions_share_no_answering_sentence_with_any_test(world):
    train = answering(world, "ana", "train", 600, variant="short")
    for variant in SENTENCES:
        assert not train & answering(world, "ana", "test", 600, variant=variant)


def test_an_unknown_variant_is_refused(world):
    with pytest.raises(ConfigError, match="unknown variant 'shorter': choose one of independent, translated"):
        next(qa_blocks(world, "ana", "train", 10, variant="shorter"))
