"""Our module against the library's: same folder, same numbers."""

import json

import pytest
import torch

from crosslingua.encoders import folder as folders
from crosslingua.encoders.folder import load_config, load_weights, shape_of
from crosslingua.encoders.model import MaskedLanguageModel
from crosslingua.errors import ConfigError, InputError
from encoders.tiny import SPECIALS, model

IDS = torch.tensor([[0, 7, 8, 9, 2, 2, 11, 2], [0, 12, 2, 2, 13, 2, 1, 1]])
PRESENT = IDS != 1
LANGUAGES = torch.tensor([[0, 0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1, 0, 0]])


KINDS = ["roberta", "xlm-roberta", "bert", "roberta-prelayernorm"]


def of_kind(kind):
    """A model with two languages whose layers and positions are as this type of the library has them."""
    ours = model(types=2, pre_norm=kind == "roberta-prelayernorm").eval()
    if kind == "bert":
        ours.shape = ours.shape._replace(position_offset=0)
    return ours


def saved(folder, ours, **changes):
    folder.mkdir(exist_ok=True)
    folders.save_weights(folder, ours, folders.new_config(ours.shape, SPECIALS) | changes)
    return folder


def theirs(folder):
    from transformers import AutoModelForMaskedLM

    loaded, report = AutoModelForMaskedLM.from_pretrained(folder, output_loading_info=True)
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    return loaded.eval()


@pytest.mark.parametrize("kind", KINDS)
def test_the_librarys_logits_and_states(tmp_path, kind):
    ours = of_kind(kind)
    inputs = {"attention_mask": PRESENT.long(), "token_type_ids": LANGUAGES, "output_hidden_states": True}
    expected = theirs(saved(tmp_path / "x", ours, model_type=kind))(IDS, **inputs)
    states = ours.hidden_states(IDS, LANGUAGES, PRESENT)
    for mine, other in zip(states, expected.hidden_states, strict=True):
        torch.testing.assert_close(mine[PRESENT], other[PRESENT], atol=2e-6, rtol=1e-5)
    logits = ours.logits(states[-1])
    torch.testing.assert_close(logits[PRESENT], expected.logits[PRESENT], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_positions_that_begin_again(tmp_path, kind):
    """The library's, to which positions are given with their offset; the longest sequence that has them."""
    ours = of_kind(kind)
    offset = ours.shape.position_offset
    ids = torch.arange(5, 29).repeat(2, 2)[:, : ours.shape.positions - offset]
    length, second = ids.shape[1], 14
    assert length == ours.shape.positions - offset
    positions = torch.cat([torch.arange(second), torch.arange(length - second)]).expand(2, -1)
    library = theirs(saved(tmp_path / "x", ours, model_type=kind))
    expected = library(ids, position_ids=positions + offset, output_hidden_states=True).hidden_states
    states = ours.hidden_states(ids, None, None, positions=positions)
    for mine, other in zip(states, expected, strict=True):
        torch.testing.assert_close(mine, other, atol=2e-6, rtol=1e-5)
    alone = ours.hidden_states(ids[:, second:], None, None)[0]  # the embeddings: a sentence by itself
    torch.testing.assert_close(states[0][:, second:], alone, rtol=0, atol=0)
    columns = torch.tensor([[second, 2], [5, length - 1]])
    there = ours.states_at(ids, None, None, columns, positions)
    expected = states[-1][torch.arange(2)[:, None], columns]
    torch.testing.assert_close(there, expected, atol=2e-6, rtol=1e-5)


@pytest.mark.parametrize("pre_norm", [False, True])
def test_the_librarys_gradients(tmp_path, pre_norm):
    ours = model(pre_norm=pre_norm)
    other = theirs(saved(tmp_path / "x", ours))
    labels = torch.full_like(IDS, -100)
    labels[0, 2], labels[1, 4] = 20, 21
    other(IDS, attention_mask=PRESENT.long(), labels=labels).loss.backward()
    logits = ours.logits(ours.states_at(IDS, None, PRESENT, torch.tensor([[2], [4]])))
    torch.nn.functional.cross_entropy(logits[:, 0], torch.tensor([20, 21])).backward()
    torch.testing.assert_close(ours.head.weight.grad, other.lm_head.dense.weight.grad, atol=1e-6, rtol=1e-4)
    theirs_by_name = dict(other.base_model.named_parameters())
    assert theirs_by_name.keys() == ours.bert.state_dict().keys()
    for name, mine in ours.bert.named_parameters():
        torch.testing.assert_close(mine.grad, theirs_by_name[name].grad, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("pre_norm", [False, True])
def test_masked_positions_alone_give_what_all_positions_give(pre_norm):
    ours = model(types=2, layers=3, pre_norm=pre_norm)
    whole = ours.hidden_states(IDS, LANGUAGES, PRESENT)[-1]
    expected = torch.stack([whole[0, [6, 1, 3]], whole[1, [4, 0, 2]]])
    found = ours.states_at(IDS, LANGUAGES, PRESENT, torch.tensor([[6, 1, 3], [4, 0, 2]]))
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=1e-5)


def test_layers_up_to_one():
    ours = model(layers=3)
    every, some = ours.hidden_states(IDS, None, PRESENT), ours.hidden_states(IDS, None, PRESENT, last=2)
    assert (len(every), len(some)) == (4, 3)
    torch.testing.assert_close(some[-1], every[2])


def test_bf16_attention_agrees_roughly_and_dropout_drops():
    ours = model(dropout=0.5)
    with torch.autocast("cpu", torch.bfloat16):
        a = ours.eval().hidden_states(IDS, None, PRESENT)[-1]
        dropped = ours.train().hidden_states(IDS, None, PRESENT)[-1]
    exact = ours.eval().hidden_states(IDS, None, PRESENT)[-1]
    assert torch.nn.functional.cosine_similarity(a[PRESENT].float(), exact[PRESENT]).min() > 0.99
    assert (dropped - a).abs().max() > 0.5


def test_new_weights():
    ours = MaskedLanguageModel(model(vocabulary=3000).shape)
    ours.initialise(torch.Generator().manual_seed(1))
    assert ours.words.weight.std().item() == pytest.approx(0.02, rel=0.02)
    assert not ours.words.weight[SPECIALS.pad].any()
    assert not ours.layers[0].attention["self"]["query"].bias.any()
    assert (ours.layers[0].output["LayerNorm"].weight == 1).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_librarys_folders(tmp_path, kind):
    from transformers import AutoConfig, AutoModelForMaskedLM

    torch.manual_seed(1)
    config = AutoConfig.for_model(
        kind, vocab_size=30, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24,
        max_position_embeddings=20, pad_token_id=1, type_vocab_size=2, initializer_range=0.3,
    )  # fmt: skip
    other = AutoModelForMaskedLM.from_config(config).eval()
    other.save_pretrained(tmp_path)
    shape = shape_of(load_config(tmp_path), tmp_path, 0.0)
    ours = MaskedLanguageModel(shape).eval()
    assert load_weights(tmp_path, ours, kind) == []
    expected = other(IDS, attention_mask=PRESENT.long()).logits
    mine = ours.logits(ours.hidden_states(IDS, None, PRESENT)[-1])
    torch.testing.assert_close(mine[PRESENT], expected[PRESENT], atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("pre_norm", [False, True])
@pytest.mark.parametrize("strip", [False, True])
def test_a_folder_comes_back(tmp_path, strip, pre_norm):
    from safetensors.torch import load_file, save_file

    ours = model(pre_norm=pre_norm)
    folder = saved(tmp_path / "x", ours)
    kind = load_config(folder)["model_type"]
    prefix = folders.PREFIXES[kind] + "."
    if strip:  # as AutoModel.save_pretrained writes it: no prefix, no head
        weights = load_file(folder / "model.safetensors")
        kept = {name.removeprefix(prefix): w for name, w in weights.items() if name.startswith(prefix)}
        save_file(kept, folder / "model.safetensors")
    again = MaskedLanguageModel(shape_of(load_config(folder), folder, 0.0))
    missing = load_weights(folder, again, kind)
    assert bool(missing) == strip
    for (name, mine), other in zip(ours.named_parameters(), again.parameters(), strict=True):
        if name not in missing:
            torch.testing.assert_close(mine, other, rtol=0, atol=0)


def test_unfit_folders(tmp_path):
    folder = saved(tmp_path / "x", model())
    config = load_config(folder)
    with pytest.raises(ConfigError, match="'gpt2'"):
        shape_of(config | {"model_type": "gpt2"}, folder, 0.0)
    bigger = MaskedLanguageModel(shape_of(config | {"vocab_size": 31}, folder, 0.0))
    with pytest.raises(InputError, match=r"lm_head.bias is \(30,\)"):
        load_weights(folder, bigger, "roberta")
    deeper = MaskedLanguageModel(shape_of(config | {"num_hidden_layers": 3}, folder, 0.0))
    with pytest.raises(InputError, match=r"has no roberta\.encoder\.layer\.2"):
        load_weights(folder, deeper, "roberta")
    (folder / "model.safetensors").unlink()
    with pytest.raises(InputError, match=r"no model\.safetensors"):
        load_weights(folder, bigger, "roberta")
    assert json.loads((folder / "config.json").read_text())["pad_token_id"] == 1
