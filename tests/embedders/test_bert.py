"""Our module of BERT, RoBERTa and XLM-R against transformers'."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModel, AutoModelForMaskedLM

from crosslingua.bert import Bert
from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.loading import load_encoder
from crosslingua.errors import InputError
from word_aligners.encoders import make_bert, save_tokeniser, vocabulary

SIZES = {
    "vocab_size": len(vocabulary()), "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4,
    "intermediate_size": 48, "max_position_embeddings": 60, "initializer_range": 0.3,
}  # fmt: skip
MODELS = {  # the last without a head
    "bert": (AutoModelForMaskedLM, {"pad_token_id": 0}),
    "roberta": (AutoModelForMaskedLM, {"pad_token_id": 1, "type_vocab_size": 2}),
    "roberta-prelayernorm": (AutoModelForMaskedLM, {"pad_token_id": 1, "type_vocab_size": 2}),
    "xlm-roberta": (AutoModel, {"pad_token_id": 1}),
}
IDS = torch.tensor([[2, 9, 7, 30, 3], [2, 11, 3, 1, 1]])
MASK = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])


def written(folder: Path, name: str, **more: str) -> Path:
    torch.manual_seed(0)
    kind, own = MODELS[name]
    kind.from_config(AutoConfig.for_model(name, **SIZES, **own, **more)).save_pretrained(folder)
    save_tokeniser(folder, 58)
    return folder


@pytest.mark.parametrize("layer", [None, 2])
@pytest.mark.parametrize("name", MODELS)
def test_states_and_gradients_are_those_of_transformers(tmp_path: Path, name: str, layer: int | None) -> None:
    ours, _ = load_encoder(str(written(tmp_path, name)), layer)
    theirs = AutoModel.from_pretrained(tmp_path, add_pooling_layer=False).eval()
    assert isinstance(ours, Bert)
    normalised_once_more = name == "roberta-prelayernorm"  # the last layer's states alone
    assert len(ours.encoder["layer"]) == (3 if layer is None or normalised_once_more else layer)
    inputs = {"input_ids": IDS, "attention_mask": MASK, "output_hidden_states": True}
    places = {"position_ids": torch.tensor([[2, 3, 2, 3, 4]] * 2)}
    types = {} if name == "xlm-roberta" else {"token_type_ids": torch.tensor([[0, 0, 1, 1, 1]] * 2)}
    for more in ({}, types, places):
        found, expected = ours(**inputs, **more), theirs(**inputs, **more)
        for one, other in zip(found.hidden_states, expected.hidden_states, strict=False):
            torch.testing.assert_close(one[MASK.bool()], other[MASK.bool()], atol=1e-5, rtol=1e-5)
    if layer is None:
        assert ours.state_dict().keys() == theirs.state_dict().keys()
        for model in (ours, theirs):
            model(**inputs).last_hidden_state[MASK.bool()].square().sum().backward()
        weights = dict(theirs.named_parameters())
        for key, value in ours.named_parameters():
            torch.testing.assert_close(value.grad, weights[key].grad, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("name", MODELS)
def test_what_training_drops_is_what_transformers_drops(tmp_path: Path, name: str) -> None:
    ours, _ = load_encoder(str(written(tmp_path, name)))
    theirs = AutoModel.from_pretrained(tmp_path, add_pooling_layer=False, attn_implementation="sdpa")
    found = []
    for model in (ours.train(), theirs.train()):
        torch.manual_seed(1)
        found.append(model(input_ids=IDS[:1], attention_mask=MASK[:1]).last_hidden_state)
    torch.testing.assert_close(*found, atol=1e-5, rtol=1e-5)
    assert not torch.allclose(found[0], ours.eval()(IDS[:1], MASK[:1]).last_hidden_state, atol=1e-2)


def test_another_activation_is_left_to_transformers(tmp_path: Path) -> None:
    model, _ = load_encoder(str(written(tmp_path, "roberta", hidden_act="relu")))
    assert type(model).__name__ == "RobertaModel"


def test_what_is_saved_loads_in_both(tmp_path: Path) -> None:
    model, tokeniser = load_encoder(str(written(tmp_path / "a", "bert")))
    model.save_pretrained(tmp_path / "b")
    tokeniser.save_pretrained(tmp_path / "b")
    again = Encoder.load(tmp_path / "b")
    theirs = AutoModel.from_pretrained(tmp_path / "b", add_pooling_layer=False).eval()
    with torch.inference_mode():
        found = again(np.array([[2, 7, 3]]), np.array([3]))
        expected = theirs(torch.tensor([[2, 7, 3]])).last_hidden_state
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


def test_weights_that_are_missing_or_of_another_shape_are_told(tmp_path: Path) -> None:
    path = make_bert(tmp_path) / "model.safetensors"
    weights = load_file(path)
    less = {key: value for key, value in weights.items() if "layer.1.intermediate" not in key}
    save_file(less, path, metadata={"format": "pt"})
    message = r"2 weights of the encoder are missing, encoder\.layer\.1\.intermediate\.dense\.bias"
    with pytest.raises(InputError, match=message):
        Encoder.load(tmp_path)
    save_file(weights | {"embeddings.LayerNorm.bias": torch.zeros(7)}, path, metadata={"format": "pt"})
    message = r"1 weights have other shapes than config.json says, embeddings\.Layer"
    with pytest.raises(InputError, match=message):
        Encoder.load(tmp_path)


def test_transformers_models_are_not_imported_for_it(tmp_path: Path) -> None:
    code = (
        "import sys; from crosslingua.embedders.encoder import Encoder; Encoder.load(sys.argv[1]); "
        "print([m for m in ('sympy', 'sklearn', 'transformers.modeling_utils') if m in sys.modules])"
    )
    command = [sys.executable, "-c", code, str(make_bert(tmp_path))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", MODELS)
def test_the_first_piece_alone_is_that_of_the_whole_last_layer(tmp_path: Path, name: str) -> None:
    """Vectors and gradients, against transformers' whole layer."""
    ours = Encoder.load(written(tmp_path, name)).eval()
    theirs = AutoModel.from_pretrained(tmp_path, add_pooling_layer=False).eval()
    first = 0 if name == "bert" else 2
    positions = np.array([[0, 1, 2, 0, 1], [0, 1, 0, 0, 0]])
    places = torch.from_numpy(positions + first)
    for given, more in ((None, {}), (positions, {"position_ids": places})):
        ours.zero_grad(), theirs.zero_grad()
        expected = theirs(input_ids=IDS, attention_mask=MASK, **more).last_hidden_state[:, 0]
        found = ours.first(IDS.numpy(), MASK.sum(1).numpy(), None, given)
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
        found.square().sum().backward(), expected.square().sum().backward()
        grads = {n: weight.grad for n, weight in theirs.named_parameters() if weight.grad is not None}
        for n, weight in ours.model.named_parameters():
            torch.testing.assert_close(weight.grad, grads[n], atol=1e-4, rtol=1e-4)
