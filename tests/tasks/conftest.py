"""A tiny encoder, files that taggers are trained on, and trainings that are counted and interrupted."""

from collections.abc import Callable
from pathlib import Path

import pytest

from crosslingua.embedders.encoder import Encoder
from crosslingua.tasks.questions import QuestionModel
from crosslingua.tasks.tagger_settings import TaggerFiles
from crosslingua.tasks.tagging import TaggingModel
from tasks.tagged_data import files, sentences
from tiny_encoder import write_encoder


class Losses:
    """Counts the batches that a model is trained on, and ends the run at step `kill_at`."""

    def __init__(self) -> None:
        self.steps, self.kill_at = 0, None

    def counted(self, loss: Callable) -> Callable:
        def step(*arguments):
            if self.steps == self.kill_at:
                raise InterruptedError
            self.steps += 1
            return loss(*arguments)

        return step


@pytest.fixture(scope="module")
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny encoder to which the WORDS of the test's module are pieces."""
    return write_encoder(tmp_path_factory.mktemp("encoder"), request.module.WORDS)


@pytest.fixture
def encoder(folder: Path) -> Encoder:
    return Encoder.load(folder).eval()


@pytest.fixture
def losses(monkeypatch: pytest.MonkeyPatch) -> Losses:
    counter = Losses()
    for model in (TaggingModel, QuestionModel):
        monkeypatch.setattr(model, "loss", counter.counted(model.loss))
    return counter


@pytest.fixture
def parsed(tmp_path: Path) -> TaggerFiles:
    splits = ("train", 120, 0), ("valid", 30, 1), ("test", 40, 2)
    made = ([files(tmp_path / split, "en", sentences(n, s))] for split, n, s in splits)
    return TaggerFiles.parse(*made, [])
