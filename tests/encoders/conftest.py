import pytest

from encoders.tiny import world


@pytest.fixture(scope="session")
def tiny_world(tmp_path_factory):
    """a.txt, its copy b.txt, and tok, a tokeniser folder."""
    return world(tmp_path_factory.mktemp("world"))
