"""Does preparing text keep its memory flat? Generate files of growing size, prepare each, print peak and speed.

    python benchmarks/normalise_memory.py --megabytes 250 500 1000 2000 --threads 2 --folder /tmp

The text is random: 200,000 types with Zipf's frequencies, sentences of 5 to 40 words, commas, full stops,
apostrophes, accents in both compositions and no-break spaces, so that every step has work to do. Every twentieth
line is repeated. Peak memory is that of the largest process and that of all together (sampled 20 times a second).
"""

import json
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

from crosslingua.cli import parser, run

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "prepare_text.py"
LETTERS = np.array([*"aaabcdeeeefghiiijklmnnnoooprrrssstttuvwxyzéöß", "e\u0301"])


def main() -> None:
    """Generate, prepare, print one row a size."""
    args = options().parse_args()
    columns = ["MB", "threads", "dedup", "lines", "seconds", "CPU seconds", "MB/s a CPU"]
    columns += ["largest process, MB", "all processes, MB"]
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    for megabytes in args.megabytes:
        source = args.folder / f"normalise_memory.{megabytes}.txt"
        generate(source, megabytes << 20)
        for dedup in (False, True):
            print(row(source, megabytes, args.threads, dedup), flush=True)
        source.unlink()


def options():
    """Return the parser of the command line."""
    p = parser(__doc__)
    p.add_argument(
        "--megabytes", type=int, nargs="+", default=[50, 100, 200], help="sizes of the generated files"
    )
    p.add_argument("--threads", type=int, default=2, help="processes that prepare the text")
    p.add_argument("--folder", type=Path, default=Path("/tmp"), help="where the files go meanwhile")
    return p


def generate(path: Path, size: int, seed: int = 1) -> None:
    """Write random sentences until the file has `size` bytes."""
    generator = np.random.default_rng(seed)
    lengths = generator.integers(2, 12, 200_000)
    words = np.array(["".join(generator.choice(LETTERS, length)) for length in lengths])
    marks = np.array(["", "", "", "", "", "", "", ",", "'s", "\u00a0x"])
    with path.open("w", encoding="utf-8") as stream:
        while stream.tell() < size:
            ranks = np.minimum(generator.zipf(1.2, 100_000) - 1, len(words) - 1)
            tokens = np.char.add(words[ranks], generator.choice(marks, len(ranks)))
            ends = np.cumsum(generator.integers(5, 41, 4000))
            lines = [" ".join(part) + ".\n" for part in np.split(tokens, ends[ends < len(tokens)])]
            stream.writelines(lines + lines[::20])


def row(source: Path, megabytes: int, threads: int, dedup: bool) -> str:
    """Prepare one file and return its row of the table."""
    out, report = source.with_suffix(".out"), source.with_suffix(".json")
    command = [
        sys.executable,
        SCRIPT,
        "--input",
        source,
        "--language",
        "en",
        "--lowercase",
        "--threads",
        threads,
    ]
    command += ["--out", out, "--report", report] + ["--dedup"] * dedup
    start, before = time.perf_counter(), cpu_seconds()
    process = subprocess.Popen([str(part) for part in command], stderr=subprocess.DEVNULL)
    peaks = {"largest": 0.0, "all": 0.0}
    watcher = threading.Thread(target=watch, args=(process, peaks))
    watcher.start()
    if process.wait():
        raise SystemExit(f"prepare_text.py failed with status {process.returncode}")
    watcher.join()
    seconds, cpu = time.perf_counter() - start, cpu_seconds() - before
    lines = json.loads(report.read_text())["lines_out"]
    for path in (out, report):
        path.unlink()
    return (
        f"| {megabytes} | {threads} | {dedup} | {lines} | {seconds:.1f} | {cpu:.1f} | {megabytes / cpu:.1f}"
        f" | {peaks['largest']:.0f} | {peaks['all']:.0f} |"
    )


def cpu_seconds() -> float:
    """Return the processor time of all children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def watch(process: subprocess.Popen, peaks: dict[str, float]) -> None:
    """Sample the memory of a process and its children until it ends."""
    while process.poll() is None:
        sizes = [resident(pid) for pid in [process.pid, *children(process.pid)]]
        peaks["largest"] = max(peaks["largest"], max(sizes))
        peaks["all"] = max(peaks["all"], sum(sizes))
        time.sleep(0.05)


def children(pid: int) -> list[int]:
    """Return the process ids of the children of a process (Linux)."""
    path = Path(f"/proc/{pid}/task/{pid}/children")
    try:
        return [int(child) for child in path.read_text().split()]
    except OSError:
        return []


def resident(pid: int) -> float:
    """Return the memory of a process in MB, what it shares divided among the sharers; 0 if it has gone."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return int(text.split("Pss:")[1].split()[0]) / 1024


if __name__ == "__main__":
    run(main)
