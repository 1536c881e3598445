"""Files that taggers are trained on."""

from pathlib import Path

import pytest

from crosslingua.tasks.tagger_settings import TaggerFiles
from tasks.tagged_data import files, sentences


@pytest.fixture
def parsed(tmp_path: Path) -> TaggerFiles:
    made = {split: files(tmp_path / split, "en", sentences(n, s)) for split, n, s in
            (("train", 120, 0), ("valid", 30, 1), ("test", 40, 2))}  # fmt: skip
    return TaggerFiles.parse([made["train"]], [made["valid"]], [made["test"]], [])
