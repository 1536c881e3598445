import pytest
import torch

from encoders.tiny import world


@pytest.fixture(scope="session")
def tiny_world(tmp_path_factory):
    """a.txt, its copy b.txt, and tok, a tokeniser folder."""
    return world(tmp_path_factory.mktemp("world"))


@pytest.fixture(autouse=True)
def _one_thread():
    """Bits of sums depend on the number of threads."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
