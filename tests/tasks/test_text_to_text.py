"""Tasks as text: input and output, reading of any answer, and learning."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from cases import slow
from crosslingua.embedders.text_to_text import TextToText
from crosslingua.errors import InputError
from crosslingua.io.conll import TaggedSentence
from crosslingua.io.pairs import SentencePair, write_pairs
from crosslingua.io.squad import Answer
from crosslingua.tasks.kinds import KINDS, score
from crosslingua.tasks.questions import Example
from crosslingua.tasks.scores import UNPARSED
from crosslingua.tasks.settings import FineTuning
from crosslingua.tasks.text_to_text import TextData, TextModel, longest_first, text_model
from crosslingua.tasks.training import fine_tune
from tiny_encoder import write_text_to_text

FAST = FineTuning(lr=3e-3, epochs=30, batch_size=8)
TAGS = {"dog": "NOUN", "cat": "NOUN", "sees": "VERB", "a": "DET", "old": "ADJ"}
ENTITIES = [
    TaggedSentence(("ann", "saw", "paris"), ("B-PER", "O", "B-LOC")),
    TaggedSentence(("we", "left", "new", "york", "now"), ("O", "O", "B-LOC", "I-LOC", "O")),
]
PAIRS = [
    SentencePair("a dog", "dog", "entailment"),
    SentencePair("cat", "a cat", "neutral"),
    SentencePair("old", "a cat sees", "contradiction"),
]


def sentences(number: int, seed: int) -> list[TaggedSentence]:
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(list(TAGS), size=rng.integers(1, 6)).tolist() for _ in range(number)]
    return [TaggedSentence(tuple(words), tuple(TAGS[w] for w in words)) for words in drawn]


def people(number: int, seed: int) -> list[TaggedSentence]:
    """Sentences in which a dog is a person, and an old dog a place."""
    rng = np.random.default_rng(seed)
    tags = {"dog": ("B-PER",), "old dog": ("B-LOC", "I-LOC"), "sees": ("O",)}
    drawn = [rng.choice(list(tags), size=rng.integers(1, 4)).tolist() for _ in range(number)]
    words = [tuple(" ".join(sentence).split()) for sentence in drawn]
    return [TaggedSentence(w, sum((tags[one] for one in s), ())) for w, s in zip(words, drawn, strict=True)]


def asked(question: str, context: str, answer: str, number: int = 0) -> Example:
    return Example(f"q{number}", question, context, (Answer(answer, context.index(answer)),))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return write_text_to_text(tmp_path_factory.mktemp("mt5"), [*TAGS, "who", "ann", "saw", "paris"])


Modelled = tuple[TextModel, TextData]  # a model of a task, and the examples prepared for it


def modelled(folder: Path, kind: str, examples: list, settings: FineTuning = FAST) -> Modelled:
    torch.manual_seed(1)
    model = text_model(KINDS[kind], TextToText.load(folder), examples, settings).eval()
    return model, model.prepare(examples, "en")


def shown(model: TextModel, pieces: list[int]) -> str:
    return model.encoder.tokenizer.decode(pieces, clean_up_tokenization_spaces=False)


def test_a_tagged_sentence_is_read_with_markers_and_its_tags_are_written_behind_them(folder: Path) -> None:
    model, data = modelled(folder, "ner", ENTITIES)
    row = data.rows[0]
    source, target = (" ".join(shown(model, pieces).split()) for pieces in (row.source, row.target))
    assert source == "ner: <extra_id_0> ann <extra_id_1> saw <extra_id_2> paris </s>"
    assert target == "<extra_id_0> B-PER <extra_id_1> O <extra_id_2> B-LOC </s>"


def test_pairs_and_questions_are_put_as_t5_puts_them(folder: Path) -> None:
    for kind, examples, source, target in (
        ("nli", PAIRS[1:], "nli: premise: cat hypothesis: a cat </s>", "neutral </s>"),
        ("qa", [asked("who sees", "ann sees a dog", "ann")],
         "qa: question: who sees context: ann sees a dog </s>", "ann </s>"),
    ):  # fmt: skip
        model, data = modelled(folder, kind, examples)
        row = data.rows[0]
        assert (shown(model, row.source), shown(model, row.target)) == (source, target)


@pytest.mark.parametrize("kind", ["ner", "pos", "nli", "paraphrase", "qa"])
def test_what_is_right_reads_back(folder: Path, kind: str) -> None:
    labels = ("0", "1", "1") if kind == "paraphrase" else [pair.label for pair in PAIRS]
    pairs = [pair._replace(label=label) for pair, label in zip(PAIRS, labels, strict=True)]
    questions = [asked("who", "ann saw", "ann", 0), asked("who saw paris", "a dog saw", "a dog", 1)]
    examples = {"ner": ENTITIES, "pos": sentences(4, 1), "qa": questions}.get(kind, pairs)
    model, data = modelled(folder, kind, examples)
    found = model.form.read_back(data.rows, [row.target[:-1] for row in data.rows], data.counted)
    assert KINDS[kind].task().score(examples, found) == 100
    assert data.report()["unparsed"] == 0
    assert all(len(row.target) <= model.form.most(row.size) for row in data.rows)


_MODELS: dict[str, Modelled] = {}


@given(kind=st.sampled_from(["ner", "pos", "nli", "qa"]), draw=st.data())
def test_whatever_is_written_becomes_predictions_that_can_be_scored(folder: Path, kind: str, draw) -> None:
    examples = {"ner": ENTITIES, "pos": sentences(2, 1), "nli": PAIRS}.get(kind, [asked("who", "ann", "ann")])
    if kind not in _MODELS:
        _MODELS[kind] = modelled(folder, kind, examples)
    (model, data), task = _MODELS[kind], KINDS[kind].task()
    piece = st.integers(0, model.encoder.config.vocab_size - 1)
    written = [draw.draw(st.lists(piece, max_size=12)) for _ in data.rows]
    found = model.form.read_back(data.rows, written, data.counted)
    assert 0 <= task.score(examples, found) <= 100
    if kind in ("ner", "pos"):
        assert [len(tags) for tags in found] == [len(sentence.tokens) for sentence in examples]
        fallback = "O" if kind == "ner" else UNPARSED
        assert {tag for tags in found for tag in tags} <= {*model.labels, fallback}
    elif kind == "nli":
        assert set(found) <= {*model.labels, UNPARSED}


def test_answers_that_are_none_count_as_wrong_and_can_be_scored(folder: Path, tmp_path: Path) -> None:
    model, data = modelled(folder, "nli", PAIRS)
    right = [row.target[:-1] for row in data.rows]
    found = model.form.read_back(data.rows, [right[0], [], right[2] + right[2]], data.counted)
    assert found == ["entailment", UNPARSED, UNPARSED]
    assert data.report()["unparsed"] == 2
    write_pairs(tmp_path / "gold", PAIRS, KINDS["nli"].pairs)
    KINDS["nli"].task().write(tmp_path / "found", PAIRS, found)
    assert score("nli", tmp_path / "gold", tmp_path / "found")["accuracy"] == pytest.approx(100 / 3)


def test_a_tag_belongs_to_its_marker_and_what_is_lost_costs_one_word(folder: Path) -> None:
    model, _ = modelled(folder, "pos", sentences(20, 1))
    data = model.prepare([TaggedSentence(("a", "dog", "sees"), ("DET", "NOUN", "VERB"))], "en")
    target = data.rows[0].target[:-1]
    for written in (
        target[:2] + target[4:],  # the middle is missing
        target[4:] + target[:2],  # in another order
        [*target[:2], target[0], target[5], *target[4:]],  # one is told twice, the first counts
        [*target[5:], *target[:2], *target[4:]],  # there is something before
    ):
        assert model.form.read_back(data.rows, [written], data.counted) == [["DET", UNPARSED, "VERB"]]


def test_long_sentences_are_divided_and_every_word_keeps_its_tag(folder: Path) -> None:
    encoder = TextToText.load(folder)
    encoder.limit(12)
    examples = [*sentences(3, 5), TaggedSentence(("dog",) * 30, ("NOUN",) * 30)]
    examples.append(TaggedSentence(("q" * 40, "dog"), ("DET", "NOUN")))  # a long word
    model = text_model(KINDS["pos"], encoder, examples, FAST)
    data = model.prepare(examples, "en")
    assert max(data.lengths) <= 12
    found = model.form.read_back(data.rows, [row.target[:-1] for row in data.rows], data.counted)
    assert [tuple(tags) for tags in found] == [sentence.labels for sentence in examples]
    assert (data.report()["divided"], data.report()["cut"]) == (2, 1)
    encoder.limit(1000)
    model = text_model(KINDS["pos"], encoder, examples, FAST)
    many = model.prepare([TaggedSentence(("a",) * 230, ("DET",) * 230)], "en").rows
    assert [row.size for row in many] == [100, 100, 30]  # as many as there are markers
    encoder.limit(3)
    with pytest.raises(InputError, match="leaves no room for a word"):
        text_model(KINDS["pos"], encoder, examples, FAST)


def test_what_is_too_long_of_pairs_and_passages_is_cut_and_counted(folder: Path) -> None:
    encoder = TextToText.load(folder)
    encoder.limit(10)
    pairs = [SentencePair("dog " * 7, "cat cat", "neutral"), SentencePair("a", "a", "neutral")]
    questions = [asked("who", "a dog sees a cat ann sees", "ann")]
    for kind, examples, source in (
        ("nli", pairs, "nli: premise: dog dog dog dog hypothesis: cat cat </s>"),
        ("qa", questions, "qa: question: who context: a dog sees a cat </s>"),
    ):
        model = text_model(KINDS[kind], encoder, examples, FAST)
        data = model.prepare(examples, "en")
        assert (shown(model, data.rows[0].source), data.report()["cut"]) == (source, 1)


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20))
def test_the_longer_sentence_is_cut_first(first: int, second: int, room: int) -> None:
    known = [first, second]
    while sum(known) > room:
        known[known.index(max(known))] -= 1
    found = longest_first(first, second, room)
    assert sum(found) == sum(known)
    assert max(abs(found[0] - known[0]), abs(found[1] - known[1])) <= 1


def test_labels_that_a_tokenizer_cannot_spell_become_pieces(tmp_path: Path) -> None:
    """Of capitals it makes the unknown piece."""
    write_text_to_text(tmp_path, ["a", "b"], sentinels=3)
    model, _ = modelled(tmp_path, "pos", [TaggedSentence(("a", "b"), ("X", "Y"))])
    assert {"X", "Y"} <= model.encoder.tokenizer.get_added_vocab().keys()
    assert model.encoder.tokenizer.convert_tokens_to_ids("<extra_id_99>") != 2  # so do markers
    assert model.encoder.model.get_output_embeddings().weight.shape[0] == len(model.encoder.tokenizer)


@pytest.mark.parametrize("kind", ["mt5", "t5"])
def test_greedy_writing_and_the_loss_are_hugging_faces(tmp_path: Path, kind: str) -> None:
    encoder = TextToText.load(write_text_to_text(tmp_path, list(TAGS), kind)).eval()
    with torch.no_grad():  # decided, so that rounding changes no piece, and different from row to row
        encoder.model.shared.weight.mul_(4)
    model = text_model(KINDS["pos"], encoder, sentences(6, 2), FAST).eval()
    data, rows = model.prepare(sentences(6, 2), "en"), np.arange(6)
    inputs = encoder._inputs(data.sources, rows)
    plainly = {"max_new_tokens": 15, "do_sample": False, "num_beams": 1, "use_cache": False}
    expected = encoder.model.generate(**inputs, **plainly)[:, 1:].tolist()
    found = encoder.write(data.sources, rows, 15)
    assert len({tuple(pieces) for pieces in found}) > 1
    assert found == [encoder._until_end(pieces) for pieces in expected]
    assert found == [encoder.write(data.sources, rows[i : i + 1], 15)[0] for i in rows]
    labels = torch.from_numpy(data.targets.padded(rows, -100))
    torch.testing.assert_close(model.loss(data, rows), encoder.model(**inputs, labels=labels).loss)
    encoder.end = -1  # no row ends
    whole = encoder.write(data.sources, rows, 15)
    for end in {piece for pieces in whole for piece in pieces}:  # rows that end at different steps, or never
        encoder.end = end
        assert encoder.write(data.sources, rows, 15) == [encoder._until_end(pieces) for pieces in whole]


@pytest.mark.parametrize("kind", ["pos", slow("ner"), "nli", slow("paraphrase"), "qa"])
def test_a_tiny_model_learns_every_form_by_heart(folder: Path, kind: str) -> None:
    rng = np.random.default_rng(1)
    starts = {"dog": "entailment", "cat": "neutral", "old": "contradiction"}
    pairs = [SentencePair(w, rng.choice(list(TAGS)), starts[w]) for w in rng.choice(list(starts), 32)]
    names = rng.choice(["dog", "cat", "ann", "paris"], 32)
    questions = [asked("who", f"a {name} sees", str(name), i) for i, name in enumerate(names)]
    alike = [pair._replace(label="1" if pair.label == "neutral" else "0") for pair in pairs]
    tagged = {"pos": sentences(32, 1), "ner": people(32, 1)}
    examples = (tagged | {"nli": pairs, "paraphrase": alike, "qa": questions})[kind]
    settings, task = replace(FAST, epochs=40 if kind in tagged else 30, batch_size=4), KINDS[kind].task()
    model, data = modelled(folder, kind, examples, settings)
    report = fine_tune(model, data, lambda: task.score(examples, model.predict(data)), settings, 1)
    assert max(epoch["validation"] for epoch in report["epochs"]) >= 98, report["epochs"][-1]
    assert task.score(examples, model.predict(data)) >= 98


def test_an_output_layer_of_its_own_as_published_mt5_has_stays(tmp_path: Path) -> None:
    """transformers ties it to the embeddings by default."""
    path = write_text_to_text(tmp_path, sentinels=3) / "model.safetensors"
    weights = load_file(path)
    head = torch.randn_like(weights["shared.weight"])
    save_file(weights | {"lm_head.weight": head}, path, metadata={"format": "pt"})
    model = modelled(tmp_path, "pos", [TaggedSentence(("a", "b"), ("X", "Y"))])[0].encoder.model
    assert torch.equal(model.lm_head.weight[: len(head)], head)
    assert torch.equal(model.shared.weight[: len(head)], weights["shared.weight"])
    assert len(model.lm_head.weight) == len(model.shared.weight) > len(head)
    assert not torch.equal(model.lm_head.weight[len(head) :], model.shared.weight[len(head) :])
