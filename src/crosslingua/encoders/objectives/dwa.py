"""Denoising word alignment (xlm_align, section 3): the model aligns a sentence pair, then points from masked words to
their aligned words.

Reconstructed, since the paper is silent: labels are made without dropout. A token with several links takes the
likeliest link of the transport plan. The sum of Eq. 15 is divided by the number of masked positions, like the
language-model loss.
"""

import math
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from crosslingua.encoders.batches import Batch
from crosslingua.encoders.objectives.objective import IGNORED, Encoded, Objective, Setup, at_least_one
from crosslingua.encoders.objectives.settings import DWASettings
from crosslingua.errors import ConfigError
from crosslingua.nn.bert import Spans
from crosslingua.word_aligners.transport import filter_links, log_similarity, sinkhorn

PUBLISHED_DEPTH = 10 / 12  # of the labelling layer, table 11
UNMASKED_SHARE = 0.15  # of unmasked tokens as queries, section 5.5


class Side(NamedTuple):
    """The tokens of one language of a batch of pairs: rows (b, 1), columns (b, n), and which are real (b, n)."""

    rows: Tensor
    columns: Tensor
    real: Tensor

    def of(self, x: Tensor) -> Tensor:
        """Return x (rows, t, ...) at the side's places: (b, n, ...)."""
        return x[self.rows, self.columns]


def sides(batch: Batch) -> tuple[Side, Side]:
    """Return the two languages of rows `<s> A </s></s> B </s>`, which stand one below the other or end to end."""
    second = batch.second
    if isinstance(batch.present, Spans):
        starts = batch.present.keys[: len(second) + 1].long()
        rows, begin, end = torch.zeros_like(second), starts[:-1], starts[1:]
        source, target = batch.widths
    else:
        tokens = batch.clean.shape[1]
        end = second.new_full(second.shape, tokens) if batch.present is None else batch.present.sum(1)
        rows, begin = torch.arange(len(second), device=second.device), torch.zeros_like(second)
        source, target = int((second - 2).max()), int((end - second - 2).max())
    halves = (begin + 1, begin + second - 1, source), (begin + second + 1, end - 1, target)
    found = []
    for start, stop, most in halves:
        columns = start[:, None] + torch.arange(most, device=start.device)
        # Padding may be any token. Different tokens serve, since gradients of a frequent token add up slowly.
        last = batch.clean.shape[1] - 1
        found.append(Side(rows[:, None], columns.clamp(max=last), columns < stop[:, None]))
    return tuple(found)


class DWA(Objective):
    """L_DWA (Eq. 15), with a pointer network of its own (Eq. 11 to 13)."""

    settings: DWASettings
    predicts = False
    every_state = True
    packs = False
    recorded = False

    def __init__(self, setup: Setup):
        super().__init__(setup)
        depth = setup.settings.dwa_labelling_layer or round(PUBLISHED_DEPTH * setup.layers)
        self.labelling_layer = _layer("dwa_labelling_layer", depth, setup)
        self.query_layer = _layer("dwa_query_layer", setup.settings.dwa_query_layer or setup.layers, setup)
        self.query, self.key = nn.Linear(setup.hidden, setup.hidden), nn.Linear(setup.hidden, setup.hidden)

    @property
    def prepares(self) -> bool:
        """Whether queries are chosen by chance."""
        return self.settings.dwa_queries in ("unmasked", "all_aligned")

    def prepare(self, batch: Batch, rng: np.random.Generator) -> None:
        """Draw the chances by which queries are chosen, where it is by chance."""
        if self.prepares:
            batch.draws = rng.random(batch.clean.shape, dtype=np.float32)

    def forward(self, encoded: Encoded) -> Tensor:
        """Return the share of the sum over queries, divided by the step's masked positions."""
        if self.settings.dwa_queries == "none":
            return 0 * sum(weights.sum() for weights in self.parameters())  # gradients are zero, not absent
        source, target = sides(encoded.batch)
        plan, links = self.labels(encoded, source, target)
        states = encoded.states[self.query_layer]
        forward, backward = self._queries(encoded.batch, source, target, links)
        left, right = source.of(states), target.of(states)
        weights, on_gpu = plan * links, isinstance(encoded.batch.present, Spans)
        loss = self._point(left, right, target.real, forward, weights, on_gpu)
        loss = loss + self._point(right, left, source.real, backward, weights.transpose(1, 2), on_gpu)
        return loss / at_least_one(encoded.batch.total)

    @torch.no_grad()
    def labels(self, encoded: Encoded, source: Side, target: Side) -> tuple[Tensor, Tensor]:
        """Return the transport plan (b, n, m) and the self-labelled links (b, n, m) of the clean text (section 3.1)."""
        s, model, batch = self.settings, encoded.model, encoded.batch
        training, inputs = model.training, (batch.clean, batch.languages, batch.present)
        model.eval()
        states = model.hidden_states(*inputs, self.labelling_layer, batch.positions)
        model.train(training)
        left, right = source.of(states[-1]).float(), target.of(states[-1]).float()
        similarity = log_similarity(left, right, s.dwa_epsilon)
        plan = sinkhorn(similarity, source.real, target.real, s.dwa_mu, s.dwa_sinkhorn_iterations)
        if not s.dwa_filter:
            return plan, union_of_directions(plan, source.real, target.real)
        filtering = s.dwa_filter_alpha, s.dwa_filter_iterations, s.dwa_discount_linked
        return plan, filter_links(plan, source.real, target.real, *filtering)

    def _queries(self, batch: Batch, source: Side, target: Side, links: Tensor) -> tuple[Tensor, Tensor]:
        """Return which tokens of either side are queries (b, n), (b, m): Eq. 14 and section 5.5."""
        aligned = links.any(2), links.any(1)
        if self.settings.dwa_queries == "all_aligned":
            # One of each pair, by chance: whose draw is the smaller.
            first = source.of(batch.draws)[:, :, None] < target.of(batch.draws)[:, None, :]
            return (links & first).any(2), (links & ~first).any(1)
        masked = torch.zeros_like(batch.clean, dtype=torch.bool).scatter(1, batch.columns, batch.filled)
        chosen = masked if self.settings.dwa_queries == "masked" else ~masked & (batch.draws < UNMASKED_SHARE)
        return aligned[0] & source.of(chosen), aligned[1] & target.of(chosen)

    def _point(
        self, queries: Tensor, keys: Tensor, real: Tensor, chosen: Tensor, weights: Tensor, on_gpu: bool
    ) -> Tensor:
        """Return the summed cross-entropy of pointing from the chosen queries at their heaviest link (Eq. 11)."""
        scores = self.query(queries) @ self.key(keys).transpose(1, 2) / math.sqrt(queries.shape[-1])
        scores = scores.float().masked_fill(~real[:, None, :], -torch.inf)
        if on_gpu:  # to take the chosen out, the processor would have to wait for their number
            heaviest = weights.argmax(2).masked_fill(~chosen, IGNORED)
            return F.cross_entropy(scores.transpose(1, 2), heaviest, ignore_index=IGNORED, reduction="sum")
        return F.cross_entropy(scores[chosen], weights[chosen].argmax(1), reduction="sum")


def union_of_directions(plan: Tensor, source_mask: Tensor, target_mask: Tensor) -> Tensor:
    """Return the union of forward and backward alignments (b, n, m): every token is aligned (section 5.4)."""
    real = source_mask[:, :, None] & target_mask[:, None, :]
    plan = plan.masked_fill(~real, -1)
    forward = torch.zeros_like(real).scatter(2, plan.argmax(2, keepdim=True), True)
    backward = torch.zeros_like(real).scatter(1, plan.argmax(1, keepdim=True), True)
    return (forward | backward) & real


def _layer(name: str, layer: int, setup: Setup) -> int:
    if not 1 <= layer <= setup.layers:
        raise ConfigError(f"{name} is {layer}: the encoder has layers 1 to {setup.layers}")
    return layer
