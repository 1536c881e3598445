import json
import unicodedata
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.embedders.encoder import Encoder
from crosslingua.encoders.tokenizer_training import count_words, make_tokenizer, save_tokenizer, train_bpe
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.squad import Answer, Article, Paragraph, Question, write_squad
from crosslingua.tasks import questions
from crosslingua.tasks.kinds import KINDS, score
from crosslingua.tasks.questions import Candidate, Example, TextPieces, whole_characters, windows
from crosslingua.tasks.settings import FineTuning
from crosslingua.tasks.training import fine_tune
from tiny_encoder import write_encoder

QA = KINDS["qa"].task()
WORDS = ("dog", "cat", "sees", "the", "old", "where", "who")
SETTINGS = FineTuning(lr=5e-3, epochs=30, batch_size=8, stride=8, answer_length=4, max_length=40)


def example(context: str, answer: str, question: str = "who", name: str = "1") -> Example:
    return Example(name, question, context, (Answer(answer, context.index(answer)),))


def test_the_loss_is_that_of_hugging_faces_model(folder: Path, encoder: Encoder) -> None:
    from transformers import RobertaForQuestionAnswering

    examples = [example("the old dog sees", "old dog"), example("dog cat the cat", "cat")]  # of one length
    model = QA.model(encoder, examples, SETTINGS).eval()
    theirs = RobertaForQuestionAnswering.from_pretrained(folder).eval()
    theirs.roberta.load_state_dict(encoder.model.state_dict())
    theirs.qa_outputs.load_state_dict(model.scores.state_dict())
    inputs = encoder.tokenizer(["who"] * 2, [one.context for one in examples], return_tensors="pt")
    begin = 1 + 1 + 2  # <s> who </s> </s>
    places = torch.tensor([[begin + 1, begin + 2], [begin + 1, begin + 1]])
    expected = theirs(**inputs, start_positions=places[:, 0], end_positions=places[:, 1]).loss
    data = model.prepare(examples, "en")
    assert data.places.tolist() == places.tolist()
    assert torch.allclose(model.loss(data, np.arange(2)), expected, atol=1e-6)


def test_questions_are_learnt_to_the_last_one(folder: Path) -> None:
    """`who` asks for the dog and `where` for the cat of a passage, which may be longer than a window."""
    rng, examples = np.random.default_rng(1), []
    for number in range(96):
        size = 45 if number % 8 == 0 else int(rng.integers(3, 12))
        words = rng.choice(["sees", "old", "the"], size).tolist()
        places = rng.choice(len(words), 2, replace=False).tolist()
        question, answer = [("who", "dog"), ("where", "cat")][number % 2]
        words[places[0]], words[places[1]] = "dog", "cat"
        examples.append(example(" ".join(words), answer, question, str(number)))
    torch.manual_seed(1)
    encoder = Encoder.load(folder)
    encoder.limit(40)
    model = QA.model(encoder, examples, SETTINGS)
    data = model.prepare(examples, "en")
    assert (data.report()["long_passages"], data.report()["lost_answers"]) == (12, 0)
    fine_tune(model, data, lambda: QA.score(examples, model.predict(data)), SETTINGS, 1)
    assert QA.score(examples, model.predict(data)) > 97


def test_what_does_not_fit_is_counted(encoder: Encoder) -> None:
    encoder.limit(16)
    settings = replace(SETTINGS, question_length=4, stride=3)
    examples = [
        example("dog", "dog", "who " * 30, "long question"),
        example("the " * 30 + "dog", "dog", "who", "long passage"),
        example("the dogcat sees", "dogca", "who", "split answer"),
        example("the " * 4 + "dog " * 12 + "the", ("dog " * 12).strip(), "who", "longer than a window"),
    ]
    model = QA.model(encoder, examples, settings).eval()
    data = model.prepare(examples, "en")
    counts = {"questions": 4, "cut_questions": 1, "long_passages": 2, "split_answers": 0, "lost_answers": 1}
    assert data.report().items() >= counts.items()
    assert max(data.lengths) <= 16
    found = model.predict(data)
    assert len(found) == 4
    assert all(text and text in one.context for text, one in zip(found, examples, strict=True))


def test_an_answer_that_pieces_split_is_counted(encoder: Encoder) -> None:
    examples = [example("the dogs see", "og", "who")]
    data = QA.model(encoder, examples, SETTINGS).prepare(examples, "en")
    assert encoder.tokenizer.tokenize("dogs") == ["dog", "##s"]
    assert data.report()["split_answers"] == 1
    assert data.places[0].tolist() == [5, 5]


def test_a_passage_of_nothing_has_no_answer(encoder: Encoder) -> None:
    model = QA.model(encoder, [], SETTINGS).eval()
    data = model.prepare([Example("1", "who", " ", ()), Example("2", "who", "dog", ())], "en")
    assert model.predict(data) == ["", "dog"]


def test_predictions_depend_on_neither_order_nor_batch(encoder: Encoder) -> None:
    torch.manual_seed(3)
    texts = ["dog", "the cat sees " * 9, "old dog", "sees the " * 20, "cat sees"]
    examples = [Example(str(n), "who the", text, ()) for n, text in enumerate(texts)]
    model = QA.model(encoder, examples, SETTINGS).eval()
    together = model.predict(model.prepare(examples, "en"))
    assert together == [model.predict(model.prepare([one], "en"))[0] for one in examples]
    assert together[::-1] == model.predict(model.prepare(examples[::-1], "en"))


def squad(path: Path, *answers: tuple[str, ...]) -> Path:
    paragraphs = []
    for n, right in enumerate(answers):
        text = " | ".join(right)
        question = Question(str(n), "who", tuple(Answer(a, text.index(a)) for a in right))
        paragraphs.append(Paragraph(text, (question,)))
    write_squad(path, [Article("t", tuple(paragraphs))])
    return path


def test_a_file_of_predictions_is_scored_by_hand(tmp_path: Path) -> None:
    gold = squad(tmp_path / "gold", ("the red car",), ("die große Stadt", "Wien"), ("北京市",), ("red car",))
    found = {"0": "red car", "1": "der großen Stadt", "2": "北京", "3": ""}
    (tmp_path / "found").write_text(json.dumps(found), encoding="utf-8")
    scores = score("qa", gold, tmp_path / "found")
    assert (scores["em"], scores["questions"], scores["empty"]) == (25, 4, 1)
    assert scores["f1"] == pytest.approx(100 * (1 + 1 / 3 + 0 + 0) / 4)
    assert np.mean(scores["per_sentence"]) == pytest.approx(scores["f1"])
    assert scores["majority"] == pytest.approx(50)  # "red car", twice the most frequent
    assert "em_mlqa" not in scores
    german = score("mlqa", gold, tmp_path / "found", "de")
    # "die" and "der" go, "the" stays
    assert german["f1_mlqa"] == pytest.approx(100 * (0.8 + 0.5 + 0 + 0) / 4)
    assert score("mlqa", gold, tmp_path / "found", "zh")["per_question"]["f1_mlqa"][2] == pytest.approx(80)
    assert german["signature"] == "squad1.1|mlqa=de"


@pytest.mark.parametrize(("content", "message"), [
    ('{"0": "a"}', "no prediction of 1"),
    ('{"0": "a", "1": "b", "2": "c"}', "question that .* lacks, 2"),
    ("[]", "no predictions of SQuAD"),
])  # fmt: skip
def test_predictions_of_other_questions_are_refused(tmp_path: Path, content: str, message: str) -> None:
    gold = squad(tmp_path / "gold", ("a",), ("b",))
    (tmp_path / "found").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        score("qa", gold, tmp_path / "found")


# Latin with a combining mark, right to left with points, full width, Devanagari, an emoji family, Hangul
WORDS_PASSAGES = [
    "casa", "e\u0301te\u0301", "שָׁלוֹם", "مُحَمَّد", "ＦＵＬＬ", "１２３", "क्षत्रिय", "👨‍👩‍👧", "👍🏽", "한국어", "日本", "x",
]  # fmt: skip


@pytest.fixture(scope="module")
def tokenisers(tmp_path_factory) -> dict[str, object]:
    from transformers import AutoTokenizer

    folder = tmp_path_factory.mktemp("tokenisers")
    (folder / "text").write_text(" ".join(WORDS_PASSAGES) + "\n", encoding="utf-8")
    vocabulary = train_bpe(count_words([folder / "text"]), 400)
    save_tokenizer(folder / "own", make_tokenizer(vocabulary["vocab"], vocabulary["merges"]))
    return {
        "own": AutoTokenizer.from_pretrained(folder / "own"),
        "letters": AutoTokenizer.from_pretrained(write_encoder(folder / "letters", ["casa"])),
        "sentencepiece": _sentencepiece(),
    }


def _sentencepiece():
    """A tokeniser as XLM-R's: compatibility forms are normalised, spaces are part of pieces."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    letters = sorted({c for word in WORDS_PASSAGES for c in unicodedata.normalize("NFKC", word)})
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0), ("▁casa", -3.0)]
    pieces += [(letter, -4.0) for letter in letters if letter != "▁"]
    backend = Tokenizer(models.Unigram(pieces, unk_id=3))
    backend.normalizer = normalizers.NFKC()
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=backend, bos_token="<s>", eos_token="</s>", cls_token="<s>", sep_token="</s>",
        pad_token="<pad>", unk_token="<unk>",
    )  # fmt: skip


class Slow:
    """A tokeniser that tells no offsets."""

    is_fast = False

    def __init__(self, fast):
        self.fast, self.unk_token_id = fast, fast.unk_token_id
        self.added_tokens_decoder = fast.added_tokens_decoder

    def __call__(self, words, **kwargs):
        return self.fast(words, **kwargs)


MARKS = "\u0301\u0308\u0323\u093f\u094d\u0e35\u0e48\u05b7\u064f\u20e3\ufe0f"
EMOJI = "👍👩👧😀🇩🏽\u200d"
FULL_WIDTH = "ＡｂＺ１９！（ﾊﾟｶﾞ"
FORMS = "ﬁ①½ﷺ㎏…İßǅ가ᄀ각"  # some that NFKC writes as several characters, or several as one
SKINS = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
STARTS = st.one_of(
    st.sampled_from("ab,.-ऋกשم中" + FULL_WIDTH + FORMS + "👍👩😀"),
    st.characters(categories=["L", "N", "P", "S"], exclude_characters=SKINS),
)
FOLLOWERS = st.one_of(STARTS, st.sampled_from(MARKS + EMOJI), st.characters(categories=["M"]))
RANDOM_WORD = st.builds(str.__add__, STARTS, st.text(FOLLOWERS, max_size=6))


@settings(max_examples=150)
@given(
    words=st.lists(st.one_of(RANDOM_WORD, st.sampled_from(WORDS_PASSAGES)), min_size=1, max_size=10),
    name=st.sampled_from(["own", "letters", "sentencepiece", "slow"]),
    data=st.data(),
)
def test_spans_of_random_text_come_back_through_their_pieces(tokenisers, words, name, data) -> None:
    """Words to the character; a part of a word with what its pieces and characters have besides, and no other word."""
    gaps = data.draw(st.lists(st.sampled_from([" ", "  "]), min_size=len(words), max_size=len(words)))
    before = data.draw(st.sampled_from(["", " "]))
    text = before + "".join(map(str.__add__, words, gaps))
    pieces = TextPieces(Slow(tokenisers["own"]) if name == "slow" else tokenisers[name])([text])[0]
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    begin = len(before + "".join(map(str.__add__, words[:first], gaps)))
    end = len(before + "".join(map(str.__add__, words[:last], gaps)) + words[last])
    assert brought_back(text, pieces, begin, end) == (begin, end)
    part = sorted(data.draw(st.tuples(*[st.integers(begin, end)] * 2), label="part"))
    if text[slice(*part)].strip():
        start, stop = brought_back(text, pieces, *part)
        assert begin <= start < stop <= end
        assert text[slice(*part)].strip() in text[start:stop]
        assert not {unicodedata.category(char)[0] for char in (text[start], (text + " ")[stop])} & {"M"}


def brought_back(text: str, pieces: questions.LocatedPieces, start: int, end: int) -> tuple[int, int]:
    """Return the whole characters of the pieces that cover a span."""
    place = questions.answer_pieces(Example("1", "who", text, (Answer(text[start:end], start),)), pieces)
    assert place is not None
    return whole_characters(text, *pieces.characters(*place[:2]))


def test_part_of_a_word_is_widened_to_its_pieces_and_to_whole_characters(tokenisers) -> None:
    text = "e\u0301te\u0301 casa"
    assert TextPieces(tokenisers["letters"])([text])[0].covering(5, 5) is None
    for tokeniser in tokenisers.values():  # a mark alone brings its letter back
        start, stop = brought_back(text, TextPieces(tokeniser)([text])[0], 1, 2)
        assert (start, stop >= 2) == (0, True)
    assert whole_characters(text, 0, 1) == (0, 2)
    assert whole_characters(text, 1, 3) == (0, 3)
    assert whole_characters("👨‍👩‍👧 x", 0, 1) == (0, 5)
    assert whole_characters("a👍🏽", 1, 2) == (1, 3)
    assert whole_characters("क्षत्रिय", 0, 1) == (0, 2)  # the vowel sign or virama stays with its letter
    assert whole_characters("ab", 1, 2) == (1, 2)


@given(length=st.integers(0, 400), room=st.integers(2, 100), stride=st.integers(1, 200))
def test_windows_cover_a_passage_and_overlap(length: int, room: int, stride: int) -> None:
    found = windows(7, length, room, stride)
    assert found[0].start == 0
    assert found[-1].stop == length
    assert all(w.question == 7 and w.stop - w.start <= room for w in found)
    for one, other in pairwise(found):
        assert one.start < other.start <= one.stop
        assert other.start - one.start == min(stride, max(1, room // 2))
        assert one.stop - one.start == room
    assert len(found) == 1 or length > room


def test_a_frame_is_what_the_tokeniser_makes_of_a_pair(tokenisers) -> None:
    tokeniser = tokenisers["letters"]
    frame = questions.QuestionFrame.of(tokeniser, 20, 64)
    question, passage = (tokeniser(t, add_special_tokens=False)["input_ids"] for t in ("casa", "abc casa"))
    joined = frame.join(np.array(question), np.array(passage))
    assert joined.tolist() == tokeniser("casa", "abc casa")["input_ids"]
    assert joined[frame.offset(len(question))] == passage[0]
    assert frame.room(len(question)) == 20 - 4 - len(question)
    assert frame.question_length == 10  # half of a window is left for the passage
    with pytest.raises(ConfigError, match="max_length is 5: no room for a passage"):
        questions.QuestionFrame.of(tokeniser, 5, 64)


@given(length=st.integers(1, 60), room=st.integers(2, 30), stride=st.integers(1, 15))
def test_each_piece_belongs_to_one_window_with_most_context(length: int, room: int, stride: int) -> None:
    found = windows(0, length, room, stride)
    owned = questions.widest_context(found)
    for piece in range(length):
        owners = [n for n, w in enumerate(found) if w.start <= piece < w.stop and owned[n][piece - w.start]]
        sides = {n: (piece - w.start, w.stop - 1 - piece) for n, w in enumerate(found)}
        scores = {n: min(both) + sum(both) / 100 for n, both in sides.items() if min(both) >= 0}
        assert owners == [max(scores, key=scores.get)]  # the first of equal ones


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 10_000))
def test_the_best_span_is_that_of_all_pairs(length: int, longest: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    starts, ends = rng.normal(size=(2, length))
    allowed = rng.random(length) < 0.7
    found = questions.candidates(starts, ends, allowed, 100, 50, longest)
    spans = [(i, j) for i in range(length) if allowed[i] for j in range(i, min(length, i + longest))]
    every = [(starts[i] + ends[j], 100 + i, 100 + j) for i, j in spans]
    assert [(c.first, c.last) for c in found] == [(i, j) for _, i, j in sorted(every, reverse=True)][:50]


def test_the_best_span_of_all_windows_is_the_first_of_equals() -> None:
    found = [Candidate(1.0, 3, 4), Candidate(1.5, 0, 1), Candidate(1.5, 0, 0), Candidate(2.0, 3, 4)]
    assert questions.best_of(found) == Candidate(2.0, 3, 4)
    assert questions.best_of(found[:3]) == Candidate(1.5, 0, 0)
