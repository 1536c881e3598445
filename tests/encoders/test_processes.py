"""Devices that are missing or fail; test_pretraining_again.py tests the results of several processes."""

import pytest
import torch

from crosslingua.encoders.trainer import processes
from crosslingua.errors import ConfigError, CrosslinguaError


@pytest.fixture
def gpus(monkeypatch):
    """Let torch find as many GPUs as are asked for."""

    def there(number):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: number > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: number)
        monkeypatch.setattr(torch.cuda, "set_device", lambda device: None)

    return there


@pytest.mark.parametrize(
    ("number", "asked", "found"),
    [(0, "cpu", "cpu"), (0, "auto", "cpu"), (2, "cpu", "cpu"), (2, "auto", "cuda:1"), (2, "cuda", "cuda:1")],
)
def test_each_process_has_its_device(monkeypatch, gpus, number, asked, found):
    gpus(number)
    monkeypatch.setenv("LOCAL_RANK", "1")
    with processes(asked) as group:
        assert (group.rank, group.size, group.device) == (0, 1, torch.device(found))


def test_a_device_that_is_not_there(monkeypatch, gpus):
    gpus(0)
    with pytest.raises(ConfigError, match="device is cuda, but torch finds no GPU"), processes("cuda"):
        pass
    gpus(2)
    monkeypatch.setenv("LOCAL_RANK", "2")
    with pytest.raises(ConfigError, match="process 2 has no GPU: torch finds 2"), processes("auto"):
        pass


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (torch.OutOfMemoryError("out of memory\nmore"), r"cpu has too little memory: .*\(out of memory\)$"),
        (torch.AcceleratorError("an illegal access\nmuch more"), "cpu failed: an illegal access$"),
    ],
)
def test_a_device_that_fails(error, message):
    with pytest.raises(CrosslinguaError, match=message), processes("cpu"):
        raise error
