"""What a training step is made of: denoising and back-translation without parallel text, or translation with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import torch

from crosslingua.translation.batches import Sampler, batch_order, padded
from crosslingua.translation.decoding import greedy, longest_output
from crosslingua.translation.model import Group, TranslationModel
from crosslingua.translation.noise import Noise
from crosslingua.translation.objective import LossPart
from crosslingua.translation.settings import TranslationSettings
from crosslingua.translation.vocabulary import BLANK, SIDES

Sentences = Sequence[np.ndarray]


class TrainingSteps(Protocol):
    """Makes the parts of step 0, 1, ... of the same seed, whichever steps were made before."""

    terms: tuple[str, ...]

    def weights(self, step: int) -> Mapping[str, float]:
        """Return the weight of each term of the loss."""
        ...

    def parts(self, step: int, model: TranslationModel) -> list[LossPart]:
        """Return what is read and said."""
        ...


class Unsupervised:
    """Denoising and on-the-fly back-translation of two texts that have no line in common (Lample et al. 2018b).

    Sentences are translated greedily by the model as it is, and the model learns to translate them back.
    """

    terms = ("auto", "back")

    def __init__(self, texts: Sequence[Sentences], settings: TranslationSettings, seed: int):
        self._texts, self._settings, self._seed = texts, settings, seed
        size = settings.batch_size
        self._samplers = [Sampler([len(s) for s in texts[k]], size, (seed, 2, k)) for k in SIDES]
        self._noise = Noise(settings.drop, settings.blank, settings.shuffle, BLANK)

    def weights(self, step: int) -> dict[str, float]:
        """Return the weights; that of denoising may fall (`lambda_auto_steps`)."""
        return {"auto": self._settings.lambda_auto * self._left(step), "back": self._settings.lambda_back}

    def _left(self, step: int) -> float:
        """Return what is left of the weight of denoising: 1, a tenth after n steps, none after 3 n."""
        n = self._settings.lambda_auto_steps
        return float(np.interp(step, [0, n, 3 * n], [1.0, 0.1, 0.0])) if n else 1.0

    def parts(self, step: int, model: TranslationModel) -> list[LossPart]:
        """Return noisy sentences to be restored, and translations to be translated back."""
        order = batch_order(step, self._seed)
        said = [[self._texts[k][i] for i in self._samplers[k].batch(step, order)] for k in SIDES]
        rng = np.random.default_rng([self._seed, 3, step])
        auto = [LossPart("auto", k, k, [self._noise(s, rng) for s in said[k]], said[k]) for k in SIDES]
        if step < self._settings.back_after:
            return auto
        made = back_translate(model, said)
        back = [LossPart("back", 1 - k, k, made[k], said[k]) for k in SIDES]
        return [auto[0], back[0], back[1], auto[1]]


def back_translate(model: TranslationModel, said: Sequence[Sentences]) -> list[list[np.ndarray]]:
    """Return the model's translation of each language's sentences into the other, as it would be read in a batch.

    A sentence of which nothing is left is read as its end mark alone.
    """
    training = model.training
    model.eval()
    ids = padded([*said[0], *said[1]], model.vocabulary.end)
    sizes = [len(sentences) for sentences in said]
    groups = [Group(0, 0, sizes[0]), Group(1, sizes[0], sum(sizes))]
    languages = torch.tensor([1, 0]).repeat_interleave(torch.tensor(sizes))
    limits = [longest_output(len(s), model.settings.max_length) for side in said for s in side]
    found = greedy(model, ids, groups, languages, torch.tensor(limits))
    model.train(training)
    return [found[: sizes[0]], found[sizes[0] :]]


class Supervised:
    """Translation of sentence pairs in both directions: the upper line of the same model."""

    terms = ("translation",)

    def __init__(self, texts: Sequence[Sentences], settings: TranslationSettings, seed: int):
        self._texts, self._seed = texts, seed
        self._sampler = Sampler([len(s) for s in texts[0]], settings.batch_size, (seed, 2))

    def weights(self, step: int) -> dict[str, float]:
        """Return the weight of the one term."""
        return {"translation": 1.0}

    def parts(self, step: int, model: TranslationModel) -> list[LossPart]:
        """Return pairs in both directions."""
        chosen = self._sampler.batch(step, batch_order(step, self._seed))
        sides = [[self._texts[k][i] for i in chosen] for k in SIDES]
        return [LossPart("translation", 1 - k, k, sides[1 - k], sides[k]) for k in SIDES]


OBJECTIVES = {"unsupervised": Unsupervised, "supervised": Supervised}
