"""The table and the picture of what benchmarks/all.py measured.

    python benchmarks/page.py

Reads benchmarks/results.json, writes the table into docs/performance.md between its markers, and draws the ratios.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- table: python benchmarks/page.py -->", "<!-- end of table -->"
COLUMNS = (
    "what",
    "size",
    "Crosslingua",
    "peer",
    "its time",
    "ratio",
    "same result",
    "peak memory",
    "machine",
)
Results = dict[str, dict[str, Any]]  # of benchmarks by name


def outputs() -> argparse.ArgumentParser:
    """Return the options of the files that are written."""
    p = argparse.ArgumentParser(add_help=False)
    p.add_argument("--results", type=Path, default=ROOT / "benchmarks/results.json", help="measured rows")
    p.add_argument("--page", type=Path, default=ROOT / "docs/performance.md", help="page with the markers")
    p.add_argument("--picture", type=Path, default=ROOT / "docs/images/benchmarks.png", help="bars of ratios")
    return p


def read(path: Path) -> Results:
    """Return the results of a file, none if it does not exist."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def ratio(row: dict[str, Any]) -> float | None:
    """Return the peer's processor time over Crosslingua's, or None where a side is missing."""
    return row["theirs"]["cpu"] / row["ours"]["cpu"] if row["ours"] and row["theirs"] else None


def places(results: Results) -> dict[str, str]:
    """Return a letter for each machine with its versions."""
    machines = dict.fromkeys(found["machine"] for found in results.values())
    return {machine: chr(ord("A") + number) for number, machine in enumerate(machines)}


def table(results: Results) -> str:
    """Return the table of all rows in Markdown, and a table of the machines."""
    if not results:
        return "`benchmarks/results.json` has no rows."
    machines = []
    for machine, letter in places(results).items():
        own = [found for found in results.values() if found["machine"] == machine]
        spans = (
            " to ".join(dict.fromkeys(str(end(found[key] for found in own)) for end in (min, max)))
            for key in ("threads", "date", "load")
        )
        machines.append([letter, machine, *spans])
    head = ("", "machine", "threads", "date", "load average")
    return f"{markdown(COLUMNS, rows(results))}\n\n{markdown(head, machines)}"


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *lines))


def rows(results: Results) -> Iterator[list[str]]:
    """Yield the cells of each row: of a benchmark that lacks something or failed, one that says so."""
    letters = places(results)
    for name, found in results.items():
        letter = letters[found["machine"]]
        for row in found["rows"]:
            gain, sides = ratio(row), [row["ours"], row["theirs"]]
            peaks = " / ".join(f"{side['peak_mb']:,}" for side in sides if side)
            told = f"{'yes' if row['same'] else 'no'}: {row['check']}" if row["same"] is not None else "–"
            times = [seconds(side["cpu"]) if side else "–" for side in sides]
            cells = [row["what"], row["size"] or "–", times[0], row["peer"] or "–", times[1]]
            yield [*cells, f"{gain:.2g}" if gain else "–", told, f"{peaks} MB" if peaks else "–", letter]
        if found["problem"]:
            yield [name, "–", "–", found["problem"].replace("|", "/"), *["–"] * 4, letter]


def seconds(value: float) -> str:
    """Return a time with three digits."""
    return f"{1000 * value:.3g} ms" if value < 1 else f"{value:.3g} s" if value < 1000 else f"{value:,.0f} s"


def draw(results: Results, out: Path) -> bool:
    """Draw a bar for each ratio, to the right of 1 where Crosslingua is faster, hatched where results differ.

    Returns whether there are any.
    """
    from crosslingua.report.figures import BLACK, BLUE, ORANGE, pyplot, save

    bars = [
        (f"{row['what']} ({row['size']})\n{row['peer'].replace('`', '')}", gain, row["same"])
        for found in results.values()
        for row in found["rows"]
        if (gain := ratio(row))
    ]
    if not bars:
        return False
    figure, axis = pyplot().subplots(figsize=(9, 0.9 + 0.36 * len(bars)), layout="constrained")
    for height, (words, gain, is_same) in enumerate(reversed(bars)):
        colour, hatch = BLUE if gain >= 1 else ORANGE, None if is_same else "///"
        axis.barh(
            height, gain - 1, left=1, height=0.62, color=colour, hatch=hatch, edgecolor="white", linewidth=0
        )
        beside = {"va": "center", "fontsize": 8}
        axis.annotate(f"{gain:.2g}", (max(gain, 1), height), (4, 0), textcoords="offset points", **beside)
        axis.text(
            -0.01, height, words, transform=axis.get_yaxis_transform(), ha="right", **beside | {"fontsize": 7}
        )
    axis.axvline(1, color=BLACK, linewidth=1)
    axis.set_xscale("log", base=2)
    axis.xaxis.set_major_formatter("{x:.2g}")
    axis.set_yticks([])
    axis.set_ylim(-0.6, len(bars) - 0.4)
    axis.set_xlabel(
        "processor time of the peer, divided by Crosslingua's; hatched: another result", fontsize=9
    )
    axis.spines[["top", "right", "left"]].set_visible(False)
    save(figure, [out])
    return True


def write(results: Results, args: argparse.Namespace) -> None:
    """Write the table, and the link to the picture, between the markers of the page; draw the picture."""
    text = args.page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    inside = table(results)
    if draw(results, args.picture):
        inside += f"\n\n![Bars of the ratios](images/{args.picture.name})"
    args.page.write_text(f"{before}{BEGIN}\n\n{inside}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")


def main() -> None:
    """Write the page and the picture."""
    args = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, parents=[outputs()]
    ).parse_args()
    write(read(args.results), args)


if __name__ == "__main__":
    main()
