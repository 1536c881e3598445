"""All benchmarks that have a peer, one after another; their rows go to a file of results, a page and a picture.

    python benchmarks/all.py --size small --mirror MIRROR
    python benchmarks/all.py --only csls vecmap

Each benchmark is a process of its own. What an earlier call measured stays in the file of results unless it is measured
again. A peer that is not installed and data that is not there become a row that says so. The exit status is 1 where a
benchmark failed. `small` takes about ten minutes of one core, and `full` much longer. `tiny` is for tests: its
numbers mean nothing.
"""

import argparse
import datetime
import json
import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import page
from measure import machine, named

FOLDER = Path(__file__).resolve().parent
GOLD = "word-alignments/alignment-test-sets.tar.gz"


@dataclass(frozen=True)
class Benchmark:
    """A benchmark: its script, arguments by size, packages that it cannot do without, and files of the mirror."""

    script: str
    tiny: str
    small: str
    full: str
    packages: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    has_threads: bool = True  # whether the script has --threads


BENCHMARKS = {
    "csls": Benchmark(
        "csls.py",
        tiny="--size 1000 --dimensions 20",
        small="--size 30000 --dimensions 300",
        full="--size 200000 --dimensions 300",
        packages=("faiss-cpu",),
    ),
    "rcsls": Benchmark(
        "rcsls.py",
        tiny="--size 1000 --dimensions 20 --pairs 200",
        small="--size 20000 --dimensions 100 --pairs 5000",
        full="--size 40000 --dimensions 100 --pairs 10000",
    ),
    "vecmap": Benchmark(
        "vecmap.py",
        tiny="--size 600 --dimensions 32 --interval 3 --noise 0.2",
        small="--size 1500 --dimensions 64 --interval 10",
        full="--size 3000 --dimensions 300 --interval 5",
    ),
    "skipgram": Benchmark(
        "skipgram.py",
        tiny="--sentences 2000 --seeds 2 --epochs 1",
        small="--seeds 3",
        full="--seeds 10",
        packages=("gensim",),
        has_threads=False,
    ),
    "skipgram_subwords": Benchmark(
        "skipgram.py",
        tiny="--sentences 2000 --seeds 2 --epochs 1 --largest 3",
        small="--seeds 2 --largest 6 --dimensions 100",
        full="--seeds 10 --largest 6 --dimensions 100",
        packages=("gensim",),
        has_threads=False,
    ),
    "duong": Benchmark(
        "duong.py",
        tiny="--words 200000 --dimensions 100 --epochs 1",
        small="--words 400000 --dimensions 100",
        full="--words 4000000 --dimensions 300",
        has_threads=False,
    ),
    "vectors_io": Benchmark(
        "vectors_io.py",
        tiny="--size 200 --dimensions 5",
        small="--size 50000 --dimensions 300",
        full="--size 200000 --dimensions 300",
        has_threads=False,
    ),
    "pretraining": Benchmark(
        "pretraining.py",
        tiny="--sentences 1500 --hidden 32 --steps 12 --rows 8 --vocabulary-size 500",
        small="--steps 60",
        full="",
        packages=("accelerate",),
    ),
    "pretraining_deep": Benchmark(
        "pretraining.py",
        tiny="--layers 12 --sentences 1500 --hidden 32 --steps 12 --rows 8 --vocabulary-size 500 --precisions fp32",
        small="--layers 12 --steps 15 --precisions fp32",
        full="--layers 12 --steps 15 --precisions fp32",
        packages=("accelerate",),
    ),
    "fine_tuning": Benchmark(
        "fine_tuning.py",
        tiny="--examples 64 --epochs 1 --repeats 1 --hidden 32 --layers 1 --vocabulary-size 500",
        small="--examples 800 --epochs 2 --repeats 1",
        full="--examples 2000 --epochs 3 --repeats 3",
        packages=("accelerate",),
    ),
    "tagging": Benchmark(
        "tagging.py",
        tiny="--sentences 200 --epochs 4 --repeats 1 --dimension 20 --hidden 20",
        small="--sentences 640 --epochs 2 --repeats 3",
        full="--sentences 4000 --epochs 3 --repeats 3",
        packages=("pytorch-crf",),
    ),
    "word_alignment": Benchmark(
        "word_alignment.py",
        tiny="--pairs 40 --hidden 64 --layers 2 --layer 1",
        small="--pairs 300",
        full="--pairs 1000",
        packages=("simalign",),
    ),
    "word_alignment_text": Benchmark(
        "word_alignment.py",
        tiny=f"--gold MIRROR/{GOLD} --gold-pairs en-hi",
        small=f"--gold MIRROR/{GOLD} --gold-pairs de-en ro-en",
        full=f"--gold MIRROR/{GOLD}",
        data=(GOLD,),
    ),
    "fast_align": Benchmark(
        "fast_align.py",
        tiny="--mirror MIRROR --pairs 500",
        small="--mirror MIRROR",
        full="--mirror MIRROR",
        data=(GOLD, "multi30k-task1/train.de.gz", "multi30k-task1/train.en.gz"),
    ),
    "translation": Benchmark(
        "translation.py",
        tiny="--width 32 --layers 1 --steps 20 --sentences 20",
        small="--width 64 --layers 1 --steps 60 --sentences 500",
        full="--width 128 --layers 2 --steps 150 --sentences 1000",
    ),
}


def absent(benchmark: Benchmark, mirror: Path | None) -> str:
    """Return what a benchmark lacks in words, or nothing."""
    packages = [name for name in benchmark.packages if "not installed" in named(name)]
    files = [name for name in benchmark.data if not (mirror and (mirror / name).exists())]
    return ", ".join([f"{name} is not installed" for name in packages] + [f"no {name}" for name in files])


def measure(benchmark: Benchmark, args: argparse.Namespace) -> dict[str, Any]:
    """Run a benchmark; return its rows, and when, where and how they were measured."""
    given = getattr(benchmark, args.size) + f" --threads {args.threads}" * benchmark.has_threads
    found = {
        "size": args.size,
        "command": " ".join(f"python benchmarks/{benchmark.script} {given}".split()),
        "threads": args.threads,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "load": round(os.getloadavg()[0], 2),
        "machine": machine("numpy", "numba", "torch"),
        "problem": absent(benchmark, args.mirror),
        "rows": [],
    }
    if found["problem"]:
        return found
    words = [word.replace("MIRROR", str(args.mirror)) for word in shlex.split(given)]
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows"
        command = [sys.executable, FOLDER / benchmark.script, *words, "--json", rows]
        threads = {"OMP_NUM_THREADS": str(args.threads)}
        options = {"env": os.environ | threads, "cwd": FOLDER.parent, "stderr": subprocess.PIPE, "text": True}
        done = subprocess.run([*map(str, command)], **options)
        if rows.exists():
            found["rows"] = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        found["problem"] = " ".join(["failed:", *done.stderr.splitlines()[-1:]])
    return found


def main() -> None:
    """Run the benchmarks, and write the results, the page and the picture after each."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, parents=[page.outputs()]
    )
    p.add_argument("--size", choices=["tiny", "small", "full"], default="small")
    p.add_argument("--only", nargs="+", choices=BENCHMARKS, default=[*BENCHMARKS], help="benchmarks to run")
    p.add_argument("--threads", type=int, default=1, help="of each side")
    p.add_argument("--mirror", type=Path, help="folder of the public data sets")
    args = p.parse_args()
    args.mirror = args.mirror and args.mirror.resolve()
    results = page.read(args.results)
    for name in args.only:
        print(f"== {name}", flush=True)
        results[name] = measure(BENCHMARKS[name], args)
        results = {one: results[one] for one in (*BENCHMARKS, *results) if one in results}
        args.results.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        page.write(results, args)
    failed = [name for name in args.only if results[name]["problem"].startswith("failed")]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
