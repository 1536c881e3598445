"""What the benchmarks share: the machine in words, and runs in a process of their own with time and peak memory.

A benchmark's two sides are functions of one file, each called in a fresh process (`--side NAME`), on the
same cores and inputs; a side prints one JSON line with the seconds that it timed itself, without imports
and loading.
"""

import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

# OpenBLAS' kernels for processors without AVX2
SSE = {"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Katmai", "Coppermine", "Northwood", "Banias",
       "Athlon", "Opteron", "Opteron_SSE3", "Barcelona", "Bobcat", "Nano", "generic"}  # fmt: skip


def machine(*packages: str) -> str:
    """Return processor, cores, memory and versions in one line."""
    models = [line for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    name = models[0].partition(":")[2].strip() if models else platform.processor()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    cores = len(os.sched_getaffinity(0))
    return f"{name}, {cores} cores, {memory:.0f} GiB; Python {platform.python_version()}, {versions}"


def run_side(script: str, name: str, threads: int, arguments: Sequence[Any] = ()) -> dict[str, Any]:
    """Run `script --side name arguments` with `threads` threads; return what it printed."""
    if any("avx512f" in line.split() for line in _lines("/proc/cpuinfo")):
        os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")  # older releases take a Zen 4 for a Zen
    numbers = {key: str(threads) for key in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}
    command = [sys.executable, script, "--side", name, *map(str, arguments)]
    done = subprocess.run(command, env=os.environ | numbers, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


class Stopwatch:
    """Wall and CPU seconds since it was made; CPU time is the fairer one on a machine that others use too."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self) -> dict[str, float]:
        """Return both, as `report` takes them."""
        return {"seconds": time.perf_counter() - self._wall, "cpu": time.process_time() - self._cpu}


def report(**results: Any) -> None:
    """Print a side's result: its times, its process's peak memory in MB, and what else it found."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"peak_mb": round(peak), **results}))


def kernels(package: str) -> str:
    """Return the BLAS that the process runs for `package`, of all that are loaded, with the kernels that it chose.

    Raises SystemExit where these are older than AVX2 and the processor has AVX2: the peer would be slowed down.
    """
    from threadpoolctl import threadpool_info

    libraries = [lib for lib in threadpool_info() if lib["user_api"] == "blas"]
    own = [lib for lib in libraries if package in lib["filepath"]] or libraries
    names = ", ".join(f"{lib['internal_api']} {lib['version']} {lib.get('architecture')}" for lib in own)
    old = [lib for lib in own if lib.get("architecture") in SSE]
    if old and any("avx2" in line.split() for line in _lines("/proc/cpuinfo")):
        raise SystemExit(
            f"{package} runs {names}, kernels without AVX2: set OPENBLAS_CORETYPE=Haswell or SkylakeX"
        )
    return names


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
