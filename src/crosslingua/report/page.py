"""The results page: one self-contained HTML file with every table, figure and claim of a scale that there is."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crosslingua import paper_folders
from crosslingua.io.atomic import atomic_open
from crosslingua.io.json import read_json
from crosslingua.io.yaml import read_yaml
from crosslingua.metrics import read_rows

WORLD = (
    "The text is generated: a controlled world told in several invented languages whose differences are "
    "parameters. It explains phenomena; it is not real text."
)
REAL = "The text is real: your own, or of data sets whose sources and licences docs/datasets.md names."
VERDICTS = ("reproduced", "contradicted", "inconclusive")
CLAIMS = {"method": "", "judged": [], "left_out": []}  # where none was judged


def origin(config: Mapping[str, Any]) -> str:
    """Say whether the text of a configuration is generated, real, or both."""
    real = config.get("languages") or (config.get("data") or {}).get("sheets")
    if not config.get("world"):
        return REAL
    return f"{WORLD} Other text is real." if real else WORLD


def number(value: float) -> str:
    """A claim's number as text: one decimal where it is a percentage, two where it is as small as a cosine."""
    return f"{value:.2f}" if abs(value) < 1 else f"{value:.1f}"


def section(results: Path, paper: str, claims: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page shows of a paper: the tables, figures and claims of `results` that are its own."""
    package, more = paper_folders.load(paper), paper_folders.load(paper, "page")
    return {
        "id": paper,
        "title": package.TITLE,
        "authors": package.AUTHORS,
        "tables": _tables(results, paper),
        "figures": _figures(results, paper),
        "more": more.section(results) if more else "",
        **{
            key: [claim for claim in claims[key] if claim["paper"] == paper] for key in ("judged", "left_out")
        },
    }


def _tables(results: Path, paper: str) -> list[str]:
    """Return the HTML of the tables that were written, in the paper's order."""
    module = paper_folders.load(paper, "tables")
    paths = [results / f"tables/{paper}_{name}.html" for name in (module.TABLES if module else ())]
    return [path.read_text(encoding="utf-8") for path in paths if path.is_file()]


def _figures(results: Path, paper: str) -> list[dict[str, str]]:
    """Return the figures that were drawn, by kind in the paper's order; a figure is called KIND or KIND_more."""
    module = paper_folders.load(paper, "figures")
    captions = {kind: figure.caption for kind, figure in module.FIGURES.items()} if module else {}
    found = []
    for path in sorted(results.glob(f"plots/{paper}_*.png")):
        name = path.stem.removeprefix(f"{paper}_")
        kinds = [kind for kind in captions if name == kind or name.startswith(f"{kind}_")]
        place = list(captions).index(kinds[0]) if kinds else len(captions)
        png = base64.b64encode(path.read_bytes()).decode()
        found.append((place, {"id": path.stem, "png": png, "caption": captions[kinds[0]] if kinds else ""}))
    return [figure for _, figure in sorted(found, key=lambda pair: pair[0])]


def write_page(out: str | Path, results: str | Path, names: Sequence[str], config_path: str | Path) -> None:
    """Render the page of the papers `names` from what lies in `results`; papers that have nothing are left out."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=PackageLoader("crosslingua.report", "."),
        undefined=StrictUndefined,
        autoescape=select_autoescape(["html", "jinja"]),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["number"] = number
    results, config = Path(results), read_yaml(config_path)
    claims = read_json(results / "claims.json") if (results / "claims.json").is_file() else CLAIMS
    rows = read_rows(results / "metrics.csv")
    sections = [section(results, paper, claims) for paper in names]
    text = environment.get_template("page.html.jinja").render(
        papers=[each for each in sections if any(each[key] for key in ("tables", "figures", "judged"))],
        verdicts=VERDICTS,
        method=claims["method"],
        scale=config["scale"],
        seeds=sorted(rows["seed"].unique()),
        code_version=", ".join(sorted(rows["code_version"].unique())),
        origin=origin(config),
        configuration=Path(config_path).read_text(encoding="utf-8"),
    )
    with atomic_open(out) as stream:
        stream.write(text)
