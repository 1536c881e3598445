"""Span corruption: left-out spans, targets of the decoder, the loss, and the folder of a run."""

from itertools import groupby

import numpy as np
import pytest
import torch

from crosslingua.embedders.encoder import Encoder
from crosslingua.encoders.batches import Batch
from crosslingua.encoders.data import Pieces
from crosslingua.encoders.objectives import span_corruption
from crosslingua.encoders.objectives.objective import Encoded, Setup
from crosslingua.encoders.objectives.settings import SpanCorruptionSettings
from crosslingua.encoders.objectives.span_corruption import SpanCorruption, noise_mask
from crosslingua.encoders.pretraining import pretrain
from crosslingua.errors import ConfigError
from encoders.runs import report, run, same, weights
from encoders.tiny import SPECIALS

VOCABULARY = 40  # 30 pieces and 10 sentinels, 39 the first


def objective(**settings) -> SpanCorruption:
    own = SpanCorruptionSettings(span_sentinels=10, **settings)
    return SpanCorruption(Setup(own, 2, 16, VOCABULARY, SPECIALS, None))


def batch(lengths: list[int]) -> Batch:
    rng = np.random.default_rng(0)
    clean = np.full((len(lengths), max(lengths) + 2), SPECIALS.pad)
    for row, length in enumerate(lengths):
        clean[row, : length + 2] = [SPECIALS.start, *rng.integers(5, 30, length), SPECIALS.end]
    return Batch(clean, clean != SPECIALS.pad, None, np.array(lengths) + 2)


def runs(mask: np.ndarray) -> int:
    return sum(value for value, _ in groupby(mask))


@pytest.mark.parametrize(("length", "out", "spans"), [(100, 15, 5), (512, 77, 26), (10, 2, 1), (2, 1, 1), (1, 0, 0),
                                                      (0, 0, 0)])  # fmt: skip
def test_as_many_tokens_and_spans_are_left_out_as_the_authors_program_does(length, out, spans):
    settings = SpanCorruptionSettings(span_roll=False)
    for seed in range(20):
        mask = noise_mask(length, settings, np.random.default_rng(seed))
        assert (len(mask), mask.sum(), runs(mask)) == (length, out, spans)
        assert not length or not mask[0]  # it begins with what is kept and ends with a span
        assert not out or mask[-1]


def test_all_places_are_left_out_alike_if_the_pattern_is_rolled():
    rng = np.random.default_rng(1)
    rolled = np.mean([noise_mask(10, SpanCorruptionSettings(), rng) for _ in range(4000)], axis=0)
    np.testing.assert_allclose(rolled, 0.2, atol=0.03)
    ends = np.mean([noise_mask(10, SpanCorruptionSettings(span_roll=False), rng) for _ in range(50)], axis=0)
    assert ends.tolist() == [0] * 8 + [1] * 2


def test_every_division_into_spans_is_as_likely():
    settings = SpanCorruptionSettings(span_density=0.5, span_length=2.0, span_roll=False)
    rng = np.random.default_rng(2)
    found = [tuple(noise_mask(8, settings, rng).tolist()) for _ in range(3600)]
    patterns = {pattern: found.count(pattern) for pattern in set(found)}
    assert len(patterns) == 9  # 4 into 2 parts in 3 ways, kept and left out
    assert all(300 < number < 500 for number in patterns.values())


@pytest.mark.parametrize("roll", [True, False])
def test_what_is_read_and_written_makes_up_the_row(roll):
    lengths = [40, 3, 1, 17, 2]
    made, shown = objective(span_roll=roll), batch(lengths)
    made.prepare(shown, np.random.default_rng(3))
    for row, length in enumerate(lengths):
        ids, targets = (own[own != SPECIALS.pad].tolist() for own in (shown.ids[row], shown.targets[row]))
        assert ids.pop() == targets.pop() == SPECIALS.end
        spans = {}
        for piece in targets:
            if piece >= 30:
                assert piece == VOCABULARY - 1 - len(spans)  # in order
                current = spans[piece] = []
            else:
                current.append(piece)
        whole = [piece for i in ids for piece in spans.pop(i, [i])]
        assert not spans
        assert whole == shown.clean[row, 1 : length + 1].tolist()
    assert shown.total == (shown.targets != SPECIALS.pad).sum()


def test_more_spans_than_sentinels_are_refused():
    made, shown = objective(span_density=0.5, span_length=1.0), batch([40])
    with pytest.raises(ConfigError, match=r"20 spans and only 10 sentinels|21 spans and only 10"):
        made.prepare(shown, np.random.default_rng(3))


def test_the_loss_is_that_of_hugging_faces_model(tiny_world):
    job = run(tiny_world, tiny_world / "x", ["span_corruption"])
    model, _ = span_corruption.EncoderDecoderArchitecture(10).build(job, Pieces(tiny_world / "tok"))
    own = SpanCorruption(Setup(SpanCorruptionSettings(), 2, 16, model.shape.vocabulary, SPECIALS, None))
    shown = batch([9, 3, 20])
    own.prepare(shown, np.random.default_rng(3))
    found = own(Encoded(model, shown.tensors(torch.device("cpu")), False))
    ids, targets = torch.from_numpy(shown.ids), torch.from_numpy(shown.targets)
    labels = targets.masked_fill(targets == SPECIALS.pad, -100)
    expected = model.network(input_ids=ids, attention_mask=(ids != SPECIALS.pad).long(), labels=labels).loss
    torch.testing.assert_close(found, expected)
    assert 0.5 < found.item() / np.log(model.shape.vocabulary) < 2  # it begins near guessing
    halves = [own(Encoded(model, shown.part(i, 2).tensors(torch.device("cpu")), False)) for i in (0, 1)]
    torch.testing.assert_close(sum(halves), expected)  # parts add up


def test_a_run_learns_repeats_and_leaves_a_folder_that_others_read(tiny_world, tmp_path):
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    values = {"steps": 60, "lr": 1e-2, "warmup": 5}
    for name in ("one", "two"):
        pretrain(run(tiny_world, tmp_path / name, ["span_corruption"], **values))
    assert same(weights(tmp_path / "one"), weights(tmp_path / "two"))
    curve = report(tmp_path / "one")["loss_curve"]["span_corruption"]
    assert np.mean(curve[-5:]) < np.mean(curve[:5]) - 0.5
    model = AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "one")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "one")
    assert (model.config.model_type, len(tokenizer)) == ("mt5", model.config.vocab_size)
    assert tokenizer.convert_tokens_to_ids("<extra_id_0>") == len(tokenizer) - 1
    plain = AutoTokenizer.from_pretrained(tiny_world / "tok")
    pieces = plain("abc d", add_special_tokens=False)["input_ids"]
    assert tokenizer("abc d")["input_ids"] == [*pieces, plain.eos_token_id]
    assert torch.equal(model.lm_head.weight, model.shared.weight)
    assert Encoder.load(tmp_path / "one").dimension == 16  # its encoder alone, where states are read


def test_what_does_not_fit_is_refused_before_work(tiny_world, tmp_path):
    for objectives, values, message in (
        (["span_corruption", "mlm"], {}, "name only one objective that reads text"),
        (["span_corruption", "tlm"], {"parallel": "summed"}, "and tlm train different kinds of model"),
    ):
        with pytest.raises(ConfigError, match=message):
            run(tiny_world, tmp_path / "out", objectives, **values)
    for values, message in (({"language_ids": "true"}, "no language ids"), ({"init": "x"}, "from scratch")):
        with pytest.raises(ConfigError, match=message):
            pretrain(run(tiny_world, tmp_path / "out", ["span_corruption"], **values))
