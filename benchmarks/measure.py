"""What the benchmarks share: the machine in words, runs in a process of their own with time and peak memory, `--json`.

A benchmark's two sides are functions of one file, each called in a fresh process (`--side NAME`), on the
same cores and inputs; a side prints one JSON line with the seconds that it timed itself, without imports
and loading.

    python benchmarks/measure.py COMMAND    run a command, and print its output, times and peak memory as JSON
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
Side = dict[str, Any] | None

# OpenBLAS' kernels for processors without AVX2
SSE = {"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Katmai", "Coppermine", "Northwood", "Banias",
       "Athlon", "Opteron", "Opteron_SSE3", "Barcelona", "Bobcat", "Nano", "generic"}  # fmt: skip


def machine(*packages: str) -> str:
    """Return processor, cores, memory and versions in one line."""
    models = [line for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    name = models[0].partition(":")[2].strip() if models else platform.processor()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = ", ".join(map(named, packages))
    cores = len(os.sched_getaffinity(0))
    return f"{name}, {cores} cores, {memory:.0f} GiB; Python {platform.python_version()}, {versions}"


def named(package: str) -> str:
    """Return a package with its version, or say that it is not installed."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package}, not installed"


def parser(description: str) -> argparse.ArgumentParser:
    """Return a parser with `--json`, for `record`."""
    p = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--json", type=Path, help="file to append the measured rows to, a JSON object a line")
    return p


def record(
    path: Path | None, what: str, size: str, peer: str, ours: Side = None, theirs: Side = None,
    same: bool | None = None, check: str = "",
) -> None:  # fmt: skip
    """Append a row to the file of `--json`, if it is given.

    `what` and `size` say what is measured, and `peer` whom Crosslingua is compared with. `ours` and `theirs` are what
    `report` printed: processor seconds and MB. `same` says whether `check` finds the same result on both sides.
    """
    if path:
        row = {"what": what, "size": size, "peer": peer, "same": same, "check": check}
        for name, side in (("ours", ours), ("theirs", theirs)):
            row[name] = side and {key: side[key] for key in ("seconds", "cpu", "peak_mb") if key in side}
        with path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")


def run_script(name: str, *words: Any) -> None:
    """Run a program of scripts/, without what it says; an error where it fails."""
    command = [sys.executable, ROOT / "scripts" / name, *words]
    subprocess.run([*map(str, command)], check=True, stderr=subprocess.DEVNULL)


def run_side(script: str, name: str, threads: int, arguments: Sequence[Any] = ()) -> dict[str, Any]:
    """Run `script --side name arguments` with `threads` threads; return what it printed. SystemExit where it fails."""
    if any("avx512f" in line.split() for line in _lines("/proc/cpuinfo")):
        os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")  # older releases take a Zen 4 for a Zen
    command = [sys.executable, script, "--side", name, *map(str, arguments)]
    done = subprocess.run(command, env=_environment(threads), stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(1)  # it has said why
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
    print(json.dumps({"peak_mb": round(peak_mb()), **results}))


def peak_mb() -> float:
    """Return the peak memory of this process in MB.

    Linux carries `ru_maxrss` over from the process that started this one, so that its own peak is read instead.
    """
    own = [int(line.split()[1]) for line in _lines("/proc/self/status") if line.startswith("VmHWM")]
    return (own[0] if own else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1024


def timed(command: Sequence[Any], threads: int) -> tuple[dict[str, float], str]:
    """Run a command; return its wall and processor seconds and peak memory, start to end, and what it printed."""
    environment = _environment(threads) | {"TOKENIZERS_PARALLELISM": "false"}
    # A small process of its own starts the command: see `peak_mb`.
    started = [sys.executable, __file__, *map(str, command)]
    done = subprocess.run(started, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    found = json.loads(done.stdout)
    return found, found.pop("printed")


def _environment(threads: int) -> dict[str, str]:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
    return os.environ | dict.fromkeys(names, str(threads))


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


def main() -> None:
    """Run the command that is given, and print what `timed` returns."""
    start = time.perf_counter()
    done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True)
    wall, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{sys.argv[1:]} ended with status {done.returncode}")
    times = {"seconds": wall, "cpu": used.ru_utime + used.ru_stime}
    print(json.dumps({**times, "peak_mb": round(used.ru_maxrss / 1024), "printed": done.stdout}))


if __name__ == "__main__":
    main()
