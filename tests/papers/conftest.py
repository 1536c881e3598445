"""Made-up scores of a few systems: nothing is held against them that no run shows."""

import pytest

from crosslingua.claims import record


@pytest.fixture(autouse=True)
def runs_without_hidden_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take failures that no run shows for impossible: what is tested are statements and their evidence."""
    monkeypatch.setattr(record, "RARE", 0.0)
