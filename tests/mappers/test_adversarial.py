import numpy as np
import pytest

from crosslingua.mappers.muse import Game
from mappers.worlds import rotated

torch = pytest.importorskip("torch")

TINY = {
    "epochs": 2, "epoch_size": 320, "batch_size": 16, "layers": 2, "hidden": 24, "dropout": 0.1,
    "input_dropout": 0.1, "steps": 3, "weight": 1.0, "most_frequent": 200, "smooth": 0.1, "map_beta": 0.01,
    "lr": 0.1, "lr_decay": 0.95, "lr_shrink": 0.5, "min_lr": 1e-6, "input_scale": 1.0, "device": "cpu",
}  # fmt: skip


def test_a_step_of_the_map_is_the_hand_derived_one():
    # With no hidden layer the logit is x.v + c, and d BCE / d logit = sigmoid(logit) - label. The map is trained
    # on the wrong labels: 0.1 for source. Only source rows depend on it. Then W <- 1.25 W - 0.25 W W' W.
    game = Game(**TINY | {"layers": 0, "steps": 0, "map_beta": 0.25, "input_dropout": 0.0, "batch_size": 5})
    rng = np.random.default_rng(0)
    source, target = rng.standard_normal((2, 30, 4)).astype(np.float32)
    w = torch.from_numpy(rng.standard_normal((4, 4)).astype(np.float32)).requires_grad_()
    before = w.detach().numpy().astype(np.float64)
    discriminator = game._discriminator(4)
    tables = [torch.from_numpy(source), torch.from_numpy(target)]
    game._iterate(w, discriminator, tables, torch.Generator().manual_seed(7), 0.3)

    x = source[torch.randint(30, (5,), generator=torch.Generator().manual_seed(7)).numpy()].astype(np.float64)
    v, c = (p.detach().numpy().astype(np.float64) for p in discriminator.parameters())
    error = 1 / (1 + np.exp(-(x @ before @ v.T + c))) - 0.1
    stepped = before - 0.3 * x.T @ error @ v / 10
    expected = 1.25 * stepped - 0.25 * stepped @ stepped.T @ stepped
    np.testing.assert_allclose(w.detach().numpy(), expected, atol=1e-6)


def test_the_discriminator_learns_to_tell_the_languages_apart():
    game = Game(**TINY | {"lr": 0.5})
    world = rotated(words=200, dimension=6)
    tables = [torch.from_numpy(world.source), torch.from_numpy(world.target + 1)]
    torch.manual_seed(0)
    discriminator = game._discriminator(6)
    w = torch.eye(6, requires_grad=True)
    for _ in range(60):
        game._iterate(w.detach().clone().requires_grad_(), discriminator, tables, torch.Generator(), 0.5)
    discriminator.eval()
    told = [(discriminator(table) > 0).float().mean().item() for table in tables]
    assert told[0] > 0.8
    assert told[1] < 0.2


def test_labels_are_smoothed_and_only_frequent_words_are_drawn():
    game = Game(**TINY)
    tables = [torch.arange(6.0).reshape(3, 2), torch.ones(1, 2)]
    x, is_source = game._batch(2 * torch.eye(2), tables, torch.Generator().manual_seed(0))
    assert is_source.squeeze().tolist() == pytest.approx([0.9] * 16 + [0.1] * 16)
    assert {tuple(row) for row in x[:16].tolist()} <= {(0, 2), (4, 6), (8, 10)}
    assert (x[16:] == 1).all()


def play(seed, **changes):
    world = rotated(words=300, dimension=6)
    return Game(**TINY | changes).play(world.source, world.target, seed, lambda w: float(w[0, 0]))


def test_same_seed_same_bytes_and_torch_is_left_as_it_was():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    threads = torch.get_num_threads()
    first, values = play(1)
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.rand(3), expected)
    torch.rand(11)
    again, _ = play(1)
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != play(2)[0].tobytes()
    assert len(values) == 2


def test_words_past_most_frequent_do_not_count():
    world = rotated(words=300, dimension=6)
    changed = world.source.copy()
    changed[200:] = 9
    maps = [Game(**TINY).play(m, world.target, 1, lambda w: 0.0)[0] for m in (world.source, changed)]
    assert maps[0].tobytes() == maps[1].tobytes()


def test_input_scale_multiplies_what_is_shown():
    world = rotated(words=300, dimension=6)
    scaled = Game(**TINY | {"input_scale": 4.0}).play(world.source, world.target, 1, lambda w: 0.0)[0]
    plain = Game(**TINY).play(4 * world.source, 4 * world.target, 1, lambda w: 0.0)[0]
    assert scaled.tobytes() == plain.tobytes()


def test_the_best_epoch_by_criterion_is_kept():
    seen = []
    values = iter([0.2, 0.9, 0.5])

    def criterion(w):
        seen.append(w)
        return next(values)

    world = rotated(words=300, dimension=6)
    best, curve = Game(**TINY | {"epochs": 3}).play(world.source, world.target, 0, criterion)
    assert curve == [0.2, 0.9, 0.5]
    assert best.tobytes() == seen[1].tobytes()


def test_the_map_stays_near_the_orthogonal_matrices():
    spread = []
    for beta in (0.0, 0.1):
        singular = np.linalg.svd(play(3, map_beta=beta, epoch_size=3200)[0], compute_uv=False)
        spread.append(np.abs(singular - 1).max())
    assert spread[1] < 0.5 * spread[0]


def test_divergence_is_noticed(caplog):
    w, values = play(0, lr=1e30)
    assert values == []
    assert np.isfinite(w).all()
    assert "diverged" in caplog.text
