"""How fast a GPU is, beside what people use there or the processor: the same work, timed side by side.

    python benchmarks/gpu.py --json gpu.json
    python benchmarks/gpu.py --size tiny --device cpu

Pre-training of 12 layers of 768 on 128 rows of 512 tokens in bf16, plain and compiled, beside Hugging Face's Trainer on
the same rows; DWA beside TLM; fine-tuning beside the Trainer; exact CSLS beside the matrix product alone; translation
beside `generate`; its training, and the searches of mappers, beside the processor. Data are random: times do not depend
on them. `pytest -m gpu` checks what a GPU computes.
"""

import argparse
import contextlib
import json
import sys
import tempfile
import time
import traceback
from pathlib import Path

import torch

from gpu_speed import TIMINGS
from measure import machine

SIZES = {
    "full": {
        "layers": 12, "hidden": 768, "heads": 12, "vocabulary": 30_000, "rows": 128, "length": 512, "pairs": 1024,
        "steps": 30, "warm": 20, "sentences": 4000, "vectors": 200_000, "dimension": 300, "translated": 2000,
    },
    "tiny": {
        "layers": 2, "hidden": 64, "heads": 4, "vocabulary": 500, "rows": 8, "length": 64, "pairs": 16,
        "steps": 3, "warm": 2, "sentences": 100, "vectors": 3000, "dimension": 20, "translated": 40,
    },
}  # fmt: skip


def main() -> None:
    """Run all parts, or some, and print the table; what fails is a row that says so."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", choices=SIZES, default="full")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--only", nargs="+", choices=TIMINGS, default=list(TIMINGS))
    parser.add_argument("--json", type=Path, help="file to write")
    args = parser.parse_args()
    where = torch.cuda.get_device_name() if args.device == "cuda" else "no GPU"
    print(f"{where}; {machine('torch', 'transformers')}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        rows = run(args, Path(folder))
    print(table(rows))
    if failed := [row["what"] for row in rows if row.get("failed")]:
        sys.exit(f"failed: {', '.join(failed)}")


def run(args: argparse.Namespace, folder: Path) -> list[dict]:
    """Return the rows of all parts, and keep the file up to date."""
    rows: list[dict] = []
    for name in args.only:
        start = time.perf_counter()
        try:
            with contextlib.redirect_stdout(sys.stderr):
                found = TIMINGS[name](SIZES[args.size], args.device, folder)
        except Exception:  # the others are still worth having
            traceback.print_exc()
            found = [{"what": name, "failed": True, "note": traceback.format_exc().splitlines()[-1]}]
        rows += [row | {"seconds_of_part": round(time.perf_counter() - start, 1)} for row in found]
        for row in found:
            print(line(row), flush=True)
        if args.json:
            args.json.write_text(json.dumps(rows, indent=1))
        if args.device == "cuda":
            torch.cuda.empty_cache()
    return rows


def line(row: dict) -> str:
    """Return a row as a line of the table."""
    value, peer = (f"{row[key]:,.4g}" if key in row else "" for key in ("value", "peer"))
    ratio = f"{row['ratio']:.2f}" if "ratio" in row else ""
    cells = (row["what"], value, row.get("unit", ""), peer, ratio, row.get("note", ""))
    return "| " + " | ".join(cells) + " |"


def table(rows: list[dict]) -> str:
    """Return all rows as Markdown."""
    head = "| what | value | unit | peer | ratio | note |\n|---|---|---|---|---|---|"
    return "\n".join([head, *map(line, rows)])


if __name__ == "__main__":
    main()
