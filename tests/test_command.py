import re
import subprocess
from pathlib import Path

import pytest

from crosslingua import command
from texts import written


def test_every_verb_has_a_sentence_and_those_of_people_stand_first() -> None:
    lines = command.help_text().splitlines()
    verbs = [line.split()[0] for line in lines[3:]]
    assert verbs[:4] == ["ask", "trace", "compare", "estimate"]
    assert {"align-vectors", "induce-lexicon", "word-align", "pretrain"} <= set(verbs)
    assert not {"unlock", "write-schemas"} & set(verbs)
    assert all(len(line.split()) > 1 for line in lines[3:])


def test_a_verb_runs_its_script_and_a_wrong_one_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(["align-vectors", "--help"])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert "--mapper MAPPER" in told
    assert "--cells" not in told.partition("\n\n")[0]  # of the workflow, not of people
    assert command.main(["aling-vectors"]) == 2
    assert "did you mean 'align-vectors'?" in capsys.readouterr().err


def test_examples_keep_their_line_breaks() -> None:
    lines = command.page().splitlines()
    assert any(line.endswith(" \\") for line in lines)
    assert [line for line in lines if re.search(r"\S {6,}-", line)] == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["bli", "--config", "a", "b", "-n"], ["--cores", "all", "bli", "-n", "--configfile", "a", "b"]),
        (["--cores", "2"], ["--cores", "2"]),
    ],
)  # fmt: skip
def test_run_hands_configurations_to_snakemake(monkeypatch, tmp_path: Path, given, expected) -> None:
    called, ended = [], subprocess.CompletedProcess([], 3)
    monkeypatch.setattr(subprocess, "run", lambda words, cwd: called.append(words) or ended)
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        (tmp_path / name).write_text("scale: mine\n")
    assert command.main(["run", *given]) == 3
    expected = [str(tmp_path / word) if word in ("a", "b") else word for word in expected]
    assert called[0][3:] == [*expected, "--logger", "crosslingua"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "error: --config mine.yaml is no file"),
        ("", "error: --config mine.yaml is empty: write scale, pairs, languages"),
        ("seeds:\n\t- 1\n", "error: mine.yaml:2: not YAML: "),
    ],
)
def test_run_reads_configurations_before_snakemake(monkeypatch, tmp_path, capsys, content, message) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(subprocess, "run", lambda *words, **more: pytest.fail("Snakemake was started"))
    if content is not None:
        Path("mine.yaml").write_text(content)
    assert command.main(["run", "--config", "mine.yaml"]) == 1
    assert capsys.readouterr().err.startswith(message)


def test_run_removes_the_lock_of_a_killed_run(monkeypatch, tmp_path: Path, capsys) -> None:
    lock = written(tmp_path / ".snakemake/locks/0.output.lock", "")
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(subprocess, "run", lambda words, cwd: subprocess.CompletedProcess(words, 0))
    assert command.run([]) == 0
    assert not lock.exists()
    assert "killed" in capsys.readouterr().out
