import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from crosslingua.errors import ConfigError
from crosslingua.imports import project_files
from crosslingua.tasks import kinds
from crosslingua.tasks.kinds import KINDS, SPANS, imported, kind_of, score

FINE_TUNED = ["ner", "pos", "slots", "nli", "paraphrase", "qa"]


def test_every_target_of_a_record_exists() -> None:
    for kind in KINDS.values():
        targets = (kind.sentences, kind.form.derive, kind.form.task, kind.form.scored)
        assert all(callable(imported(target)) for target in targets if target), kind.name
        modules = [name for name in (kind.world, *kind.models, kind.scorer) if name]
        assert project_files(members=modules)
        assert all(import_module(name) for name in modules)
    assert [name for name, kind in KINDS.items() if kind.models[0]] == FINE_TUNED


def test_another_kind_is_one_record(monkeypatch, tmp_path: Path) -> None:
    terms = replace(KINDS["ner"], name="terms", title="Terms", short="terms")
    monkeypatch.setitem(kinds.KINDS, "terms", terms)
    (tmp_path / "gold").write_text("ann\tB-TERM\nleft\tO\n")
    assert score("terms", tmp_path / "gold", tmp_path / "gold")["f1"] == 100
    examples = kind_of("terms").task().read(tmp_path / "gold")
    assert examples[0].labels == ("B-TERM", "O")


def test_a_task_without_fine_tuning_is_told() -> None:
    bare = replace(KINDS["ner"], form=replace(SPANS, task="", scored=""))
    with pytest.raises(ConfigError, match=f"fine-tuned on ner yet: {', '.join(FINE_TUNED)} can be"):
        bare.task()


def test_the_records_are_read_without_torch() -> None:
    code = "import sys, crosslingua.tasks.kinds; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert SPANS.task  # named, not imported
