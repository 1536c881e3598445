"""Our module against the library's: same folder, same numbers; batches and settings."""

from itertools import islice
from operator import attrgetter

import numpy as np
import pytest
import torch

from crosslingua.encoders import folder as folders
from crosslingua.encoders.batches import Masker, assemble, batches_from
from crosslingua.encoders.data import Instances, concatenate, entropies, from_bitext, from_text
from crosslingua.encoders.folder import load_config, load_weights, shape_of
from crosslingua.encoders.model import MaskedLanguageModel
from crosslingua.encoders.objectives.settings import AlignMLMSettings, DWASettings
from crosslingua.encoders.settings import from_mapping, read_values
from crosslingua.errors import ConfigError, InputError
from crosslingua.nn.half import HalfModule
from crosslingua.nn.ragged import Ragged
from encoders.tiny import SPECIALS, model
from texts import written

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
    half = HalfModule(ours).module
    a = half.eval().hidden_states(IDS, None, PRESENT)[-1]
    dropped = half.train().hidden_states(IDS, None, PRESENT)[-1]
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
    assert config["pad_token_id"] == 1


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    lists = [rng.integers(5, 90, size=rng.integers(1, 30)).astype(np.int32) for _ in range(1000)]
    return from_text(Ragged.of(lists), 0, SPECIALS, 40, False)[0]


def take(number, *arguments, **options):
    return list(islice(batches_from(*arguments, **options), number))


def test_an_epoch_reads_every_row_once_beside_others_of_like_length(rows):
    batches = take(20, 0, rows, 50, "sequences", seed=1)
    assert sorted(np.concatenate(batches)) == list(range(1000))
    padded = sum(rows.lengths[batch].max() * len(batch) for batch in batches)
    assert padded < 1.1 * rows.lengths.sum()
    again = take(20, 20, rows, 50, "sequences", seed=1)
    assert sorted(np.concatenate(again)) == list(range(1000))
    assert any(set(a) != set(b) for a, b in zip(batches, again, strict=True))


def test_token_batches_keep_their_budget(rows):
    batches, seen = batches_from(0, rows, 400, "tokens", seed=1), []
    while len(seen) < 1000:
        seen += (batch := next(batches)).tolist()
        assert len(batch) * rows.lengths[batch].max() <= 400
    assert sorted(seen) == list(range(1000))


def test_going_on_from_any_step(rows):
    whole = take(50, 0, rows, 64, "sequences", seed=3)
    for start in (1, 14, 15, 16, 40):
        later = take(50 - start, start, rows, 64, "sequences", seed=3)
        assert all(np.array_equal(a, b) for a, b in zip(whole[start:], later, strict=True))


def test_assembled_rows():
    source, target = (Ragged.of(side) for side in ([[9], [8, 7]], [[6], [5]]))
    instances, _ = from_bitext(source, target, (1, 0), SPECIALS, 20, False)
    batch = assemble(instances, np.array([1, 0]), SPECIALS.pad, True)
    assert batch.clean.tolist() == [[0, 8, 7, 2, 2, 5, 2], [0, 9, 2, 2, 6, 2, 1]]
    assert batch.present.tolist() == [[True] * 7, [True] * 6 + [False]]
    assert batch.languages.tolist() == [[1, 1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0]]
    assert batch.second.tolist() == [4, 3]


def test_entropies_by_hand():
    rows = Instances(
        np.array([0, 5, 6, 0, 5, 7], dtype=np.int32), np.array([0, 3, 6]), np.array([3, 3]), np.zeros((2, 2))
    )
    # 0 and 5 are a third each, 6 and 7 a sixth; 5 always follows 0, and 6 or 7 follow 5, never 0 another row's end
    pieces = 2 / 3 * np.log(3) + 1 / 3 * np.log(6)
    assert entropies(rows) == {"pieces": round(pieces, 4), "bigrams": round(np.log(2) / 2, 4)}


@pytest.mark.parametrize("pack", [True, False])
def test_positions_begin_again_with_the_second_language(pack):
    first, second = (Ragged.of(side) for side in ([[9], [8, 7]], [[6], [5, 4, 3]]))
    pairs, _ = from_bitext(first, second, (0, 1), SPECIALS, 40, pack)
    text, _ = from_text(first, 0, SPECIALS, 40, pack)
    rows = concatenate([pairs, text])
    batch = assemble(rows, np.arange(len(rows)), SPECIALS.pad, True, restart_positions=True)
    for positions, length, start in zip(batch.positions, rows.lengths, batch.second, strict=True):
        assert positions[:length].tolist() == [*range(start), *range(length - start)]
    assert batch.positions.min() == 0
    assert batch.positions.max() < batch.clean.shape[1]
    if pack:  # <s> 9 </s> 8 7 </s> | </s> 6 </s> 5 4 3 </s>
        assert batch.positions[0].tolist() == [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6]
    assert assemble(rows, np.arange(len(rows)), SPECIALS.pad, True).positions is None
    assert assemble(text, np.arange(len(text)), SPECIALS.pad, True, restart_positions=True).positions is None


def test_parts_hold_what_the_whole_holds(rows):
    batch = assemble(rows, np.arange(10), SPECIALS.pad, False)
    Masker(0.3, SPECIALS, 90)(batch, np.random.default_rng(1))
    for index in range(3):
        part = batch.part(index, 3)
        width = part.clean.shape[1]
        np.testing.assert_array_equal(part.clean, batch.clean[index::3, :width])
        assert (batch.clean[index::3, width:] == SPECIALS.pad).all()
        assert part.labels[part.filled].tolist() == batch.labels[index::3][batch.filled[index::3]].tolist()
        assert (part.total, part.parts) == (batch.total, 3)


def test_no_padding_no_mask(rows):
    equal = np.flatnonzero(rows.lengths == rows.lengths[0])
    batch = assemble(rows, equal, SPECIALS.pad, False)
    Masker(0.3, SPECIALS, 90)(batch, np.random.default_rng(1))
    assert batch.tensors(torch.device("cpu")).present is None


def test_published_defaults():
    ours, theirs = from_mapping({}), from_mapping({"preset": "xlm_align"})
    names = ("layers", "hidden", "feed_forward_size", "heads", "steps", "batch_size", "lr", "warmup")
    sizes = attrgetter(*names)
    assert sizes(ours) == (8, 512, 2048, 8, 500_000, 128, 1e-4, 10_000)
    assert (ours.dictionary_share, ours.parallel_share, AlignMLMSettings().align_alpha) == (0.25, 0.25, 10)
    assert sizes(theirs) == (12, 768, 3072, 12, 150_000, 2048, 2e-4, 10_000)
    assert (theirs.clip_norm, theirs.weight_decay) == (1.0, 0.01)
    assert (theirs.adam_epsilon, theirs.adam_beta1, theirs.adam_beta2) == (1e-6, 0.9, 0.98)
    dwa = DWASettings()
    assert (dwa.dwa_mu, dwa.dwa_sinkhorn_iterations) == (1.0, 2)
    assert (dwa.dwa_filter_iterations, dwa.dwa_filter_alpha) == (2, 0.9)


def read_settings(path, options=()):
    return from_mapping(read_values(path, options))


def test_file_and_options(tmp_path):
    text = "preset: xlm_align\nlr: 1e-3\nsteps: 5\nwarmup: 0\nlanguage_ids: true\nclip_norm: 2\n"
    found = read_settings(written(tmp_path / "s.yaml", text), ["steps=7", "pack=false", "layers=3"])
    assert (found.lr, found.steps, found.pack, found.layers, found.heads) == (1e-3, 7, False, 3, 12)
    assert (found.language_ids, found.clip_norm) == ("true", 2)


@pytest.mark.parametrize(("option", "message"), [
    ("layer=2", "did you mean 'layers'"), ("layers", "write name=value"),
    ("layers=two", "must be a whole number"),
    ("layers=0", "layers=0: must be a whole number from 1 to 100000"),
    ("dropout=1.5", "from 0 to 1"), ("warmup=-1", "from 0 to"),
    ("steps=500", r"warmup 10000 is not below steps 500: .* e.g. warmup=50"),
    ("warmup=500000", "not below steps 500000"), ("pack=maybe", "must be true or false"),
    ("precision=fp8", "must be fp32 or bf16"), ("heads=7", "no multiple of heads"),
    ("max_length=600", "above max_positions 512, which the model reads"), ("max_length=4", "from 8 to 100000"),
    ("preset=bert", "must be align_mlm or xlm_align"), ("lr=nan", "above 0"),
])  # fmt: skip
def test_what_is_wrong_is_named(option, message):
    with pytest.raises(ConfigError, match=message):
        read_settings(None, [option])


def test_a_short_run_needs_a_short_warm_up():
    for options in (["steps=500", "warmup=499"], ["steps=1", "warmup=0", "schedule=constant"]):
        assert read_settings(None, options).steps == int(options[0].partition("=")[2])


@pytest.mark.parametrize(("text", "error"), [("- a\n", InputError), ("a: [\n", InputError), ("lr: fast\n", ConfigError),
                                             ("layers: 2.5\n", ConfigError)])  # fmt: skip
def test_wrong_files(tmp_path, text, error):
    with pytest.raises(error):
        read_settings(written(tmp_path / "s.yaml", text))
    with pytest.raises(InputError, match="no such file"):
        read_settings(tmp_path / "absent.yaml")
