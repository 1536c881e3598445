"""Fine-tuning alignment (mbert_align, section 3): fine-tuning moves one language's vectors to the other's."""

import copy
import hashlib
import json
import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.word_states import EncodedWords, WordStates
from crosslingua.encoder_alignment.settings import FineTuneSettings
from crosslingua.encoder_alignment.signal import ALIGNED, Signal, write_aligned
from crosslingua.encoders.trainer import Curve, Reporter, check_weights
from crosslingua.errors import ConfigError, CrosslinguaError
from crosslingua.io.atomic import check_output_folder
from crosslingua.nn.checkpoint import Checkpoints
from crosslingua.nn.half import Half, Rows, in_half
from crosslingua.nn.optimiser import AdamW


class AlignmentLoss(nn.Module):
    """The loss of fine-tuning alignment (mbert_align, Eq. 7 to 10; Cao et al. 2020): the distance of linked words, and
    of one side from its initial place.

    One side is held near where the encoder `before` has it (`direction`). Each term is the sum over layers of the mean
    over words. The paper has sums, which depend on the size of the batch.
    """

    def __init__(self, encoder: Encoder, before: Encoder, signal: Signal, settings: FineTuneSettings):
        super().__init__()
        self.encoder = encoder
        self.states, self._before = (WordStates(each, signal.layers) for each in (encoder, before))
        self._languages, self._squared = signal.language_ids, settings.distance == "squared"
        self._kept = 1 if settings.direction == "src_to_tgt" else 0

    def forward(
        self, sides: Sequence[EncodedWords], links: Sequence[np.ndarray], pairs: np.ndarray
    ) -> Tensor:
        """Return the two terms (2,) of the sentence pairs `pairs`; `links` are of all pairs."""
        vectors = [self._vectors(self.states, sides, side, pairs) for side in (0, 1)]
        with torch.no_grad():
            before = self._vectors(self._before, sides, self._kept, pairs)
        starts = np.stack([side.places(pairs)[:-1] for side in sides], axis=1)
        counted = [links[pair] + start for pair, start in zip(pairs, starts, strict=True)]
        rows = torch.from_numpy(np.concatenate(counted))  # words are counted through the batch
        rows = rows.to(before.device)
        apart = vectors[0][rows[:, 0]] - vectors[1][rows[:, 1]]
        return torch.stack([self._size(apart), self._size(vectors[self._kept] - before)])

    def _vectors(
        self, states: WordStates, sides: Sequence[EncodedWords], side: int, pairs: np.ndarray
    ) -> Tensor:
        pieces = sides[side]
        return states.forward(pieces, pieces.rows(pairs), self._languages[side])

    def _size(self, difference: Tensor) -> Tensor:
        """Return the sum over layers of the mean size of differences (n, layers, d); zero for n = 0."""
        if not len(difference):
            return difference.sum()
        sizes = difference.square().sum(-1) if self._squared else torch.linalg.vector_norm(difference, dim=-1)
        return sizes.mean(0).sum()


def batch_numbers(pairs: int, size: int, epochs: int, seed: int) -> list[np.ndarray]:
    """Return the sentence pairs of each update; every epoch has a new order."""
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(pairs) for _ in range(epochs)]
    return [order[start : start + size] for order in orders for start in range(0, pairs, size)]


REMEDY = "lower lr or lengthen warmup"
LOG_EVERY = 50  # updates of a point of the loss curve


@dataclass(frozen=True)
class FineTune:
    """FineTuneAlign, in one of two directions, on linked words of parallel text."""

    settings: FineTuneSettings = field(default_factory=FineTuneSettings)
    seed: int = 1

    def align(self, signal: Signal, out: str | Path) -> None:
        """Write the tuned encoder to the folder `out`. A killed run resumes from `OUT.checkpoint/`, to the same weights
        to the bit on a CPU. Raises ConfigError without links, CrosslinguaError if loss or weights are not finite.
        """
        if signal.text.links is None:
            raise ConfigError("finetune learns from parallel text with links: give links")
        check_output_folder(out, ALIGNED)
        tuning = TuningRun(signal, self.settings, self.seed, Checkpoints(out, self._fingerprint(signal)))
        tuning.run()
        report = {
            "method": "finetune",
            "supervision": "parallel",
            "seed": self.seed,
            "settings": asdict(self.settings),
            "updates": len(tuning.plan),
            "loss_curve": tuning.curve.points,
        }
        write_aligned(signal, out, report, tuned=tuning.encoder)
        tuning.checkpoints.remove()

    def _fingerprint(self, signal: Signal) -> str:
        what: list[Any] = [asdict(self.settings) | {"checkpoint_every": 0}, self.seed, signal.layers]
        what += [signal.languages, str(signal.folder), torch.__version__]
        digest = hashlib.sha256(json.dumps(what).encode())
        for parameter in signal.encoder.parameters():
            digest.update(parameter.detach().cpu().numpy().tobytes())
        for part in zip(signal.text.source, signal.text.target, signal.text.links or [], strict=True):
            digest.update(repr((*part[:2], part[2].tolist())).encode())
        return digest.hexdigest()


KEPT = {  # in a checkpoint, of a run
    "step": "_done", "curve": "curve", "encoder": "encoder", "optimiser": "_optimiser",
}  # fmt: skip


class TuningRun:
    """One run: the loss, the optimiser, the plan of its updates, and its progress."""

    def __init__(self, signal: Signal, settings: FineTuneSettings, seed: int, checkpoints: Checkpoints):
        self.settings, self.checkpoints = settings, checkpoints
        self._links: Sequence[np.ndarray] = signal.text.links or []
        self.encoder = copy.deepcopy(signal.encoder).eval()  # no dropout: noise is no reason to move
        half = in_half(settings.precision, signal.encoder.device)
        computing, before = (_halved(one) if half else one for one in (self.encoder, signal.encoder))
        if half and computing.model.get_input_embeddings().weight.dtype == torch.float32:
            computing.model.embeddings = self.encoder.model.embeddings
        self.loss = AlignmentLoss(computing, before, signal, settings)
        self._sides: list[EncodedWords] = [
            self.loss.states.encode(s) for s in (signal.text.source, signal.text.target)
        ]
        self.plan = batch_numbers(len(signal.text), settings.batch_size, settings.epochs, seed)
        betas = settings.adam_beta1, settings.adam_beta2
        self._learnt = list(self.encoder.parameters())
        self._parts: list[Half | Rows] = self._divided(computing) if half else []
        self._optimiser = AdamW(self._learnt, 0.0, betas, settings.adam_epsilon)
        self.curve = Curve(["align", "regularise"], LOG_EVERY)
        self._done = 0
        checkpoints.restore(self, KEPT)
        for part in self._parts:
            part.begin()

    def _divided(self, computing: Encoder) -> list[Half | Rows]:
        """Return what computes beside the encoder: its layers, rounded, and the rows of embeddings that are read."""
        pairs = zip(self._learnt, computing.parameters(), strict=True)
        rounded = [(own, copied) for own, copied in pairs if own.dtype != copied.dtype]
        parts: list[Half | Rows] = [Half(*zip(*rounded, strict=True))]
        table = self.encoder.model.get_input_embeddings()
        if computing.model.get_input_embeddings() is table:
            read = [side.windows.ids.values for side in self._sides]
            parts.append(
                rows := Rows(table, np.concatenate([*read, [self.encoder.tokenizer.pad_token_id or 0]]))
            )
            self._learnt = [rows.own if own is table.weight else own for own in self._learnt]
        return parts

    def run(self) -> None:
        """Do the remaining updates."""
        with closing(Reporter(len(self.plan), self._done, True)) as reporter:
            for step, pairs in enumerate(self.plan[self._done :], self._done + 1):
                self._update(step, pairs)
                reporter.step()
        check_weights(len(self.plan), self.encoder, REMEDY)

    def _update(self, step: int, pairs: np.ndarray) -> None:
        terms = self.loss(self._sides, self._links, pairs)
        values = terms.detach().tolist()
        if not all(map(math.isfinite, values)):
            raise CrosslinguaError(f"update {step}: the loss is {sum(values)}; {REMEDY}")
        (terms[0] + self.settings.regularisation * terms[1]).backward()
        for part in self._parts:
            part.hand_over()
        if self.settings.clip_norm:
            nn.utils.clip_grad_norm_(self._learnt, self.settings.clip_norm)
        self._optimiser.step(learning_rate(step, len(self.plan), self.settings))
        self._optimiser.zero_grad()
        for part in self._parts:
            part.renew()
        self._done = step
        self.curve.add(step, values, step == len(self.plan))
        if step % self.settings.checkpoint_every == 0 and step < len(self.plan):
            check_weights(step, self.encoder, REMEDY)
            self.checkpoints.keep(self, KEPT)


def _halved(encoder: Encoder) -> Encoder:
    """Return a copy that computes in bfloat16 from rounded weights."""
    copied = copy.deepcopy(encoder)
    copied.halve()
    return copied


def learning_rate(step: int, steps: int, settings: FineTuneSettings) -> float:
    """Return the rate of update `step`, from 1: linear warm-up, then constant."""
    rising = round(settings.warmup * steps)
    return settings.lr * min(1.0, step / max(1, rising))
