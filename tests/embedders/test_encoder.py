"""Encoders of several architectures through the one door: loaded, run, and fine-tuned."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import XLMModel

from crosslingua.embedders.encoder import Encoder
from crosslingua.errors import ConfigError
from crosslingua.io.conll import TaggedSentence, write_conll
from crosslingua.io.pairs import SentencePair
from crosslingua.tasks.kinds import KINDS
from crosslingua.tasks.training import FineTuning, fine_tune
from crosslingua.tasks.tuner import Files, Tuner, parse_files
from crosslingua.word_aligners.encoding import EncoderEmbedding
from word_aligners.encoders import make_bert, make_t5, make_xlm, make_xlmr

LANGUAGES = ("en", "fr", "de")
MAKERS = {
    "bert": make_bert,
    "xlm-roberta": partial(make_xlmr, positions=60),
    "xlm": partial(make_xlm, languages=LANGUAGES),
    "t5": make_t5,
}
TAGGED = [TaggedSentence(("ab", "cdef"), ("A", "B")), TaggedSentence(("ja",), ("A",))]
PAIRS = [
    SentencePair("ab cd", "ab", "entailment"),
    SentencePair("ab", "cd", "neutral"),
    SentencePair("a", "j", "contradiction"),
]


def test_an_xlm_is_told_the_language_as_langs(tmp_path: Path) -> None:
    """Not as `token_type_ids`, for which it adds the embeddings of words."""
    encoder = Encoder.load(make_xlm(tmp_path, LANGUAGES)).eval()
    model = XLMModel.from_pretrained(tmp_path).eval()
    ids, lengths = np.array([[2, 7, 30, 3], [2, 9, 3, 0]]), np.array([4, 3])
    mask = torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]])
    with torch.inference_mode():
        for language, number in (("en", 0), ("de", 2)):
            langs = torch.full((2, 4), number)
            expected = model(torch.from_numpy(ids), attention_mask=mask, langs=langs).last_hidden_state
            found = encoder(ids, lengths, encoder.language_id(language))
            assert torch.equal(found[mask.bool()], expected[mask.bool()])


def test_an_xlm_that_is_told_no_language_reads_any(tmp_path: Path) -> None:
    encoder = Encoder.load(make_xlm(tmp_path, LANGUAGES)).eval()
    model = XLMModel.from_pretrained(tmp_path).eval()
    with pytest.raises(ConfigError, match="has no language 'nl': it has de, en, fr"):
        encoder.language_id("nl")
    encoder.forget_languages()
    ids = np.array([[2, 7, 30, 3]])
    with torch.inference_mode():
        expected = model(torch.from_numpy(ids), attention_mask=torch.ones(1, 4)).last_hidden_state
        english = model(torch.from_numpy(ids), langs=torch.zeros(1, 4, dtype=torch.long)).last_hidden_state
        for types in (
            encoder.language_id("nl"),
            encoder.language_id("en"),
            1,
        ):  # of segments it has none either
            found = encoder(ids, np.array([4]), types)
            assert torch.equal(found, expected)
    assert not torch.allclose(expected, english)


@pytest.mark.parametrize("told", [True, False])
def test_fine_tuning_on_a_mixture_needs_an_encoder_that_is_told_no_language(
    tmp_path: Path, told: bool
) -> None:
    encoder = Encoder.load(make_xlm(tmp_path / "xlm", LANGUAGES))
    write_conll(tmp_path / "data", TAGGED)
    own = parse_files([f"pos/mixture={tmp_path / 'data'}"])
    tuner = Tuner(encoder, Files(own, own, own), seed=1)
    settings = FineTuning(epochs=1, batch_size=2, max_length=20, language_ids=told)
    if told:
        with pytest.raises(ConfigError, match="has no language 'mixture'"):
            tuner.tune(("pos", "mixture"), settings)
        return
    model, report = tuner.tune(("pos", "mixture"), settings)
    assert report["settings"]["language_ids"] is False
    assert len(model.predict(model.prepare(TAGGED, "nl"))) == len(TAGGED)
    assert encoder.language_id("de") == 2  # the others that are tuned of it are told


def test_the_two_uses_of_an_encoder_agree(tmp_path: Path) -> None:
    folder = make_xlm(tmp_path, LANGUAGES)
    embed = EncoderEmbedding.load(str(folder), [3], languages=("de", "en"))
    encoder = Encoder.load(folder).eval()
    pieces = encoder.tokenizer(["ab", "cd"], is_split_into_words=True)["input_ids"]
    with torch.inference_mode():
        units = embed.units((["ab", "cd"], ["ab"]))
        ((source, _),) = embed.vectors([units], joint=False)
        whole = encoder(np.array([pieces]), np.array([len(pieces)]), encoder.language_id("de"))
    torch.testing.assert_close(source, whole[:, 1:-1], atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(("kind", "examples"), [("pos", TAGGED), ("nli", PAIRS)])
def test_encoders_of_every_architecture_are_fine_tuned(
    tmp_path: Path, name: str, kind: str, examples
) -> None:
    encoder, task = Encoder.load(MAKERS[name](tmp_path)), KINDS[kind].task()
    before = {key: value.clone() for key, value in encoder.state_dict().items()}
    model = task.model(encoder, examples)
    data = model.prepare(examples, "de")
    settings = FineTuning(learning_rate=1e-2, epochs=1, warmup=0.0)
    report = fine_tune(model, data, lambda: task.score(examples, model.predict(data)), settings, seed=1)
    assert report["steps"] == 1
    assert any((before[key] != value).any() for key, value in encoder.state_dict().items())
    assert len(model.predict(data)) == len(examples)


@pytest.mark.parametrize("model_type", ["bert", "mine"])
def test_code_that_comes_with_an_encoder_is_never_run(tmp_path: Path, model_type: str) -> None:
    """Whatever is typed: transformers asks on a terminal, and reads the answer from standard input."""
    folder, trace = make_bert(tmp_path / "encoder"), tmp_path / "was_run"
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": model_type, "auto_map": {"AutoConfig": "own.Config", "AutoModel": "own.Model"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text(f"open({str(trace)!r}, 'w')\n")
    code = f"""
from crosslingua.embedders.encoder import Encoder
from crosslingua.errors import InputError
from crosslingua.word_aligners.encoding import EncoderEmbedding

for load in (Encoder.load, lambda folder: EncoderEmbedding.load(folder, [1])):
    try:
        load({str(folder)!r})
    except InputError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], input="y\n" * 4, capture_output=True, text=True)
    assert done.stdout.count("auto_map), which is never run") == 2, done.stderr
    assert not trace.exists()


def test_code_that_comes_with_a_tokenizer_is_never_run(tmp_path: Path, monkeypatch) -> None:
    path = make_bert(tmp_path) / "tokenizer_config.json"
    given = json.loads(path.read_text()) | {
        "tokenizer_class": "Own",
        "auto_map": {"AutoTokenizer": ["own.Own", None]},
    }
    path.write_text(json.dumps(given))
    (tmp_path / "own.py").write_text("raise RuntimeError('was run')\n")
    monkeypatch.setattr("builtins.input", lambda prompt="": "y")
    assert Encoder.load(tmp_path).tokenizer(["ab"], is_split_into_words=True)["input_ids"][0] == 2
