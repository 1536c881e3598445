import torch

from crosslingua.optimiser import AdamW


def modules():
    torch.manual_seed(1)
    return torch.nn.Linear(5, 3), torch.nn.Linear(5, 3)


def gradients(one, other, seed):
    generator = torch.Generator().manual_seed(seed)
    for mine, theirs in zip(one.parameters(), other.parameters(), strict=True):
        mine.grad = torch.randn(mine.shape, generator=generator)
        theirs.grad = mine.grad.clone()


def test_is_torchs():
    one, other = modules()
    other.load_state_dict(one.state_dict())
    ours = AdamW(one.parameters(), 0.3, (0.8, 0.9), 1e-6)
    theirs = torch.optim.AdamW(
        [{"params": [other.weight], "weight_decay": 0.3}, {"params": [other.bias], "weight_decay": 0.0}],
        betas=(0.8, 0.9), eps=1e-6,
    )  # fmt: skip
    for step in range(5):
        gradients(one, other, step)
        ours.step(0.1 / (step + 1))
        for group in theirs.param_groups:
            group["lr"] = 0.1 / (step + 1)
        theirs.step()
    torch.testing.assert_close(one.weight, other.weight)
    torch.testing.assert_close(one.bias, other.bias)


def test_goes_on_from_its_state():
    one, other = modules()
    other.load_state_dict(one.state_dict())
    first, second = (AdamW(m.parameters(), 0.1, (0.9, 0.98), 1e-6) for m in (one, other))
    gradients(one, other, 1)
    first.step(0.1)
    other.load_state_dict(one.state_dict())
    second.load_state_dict(first.state_dict())
    gradients(one, other, 2)
    first.step(0.1)
    second.step(0.1)
    assert torch.equal(one.weight, other.weight)


def test_no_gradient_decays_only():
    one, _ = modules()
    before = one.weight.detach().clone()
    AdamW(one.parameters(), 0.5, (0.9, 0.98), 1e-6).step(0.1)
    torch.testing.assert_close(one.weight, before * 0.95)
