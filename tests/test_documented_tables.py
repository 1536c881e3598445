"""Every table of numbers in README, docs and studies is equal to the committed files that it names."""

from fnmatch import fnmatch
from pathlib import Path

import pytest

import documented_tables
from documented_tables import ROOT, shown_tables

PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("README.md", "docs/**/*.md", "studies/*/README.md")
    for path in ROOT.glob(pattern)
)
# Tables that show no cell of a committed table, by page and title of the first column.
OTHERS = {
    ("docs/methods/verdicts.md", "*"): "simulations of the judge",
    ("docs/atlas.md", "strategy"): "means of cards, which tests/atlas/test_committed.py compares",
    ("docs/atlas.md", "words of text"): "points of cards, as above",
    ("README.md", "pairs with a language that is"): "means of cards, as above",
    ("docs/performance.md", "*"): "measured times",
    ("docs/scaling.md", "scale"): "estimates",
    ("docs/*", "setting"): "settings",
    ("docs/methods/word-alignment.md", "aligner"): "settings",
    ("docs/world.md", "code"): "settings of the world",
    ("studies/more_seeds/*", "statement"): "verdicts of several claims.csv",
    ("studies/more_words/*", "statement"): "verdicts of claims.csv",
    ("studies/news_translation/*", "BLEU on newstest2016"): "a run whose tables are not kept",
}


@pytest.mark.parametrize("page", PAGES)
def test_tables_show_what_their_files_hold(page: str) -> None:
    wrong = []
    for table in shown_tables(page):
        if table.spec:
            wrong += [
                f"{page}:{line}, {table.header[column]}: {shown!r}, but {held!r} in {table.spec['of']}"
                for line, column, shown, held in table.compared()
                if shown != held
            ]
        elif table.has_numbers() and not _is_other(page, table.header[0]):
            wrong.append(f"{page}:{table.first}: name the file of this table, as documented_tables.py says")
    assert not wrong, "\n".join(wrong)


def _is_other(page: str, title: str) -> bool:
    return any(fnmatch(page, of) and fnmatch(title, first) for of, first in OTHERS)


def test_other_tables_are_there() -> None:
    """An entry that no table needs would hide a later one."""
    found = [(page, table.header[0]) for page in PAGES for table in shown_tables(page) if table.has_numbers()]
    for of, first in OTHERS:
        assert any(fnmatch(page, of) and fnmatch(title, first) for page, title in found), (of, first)


def test_a_stale_cell_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documented_tables, "ROOT", tmp_path)
    header = "convention,system,column,mean,deviation,seeds,published,mark\n"
    table = "F1.,mlm,ber,41.2616,3.4198,3,90.0,‡\nF1.,mlm,cor,7.0400,,1,,\nEM.,mlm,cor,9.0000,,1,,\n"
    (tmp_path / "one.csv").write_text(header + table)
    page = "From [`one.csv`](one.csv).\n\n| | ber | cor | not run |\n|---|---|---|---|\n"
    (tmp_path / "page.md").write_text(page + "| `mlm` | **41.3 ± 3.4** (90.0) ‡ | 7.1 | 1.0 |\n")
    (shown,) = shown_tables("page.md")
    cells = [(line, title, held) for line, title, _, held in shown.compared()]
    assert cells == [(5, 1, "**41.3 ± 3.4** (90.0) ‡"), (5, 2, "7.0"), (5, 3, "no such cell")]
    comment = "<!-- cells: {of: one.csv, grid: EM, rows: {MLM: mlm}, columns: {not run: null}} -->\n"
    (tmp_path / "page.md").write_text(comment + page.partition("\n\n")[2] + "| MLM | – | 9.0 | 1.0 |\n")
    (shown,) = shown_tables("page.md")
    assert [held for *_, held in shown.compared()] == ["9.0"]
