"""Random data and models for gpu.py and tests/test_gpu.py."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from crosslingua.encoders.batches import Masker, Streams
from crosslingua.encoders.data import Instances, Specials, from_bitext
from crosslingua.encoders.model import MaskedLanguageModel
from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.encoders.objectives.objective import Setup
from crosslingua.encoders.on_gpu import ResidentStreams, suits
from crosslingua.encoders.settings import Settings, objective_settings
from crosslingua.encoders.trainer import Loss, Trainer, processes
from crosslingua.nn.bert import Shape
from crosslingua.nn.checkpoint import Checkpoints
from crosslingua.nn.ragged import Ragged
from crosslingua.tasks.kinds import kind_of

SPECIALS = Specials(0, 1, 2, 3, 4)


def text_rows(size: dict[str, int], number: int) -> Instances:
    """Return rows as packing makes them: of up to `length` tokens, up to a sentence short."""
    rng = np.random.default_rng(1)
    lengths = rng.integers(size["length"] - size["length"] // 16, size["length"] + 1, size=number)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    ids = rng.integers(5, size["vocabulary"], size=offsets[-1]).astype(np.int32)
    ids[offsets[:-1]], ids[offsets[1:] - 1] = SPECIALS.start, SPECIALS.end
    return Instances(ids, offsets, lengths, np.zeros((number, 2), np.int64))


def pair_rows(size: dict[str, int], number: int) -> Instances:
    """Return sentence pairs of 5 to 60 tokens a side, as far as `length` allows."""
    rng = np.random.default_rng(2)
    most = min(60, size["length"] // 2 - 3)
    sides = [
        Ragged.of([rng.integers(5, size["vocabulary"], size=n) for n in rng.integers(5, most, size=number)])
        for _ in range(2)
    ]
    return from_bitext(*sides, (0, 1), SPECIALS, size["length"], False)[0]


def loss_of(size: dict[str, int], streams: dict[str, list[str]], dropout: float = 0.1) -> Loss:
    """Return a new model with the objectives of each stream."""
    shape = Shape(
        size["vocabulary"], size["hidden"], size["layers"], size["heads"], 4 * size["hidden"], size["length"] + 2, 2,
        1, dropout, 1e-5, SPECIALS.pad,
    )  # fmt: skip
    model = MaskedLanguageModel(shape)
    model.initialise(torch.Generator().manual_seed(1))
    torch.manual_seed(1)

    def objective(name: str) -> Any:
        own = objective_settings([name], {})[name]
        return OBJECTIVES[name](
            Setup(own, shape.layers, shape.hidden, shape.vocabulary, SPECIALS, np.zeros((1, 2), np.int64))
        )

    return Loss(
        model, {stream: {name: objective(name) for name in names} for stream, names in streams.items()}
    )


def trainer_of(
    kind: type[Trainer], loss: Loss, rows: dict[str, Instances], settings: Settings, folder: Path
) -> Trainer:
    """Return a trainer as `pretraining.prepare` makes it."""
    objectives = {name: dict(members) for name, members in loss.streams.items()}
    with processes(settings.device) as group:
        resident = suits(objectives, group.device, settings.precision, loss.model.shape)
        streams = (ResidentStreams if resident else Streams)(
            rows=rows, objectives={name: list(members.values()) for name, members in objectives.items()},
            masker=Masker(settings.mask_probability, SPECIALS, loss.model.shape.vocabulary), settings=settings,
            seed=1, pad=SPECIALS.pad, language_ids=False, parts=settings.accumulate,
        )  # fmt: skip
        if resident:
            streams.place(group.device)
        return kind(loss, streams, settings, group, Checkpoints(folder / "none", "none"))


def encoder_folder(size: dict[str, int], folder: Path) -> Path:
    """Write a RoBERTa with random weights, and a tokeniser of made-up words."""
    from transformers import RobertaConfig, RobertaModel

    from crosslingua.encoders.tokenizer_training import make_tokenizer, save_tokenizer, train_bpe

    out = folder / "encoder"
    if out.exists():
        return out
    bpe = train_bpe(dict.fromkeys(words(), 3), 400)
    config = RobertaConfig(
        vocab_size=500, hidden_size=size["hidden"], num_hidden_layers=size["layers"], pad_token_id=1, bos_token_id=0,
        eos_token_id=2, num_attention_heads=size["heads"], intermediate_size=4 * size["hidden"], type_vocab_size=1,
        max_position_embeddings=130,
    )  # fmt: skip
    save_tokenizer(out, make_tokenizer(bpe["vocab"], bpe["merges"]))
    torch.manual_seed(1)
    RobertaModel(config, add_pooling_layer=False).save_pretrained(out)
    return out


def words() -> list[str]:
    """Return made-up words."""
    rng = np.random.default_rng(3)
    return ["".join(rng.choice(list("abcdefgh"), size=rng.integers(1, 7))) for _ in range(1000)]


def sentences(number: int) -> list[list[str]]:
    """Return sentences of 5 to 40 made-up words."""
    rng, known = np.random.default_rng(4), words()
    return [[known[i] for i in rng.integers(len(known), size=rng.integers(5, 41))] for _ in range(number)]


def tagged(number: int, folder: Path) -> list[Any]:
    """Return sentences whose tag is a word's first letter."""
    path = folder / f"{number}.conll"
    lines = ["".join(f"{word}\t{word[0].upper()}\n" for word in sentence) for sentence in sentences(number)]
    path.write_text("\n".join(lines))
    return kind_of("pos").task().read(path)
