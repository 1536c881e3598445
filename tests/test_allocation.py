"""Freed memory stays with the process: counted by the pages that the system has to give again."""

import subprocess
import sys

import pytest

FAULTS = """
import resource
from crosslingua.allocation import keep_freed_memory
{first}
def again():
    for _ in range(20):
        [bytearray(2**20) for _ in range(64)]
again()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
again()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(first: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", FAULTS.format(first=first)], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc's allocator is told")
def test_what_was_freed_is_used_again() -> None:
    assert faults("keep_freed_memory()") < 100 < faults("")
