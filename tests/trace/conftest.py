import pytest

from crosslingua.trace.chain import Records
from recorded_run import recorded_run


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Records:
    """The records of a small run; not to be changed."""
    return Records(recorded_run(tmp_path_factory.mktemp("toy")))
