"""Does preparing text keep its memory flat? Generate files of growing size, prepare each, print peak and speed.

    python benchmarks/normalise_memory.py --megabytes 250 500 1000 2000 --threads 2 --folder /tmp
    python benchmarks/normalise_memory.py --megabytes 20 --text novels.txt --threads 1 2 4 --plain

The text is random: 200,000 types with Zipf's frequencies, lines of 5 to 40 words, commas, full stops inside and at the
end, apostrophes, accents in both compositions and no-break spaces, so that every step has work to do. Every twentieth
line is repeated. Peak memory is that of the largest process and that of all together (sampled 20 times a second).
--plain adds a plain loop over the lines with sacremoses, which neither normalises nor drops anything.
"""

import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

from crosslingua.cli import parser, run

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "prepare_text.py"
PLAIN = """
import sys
from sacremoses import MosesTokenizer
tokeniser = MosesTokenizer("en")
with open(sys.argv[1], encoding="utf-8") as lines, open(sys.argv[2], "w", encoding="utf-8") as out:
    for line in lines:
        out.write(" ".join(tokeniser.tokenize(line, escape=False)).lower() + "\\n")
"""
LETTERS = np.array([*"aaabcdeeeefghiiijklmnnnoooprrrssstttuvwxyzéöß", "e\u0301"])


def main() -> None:
    """Generate, prepare, print one row a size."""
    args = options().parse_args()
    columns = ["text", "MB", "threads", "dedup", "lines", "seconds", "CPU seconds", "MB/s a CPU"]
    columns += ["largest process, MB", "all processes, MB"]
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    for megabytes in args.megabytes:
        source = args.folder / f"normalise_memory.{megabytes}.txt"
        generate(source, megabytes << 20)
        rows(source, args)
        source.unlink()
    for source in args.text:
        rows(source, args)


def rows(source: Path, args) -> None:
    """Print the rows of a file."""
    out, report = (args.folder / f"{source.name}.{end}" for end in ("out", "json"))
    options = ["--input", source, "--language", "en", "--lowercase", "--out", out, "--report", report]
    for threads in args.threads:
        for dedup in (False, True):
            command = [SCRIPT, *options, "--threads", threads] + ["--dedup"] * dedup
            print(row(source, out, command, f"{threads} | {dedup}"), flush=True)
    if args.plain:
        print(row(source, out, ["-c", PLAIN, source, out], "plain loop | False"), flush=True)
    report.unlink()


def options():
    """Return the parser of the command line."""
    p = parser(__doc__)
    p.add_argument(
        "--megabytes", type=int, nargs="+", default=[50, 100, 200], help="sizes of the generated files"
    )
    p.add_argument("--text", type=Path, nargs="+", default=[], help="prepare these files of English too")
    p.add_argument("--threads", type=int, nargs="+", default=[2], help="processes that prepare the text")
    p.add_argument("--plain", action="store_true", help="also time a plain loop with sacremoses")
    p.add_argument("--folder", type=Path, default=Path("/tmp"), help="where the files go meanwhile")
    return p


def generate(path: Path, size: int, seed: int = 1) -> None:
    """Write random sentences until the file has `size` bytes."""
    generator = np.random.default_rng(seed)
    lengths = generator.integers(2, 12, 200_000)
    words = np.array(["".join(generator.choice(LETTERS, length)) for length in lengths])
    marks = np.array([*[""] * 15, ",", ",", ".", "'s", "\u00a0x"])
    with path.open("w", encoding="utf-8") as stream:
        while stream.tell() < size:
            ranks = np.minimum(generator.zipf(1.2, 100_000) - 1, len(words) - 1)
            tokens = np.char.add(words[ranks], generator.choice(marks, len(ranks)))
            ends = np.cumsum(generator.integers(5, 41, 4000))
            lines = [" ".join(part) + ".\n" for part in np.split(tokens, ends[ends < len(tokens)])]
            stream.writelines(lines + lines[::20])


def row(source: Path, out: Path, command: list, how: str) -> str:
    """Prepare one file by a command of Python and return its row of the table."""
    start, before = time.perf_counter(), cpu_seconds()
    process = subprocess.Popen(list(map(str, [sys.executable, *command])), stderr=subprocess.DEVNULL)
    peaks = {"largest": 0.0, "all": 0.0}
    watcher = threading.Thread(target=watch, args=(process, peaks))
    watcher.start()
    if process.wait():
        raise SystemExit(f"{source}: preparing failed with status {process.returncode}")
    watcher.join()
    seconds, cpu = time.perf_counter() - start, cpu_seconds() - before
    with out.open("rb") as stream:
        lines = sum(1 for _ in stream)
    out.unlink()
    megabytes = source.stat().st_size / 2**20
    return (
        f"| {source.stem} | {megabytes:.0f} | {how} | {lines} | {seconds:.1f} | {cpu:.1f} | {megabytes / cpu:.1f}"
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
