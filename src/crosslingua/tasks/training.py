"""The loop that fine-tunes a model and keeps the weights that do best on validation data."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

from crosslingua.errors import CrosslinguaError
from crosslingua.optimiser import AdamW
from crosslingua.tasks.batches import training_batches
from crosslingua.tasks.settings import FineTuning

BETAS = (0.9, 0.999)  # of AdamW, as in BERT and XTREME's code


def fine_tune(
    model: nn.Module, data: Any, validate: Callable[[], float], settings: FineTuning, seed: int
) -> dict[str, Any]:
    """Train `model` (a TaskModel) on prepared `data`; return what happened, epoch by epoch.

    After each epoch `validate` is asked for the score on validation data, and the model ends with the weights of
    the first epoch that reached the highest. Given the seed the result is the same, whatever was trained before.
    Raises CrosslinguaError when the loss is no longer finite.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    plan = [training_batches(data.lengths, settings.batch_size, rng) for _ in range(settings.epochs)]
    steps = sum(map(len, plan))
    rates = (settings.learning_rate * rate(step, steps, settings.warmup) for step in range(steps))
    learnt = [weights for weights in model.parameters() if weights.requires_grad]
    optimiser = AdamW(learnt, settings.weight_decay, BETAS, settings.adam_epsilon)
    epochs: list[dict[str, float]] = []
    best: dict[str, torch.Tensor] = {}
    started, cpu = time.perf_counter(), time.process_time()
    with tqdm(total=steps, unit="step", disable=None, leave=False) as bar:
        for number, batches in enumerate(plan, 1):
            loss = _epoch(model, data, batches, optimiser, rates, settings.clip_norm, bar)
            score = validate()
            if score > max((epoch["validation"] for epoch in epochs), default=-1):
                best = copy.deepcopy(model.state_dict())
            epochs.append({"epoch": number, "loss": round(loss, 5), "validation": round(score, 4)})
            bar.set_postfix(loss=f"{loss:.3f}", validation=f"{score:.1f}")
    model.load_state_dict(best)
    model.eval()
    return {
        "epochs": epochs,
        "selected": max(epochs, key=lambda epoch: epoch["validation"])["epoch"],
        "steps": steps,
        "pieces": int(data.lengths.sum()) * settings.epochs,
        "seconds": round(time.perf_counter() - started, 2),
        "cpu_seconds": round(time.process_time() - cpu, 2),
    }


def rate(step: int, steps: int, warmup: float) -> float:
    """Return the factor of the learning rate at `step` (from 0): linear to 1 over warm-up, then linear to 0."""
    rising = round(warmup * steps)
    if step < rising:
        return step / rising
    return max(0.0, (steps - step) / max(1, steps - rising))


def _epoch(
    model: Any,
    data: Any,
    batches: list[np.ndarray],
    optimiser: AdamW,
    rates: Iterator[float],
    clip_norm: float,
    bar: tqdm,
) -> float:
    """Train on each batch once; return the mean loss of a batch."""
    model.train()
    total = 0.0
    for rows in batches:
        loss = model.loss(data, rows)
        value = loss.item()
        if not np.isfinite(value):
            raise CrosslinguaError(
                f"the loss is {value} at step {bar.n + 1}: lower learning_rate or clip_norm"
            )
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip_norm)
        optimiser.step(next(rates))
        total += value
        bar.update()
    return total / len(batches)
