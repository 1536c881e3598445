"""How LASER (`crosslingua.laser`) is trained: translation into pivot languages (Artetxe and Schwenk 2019).

The decoder sees of the source sentence nothing but its embedding.
"""

import dataclasses
import logging
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from crosslingua.encoders.data import Pieces, Specials
from crosslingua.encoders.trainer import UNSEEN, Curve, Reporter, check_weights
from crosslingua.errors import ConfigError, CrosslinguaError, InputError
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.bitext import read_bitext
from crosslingua.io.decode import tokens_of
from crosslingua.io.json import write_json
from crosslingua.io.tokenizer_files import TRAINED_LASER
from crosslingua.laser.model import (
    Laser,
    LaserEncoder,
    TokenizerSubwords,
    ended,
    real_positions,
    save_laser,
    uniform_,
)
from crosslingua.laser.settings import LaserSettings
from crosslingua.lexicon_induction.retrieval import nearest
from crosslingua.nn.checkpoint import Checkpoints, digest
from crosslingua.nn.optimiser import AdamW, device_of
from crosslingua.nn.ragged import Ragged, cut
from crosslingua.provenance import sha256

log = logging.getLogger(__name__)

Files = Mapping[tuple[str, str], tuple[str, str]]  # by pair of languages


class LaserDecoder(nn.Module):
    """Predicts a translation from a sentence embedding and the language to translate into (section 3, figure 1).

    One LSTM without attention. The embedding makes its first state, by a linear map, and stands beside the
    previous subword and the language in the input of every step. One decoder serves both target languages.
    """

    def __init__(self, vocabulary: int, padding: int, sentence: int, languages: int, settings: LaserSettings):
        super().__init__()
        word, hidden = settings.decoder_embedding_size, settings.decoder_hidden_size
        self.embedding = nn.Embedding(vocabulary, word, padding_idx=padding)
        self.language = nn.Embedding(languages, settings.language_size)
        self.initial = nn.Linear(sentence, 2 * hidden)
        self.lstm = nn.LSTM(word + sentence + settings.language_size, hidden, batch_first=True)
        self.bottleneck = nn.Linear(hidden, settings.decoder_output_size)
        self.output = nn.Linear(settings.decoder_output_size, vocabulary)
        uniform_(self)

    def forward(self, previous: Tensor, lengths: Tensor, sentences: Tensor, language: int) -> Tensor:
        """Return the logits (real positions, vocabulary) of the subwords after `previous`.

        `previous` (batch, time) begins with `</s>` and is padded on the right; `lengths` (batch,) counts its real
        positions. `sentences` is (batch, d), and `language` the number of the target language. The
        positions come sentence by sentence.
        """
        time = previous.shape[1]
        constant = torch.cat([sentences, self.language.weight[language].expand(len(sentences), -1)], dim=1)
        inputs = torch.cat([self.embedding(previous), constant[:, None].expand(-1, time, -1)], dim=2)
        hidden, cell = self.initial(sentences)[None].chunk(2, dim=2)
        states, _ = self.lstm(inputs, (hidden.contiguous(), cell.contiguous()))
        return self.output(self.bottleneck(states[real_positions(lengths, time).to(states.device)]))


# The bitext of a training run: every pair in each direction that ends in a pivot language.


@dataclass(frozen=True)
class PivotDirection:
    """Sentences of one language and their translations into a pivot, as subwords that end in `</s>`."""

    source: str
    pivot: str
    language: int  # the pivot's number
    sources: Ragged
    targets: Ragged
    rows: np.ndarray  # (pairs,) int64: the pairs that are short enough


def read_directions(
    files: Files, pivots: Sequence[str], pieces: Pieces, max_length: int
) -> list[PivotDirection]:
    """Return the directions of bitext files, given by pair of languages.

    A pair of both pivots gives two directions. Raises ConfigError for a pair without a pivot, a pivot that
    nothing is translated into, and bitext of which no pair is within `max_length` subwords.
    """
    for first, second in files:
        if first == second or not {first, second} & set(pivots):
            raise ConfigError(
                f"bitext {first}-{second}: one of two languages must be a pivot ({', '.join(pivots)})"
            )
    if len(set(pivots)) < len(pivots):
        raise ConfigError(f"pivots {', '.join(pivots)}: name each once")
    for pivot in pivots:
        if not any(pivot in pair for pair in files):
            raise ConfigError(f"pivot {pivot}: no bitext translates into it")
    directions = []
    for languages, paths in files.items():
        encoded = map(pieces.encode, sides(*paths))
        rows_of = [ended(side.values, side.offsets, pieces.specials.end) for side in encoded]
        rows = _short_enough("-".join(languages), rows_of, max_length)
        for (source, sources), (pivot, targets) in permutations(zip(languages, rows_of, strict=True)):
            if pivot in pivots:
                number = list(pivots).index(pivot)
                directions.append(PivotDirection(source, pivot, number, sources, targets, rows))
    return directions


def sides(source: str, target: str) -> list[tuple[str, ...]]:
    """Return the lines of two parallel files. Raises InputError if there are none."""
    lines = list(zip(*read_bitext(source, target), strict=True))
    if not lines:
        raise InputError(source, "has no sentences")
    return lines


def _short_enough(name: str, sides: Sequence[Ragged], max_length: int) -> np.ndarray:
    """Return the numbers of the pairs of which neither side is empty or too long."""
    lengths = np.stack([side.lengths for side in sides])
    rows = np.flatnonzero((lengths.min(axis=0) > 1) & (lengths.max(axis=0) <= max_length))
    if not len(rows):
        raise ConfigError(f"bitext {name}: no pair of 1 to {max_length - 1} subwords a side")
    if left_out := lengths.shape[1] - len(rows):
        log.warning(
            "bitext %s: %d pairs are empty or longer than max_length and are left out", name, left_out
        )
    return rows


# The steps of a training run: which sentence pairs are seen together, and when.


class TranslationBatch(NamedTuple):
    """Sentence pairs of one direction, padded on the right."""

    source: Tensor  # (batch, time) int64, ends in `</s>`
    lengths: Tensor  # (batch,) int64; stays on the CPU
    previous: Tensor  # (batch, target time) int64: `</s>`, then the target's subwords but the last
    target_lengths: Tensor  # (batch,) int64
    following: Tensor  # (target subwords,) int64: the targets, sentence by sentence, each with `</s>`
    language: int

    def to(self, device: torch.device) -> Self:
        """Return the batch on a device, but for the lengths that packing wants on the CPU."""
        moved = ("source", "previous", "target_lengths", "following")
        return self._replace(**{name: getattr(self, name).to(device) for name in moved})


class Plan(NamedTuple):
    """A batch before it is made: which pairs of which direction."""

    direction: int
    rows: np.ndarray


@dataclass(frozen=True)
class Steps:
    """The steps of a run; they depend on nothing but the fields, so that a run can go on anywhere."""

    directions: Sequence[PivotDirection]
    specials: Specials
    settings: LaserSettings
    seed: int

    @property
    def number(self) -> int:
        """Steps of the whole run; every epoch has equally many."""
        return self.settings.epochs * len(self.epoch(0))

    def since(self, start: int) -> Iterator[list[TranslationBatch]]:
        """Yield the batches of every step but the first `start`."""
        done = 0
        for epoch in range(self.settings.epochs):
            planned = self.epoch(epoch)
            for step in planned[max(0, start - done) :]:
                yield [make_batch(self.directions[plan.direction], plan.rows, self.specials) for plan in step]
            done += len(planned)

    def epoch(self, epoch: int) -> list[list[Plan]]:
        """Return the steps of an epoch, each of up to `accumulate` batches; a batch is of one direction.

        As in the authors' program, pairs of similar length of a direction share a batch. Pairs of equal length change
        their order each epoch, and the batches of all directions are shuffled together.
        """
        rng, plans = np.random.default_rng([self.seed, epoch]), []
        for number, direction in enumerate(self.directions):
            rows = rng.permutation(direction.rows)
            left, right = direction.sources.lengths, direction.targets.lengths
            order = rows[np.lexsort((right[rows], left[rows]))]
            batches = cut(order, np.maximum(left, right), self.settings.batch_tokens)
            plans += [Plan(number, batch) for batch in batches]
        plans = [plans[i] for i in rng.permutation(len(plans))]
        size = self.settings.accumulate
        return [plans[start : start + size] for start in range(0, len(plans), size)]


def make_batch(direction: PivotDirection, rows: np.ndarray, specials: Specials) -> TranslationBatch:
    """Return the pairs `rows` of a direction side by side."""
    sources, targets = direction.sources, direction.targets
    first = np.full((len(rows), 1), specials.end)
    return TranslationBatch(
        source=torch.from_numpy(sources.padded(rows, specials.pad)),
        lengths=torch.from_numpy(sources.lengths[rows]),
        previous=torch.from_numpy(np.hstack([first, targets.padded(rows, specials.pad)[:, :-1]])),
        target_lengths=torch.from_numpy(targets.lengths[rows]),
        following=torch.from_numpy(targets.joined(rows)),
        language=direction.language,
    )


# Encoder and decoder together: the loss that LASER is trained on.


class Translator(nn.Module):
    """Translates a sentence through its embedding, without knowing its language."""

    def __init__(self, encoder: LaserEncoder, decoder: LaserDecoder):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    @classmethod
    def new(cls, settings: LaserSettings, vocabulary: int, padding: int, languages: int, seed: int) -> Self:
        """Return an untrained translator into `languages` languages; equal seeds give equal weights."""
        torch.manual_seed(seed)
        sizes = settings.embedding_size, settings.hidden_size, settings.layers
        encoder = LaserEncoder(vocabulary, padding, *sizes, settings.dropout)
        return cls(encoder, LaserDecoder(vocabulary, padding, encoder.size, languages, settings))

    def forward(self, batch: TranslationBatch) -> Tensor:
        """Return the sum of the cross-entropies, in nats, of a batch's target subwords."""
        sentences = self.encoder(batch.source, batch.lengths)
        logits = self.decoder(batch.previous, batch.target_lengths, sentences, batch.language)
        return F.cross_entropy(logits, batch.following, reduction="sum")


# Similarity search: is a sentence's translation its nearest sentence of the other language? (section 4.4)


def similarity_search(laser: Laser, source: Sequence[str], target: Sequence[str]) -> dict[str, float]:
    """Return the accuracy (0-100) of finding line i of `target` from line i of `source`, and the other way.

    Sentences are words separated by spaces, and compared by cosine.
    """
    x, y = (laser.embed([tokens_of(line) for line in side]) for side in (source, target))
    scores: dict[str, float] = {}
    for name, queries, candidates in (("forward", x, y), ("backward", y, x)):
        found, _ = nearest(queries, candidates, k=1)
        scores[name] = 100 * float((found[:, 0] == np.arange(len(queries))).mean())
    return scores | {"sentences": len(x)}


# The training loop of LASER.
ADAM_BETAS, ADAM_EPSILON = (0.9, 0.999), 1e-8  # Kingma and Ba 2015
KEPT = {  # in a checkpoint, of a trainer
    "step": "done", "subwords": "subwords", "seconds": "seconds", "curve": "_curve", "translator": "translator",
    "optimiser": "_optimiser",
}  # fmt: skip


class LaserTrainer:
    """Trains a translator by Adam on all of `steps`, going on from a checkpoint if there is one.

    On the CPU an interrupted and resumed run ends in the same bytes as one in a piece.
    """

    def __init__(self, translator: Translator, steps: Steps, checkpoints: Checkpoints):
        self.settings, self.steps, self.checkpoints = steps.settings, steps, checkpoints
        self._device = device_of(self.settings.device)
        self.translator = translator.to(self._device).train()
        self._optimiser = AdamW(translator.parameters(), 0.0, ADAM_BETAS, ADAM_EPSILON)  # no decay: Adam
        self._curve = Curve(["translation"], self.settings.log_every)
        self.done = self.subwords = 0
        self.seconds = 0.0
        checkpoints.restore(self, KEPT)

    @property
    def curve(self) -> dict[str, list[float]]:
        """The loss curve, in nats a target subword: lists of `step` and `loss`."""
        return {name: self._curve.points[name] for name in ("step", "loss")}

    @property
    def rate(self) -> float:
        """Target subwords a second."""
        return self.subwords / max(self.seconds, 1e-9)

    def train(self) -> None:
        """Train to the end. Raises CrosslinguaError, with the step, if the loss or a saved weight is no number."""
        number = self.steps.number
        with closing(Reporter(number, self.done, True)) as reporter:
            for batches in self.steps.since(self.done):
                start = time.perf_counter()
                loss = self.step(batches)
                self.seconds += time.perf_counter() - start
                if self._curve.add(self.done, [loss], self.done == number):
                    reporter.point(self._curve, {"tokens_per_second": self.rate})
                reporter.step()
                if self.done == number or self.done % self.settings.checkpoint_every == 0:
                    check_weights(self.done, self.translator, f"set a smaller lr than {self.settings.lr:g}")
                    if self.done < number:
                        self.checkpoints.keep(self, KEPT)

    def step(self, batches: Sequence[TranslationBatch]) -> float:
        """Make one update on all batches; return the loss, in nats a target subword."""
        # Of dropout, so that any step can be redone; a CPU's generator sees the low 32 bits only.
        torch.manual_seed(self.steps.seed * 0x9E3779B1 + self.done)
        subwords = sum(len(batch.following) for batch in batches)
        loss = 0.0
        for batch in batches:
            part = self.translator(batch.to(self._device)) / subwords
            part.backward()
            loss += part.item()
        self.done += 1
        norm = nn.utils.clip_grad_norm_(self.translator.parameters(), self.settings.clip_norm).item()
        if not (math.isfinite(loss) and math.isfinite(norm)):
            raise CrosslinguaError(
                f"step {self.done}: the loss is {loss:g} and the norm of its gradient {norm:g}; "
                f"set a smaller lr than {self.settings.lr:g}"
            )
        self._optimiser.step(self.settings.lr)
        self._optimiser.zero_grad()
        self.subwords += subwords
        return loss


@dataclass(frozen=True)
class LaserRun:
    """What to train on and where to; `test` is bitext for similarity search, which changes no weight."""

    bitext: Files
    pivots: Sequence[str]
    tokenizer: Path
    settings: LaserSettings
    out: Path
    test: Files = field(default_factory=dict)
    seed: int = 1


def train_laser(run: LaserRun) -> None:
    """Train as `run` says and write its folder, which appears whole or not at all.

    Killed, it goes on from its last checkpoint when called again, to the same weights (on the CPU, to the bit).
    """
    torch.set_flush_denormal(True)
    pieces, settings = Pieces(run.tokenizer), run.settings
    directions = read_directions(run.bitext, run.pivots, pieces, settings.max_length)
    tests = {"-".join(pair): sides(*files) for pair, files in run.test.items()}
    translator = Translator.new(settings, pieces.size, pieces.specials.pad, len(run.pivots), run.seed)
    steps = Steps(directions, pieces.specials, settings, run.seed)
    paths = {
        f"{'-'.join(pair)}.{i}": path for pair, both in run.bitext.items() for i, path in enumerate(both)
    }
    paths["tokenizer"] = str(run.tokenizer / "tokenizer.json")
    files = {role: sha256(path) for role, path in paths.items()}  # all that the weights depend on
    seen = {k: v for k, v in dataclasses.asdict(settings).items() if k not in UNSEEN}
    what = [seen, list(run.pivots), run.seed, list(files.items()), torch.__version__]
    trainer = LaserTrainer(translator, steps, Checkpoints(run.out, digest(what)))
    trainer.train()
    laser = Laser(translator.encoder.cpu().eval(), TokenizerSubwords(run.tokenizer))
    report = {
        "pivots": list(run.pivots),
        "seed": run.seed,
        "settings": dataclasses.asdict(settings),
        "pairs": {f"{direction.source}-{direction.pivot}": len(direction.rows) for direction in directions},
        "steps": trainer.done,
        "target_subwords": trainer.subwords,
        "subwords_per_second": round(trainer.rate, 1),
        "seconds": round(trainer.seconds, 3),
        "loss_curve": trainer.curve,
        "torch": torch.__version__,
        "similarity_search": {name: similarity_search(laser, *lines) for name, lines in tests.items()},
        "sha256": files,
    }
    with atomic_folder(run.out, TRAINED_LASER) as folder:
        save_laser(laser, folder)
        write_json(folder / "training.json", report)
    trainer.checkpoints.remove()
