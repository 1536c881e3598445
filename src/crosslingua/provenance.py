"""The provenance of a number: code version, checksums of files, the machine, and the cost of the process."""

import hashlib
import os
import platform
import re
import resource
import subprocess
import time
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from crosslingua import __version__
from crosslingua.io.decode import once_more

LIBRARIES = ("snakemake", "numpy", "scipy", "torch", "transformers")  # whose versions are named, if installed
BF16 = ("avx512_bf16", "amx_bf16", "bf16")
_STARTED = time.perf_counter()


@cache
def code_version() -> str:
    """Return the package version with the commit it ran from, `.dirty` if files differed from it."""
    folder = Path(__file__).parent
    if not (
        folder.parents[1] / ".git"
    ).exists():  # an installed package may lie in another project's repository
        return __version__
    try:
        command = ["git", "describe", "--always", "--dirty=.dirty", "--abbrev=10", "--exclude=*"]
        how = {"capture_output": True, "text": True, "check": True, "timeout": 20}
        described = subprocess.run(command, cwd=folder, **how).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return __version__
    return f"{__version__}+g{described}"


def sha256(path: str | Path) -> str:
    """Return the SHA-256 of a file as 64 hexadecimal digits; constant memory. Raises InputError for a pipe, whose
    bytes a reader needs.
    """
    once_more(path)
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def machine() -> str:
    """Return in words what this process runs on: processor, cores, memory, system, and versions of libraries."""
    import psutil

    cpu = Path("/proc/cpuinfo")
    models = re.findall(r"^model name\s*: (.+)$", cpu.read_text() if cpu.is_file() else "", re.MULTILINE)
    memory = psutil.virtual_memory().total / 2**30
    place = (
        f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GB of memory"
    )
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES if find_spec(name))
    return f"{place}; {platform.system()}; Python {platform.python_version()}, {versions}"


@cache
def processor_flags() -> frozenset[str]:
    """Return what the processor says it can do (Linux); empty where it does not say."""
    try:
        return frozenset(Path("/proc/cpuinfo").read_text().split())
    except OSError:
        return frozenset()


def has_bf16() -> bool:
    """Whether the processor has instructions for bfloat16, of x86 or ARM."""
    return not processor_flags().isdisjoint(BF16)


def process_cost() -> tuple[float, float]:
    """Return wall seconds since the package was loaded, and the peak resident memory in MB (10^6 bytes)."""
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(time.perf_counter() - _STARTED, 3), round(peak_kib * 1024 / 1e6, 1)


# The cost of a script, in its log. Snakemake's benchmarks look only every 30 seconds after the first, and miss the
# rest: a job of 44 seconds "took" 15 seconds of processor time.
TOLD = "processor time: %.2f s"
_LINE = re.compile(r"^\S+ INFO processor time: ([0-9]+[.][0-9]+) s$", re.MULTILINE)


def processor_seconds() -> float:
    """Return the processor seconds of this process and of the children that it waited for, user and system."""
    return sum(os.times()[:4])


def told(log: str | Path) -> float | None:
    """Return the sum of the seconds in a log of scripts; None without any, or without a log."""
    path = Path(log)
    found = _LINE.findall(path.read_text(encoding="utf-8", errors="replace")) if path.is_file() else []
    return sum(map(float, found)) if found else None
