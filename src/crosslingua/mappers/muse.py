"""MUSE: a map from two sets of vectors alone, adversarial, then refined (Conneau et al. 2018).

Adversarial training (section 2.1) gives a first map. Mutual nearest neighbours by CSLS among frequent words give a
dictionary, and Procrustes on it the next map, repeatedly (2.2). The mean cosine of frequent words with their CSLS
translation selects among maps (3.5). initialisation=dictionary replaces adversarial training by Procrustes on given
pairs. initialisation=identity starts from a joint space.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

if TYPE_CHECKING:
    import torch

from crosslingua.lexicon_induction import retrieval
from crosslingua.mappers.mapper import Array, MappedSide, Mapper, Mapping, Recipe, blas_threads, product
from crosslingua.mappers.procrustes import rotation
from crosslingua.settings import Count, Dropout, NotNegative, Positive, Size, SizeOrNone, Whole, settings

log = logging.getLogger(__name__)
Means = tuple[Array, Array]  # CSLS's r_T (n,) and r_S (m,)


@settings
class Muse(Mapper):
    """Adversarial or dictionary-based start, then refinement (Conneau et al. 2018); the target does not move.

    Defaults are the paper's; where the paper is silent, the authors' program's (marked *).
    """

    initialisation: Annotated[
        Literal["adversarial", "dictionary", "identity"],
        "dictionary: refine a supervised map; identity: refine a joint space (not in the paper)",
    ] = "adversarial"
    normalise: Annotated[Recipe, "* unit, centre: for pairs whose spaces are offset"] = "none"
    n_epochs: Annotated[Count, "* of adversarial training"] = 5
    epoch_size: Annotated[Count, "* mapped words an epoch"] = 1_000_000
    batch_size: Annotated[Count, "words of either language (section 3.2)"] = 32
    dis_layers: Annotated[SizeOrNone, "hidden layers of the discriminator (section 3.1)"] = 2
    dis_hidden: Annotated[Size, "units of each (section 3.1)"] = 2048
    dis_dropout: Annotated[Dropout, "* of the hidden layers"] = 0.0
    dis_input_dropout: Annotated[Dropout, "of the discriminator's input (section 3.1)"] = 0.1
    dis_steps: Annotated[Count, "* steps of the discriminator for each of the map"] = 5
    dis_lambda: Annotated[NotNegative, "* weight of the map's loss"] = 1.0
    dis_most_frequent: Annotated[Count, "* words that are shown (the paper: 50000)"] = 75_000
    dis_smooth: Annotated[Dropout, "* smoothing of the labels (the paper: 0.2)"] = 0.1
    map_beta: Annotated[NotNegative, "* strength of orthogonalisation, Eq. 7 (the paper: 0.01)"] = 0.001
    lr: Annotated[Positive, "of both players (section 3.2)"] = 0.1
    lr_decay: Annotated[Positive, "factor of the rate after each epoch (section 3.2)"] = 0.95
    lr_shrink: Annotated[Positive, "factor of the rate whenever the criterion falls (section 3.2)"] = 0.5
    min_lr: Annotated[NotNegative, "* least rate"] = 1e-6
    n_refinement: Annotated[Whole, "* rounds"] = 5
    dico_max_rank: Annotated[Count, "* frequency rank up to which words enter the dictionary"] = 15_000
    csls_neighbours: Annotated[Count, "k of CSLS (section 2.3)"] = 10
    criterion_words: Annotated[Count, "most frequent source words (section 3.5)"] = 10_000
    vocabulary_cutoff: Annotated[Count, "* most frequent words that the map is fitted on"] = 200_000
    input_scale: Annotated[
        Positive, "factor on the input vectors; short vectors train slowly (not in the paper)"
    ] = 1.0
    max_restarts: Annotated[Whole, "seeds tried after degenerate runs (not in the paper)"] = 4
    min_gain: Annotated[NotNegative, "see `floor` (not in the paper)"] = 0.16
    device: Annotated[str, "torch device of adversarial training"] = "cpu"  # goes before `fit`'s

    @property
    def uses_pairs(self) -> bool:
        """Whether the map is initialised from a dictionary."""
        return self.initialisation == "dictionary"

    @property
    def _search(self) -> str:
        """The device of neighbour searches: they run on the processor, or on torch's present CUDA device."""
        return "cuda" if self.device.startswith("cuda") else "cpu"

    def _fit(self, source: Array, target: Array, pairs: Array | None, seed: int, device: str) -> Mapping:
        if device != self.device == "cpu":
            return replace(self, device=device)._fit(source, target, pairs, seed, device)
        whole = source, target
        source, target = (matrix[: self.vocabulary_cutoff] for matrix in whole)
        sizes = (len(source), len(target))
        details: dict[str, Any] = {
            "initialisation": self.initialisation,
            "words_shown": [min(self.dis_most_frequent, n) for n in sizes],
            "words_in_dictionary": [min(self.dico_max_rank, n) for n in sizes],
            "words_in_criterion": min(self.criterion_words, len(source)),
        }
        if pairs is not None:
            w = rotation(whole[0][pairs[:, 0]], whole[1][pairs[:, 1]])
        elif self.initialisation == "identity":
            w = np.eye(source.shape[1])
        else:
            w, details["adversarial"] = self._adversarial(source, target, seed)
            details["degenerate"] = details["adversarial"]["degenerate"]
        w, values, size = self.refine(source, target, w)
        details |= {"criterion": max(values), "refinement": values, "refined_on_pairs": size}
        return Mapping(MappedSide(matrix=w), MappedSide(), details)

    def _adversarial(self, source: Array, target: Array, seed: int) -> tuple[Array, dict[str, Any]]:
        """Train until a run is not degenerate; return its map, or else the best map, and a report."""
        floor = self.floor(source, target, seed)
        maps, attempts = [], []
        for attempt in range(self.max_restarts + 1):
            used = seed if not attempt else int(np.random.SeedSequence([seed, attempt]).generate_state(1)[0])
            w, epochs = self.play(source, target, used, lambda w: self.criterion(source, target, w))
            refined = self._refined_criterion(source, target, w)
            failed = refined < floor
            maps.append(w)
            attempts.append({"seed": used, "epochs": epochs, "refined": refined, "degenerate": failed})
            if not failed:
                break
            log.warning(
                "muse: run with seed %d is degenerate: criterion %.4f, at least %.4f is needed", used, refined, floor,
            )  # fmt: skip
        else:
            log.warning(
                "muse: all %d runs are degenerate: the best run stays, marked as degenerate", len(attempts)
            )
        best = int(np.argmax([run["refined"] for run in attempts]))
        return maps[best], {
            "floor": floor,
            "attempts": attempts,
            "restarts": len(attempts) - 1,
            "chosen_seed": attempts[best]["seed"],
            "degenerate": attempts[best]["degenerate"],
        }

    def play(
        self, source: Array, target: Array, seed: int, criterion: Callable[[Array], float]
    ) -> tuple[Array, list[float]]:
        """Train adversarially from the identity (sections 2.1 and 3.1 to 3.3). Return the best map W (d, d), x -> x W,
        by `criterion`, and the criterion after each epoch.
        """
        import torch

        with _seeded(seed, self.device):
            draw = torch.Generator().manual_seed(seed)
            shown = (matrix[: self.dis_most_frequent] for matrix in (source, target))
            tables = [torch.from_numpy(matrix).to(self.device) * self.input_scale for matrix in shown]
            w = torch.eye(source.shape[1], device=self.device, requires_grad=True)
            discriminator = self._discriminator(source.shape[1]).to(self.device)
            values: list[float] = []
            best, lr = w.detach().cpu().numpy().astype(np.float64), self.lr
            for epoch in range(self.n_epochs):
                for _ in range(max(1, self.epoch_size // self.batch_size)):
                    self._iterate(w, discriminator, tables, draw, lr)
                present = w.detach().cpu().numpy().astype(np.float64)
                if not np.isfinite(present).all():
                    log.warning("adversarial training diverged in epoch %d: lower lr (now %g)", epoch, lr)
                    break
                values.append(criterion(present))
                log.info("adversarial epoch %d: criterion %.4f, learning rate %.4g", epoch, values[-1], lr)
                if values[-1] == max(values):
                    best = present
                if len(values) > 1 and values[-1] < values[-2]:
                    lr *= self.lr_shrink
                lr = max(self.min_lr, lr * self.lr_decay)
        return best, values

    def _discriminator(self, dimension: int) -> torch.nn.Module:
        """Return the network of section 3.1: hidden layers with leaky rectifiers, one logit for "source"."""
        from torch import nn

        layers: list[nn.Module] = [nn.Dropout(self.dis_input_dropout)]
        for i in range(self.dis_layers):
            layers += [nn.Linear(self.dis_hidden if i else dimension, self.dis_hidden), nn.LeakyReLU(0.2)]
            layers.append(nn.Dropout(self.dis_dropout))
        return nn.Sequential(*layers, nn.Linear(self.dis_hidden if self.dis_layers else dimension, 1))

    def _iterate(
        self,
        w: torch.Tensor,
        discriminator: torch.nn.Module,
        tables: list[torch.Tensor],
        draw: torch.Generator,
        lr: float,
    ) -> None:
        """Take `dis_steps` steps of the discriminator and one of the map (section 2.1, Eq. 3 and 4)."""
        import torch
        from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

        weights = list(discriminator.parameters())
        discriminator.train()
        for _ in range(self.dis_steps):
            with torch.no_grad():
                x, is_source = self._batch(w, tables, draw)
            _step(weights, cross_entropy(discriminator(x), is_source), lr)
        discriminator.eval()
        x, is_source = self._batch(w, tables, draw)
        _step([w], self.dis_lambda * cross_entropy(discriminator(x), 1 - is_source), lr)
        with torch.no_grad():  # section 3.3, Eq. 7: the map stays close to the orthogonal matrices
            w.copy_((1 + self.map_beta) * w - self.map_beta * (w @ w.T @ w))

    def _batch(
        self, w: torch.Tensor, tables: list[torch.Tensor], draw: torch.Generator
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return mapped source and target vectors (2 batch, d), and the smoothed label of each: 1 for source."""
        import torch

        drawn = [torch.randint(len(table), (self.batch_size,), generator=draw) for table in tables]
        x, y = (table[rows.to(self.device)] for table, rows in zip(tables, drawn, strict=True))
        is_source = torch.full((2 * self.batch_size, 1), self.dis_smooth, device=self.device)
        is_source[: self.batch_size] = 1 - self.dis_smooth
        return torch.cat([x @ w, y]), is_source

    def floor(self, source: Array, target: Array, seed: int) -> float:
        """Return the criterion below which a map is degenerate: `min_gain` of the way from refined random maps to 1.
        Refinement raises the criterion of any map, even of a random map.
        """
        from scipy.stats import ortho_group

        generators = (np.random.default_rng([seed, i]) for i in range(2))
        random = (ortho_group.rvs(source.shape[1], random_state=rng) for rng in generators)
        chance = max(self._refined_criterion(source, target, w) for w in random)
        return chance + self.min_gain * (1 - chance)

    def _refined_criterion(self, source: Array, target: Array, w: Array) -> float:
        """Return the criterion of `w` after refinement on the most frequent words only, which is fast."""
        _, values, _ = self.refine(source[: self.criterion_words], target[: self.criterion_words], w)
        return values[-1]

    def criterion(self, source: Array, target: Array, w: Array, means: Means | None = None) -> float:
        """Return the mean cosine of frequent source words with their translation by CSLS (section 3.5)."""
        mapped, rows = product(source, w), np.arange(min(self.criterion_words, len(source)))
        return retrieval.mean_cosine(mapped[rows], target[self._best(mapped, target, rows, means)])

    def dictionary(self, source: Array, target: Array, w: Array, means: Means | None = None) -> Array:
        """Return the pairs (k, 2) of frequent words that are each other's best translation by CSLS (2.2)."""
        mapped, means = product(source, w), means or self.means(source, target, w)
        rows, columns = (np.arange(min(self.dico_max_rank, len(m))) for m in (source, target))
        best = self._best(mapped, target, rows, means)
        back = self._best(target, mapped, columns, means[::-1])
        mutual = rows[(best < len(columns)) & (back[np.minimum(best, len(columns) - 1)] == rows)]
        return np.stack([mutual, best[mutual]], axis=1)

    def _best(self, source: Array, target: Array, rows: Array, means: Means | None) -> Array:
        """Return the best target of each of the `rows` by CSLS."""
        how = {"neighbours": self.csls_neighbours, "means": means, "device": self._search}
        with blas_threads():
            return retrieval.csls(source, target, rows, k=1, **how)[0][:, 0]

    def means(self, source: Array, target: Array, w: Array) -> Means:
        """Return CSLS's means under a map, for its criterion and its dictionary."""
        with blas_threads():
            return retrieval.mean_similarities(product(source, w), target, self.csls_neighbours, self._search)

    def refine(self, source: Array, target: Array, w: Array) -> tuple[Array, list[float], int]:
        """Refine `w` by Procrustes on its own dictionary; return the best by criterion, all values, pairs."""
        means = self.means(source, target, w)
        best, values, size = w, [self.criterion(source, target, w, means)], 0
        for _ in range(self.n_refinement):
            pairs = self.dictionary(source, target, w, means)
            if not len(pairs):
                break
            w = rotation(source[pairs[:, 0]], target[pairs[:, 1]])
            means = self.means(source, target, w)
            values.append(self.criterion(source, target, w, means))
            log.info("refinement on %d pairs: criterion %.4f", len(pairs), values[-1])
            if values[-1] == max(values):
                best, size = w, len(pairs)
        return best, values, size


def _step(weights: list[torch.Tensor], loss: torch.Tensor, lr: float) -> None:
    import torch

    gradients = torch.autograd.grad(loss, weights)
    with torch.no_grad():
        torch._foreach_add_(weights, list(gradients), alpha=-lr)


@contextmanager
def _seeded(seed: int, device: str) -> Iterator[None]:
    """Seed torch's generators and use one thread; restore both at the end."""
    import torch

    threads = torch.get_num_threads()
    with torch.random.fork_rng([torch.cuda.current_device()] if device.startswith("cuda") else []):
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)
