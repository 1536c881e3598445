import os
import subprocess
import sys
from pathlib import Path

import pytest

from crosslingua.errors import InputError
from crosslingua.provenance import code_version, process_cost, sha256, told


def test_provenance_is_filled_in() -> None:
    assert code_version().startswith("0.")
    seconds, peak_mb = process_cost()
    assert seconds > 0 < 5 < peak_mb


SCRIPT = """
import subprocess, sys, time
from crosslingua.cli import run

def spend(seconds):
    while time.process_time() < seconds:
        pass

def main():
    spend(0.5)
    subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < 0.5: pass"], check=True)

run(main)
"""


def test_a_log_tells_what_the_system_counts(tmp_path: Path) -> None:
    before, log = os.times(), tmp_path / "job.log"
    with log.open("w") as stream:
        subprocess.run([sys.executable, "-c", SCRIPT], stderr=stream, check=True)
    counted = sum(os.times()[2:4]) - sum(before[2:4])  # of children, user and system
    assert counted > 0.9
    assert told(log) == pytest.approx(counted, abs=0.2)


def test_what_scripts_of_one_job_spent_is_added_up_if_its_log_tells(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    assert told(log) is None
    log.write_text("the processor time: 3 s is not a line of ours\n")
    assert told(log) is None
    log.write_bytes(b"1:00:00 INFO processor time: 1.25 s\n\xff\r99%\n2:00:00 INFO processor time: 0.50 s\n")
    assert told(log) == 1.75


def test_the_checksum_of_a_pipe_is_refused_since_it_would_take_what_a_reader_needs(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe: is a pipe, and is read twice"):
        sha256(tmp_path / "pipe")
