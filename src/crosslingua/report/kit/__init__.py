"""The kit for a publication: LaTeX tables, figures, verdicts, a statistics appendix, references, and an RO-Crate."""

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from mimetypes import guess_type
from pathlib import Path
from typing import Any

import yaml

from crosslingua import places
from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_folder, atomic_open, check_output_folder
from crosslingua.io.json import read_json, read_yaml, write_json
from crosslingua.provenance import code_version
from crosslingua.report.citation import bibliography
from crosslingua.report.kit.latex import escaped, inline, row, tabular
from crosslingua.report.page.statements import REAL_SCALES, in_words

CRATE = "ro-crate-metadata.json"
# Of a kit, with what LaTeX writes beside main.tex.
ENTRIES = ("tables", "figures", "claims.yaml", "statistics.tex", "references.bib", "main.*", CRATE)
REMEDY = "name results/SCALE of a finished run, or a folder of results/reference"
PREAMBLE = r"""\documentclass[a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[margin=2cm]{geometry}
\usepackage{graphicx, longtable}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
\newcommand{\fitted}[1]{\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{#1}}
"""
SHOWN = ("claim", "paper", "statement", "verdict", "effect", "ci_low", "ci_high", "n_seeds", "test", "unit")


def write_kit(results: Path, out: Path) -> list[str]:
    """Write the kit of a folder of results to the folder `out`; return the names of the kit's files.

    `results` has tables as Markdown, itself or in tables/; plots/ and claims.json if they were made. Raises InputError
    without tables, and ConfigError where `out` holds anything but an earlier kit, which is replaced.
    """
    tables = sorted(results.glob("tables/*.md")) or sorted(results.glob("*.md"))
    if not tables:
        raise InputError(results, "holds no table of results", remedy=REMEDY)
    check_output_folder(out, ENTRIES if (out / CRATE).is_file() else [])
    with atomic_folder(out, ENTRIES) as folder:
        return _fill(folder, results, tables)


def _fill(out: Path, results: Path, tables: Sequence[Path]) -> list[str]:
    for name in ("tables", "figures"):
        (out / name).mkdir()
    for path in tables:
        _write(out / f"tables/{path.stem}.tex", table(path.read_text(encoding="utf-8")))
    figures = [shutil.copy(path, out / "figures").name for path in sorted(results.glob("plots/*.png"))]
    path = results / "claims.json"
    claims = read_json(path, dict) if path.is_file() else {"method": "", "judged": []}
    judged = [{name: claim.get(name) for name in SHOWN} for claim in claims["judged"]]
    _write(out / "claims.yaml", yaml.safe_dump(judged, sort_keys=False, allow_unicode=True))
    _write(out / "statistics.tex", statistics(claims["method"], judged, _is_generated(results)))
    citation = read_yaml(places.suite("CITATION.cff"))
    _write(out / "references.bib", "\n".join(bibliography(citation)))
    scale = results.resolve().name
    _write(out / "main.tex", "\n".join(_document(scale, [path.stem for path in tables], figures)))
    files = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.*") if path.is_file())
    write_json(out / CRATE, crate(scale, files, citation))
    return [*files, CRATE]


def _write(path: Path, text: str) -> None:
    with atomic_open(path) as stream:
        stream.write(text.rstrip("\n") + "\n")


def table(markdown: str) -> str:
    """Return a document of `tables.markdown` as LaTeX: a section, its paragraphs, and each grid under its note."""
    made, rows = [], []
    for line in [*markdown.splitlines(), ""]:
        if line.startswith("|"):
            rows.append(line)
            continue
        if rows:
            made += [rf"\fitted{{{tabular(rows)}}}", ""]
            rows = []
        if heading := re.fullmatch(r"(#+) (.+)", line):
            level = "subsection" if len(heading[1]) == 1 else "paragraph"
            made += [rf"\{level}*{{{inline(heading[2])}}}" + (r"\hfill\\" if level == "paragraph" else "")]
        else:
            made.append(inline(line))
    return "\n".join(made)


def _is_generated(results: Path) -> bool:
    """Whether the text is generated: by the configuration of a finished run, or of committed results by the scale."""
    config = results / "config.yaml"
    return (
        bool(read_yaml(config).get("world"))
        if config.is_file()
        else results.resolve().name not in REAL_SCALES
    )


def statistics(method: str, judged: Sequence[Mapping[str, Any]], generated: bool) -> str:
    """Return the appendix: how statements are judged, and each verdict with its effect and interval."""
    lines = [
        r"\section*{Statistics}", inline(method), r"{\small", r"\begin{longtable}{p{.46\linewidth}lrrr}", r"\hline",
        r"statement & verdict & effect & 95\,\% interval & seeds \\", r"\hline", r"\endhead",
    ]  # fmt: skip
    for claim in judged:
        low, high = (_number(claim[name]) for name in ("ci_low", "ci_high"))
        interval = f"[{low}, {high}]" if low and high else "–"
        verdict = escaped(in_words(claim["verdict"], generated))
        effect, seeds = _number(claim["effect"]) or "–", str(claim["n_seeds"] or "–")
        lines.append(row([inline(claim["statement"]), verdict, effect, interval, seeds]))
    return "\n".join([*lines, r"\hline", r"\end{longtable}", "}"])


def _number(value: float | None) -> str:
    return "" if value is None else f"${value:.2f}$"


def _document(scale: str, tables: Sequence[str], figures: Sequence[str]) -> Iterator[str]:
    yield PREAMBLE
    yield rf"\title{{Results of scale {escaped(scale)}}}"
    yield rf"\author{{Made by Crosslingua {escaped(code_version())}}}"
    yield from (r"\begin{document}", r"\maketitle")
    yield from (rf"\input{{tables/{name}}}" for name in tables)
    for name in figures:
        yield r"\begin{figure}[p]\centering\includegraphics[width=\linewidth,height=.8\textheight,keepaspectratio]"
        yield rf"{{figures/{name}}}\caption{{{escaped(Path(name).stem.replace('_', ' '))}}}\end{{figure}}"
    yield from (r"\clearpage", r"\appendix", r"\input{statistics}", r"\nocite{*}")
    yield from (r"\bibliographystyle{plain}", r"\bibliography{references}", r"\end{document}")


def crate(scale: str, files: Sequence[str], citation: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata of an RO-Crate 1.1 that describes the kit's files."""
    about = {"@id": "./"}
    named = {
        "@id": CRATE, "@type": "CreativeWork", "about": about,
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
    }  # fmt: skip
    root = {
        "@id": "./", "@type": "Dataset", "name": f"Results of Crosslingua, scale {scale}",
        "description": citation["abstract"], "datePublished": date.today().isoformat(),
        "license": {"@id": f"https://spdx.org/licenses/{citation['license']}"},
        "hasPart": [{"@id": name} for name in files], "mentions": {"@id": "#software"},
    }  # fmt: skip
    software = {
        "@id": "#software", "@type": "SoftwareApplication", "name": citation["title"], "version": code_version(),
        "citation": [paper["url"] for paper in citation["references"]],
    }  # fmt: skip
    parts = [
        {"@id": name, "@type": "File", "encodingFormat": guess_type(name)[0] or "text/plain"}
        for name in files
    ]
    return {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": [named, root, software, *parts]}
