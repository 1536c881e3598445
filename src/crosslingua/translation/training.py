"""The training loop: epochs of steps, each followed by the translations that say which one is kept."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.utils import clip_grad_norm_
from tqdm import tqdm

from crosslingua.checkpoint import Checkpoints
from crosslingua.errors import CrosslinguaError
from crosslingua.optimiser import AdamW
from crosslingua.translation.model import TranslationModel
from crosslingua.translation.objective import losses
from crosslingua.translation.settings import TranslationSettings
from crosslingua.translation.steps import TrainingSteps

EPSILON = 1e-8  # of Adam


@dataclasses.dataclass
class Epoch:
    """What is known of an epoch: its number from 1, mean losses, the criterion, and target words trained on."""

    epoch: int
    loss: dict[str, float]
    bleu: dict[str, float]
    words: int

    @property
    def criterion(self) -> float:
        """What epochs are chosen by: the mean BLEU of round trips, or of held-out pairs."""
        return self.bleu["mean"]


class TranslationTrainer:
    """Trains a model by Adam, an epoch a time, going on from a checkpoint if there is one.

    Every random draw is a function of seed and step, so that an interrupted run ends as one in a piece: on the CPU, and
    with the same number of threads, to the bit. `judge` measures what epochs are chosen by, `keep` is given each
    epoch's model.
    """

    def __init__(
        self,
        model: TranslationModel,
        steps: TrainingSteps,
        seed: int,
        checkpoints: Checkpoints,
        judge: Callable[[TranslationModel], dict[str, float]],
        keep: Callable[[TranslationModel, int], None],
    ):
        self.model, self.steps, self.seed = model, steps, seed
        self.settings: TranslationSettings = model.settings
        self.checkpoints, self._judge, self._keep = checkpoints, judge, keep
        betas = (self.settings.beta1, self.settings.beta2)
        self._optimiser = AdamW(model.parameters(), 0.0, betas, EPSILON)
        self.epochs: list[Epoch] = []
        self.seconds = 0.0
        self._restore()

    @property
    def best(self) -> int:
        """The epoch, from 1, of the best criterion; the last of equals."""
        return max(self.epochs, key=lambda each: (each.criterion, each.epoch)).epoch

    @property
    def words_per_second(self) -> float:
        """Target words trained on a second, with the time that back-translation takes."""
        return sum(each.words for each in self.epochs) / max(self.seconds, 1e-9)

    @property
    def stopped_early(self) -> bool:
        """Whether `patience` ended the run before its last epoch."""
        patience, done = self.settings.patience, len(self.epochs)
        return bool(patience) and done < self.settings.epochs and done - self.best >= patience

    def train(self) -> None:
        """Train to the end. Raises CrosslinguaError, with the step, if the loss is no number."""
        total = self.settings.epochs
        with tqdm(total=total, initial=len(self.epochs), unit="epoch", mininterval=5.0) as bar:
            while len(self.epochs) < total and not (self.epochs and self.stopped_early):
                self._epoch(len(self.epochs) + 1)
                bar.set_postfix({"BLEU": f"{self.epochs[-1].criterion:.1f}"}, refresh=False)
                bar.update()

    def _epoch(self, number: int) -> None:
        start, size = time.perf_counter(), self.settings.steps_per_epoch
        sums, words = dict.fromkeys(self.steps.terms, 0.0), 0
        self.model.train()
        for step in range((number - 1) * size, number * size):
            found, said = self._update(step)
            words += said
            for term, value in found.items():
                sums[term] += value / size
        self.seconds += time.perf_counter() - start
        self.model.eval()
        self.epochs.append(Epoch(number, sums, self._judge(self.model), words))
        self._keep(self.model, number)
        self.checkpoints.save(self._state())

    def _update(self, step: int) -> tuple[dict[str, float], int]:
        """Make one update; return each term's loss, and how many words were to be said."""
        torch.manual_seed(self.seed * 0x9E3779B1 + step)  # of dropout, so that any step can be redone
        parts = self.steps.parts(step, self.model)
        found, weights = losses(self.model, parts), self.steps.weights(step)
        sum(weights[term] * loss for term, loss in found.items()).backward()
        norm = float(clip_grad_norm_(self.model.parameters(), self.settings.clip_norm))
        if not math.isfinite(norm):
            raise CrosslinguaError(
                f"step {step}: the gradient is no number; set a smaller lr than {self.settings.lr:g}"
            )
        self._optimiser.step(self._rate(step))
        self._optimiser.zero_grad()
        values = {term: float(loss.detach()) for term, loss in found.items()}
        return values, sum(len(words) + 1 for part in parts for words in part.said)

    def _rate(self, step: int) -> float:
        s = self.settings
        left = (s.steps - step) / max(1, s.steps - s.warmup) if s.decay else 1.0
        return s.lr * min(1.0, left, (step + 1) / max(1, s.warmup))

    def _state(self) -> dict[str, Any]:
        return {
            "epochs": [dataclasses.asdict(each) for each in self.epochs],
            "seconds": self.seconds,
            "model": self.model.state_dict(),
            "optimiser": self._optimiser.state_dict(),
        }

    def _restore(self) -> None:
        state = self.checkpoints.load()
        if state is None:
            return
        self.epochs = [Epoch(**each) for each in state["epochs"]]
        self.seconds = state["seconds"]
        self.model.load_state_dict(state["model"])
        self._optimiser.load_state_dict(state["optimiser"])
