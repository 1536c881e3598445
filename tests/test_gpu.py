"""The checks of benchmarks/gpu.py, on a GPU: the same results as on the processor, within its tolerances."""

from pathlib import Path

import pytest
import torch

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
CHECKS = (
    "pretraining_step", "pretraining_bf16", "fine_tuning_step", "word_alignment", "csls", "translation",
    "tagger_training", "word_features", "encoder_alignment", "translation_step", "translation_run", "mappers",
)  # fmt: skip

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no GPU")]


@pytest.fixture
def checks(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import gpu_checks

    return gpu_checks.CHECKS


@pytest.mark.parametrize("name", CHECKS)
def test_a_gpu_computes_what_the_processor_does(checks, name, tmp_path):
    assert set(CHECKS) == set(checks)
    for row in checks[name]({}, "cuda", tmp_path):
        assert row["holds"], row


def test_recorded_updates_are_those_that_are_launched(checks, tmp_path):
    from crosslingua.encoders.trainer import Trainer
    from gpu_checks import SMALL, settings
    from gpu_data import loss_of, text_rows, trainer_of

    curves = []
    for recorded in (False, True):
        loss, rows = loss_of(SMALL, {"text": ["mlm"]}), {"text": text_rows(SMALL, 64)}
        trainer = trainer_of(Trainer, loss, rows, settings("cuda", "bf16", steps=12), tmp_path)
        trainer._graphs = trainer._graphs if recorded else None
        trainer.train()
        curves.append(trainer.curve["loss"])
    assert curves[1] == pytest.approx(curves[0], rel=1e-4)
