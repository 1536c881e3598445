import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.encoders.tokenizer_training import count_words, make_tokenizer, save_tokenizer, train_bpe
from crosslingua.errors import ConfigError
from crosslingua.tasks.questions import LocatedPieces, QuestionFrame, TextPieces, whole_characters, windows
from tiny_encoder import write_encoder

# Latin with a combining mark, right to left with points, full width, Devanagari, an emoji family, Hangul
WORDS = [
    "casa",
    "e\u0301te\u0301",
    "שָׁלוֹם",
    "مُحَمَّد",
    "ＦＵＬＬ",
    "１２３",
    "क्षत्रिय",
    "👨‍👩‍👧",
    "👍🏽",
    "한국어",
    "日本",
    "x",
]


@pytest.fixture(scope="module")
def tokenisers(tmp_path_factory) -> dict[str, object]:
    from transformers import AutoTokenizer

    folder = tmp_path_factory.mktemp("tokenisers")
    (folder / "text").write_text(" ".join(WORDS) + "\n", encoding="utf-8")
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

    letters = sorted({c for word in WORDS for c in unicodedata.normalize("NFKC", word)})
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0), ("▁casa", -3.0)]
    backend = Tokenizer(
        models.Unigram(pieces + [(letter, -4.0) for letter in letters if letter != "▁"], unk_id=3)
    )
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

    def __call__(self, words, **kwargs):
        return self.fast(words, **kwargs)


MARKS = "\u0301\u0308\u0323\u093f\u094d\u0e35\u0e48\u05b7\u064f\u20e3\ufe0f"
EMOJI = "👍👩👧😀🇩🏽\u200d"
FULL_WIDTH = "ＡｂＺ１９！（ﾊﾟｶﾞ"
FORMS = "ﬁ①½ﷺ㎏…İßǅ가ᄀ각"  # some that NFKC writes as several characters, or several as one
STARTS = st.one_of(
    st.sampled_from("ab,.-ऋกשم中" + FULL_WIDTH + FORMS + "👍👩😀"),
    st.characters(
        categories=["L", "N", "P", "S"],
        exclude_characters="\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff",
    ),
)
FOLLOWERS = st.one_of(STARTS, st.sampled_from(MARKS + EMOJI), st.characters(categories=["M"]))
RANDOM_WORD = st.builds(str.__add__, STARTS, st.text(FOLLOWERS, max_size=6))


@settings(max_examples=100, deadline=None)
@given(
    words=st.lists(RANDOM_WORD, min_size=1, max_size=8),
    name=st.sampled_from(["own", "letters", "sentencepiece", "slow"]),
    data=st.data(),
)
def test_spans_of_random_text_come_back_through_their_pieces(tokenisers, words, name, data) -> None:
    """Words to the character; a part of a word with what its pieces and characters have besides, and no other word."""
    text = " ".join(words)
    pieces = TextPieces(Slow(tokenisers["own"]) if name == "slow" else tokenisers[name])([text])[0]
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    begin = len(" ".join([*words[:first], ""]))
    end = len(" ".join(words[: last + 1]))
    assert brought_back(text, pieces, begin, end) == (begin, end)
    part = sorted(data.draw(st.tuples(*[st.integers(begin, end)] * 2), label="part"))
    if text[slice(*part)].strip():
        start, stop = brought_back(text, pieces, *part)
        assert begin <= start < stop <= end
        assert text[slice(*part)].strip() in text[start:stop]
        assert not {unicodedata.category(char)[0] for char in (text[start], (text + " ")[stop])} & {"M"}


def brought_back(text: str, pieces: LocatedPieces, start: int, end: int) -> tuple[int, int]:
    """Return the whole characters of the pieces that cover a span."""
    place = pieces.covering(start, end)
    assert place is not None
    return whole_characters(text, *pieces.characters(*place))


@settings(max_examples=60, deadline=None)
@given(data=st.data(), name=st.sampled_from(["own", "letters", "sentencepiece", "slow"]))
def test_a_span_of_words_comes_back_through_its_pieces(tokenisers, data, name: str) -> None:
    words = data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12))
    gaps = data.draw(st.lists(st.sampled_from([" ", "  "]), min_size=len(words), max_size=len(words)))
    text = data.draw(st.sampled_from(["", " "])) + "".join(w + g for w, g in zip(words, gaps, strict=True))
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    begin = len(text) - sum(len(w) + len(g) for w, g in zip(words[first:], gaps[first:], strict=True))
    end = begin + sum(len(w) + len(g) for w, g in zip(words[first:last], gaps[first:last], strict=True))
    end += len(words[last])
    tokeniser = Slow(tokenisers["own"]) if name == "slow" else tokenisers[name]
    pieces = TextPieces(tokeniser)([text])[0]
    place = pieces.covering(begin, end)
    assert place is not None
    assert whole_characters(text, *pieces.characters(*place)) == (begin, end)


def test_part_of_a_word_is_widened_to_its_pieces_and_to_whole_characters(tokenisers) -> None:
    text = "e\u0301te\u0301 casa"
    own = TextPieces(tokenisers["letters"])([text])[0]
    assert own.covering(5, 5) is None
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


def test_windows_of_a_passage_by_hand() -> None:
    assert [(w.start, w.stop) for w in windows(0, 10, 6, 3)] == [(0, 6), (3, 9), (6, 10)]
    assert [(w.start, w.stop) for w in windows(0, 0, 6, 3)] == [(0, 0)]


def test_a_frame_is_what_the_tokeniser_makes_of_a_pair(tokenisers) -> None:
    tokeniser = tokenisers["letters"]
    frame = QuestionFrame.of(tokeniser, 20, 64)
    question, passage = (tokeniser(t, add_special_tokens=False)["input_ids"] for t in ("casa", "abc casa"))
    joined = frame.join(np.array(question), np.array(passage))
    assert joined.tolist() == tokeniser("casa", "abc casa")["input_ids"]
    assert joined[frame.offset(len(question))] == passage[0]
    assert frame.room(len(question)) == 20 - 4 - len(question)
    assert frame.question_length == 10  # half of a window is left for the passage
    with pytest.raises(ConfigError, match="max_length is 5: no room for a passage"):
        QuestionFrame.of(tokeniser, 5, 64)
