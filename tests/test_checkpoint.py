"""A trainer's state comes back, and from files of older runs too."""

from types import SimpleNamespace

import torch

from crosslingua.checkpoint import Checkpoints
from crosslingua.optimiser import Adam

KEPT = {"step": "done", "weights": "inner.layer", "optimiser": "optimiser"}


def trainer():
    layer = torch.nn.Linear(3, 2)
    optimiser = Adam(layer.parameters(), 0.1, 0.0)
    return SimpleNamespace(inner=SimpleNamespace(layer=layer), optimiser=optimiser, done=0)


def trained(one, steps=1):
    for _ in range(steps):
        one.optimiser.zero_grad()
        one.inner.layer(torch.ones(3)).sum().backward()
        one.optimiser.step(0.0)
        one.done += 1
    return one.inner.layer.weight.detach().clone()


def test_what_is_kept_is_restored(tmp_path, caplog):
    first, second = trainer(), trainer()
    trained(first)
    Checkpoints(tmp_path / "a", "run").keep(first, KEPT)
    Checkpoints(tmp_path / "a", "another run").restore(second, KEPT)
    assert second.done == 0
    assert "other data or settings" in caplog.text
    Checkpoints(tmp_path / "a", "run").restore(second, KEPT)
    assert second.done == 1
    assert torch.equal(trained(first, 3), trained(second, 3))
    (tmp_path / "a.checkpoint" / "state.pt").write_bytes(b"half")
    assert Checkpoints(tmp_path / "a", "run").load() is None


def test_weights_may_have_had_other_names(tmp_path):
    first, second = trainer(), trainer()
    checkpoints = Checkpoints(tmp_path / "a", "run")
    weights = {f"old.{name}": value for name, value in first.inner.layer.state_dict().items()}
    checkpoints.save({"step": 5, "weights": weights, "optimiser": first.optimiser.state_dict()})
    checkpoints.restore(second, KEPT)
    assert torch.equal(first.inner.layer.weight, second.inner.layer.weight)
