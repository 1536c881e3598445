"""Committed results as a folder of results, from which the page is drawn without a run."""

import gzip
import re
import shutil
from collections.abc import Sequence
from functools import reduce
from html import escape
from pathlib import Path

import yaml

from crosslingua.config import merged
from crosslingua.errors import InputError
from crosslingua.io.json import read_yaml

COPIED = ("claims.csv", "claims.json", "answer.json", "costs.csv")


def lay_out(folder: Path, out: Path, configurations: Sequence[Path]) -> str:
    """Fill the folder `out` with what the page shows of the committed `folder`; return a remark on what it lacks.

    Of `configurations` each is read over those before. Raises InputError where `folder` has no tables.
    """
    tables = sorted(folder.glob("*.md"))
    if not tables:
        raise InputError(folder, "holds no committed table", remedy="name a folder of results/reference")
    shutil.rmtree(out / "tables", ignore_errors=True)
    (out / "tables").mkdir(parents=True)
    for path in tables:
        shutil.copy(path, out / "tables")
        shutil.copy(path.with_suffix(".csv"), out / "tables")
        (out / f"tables/{path.stem}.html").write_text(html_of(path), encoding="utf-8")
    for name in (*COPIED, "metrics.csv"):
        (out / name).unlink(missing_ok=True)
    for name in COPIED:
        if (folder / name).is_file():
            shutil.copy(folder / name, out)
    rows = folder / "metrics.csv.gz"
    if rows.is_file():
        (out / "metrics.csv").write_bytes(gzip.decompress(rows.read_bytes()))
    config = reduce(merged, map(read_yaml, configurations))
    (out / "config.yaml").write_text(
        yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8"
    )
    lacking = "figures are left out" if rows.is_file() else "figures and single rows are left out"
    return f"This page is drawn from committed results ({folder}): nothing was run, and {lacking}."


def html_of(path: Path) -> str:
    """Return the section of the page for a table that `tables.markdown` has written."""
    from markdown import markdown

    def html(text: str) -> str:
        made = markdown(text, extensions=["tables"])
        return made.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")

    head, *parts = re.split(r"^## (.+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    title, _, texts = head.partition("\n")
    shown = [f"<h3>{escape(title.removeprefix('# '), quote=False)}</h3>", html(texts)]
    for place, (note, grid) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        note = html(note).removeprefix("<p>").removesuffix("</p>")
        folded = f"<details><summary>{note}</summary>{html(grid)}</details>"
        shown.append(folded if place else f'{html(grid)}<p class="note">{note}</p>')
    return "\n".join([f'<section id="{path.stem}">', *shown, "</section>"]) + "\n"
