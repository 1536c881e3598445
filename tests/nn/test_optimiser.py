"""The optimisers against torch's; a trainer's state comes back, from files of older runs too."""

from types import SimpleNamespace

import pytest
import torch

from crosslingua.nn.checkpoint import Checkpoints
from crosslingua.nn.optimiser import Adam, AdamW, OneCycle, one_cycle

KEPT = {"step": "done", "weights": "inner.layer", "optimiser": "optimiser"}


def test_no_gradient_decays_only():
    layer = torch.nn.Linear(5, 3)
    before = layer.weight.detach().clone()
    AdamW(layer.parameters(), 0.5, (0.9, 0.98), 1e-6).step(0.1)
    torch.testing.assert_close(layer.weight, before * 0.95)


def trained(make, steps: int = 40) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the weights and biases of a layer that learns from noise; `make` returns a step by the progress."""
    torch.manual_seed(0)
    inputs, targets = torch.randn(20, 5), torch.randn(20, 3)
    layer = torch.nn.Linear(5, 3)
    step = make(layer, steps)
    for number in range(steps):
        layer.zero_grad()
        torch.nn.functional.mse_loss(layer(inputs), targets).backward()
        step(number / steps)
    return layer.weight.detach(), layer.bias.detach()


def test_adamw_is_torchs_at_the_same_rates() -> None:
    def theirs(layer, steps):
        groups = [{"params": [layer.weight]}, {"params": [layer.bias], "weight_decay": 0.0}]
        optimiser = torch.optim.AdamW(groups, betas=(0.8, 0.9), eps=1e-6, weight_decay=0.3)

        def step(progress):
            for group in optimiser.param_groups:
                group["lr"] = 0.1 / (1 + progress)
            optimiser.step()

        return step

    def mine(layer, steps):
        optimiser = AdamW(layer.parameters(), 0.3, (0.8, 0.9), 1e-6)
        return lambda progress: optimiser.step(0.1 / (1 + progress))

    torch.testing.assert_close(trained(mine), trained(theirs))


def test_adam_is_torchs_with_weight_decay() -> None:
    def theirs(layer, steps):
        optimiser = torch.optim.Adam(layer.parameters(), lr=0.01, weight_decay=0.1)
        return lambda progress: optimiser.step()

    mine = trained(lambda layer, steps: Adam(layer.parameters(), 0.01, 0.1).step)
    torch.testing.assert_close(mine, trained(theirs))


def test_one_cycle_is_torchs_policy() -> None:
    """torch counts a cycle's steps from 0 to steps - 1, which is where its last share is 1."""

    def theirs(layer, steps):
        optimiser = torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.95, weight_decay=0.01)
        cycle = {"max_lr": 0.1, "total_steps": steps + 1, "pct_start": 0.3}
        policy = torch.optim.lr_scheduler.OneCycleLR(optimiser, **cycle)

        def step(progress):
            rate, momentum = one_cycle(progress)
            torchs = policy.get_last_lr()[0], optimiser.param_groups[0]["momentum"]
            found.append((*torchs, 0.1 * rate, momentum))
            optimiser.step()
            policy.step()

        return step

    found: list[tuple[float, ...]] = []
    trained(theirs)
    # torch's peak is at 0.3 (steps + 1) - 1, ours at 0.3 steps: two thirds of a step apart
    for rate, momentum, *ours in found:
        assert ours == pytest.approx([rate, momentum], abs=0.008)


def test_one_cycle_begins_at_a_25th_and_ends_at_nothing() -> None:
    for progress, expected in ((0.0, (1 / 25, 0.95)), (0.3, (1.0, 0.85)), (1.0, (1 / 250_000, 0.95))):
        assert one_cycle(progress) == pytest.approx(expected)


def test_sgd_with_momentum_is_torchs_at_the_same_rates() -> None:
    def theirs(layer, steps):
        optimiser = torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01)

        def step(progress):
            rate, momentum = one_cycle(progress)
            optimiser.param_groups[0].update(lr=0.1 * rate, momentum=momentum)
            optimiser.step()

        return step

    mine = trained(lambda layer, steps: OneCycle(layer.parameters(), 0.1, 0.01).step)
    torch.testing.assert_close(mine, trained(theirs))


def trainer():
    layer = torch.nn.Linear(3, 2)
    optimiser = Adam(layer.parameters(), 0.1, 0.0)
    return SimpleNamespace(inner=SimpleNamespace(layer=layer), optimiser=optimiser, done=0)


def trained_further(one, steps=1):
    for _ in range(steps):
        one.optimiser.zero_grad()
        one.inner.layer(torch.ones(3)).sum().backward()
        one.optimiser.step(0.0)
        one.done += 1
    return one.inner.layer.weight.detach().clone()


def test_what_is_kept_is_restored(tmp_path, caplog):
    first, second = trainer(), trainer()
    trained_further(first)
    Checkpoints(tmp_path / "a", "run").keep(first, KEPT)
    Checkpoints(tmp_path / "a", "another run").restore(second, KEPT)
    assert second.done == 0
    assert "other data or settings" in caplog.text
    Checkpoints(tmp_path / "a", "run").restore(second, KEPT)
    assert second.done == 1
    assert torch.equal(trained_further(first, 3), trained_further(second, 3))
    (tmp_path / "a.checkpoint" / "state.pt").write_bytes(b"half")
    assert Checkpoints(tmp_path / "a", "run").load() is None


def test_weights_may_have_had_other_names(tmp_path):
    first, second = trainer(), trainer()
    checkpoints = Checkpoints(tmp_path / "a", "run")
    weights = {f"old.{name}": value for name, value in first.inner.layer.state_dict().items()}
    checkpoints.save({"step": 5, "weights": weights, "optimiser": first.optimiser.state_dict()})
    checkpoints.restore(second, KEPT)
    assert torch.equal(first.inner.layer.weight, second.inner.layer.weight)
