"""A tiny encoder, made once."""

from pathlib import Path

import pytest

from word_aligners.encoders import make_bert


@pytest.fixture(scope="session")
def bert(tmp_path_factory) -> Path:
    return make_bert(tmp_path_factory.mktemp("bert"))
