"""Models of the tasks on every architecture of table 1, and shares of tagged files."""

import random
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.text_to_text import TextToText
from crosslingua.errors import ConfigError
from crosslingua.io.conll import TaggedSentence, read_conll, write_conll
from crosslingua.io.json import read_json
from crosslingua.io.pairs import SentencePair, write_pairs
from crosslingua.io.squad import Answer, Article, Paragraph, Question, write_squad
from crosslingua.tasks.batches import share_of, shared_rows
from crosslingua.tasks.fine_tuning import run_cells
from crosslingua.tasks.kinds import KINDS, score
from crosslingua.tasks.settings import FineTuning
from crosslingua.tasks.tuner import Files, Tuner, load, parse_files
from tiny_encoder import write_encoder, write_text_to_text
from word_aligners.encoders import make_bert, make_xlm, make_xlmr

NER, POS, NLI = (KINDS[name].task() for name in ("ner", "pos", "nli"))
SENTENCES = [
    TaggedSentence(("ann", "saw", "paris"), ("B-PER", "O", "B-LOC")),
    TaggedSentence(("bob",), ("B-PER",)),
    TaggedSentence(("we", "left", "new", "york", "now"), ("O", "O", "B-LOC", "I-LOC", "O")),
]
PAIRS = [
    SentencePair("a dog barks", "a dog", "entailment"),
    SentencePair("a dog", "a cat sleeps now", "neutral"),
    SentencePair("it is", "it is not", "contradiction"),
]
ALL = np.arange(3)
WORDS = ("dog", "saw")
MAKERS = {
    "mbert": make_bert,
    "xlm": partial(make_xlm, languages=("en", "de")),
    "xlmr": partial(make_xlmr, positions=60),
    "mt5": write_text_to_text,
    "t5": partial(write_text_to_text, kind="t5"),
}
SIZES = {"ner": 2, "pos": 2, "slots": 2, "nli": 3, "paraphrase": 2, "qa": 1}
QUICK = ["lr=1e-3", "epochs=1", "batch_size=4", "max_length=40"]


def test_the_loss_of_tagging_is_that_of_hugging_faces_model(folder: Path, encoder: Encoder) -> None:
    from transformers import RobertaForTokenClassification

    model = NER.model(encoder, SENTENCES).eval()
    theirs = RobertaForTokenClassification.from_pretrained(folder, num_labels=len(model.labels)).eval()
    theirs.roberta.load_state_dict(encoder.model.state_dict())
    theirs.classifier.load_state_dict(model.tagger.scores.state_dict())
    words = [list(s.tokens) for s in SENTENCES]
    inputs = encoder.tokenizer(words, is_split_into_words=True, padding=True, return_tensors="pt")
    labels = torch.full_like(inputs["input_ids"], -100)
    for row, sentence in enumerate(SENTENCES):
        words = inputs.word_ids(row)
        for word, tag in enumerate(sentence.labels):
            labels[row, words.index(word)] = model.labels.index(tag)
    expected = theirs(**inputs, labels=labels).loss
    assert torch.allclose(model.loss(model.prepare(SENTENCES, "en"), ALL), expected, atol=1e-6)


def test_the_loss_of_pairs_is_that_of_hugging_faces_model(folder: Path, encoder: Encoder) -> None:
    from transformers import RobertaForSequenceClassification

    model = NLI.model(encoder, PAIRS).eval()
    theirs = RobertaForSequenceClassification.from_pretrained(folder, num_labels=3).eval()
    theirs.roberta.load_state_dict(encoder.model.state_dict())
    theirs.classifier.dense.load_state_dict(model.head.dense.state_dict())
    theirs.classifier.out_proj.load_state_dict(model.head.scores.state_dict())
    inputs = encoder.tokenizer([pair[:2] for pair in PAIRS], padding=True, return_tensors="pt")
    expected = theirs(**inputs, labels=torch.tensor([0, 1, 2])).loss
    assert torch.allclose(model.loss(model.prepare(PAIRS, "en"), ALL), expected, atol=1e-6)


def test_predictions_depend_on_neither_order_nor_batch(encoder: Encoder) -> None:
    draw = random.Random(1)
    words = ["dog", "saw", "ann", "bob", "x", "abcdefgh"]
    lengths = [1, 30, 2, 17, 5, 3, 9, 25, 4]
    sentences = [TaggedSentence(t := tuple(draw.choices(words, k=n)), t) for n in lengths]
    torch.manual_seed(3)
    model = POS.model(encoder, sentences)
    torch.nn.init.normal_(model.tagger.scores.weight)  # decided scores, so that rounding changes no label
    together = model.predict(model.prepare(sentences, "en"))
    assert len({label for sentence in together for label in sentence}) > 1
    reverse = model.predict(model.prepare(sentences[::-1], "en"))[::-1]
    alone = [model.predict(model.prepare([sentence], "en"))[0] for sentence in sentences]
    assert together == reverse == alone


def test_labels_that_were_not_trained_on_do_not_count(encoder: Encoder) -> None:
    model = NER.model(encoder, SENTENCES[:2]).eval()
    sentences = (TaggedSentence(("we", "left"), ("O", last)) for last in ("O", "B-MISC"))
    known, other = (model.prepare([sentence], "en") for sentence in sentences)
    assert other.labels.values.tolist() == [model.labels.index("O"), -100]
    assert model.loss(other, np.array([0])) != model.loss(known, np.array([0]))


def test_pairs_that_are_too_long_lose_the_end_of_the_longer_sentence(encoder: Encoder, caplog) -> None:
    encoder.limit(8)  # four of them special
    model = NLI.model(encoder, PAIRS)
    texts = ("dog dog dog dog dog", "saw"), ("dog dog", "saw saw")  # too long, and just short enough
    data = model.prepare([SentencePair(*two, "neutral") for two in texts], "en")
    assert data.cut == 1
    assert "1 of 2 pairs are longer than 8 pieces" in caplog.text
    assert encoder.tokenizer.decode(data.ids.padded(ALL[:1], 1)[0]) == "<s> dog dog dog </s> </s> saw </s>"


def test_a_bert_model_is_given_the_segments_of_a_pair(tmp_path: Path) -> None:
    from tokenizers import processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    write_encoder(tmp_path, ["dog"])
    tokenizer = PreTrainedTokenizerFast.from_pretrained(tmp_path)
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B:1 </s>:1", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.model_input_names = ["input_ids", "token_type_ids", "attention_mask"]
    tokenizer.save_pretrained(tmp_path)
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    theirs = BertForSequenceClassification(BertConfig(vocab_size=len(tokenizer), **sizes)).eval()
    theirs.bert.save_pretrained(tmp_path)
    model = NLI.model(Encoder.load(tmp_path), PAIRS).eval()
    data = model.prepare(PAIRS, "en")
    inputs = tokenizer([p.first for p in PAIRS], [p.second for p in PAIRS], padding=True, return_tensors="pt")
    assert inputs["token_type_ids"].any()
    expected = model.head(theirs.bert(**inputs).last_hidden_state[:, 0])
    assert torch.allclose(model(data, ALL), expected, atol=1e-6)


def test_the_second_sentence_of_a_pair_begins_at_position_0_again_if_asked(encoder: Encoder) -> None:
    """As TLM has it: `<s> a </s>` counts on, `</s> b </s>` from 0. Against the positions given by hand."""
    options = (FineTuning(restart_positions=again) for again in (False, True))
    plain, model = (NLI.model(encoder, PAIRS, option).eval() for option in options)
    model.head.load_state_dict(plain.head.state_dict())
    data = model.prepare(PAIRS, "en")
    assert not torch.allclose(model(data, ALL), plain(plain.prepare(PAIRS, "en"), ALL))
    for row, pair in enumerate(PAIRS):
        first, second = (len(encoder.tokenizer.tokenize(text)) for text in pair[:2])
        positions = [*range(first + 2), *range(second + 2)]
        ids = torch.tensor([encoder.tokenizer(pair.first, pair.second)["input_ids"]])
        assert ids.shape[1] == len(positions)
        places = torch.tensor([positions]) + encoder.config.pad_token_id + 1
        expected = model.head(encoder.model(input_ids=ids, position_ids=places).last_hidden_state[:, 0])
        torch.testing.assert_close(model(data, np.array([row])), expected, atol=1e-5, rtol=1e-5)


def test_pairs_of_one_first_sentence_are_twins_if_asked(encoder: Encoder) -> None:
    pairs = [PAIRS[0], PAIRS[1], PAIRS[0]._replace(second="a cat")]
    assert NLI.model(encoder, pairs).prepare(pairs, "en").groups is None
    assert NLI.model(encoder, pairs, FineTuning(twins=True)).prepare(pairs, "en").groups.tolist() == [0, 1, 0]


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    for kind, *tags in (("ner", "B-PER", "O", "O"), ("slots", "B-x", "I-x", "O"), ("pos", *["NOUN"] * 3)):
        sentences = TaggedSentence(("ab", "cd"), tuple(tags[:2])), TaggedSentence(("ja",), tuple(tags[2:]))
        write_conll(folder / kind, sentences)
    for kind in ("nli", "paraphrase"):
        contract = KINDS[kind].pairs
        write_pairs(folder / kind, [SentencePair("ab cd", "ab", one) for one in contract.labels], contract)
    asked = Question("q", "ab", (Answer("cd", 3),))
    write_squad(folder / "qa", [Article("t", (Paragraph("ab cd ja", (asked,)),))])
    return folder


@pytest.mark.parametrize("name", MAKERS)
def test_every_architecture_learns_and_predicts_every_task(data: Path, tmp_path: Path, name: str) -> None:
    kinds = [kind for kind in KINDS if (data / kind).is_file()]
    assert set(kinds) == set(SIZES)
    encoder = load(MAKERS[name](tmp_path / "encoder"))
    assert isinstance(encoder, TextToText) == (name in ("mt5", "t5"))
    tests = [f"{kind}/{language}={data / kind}" for kind in kinds for language in ("en", "de")]
    train = parse_files(tests[::2])
    run_cells(Tuner(encoder, Files(train, train, parse_files(tests)), 1), QUICK, tmp_path / "out")
    for kind in kinds:
        folder = tmp_path / "out" / kind / "en"
        assert read_json(folder / "training.json")["steps"] == 1
        for language in ("en", "de"):
            found = score(kind, data / kind, folder / f"{language}.{KINDS[kind].form.predictions}")
            assert 0 <= found[KINDS[kind].metric] <= 100
            assert len(found["per_sentence"]) == SIZES[kind]


def test_a_share_is_of_its_size_in_order_and_without_repeats() -> None:
    rows = shared_rows(1000, 0.25)
    assert len(rows) == 250
    assert (np.diff(rows) > 0).all()
    assert rows[-1] < 1000
    assert shared_rows(1000, 1.0).tolist() == list(range(1000))
    assert len(shared_rows(3, 0.01)) == 1
    assert set(shared_rows(400, 0.1)) <= set(shared_rows(400, 0.4))  # a larger one holds the smaller
    for part in (0, -0.5, 1.5):
        with pytest.raises(ConfigError, match="must be above 0, and at most 1"):
            shared_rows(10, part)


def test_files_are_mixed_in_lower_case_through_the_script(script, tmp_path: Path) -> None:
    files = tmp_path / "a", tmp_path / "b"
    for path, word, size in zip(files, ("Word", "Wort"), (40, 20), strict=True):
        write_conll(path, (TaggedSentence((f"{word}{n}",), ("O" if n % 2 else "B-X",)) for n in range(size)))
    mix = ("mix_tagged.py", "--data", *files, "--task", "ner", "--out", "out", "--share", 1)
    script(*mix, 0.25, "--lowercase")
    found = list(read_conll(tmp_path / "out", "bio2"))
    assert len(found) == 40 + 5
    assert [one.tokens[0] for one in found[:2]] == ["word0", "word1"]
    assert found[40:] == share_of(files[1], "bio2", 0.25, lowercase=True)
    assert all(one.tokens[0].startswith("wort") for one in found[40:])
    assert "2 files and 1 shares" in script(*mix, status=1).stderr
