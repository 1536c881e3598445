"""The kit for a publication: Markdown as LaTeX, which pdfLaTeX compiles as it stands."""

import json
import re
import subprocess
from pathlib import Path
from shutil import which

import pytest

from crosslingua.errors import ConfigError, InputError
from crosslingua.report.kit import write_kit
from crosslingua.report.kit.latex import inline, tabular
from texts import written

COMMITTED = Path(__file__).parents[2] / "results/reference"


@pytest.mark.parametrize(
    ("markdown", "latex"),
    [
        ("5 % of `a_b` & co.", r"5 \% of \texttt{a\_b} \& co."),
        ("**1.0 ± 0.2** (3)", r"\textbf{1.0 ± 0.2} (3)"),
        ("*12.0* → Δ", r"\emph{12.0} $\to$ $\Delta$"),
        (r"joint\_vr \| {x}~^\\", r"joint\_vr | \{x\}\textasciitilde{}\textasciicircum{}\textbackslash{}"),
        ("日本 ø", "[U+65E5][U+672C] ø"),
    ],
)
def test_a_line_of_markdown_in_latex(markdown: str, latex: str) -> None:
    assert inline(markdown) == latex


def test_a_pipe_table_in_latex() -> None:
    lines = ["| system   |   en-de |", "|----------|---------|", "| `rcsls`  | **1.5** |"]
    assert tabular(lines).splitlines() == [
        r"\begin{tabular}{lr}", r"\hline", r"system & en-de \\", r"\hline", r"\texttt{rcsls} & \textbf{1.5} \\",
        r"\hline", r"\end{tabular}",
    ]  # fmt: skip


def test_a_cell_in_brackets_is_no_argument_of_the_row_before() -> None:
    lines = ["| word |", "|---|", "| हिन्दी |", "| [1, 2] |"]
    _, *rows = [line for line in tabular(lines).splitlines() if line.endswith(r"\\")]
    assert [line[:5] for line in rows] == ["{}[U+", "{}[1,"]


def test_a_folder_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no table of results"):
        write_kit(tmp_path, tmp_path / "kit")


@pytest.mark.slow
@pytest.mark.skipif(
    which("pdflatex") is None, reason="no pdfLaTeX here: apt-get install texlive-latex-recommended"
)
@pytest.mark.parametrize("scale", ["demo", "real", "full"])
def test_the_kit_of_committed_results_compiles_and_is_whole(scale: str, tmp_path: Path) -> None:
    names = write_kit(COMMITTED / scale, tmp_path / "kit")
    for program in ("pdflatex -interaction=nonstopmode -halt-on-error", "bibtex", "pdflatex -halt-on-error"):
        done = subprocess.run(
            [*program.split(), "main"], cwd=tmp_path / "kit", capture_output=True, timeout=300
        )
        assert done.returncode == 0, done.stdout[-2000:]
    for path in (COMMITTED / scale).glob("*.md"):
        numbers = re.compile(r"\d+\.\d+ ± \d+\.\d+")
        table = (tmp_path / f"kit/tables/{path.stem}.tex").read_text(encoding="utf-8")
        assert numbers.findall(table) == numbers.findall(path.read_text(encoding="utf-8"))
    verdicts = (tmp_path / "kit/statistics.tex").read_text(encoding="utf-8")
    assert ("holds in the generated world" in verdicts) == (scale != "real")
    described = json.loads((tmp_path / "kit/ro-crate-metadata.json").read_text())["@graph"]
    files = {one["@id"] for one in described if one["@type"] == "File"}
    assert files == {*names} - {"ro-crate-metadata.json"}
    assert all((tmp_path / "kit" / name).is_file() for name in names)


def test_a_kit_replaces_a_kit_and_nothing_else(tmp_path: Path) -> None:
    results, kit = tmp_path / "mine", tmp_path / "kit"
    old, new = (
        written(results / f"tables/{name}.md", "# Title\n\n| a |\n|---|\n| 1 |\n") for name in ("old", "new")
    )
    write_kit(results, kit)
    written(kit / "main.log", "")
    old.unlink()
    names = write_kit(results, kit)
    assert [name for name in names if name.startswith("tables/")] == ["tables/new.tex"]
    assert {path.name for path in kit.rglob("*") if path.is_file()} == {Path(name).name for name in names}
    figure = written(tmp_path / "paper/figures/own.png", "mine")
    for folder in (tmp_path / "paper", results):
        with pytest.raises(ConfigError, match="a foreign file that would be lost: name another folder"):
            write_kit(results, folder)
    assert figure.is_file()
    assert new.is_file()
