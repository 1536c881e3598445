"""The results page: one self-contained HTML file with every table, figure and claim of a scale that there is."""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


@dataclass(frozen=True)
class PagePaper:
    """A paper on the page: its name in files, its tables in order, its figures' captions by kind.

    `more` gives HTML of what it shows besides, of the folder of results. Of `figures`, by name, others that lie there
    are left out; None: none is.
    """

    name: str
    title: str
    authors: str
    tables: Sequence[str]
    captions: Mapping[str, str]
    more: Callable[[Path], str]
    figures: Collection[str] | None = None


def origin(config: Mapping[str, Any]) -> str:
    """Say whether the text of a configuration is generated, real, or both."""
    real = config.get("languages") or (config.get("data") or {}).get("sheets")
    if not config.get("world"):
        return REAL
    return f"{WORLD} Other text is real." if real else WORLD


def number(value: float) -> str:
    """A claim's number as text: one decimal where it is a percentage, two where it is as small as a cosine."""
    return f"{value:.2f}" if abs(value) < 1 else f"{value:.1f}"


def settled_by(seeds: int | None, items: int | None) -> str:
    """Say what would decide an inconclusive claim, with a blank before it; nothing where that is not known."""
    ways = [f"{number} {name}" for number, name in ((seeds, "seeds"), (items, "test items")) if number]
    if not ways:
        return ""
    alone = "" if seeds else "; more seeds alone would not"
    return f" {' or '.join(ways)} would settle it, if the effect is what it seems{alone}."


def section(results: Path, paper: PagePaper, claims: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page shows of a paper: the tables, figures and claims of `results` that are its own."""
    return {
        "id": paper.name,
        "title": paper.title,
        "authors": paper.authors,
        "tables": _tables(results, paper),
        "figures": _figures(results, paper),
        "more": paper.more(results),
        **{
            key: [claim for claim in claims[key] if claim["paper"] == paper.name]
            for key in ("judged", "left_out")
        },
    }


def _tables(results: Path, paper: PagePaper) -> list[str]:
    """Return the HTML of the tables that were written, in the paper's order."""
    paths = [results / f"tables/{paper.name}_{name}.html" for name in paper.tables]
    return [path.read_text(encoding="utf-8") for path in paths if path.is_file()]


def _figures(results: Path, paper: PagePaper) -> list[dict[str, str]]:
    """Return the figures that were drawn, by kind in the paper's order; a figure is called KIND or KIND_more."""
    found = []
    for path in sorted(results.glob(f"plots/{paper.name}_*.png")):
        name = path.stem.removeprefix(f"{paper.name}_")
        if paper.figures is not None and name not in paper.figures:
            continue
        kinds = [kind for kind in paper.captions if name == kind or name.startswith(f"{kind}_")]
        place = list(paper.captions).index(kinds[0]) if kinds else len(paper.captions)
        caption = paper.captions[kinds[0]] if kinds else ""
        png = base64.b64encode(path.read_bytes()).decode()
        found.append((place, {"id": path.stem, "png": png, "caption": caption}))
    return [figure for _, figure in sorted(found, key=lambda pair: pair[0])]


def write_page(
    out: str | Path, results: str | Path, papers: Iterable[PagePaper], config_path: str | Path
) -> None:
    """Render the page of `papers` from what lies in `results`; papers that have nothing are left out."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=PackageLoader("crosslingua.report", "."),
        undefined=StrictUndefined,
        autoescape=select_autoescape(["html", "jinja"]),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"number": number, "settled_by": settled_by}
    results, config = Path(results), read_yaml(config_path)
    claims = read_json(results / "claims.json") if (results / "claims.json").is_file() else CLAIMS
    rows = read_rows(results / "metrics.csv")
    sections = [section(results, paper, claims) for paper in papers]
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
