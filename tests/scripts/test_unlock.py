"""A folder that a killed run left locked is unlocked, and one in which a run is at work is not."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from crosslingua.io.json import write_json
from programs import in_a_process
from texts import written


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    """The locks of a folder, as Snakemake leaves them."""
    return written(tmp_path / ".snakemake/locks/0.input.lock", "config.yaml\n").parent


def unlock(folder: Path) -> str:
    return in_a_process("unlock.py", folder=folder).stdout


def test_a_folder_without_locks_is_left_alone(tmp_path: Path) -> None:
    assert unlock(tmp_path) == ""


def test_what_a_killed_run_left_locked_is_unlocked(locks: Path, tmp_path: Path) -> None:
    assert "Unlocked" in unlock(tmp_path)
    assert not locks.exists()
    assert unlock(tmp_path) == ""


@pytest.mark.parametrize("name", ["bin/snakemake", "scripts/pretrain.py"])
def test_it_stays_locked_while_a_run_is_at_work(locks: Path, tmp_path: Path, name: str) -> None:
    written(tmp_path / name, "print('started', flush=True)\ninput()\n")
    command, pipe = [sys.executable, name], subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stdin=pipe, stdout=pipe) as process:
        process.stdout.readline()
        assert f"process {process.pid}" in unlock(tmp_path)
        assert locks.exists()
        written(tmp_path / "elsewhere/.snakemake/locks/0.input.lock", "")
        assert "Unlocked" in unlock(tmp_path / "elsewhere")
        process.kill()
    assert "Unlocked" in unlock(tmp_path)


@pytest.mark.parametrize(
    ("host", "executor", "said"),
    [
        ("login1", "local", "a run of login1 may be at work"),
        (socket.gethostname(), "slurm", "executor slurm"),
        (socket.gethostname(), "local", "Unlocked"),
    ],
)
def test_it_stays_locked_after_a_run_that_other_machines_may_be_at_work_for(
    locks: Path, tmp_path: Path, host: str, executor: str, said: str
) -> None:
    write_json(tmp_path / ".snakemake/crosslingua_run.json", {"host": host, "executor": executor})
    assert said in unlock(tmp_path)
    assert locks.exists() == (said != "Unlocked")
