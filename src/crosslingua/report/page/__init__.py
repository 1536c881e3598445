"""The results page: one HTML file, without network requests, with the answer, statements, tables, figures and costs."""

import base64
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd

from crosslingua import places
from crosslingua.claims.files import merged_details
from crosslingua.io.atomic import atomic_open
from crosslingua.io.html import content_policy, templates
from crosslingua.io.json import read_json, read_yaml
from crosslingua.metrics import merge, read_rows
from crosslingua.provenance import machine
from crosslingua.report.citation import bibliography
from crosslingua.report.page import charts, samples, statements

WORLD = (
    "The text is generated: a controlled world told in several invented languages whose differences are "
    "parameters. It explains phenomena; it is not real text."
)
REAL = "The text is real: your own, or of data sets whose sources and licences docs/data.md names."
CLAIMS = {"method": "", "judged": [], "left_out": []}  # where none was judged


@dataclass(frozen=True)
class PagePaper:
    """A paper on the page: its name in files, its tables in order, its figures' captions by kind.

    `more` gives HTML of what it shows besides, `explorer` word vectors to search. Figures that are not in `figures`
    are left out, if that is given. `part` names the files of its claims and rows while a run is at work: the paper, or
    PAPER.GROUP. `samples` are as workflow/samples.py tells them.
    """

    name: str
    title: str
    authors: str
    tables: Sequence[str]
    captions: Mapping[str, str]
    more: Callable[[Path], str]
    figures: Collection[str] | None = None
    explorer: Callable[[], Mapping[str, Any] | None] = lambda: None
    part: str = ""
    samples: Sequence[Mapping[str, Any]] = ()


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


def headline(answer: Mapping[str, Any]) -> str:
    """Return the answer in one sentence."""
    first: dict[str, list[str]] = {}
    for summary in answer["summaries"]:
        if summary["pairs"]:
            best = max(summary["means"], key=summary["means"].get)
            first.setdefault(best, []).append(charts.title_of(summary).lower())
    if len(first) == 1:
        (best,) = first
        ahead, pairs = (
            sum(each[key][best] if key == "ahead_in" else each[key] for each in answer["summaries"])
            for key in ("ahead_in", "pairs")
        )
        return (
            f"“{best.capitalize()}” has the highest mean precision in every condition that was run, and is ahead in"
            f" {ahead} of {pairs} language pairs and conditions."
        )
    if not first:
        return "No strategies can be compared."
    parts = (f"“{best.capitalize()}” {', and '.join(conditions)}" for best, conditions in first.items())
    return f"The highest mean precision has: {'; '.join(parts)}."


def said(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the answer in sentences: one a kind of condition, `title` and `text`, and `pairs`, a sentence each."""
    return [
        {
            "title": charts.title_of(summary),
            "text": _summary(summary),
            "pairs": [
                _of_pair(condition)
                for condition in answer["conditions"]
                if all(condition[name] == summary[name] for name in ("supervision", "words"))
            ],
        }
        for summary in answer["summaries"]
    ]


def _summary(summary: Mapping[str, Any]) -> str:
    means = summary["means"]
    if not summary["pairs"]:
        return "No pair has all strategies that were run."
    best = max(means, key=means.get)
    ordered = ", ".join(f"{name} {means[name]:.1f}" for name in sorted(means, key=means.get, reverse=True))
    missing = [name for name in charts.STRATEGIES if name not in means]
    lacking = f" Not run: {', '.join(missing)}." if missing else ""
    ahead, leads = summary["ahead_in"][best], summary["leads_in"][best]
    unsure = f", and leads without certainty in {leads - ahead}" if leads > ahead else ""
    return (
        f"“{best.capitalize()}” is ahead in {ahead} of {summary['pairs']} language pairs{unsure} (mean P@1:"
        f" {ordered}).{lacking}"
    )


def _of_pair(condition: Mapping[str, Any]) -> str:
    best = condition["strategies"][condition["leader"]]
    verdict = "is ahead" if condition["best"] == condition["leader"] else "leads without certainty"
    gaps = ", ".join(
        f"{gap['effect']:+.1f} [{gap['low']:.1f}, {gap['high']:.1f}] over {gap['over']}"
        f" ({condition['strategies'][gap['over']]['system']})"
        for gap in condition["comparisons"]
    )
    return (
        f"{condition['pair']}: {condition['leader']} ({best['system']}, {best['value']:.1f}) {verdict}:"
        f" {gaps}; {condition['seeds']} seeds, {condition['test_words']} words."
    )


def _without_styles(table: str) -> str:
    """Return a table whose cells say `align`, since the page's policy obeys no `style` of an element."""
    return re.sub(r'style="text-align: (\w+);"', r'align="\1"', table)


def section(results: Path, paper: PagePaper, claims: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page shows of a paper: the tables, figures and claims of `results` that are its own."""
    tables = [f"tables/{paper.name}_{name}" for name in paper.tables]
    return {
        "id": paper.name,
        "title": paper.title,
        "authors": paper.authors,
        "tables": [
            {
                "html": _without_styles((results / f"{path}.html").read_text(encoding="utf-8")),
                "files": [each.name for each in sorted(results.glob(f"{path}.*")) if each.suffix != ".html"],
            }
            for path in tables
            if (results / f"{path}.html").is_file()
        ],
        "figures": _figures(results, paper),
        "more": paper.more(results),
        "samples": samples.samples(paper.samples),
        **{key: [one for one in claims[key] if one["paper"] == paper.name] for key in ("judged", "left_out")},
    }


def _figures(results: Path, paper: PagePaper) -> list[dict[str, str]]:
    """Return the figures that were drawn, by kind in the paper's order; a figure is called KIND or KIND_more."""
    from PIL import Image

    found = []
    for path in sorted(results.glob(f"plots/{paper.name}_*.png")):
        name = path.stem.removeprefix(f"{paper.name}_")
        if paper.figures is not None and name not in paper.figures:
            continue
        kinds = [kind for kind in paper.captions if name == kind or name.startswith(f"{kind}_")]
        place = list(paper.captions).index(kinds[0]) if kinds else len(paper.captions)
        caption = paper.captions[kinds[0]] if kinds else ""
        stream = BytesIO()
        with Image.open(path) as image:  # with at most 128 colours: a page holds dozens
            image.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(stream, "PNG", optimize=True)
        png = base64.b64encode(stream.getvalue()).decode()
        found.append((place, {"id": path.stem, "png": png, "caption": caption}))
    return [figure for _, figure in sorted(found, key=lambda pair: pair[0])]


def write_page(
    out: str | Path,
    results: str | Path,
    papers: Iterable[PagePaper],
    config_path: str | Path,
    reference: str | Path | None = None,
    costs: pd.DataFrame | None = None,
    waiting: Mapping[str, Sequence[str]] | None = None,
    data_sets: Sequence[Mapping[str, str]] = (),
    remark: str = "",
) -> None:
    """Render the page of `papers` from what lies in `results`; papers that have nothing are left out.

    `reference` is a folder of committed results, SCALE/claims.csv and SCALE/answer.json, which stand beside. `costs`
    are as `report.costs.costs` returns them. While a run is at work, `waiting` names the papers that it has not made
    yet, and of one that is there in part the tables. `data_sets` have a name, title, licence, citation and homepage.
    The head ends with `remark`. What the data say is text, never HTML. The browser runs this page's own scripts and
    styles alone, by their hashes.
    """
    from vl_convert import javascript_bundle

    environment = templates("crosslingua.report", "page")
    own = (
        number,
        settled_by,
        said,
        headline,
        *map(statements.__dict__.get, ("counted", "failed", "in_words")),
    )
    environment.globals |= {function.__name__: function for function in own}
    results, config, papers = Path(results), read_yaml(config_path), list(papers)
    claims, rows = _claims_and_rows(results, None if waiting is None else [paper.part for paper in papers])
    sections = [section(results, paper, claims) for paper in papers]
    explorer = next(filter(None, (paper.explorer() for paper in papers)), None)
    generated = bool(config.get("world"))
    elsewhere = statements.committed(reference, config["scale"])
    answer = claims.get("answer")
    answers = [(config["scale"], answer)] if answer else []
    answers += [(each.scale, each.answer) for each in elsewhere if each.answer]
    style = _packaged("itables", "html/dt_bundle.css") + _packaged(__name__, "style.css")
    script = _packaged(__name__, "page.js")
    tables_script = _as_script(_packaged("itables", "html/dt_bundle.js"), "DataTable")
    charts_script = _as_script(javascript_bundle())
    text = environment.get_template("page.html.jinja").render(
        papers=[each for each in sections if any(each[key] for key in ("tables", "figures", "judged"))],
        verdicts=statements.occurring(claims["judged"]),
        generated=generated,
        turned=statements.turned(claims["judged"], elsewhere) if generated else None,
        likeness=statements.LIKENESS,
        remark=remark,
        **{key: claims[key] for key in CLAIMS},
        answers=answers,
        elsewhere=elsewhere,
        explorer=explorer,
        waiting=waiting,
        data_sets=data_sets,
        machine=machine(),
        scale=config["scale"],
        seeds=sorted(rows["seed"].unique()),
        code_version=", ".join(sorted(rows["code_version"].unique())),
        origin=origin(config),
        costs=[] if costs is None else costs.to_dict("records"),
        references="\n".join(bibliography(read_yaml(places.suite("CITATION.cff")))),
        configuration=Path(config_path).read_text(encoding="utf-8"),
        # In JSON, `<` stands in strings only: escaped, no word of a corpus ends the script or begins a comment.
        data=_data(claims, generated, answers, explorer).replace("<", "\\u003c"),
        style=style,
        script=script,
        tables_script=tables_script,
        charts_script=charts_script,
        policy=content_policy([style], [script, tables_script, charts_script]),
    )
    with atomic_open(out) as stream:
        stream.write(text)


def _claims_and_rows(results: Path, parts: Sequence[str] | None) -> tuple[Mapping[str, Any], pd.DataFrame]:
    """Return the claims and metrics rows of a finished run, or of the `parts` that a run at work has made. Of committed
    results there may be no rows, and of claims the verdicts alone.
    """
    if parts is None:
        rows = results / "metrics.csv"
        return _claims(results), read_rows(rows) if rows.is_file() else pd.DataFrame(
            columns=["seed", "code_version"]
        )
    claims = [path for part in parts if (path := results / f"claims/{part}.json").is_file()]
    rows = [
        path
        for part in parts
        for path in sorted(results.glob(f"rows/{part}.csv")) or sorted(results.glob(f"rows/{part}.*.csv"))
    ]
    return _complete(merged_details(claims)), merge(rows)


def _claims(results: Path) -> Mapping[str, Any]:
    details, verdicts = results / "claims.json", results / "claims.csv"
    if details.is_file():
        return _complete(read_json(details, dict))
    judged = statements.read_verdicts(verdicts) if verdicts.is_file() else []
    answer = results / "answer.json"
    return CLAIMS | {"judged": judged} | ({"answer": read_json(answer, dict)} if answer.is_file() else {})


def _complete(claims: Mapping[str, Any]) -> Mapping[str, Any]:
    return claims | {"judged": [statements.completed(claim) for claim in claims["judged"]]}


def _data(
    claims: Mapping[str, Any],
    generated: bool,
    answers: Iterable[tuple[str, Mapping[str, Any]]],
    explorer: Mapping[str, Any] | None,
) -> str:
    """Return what the page's program reads, as JSON: charts by the id of their place, word vectors, the glossary."""
    drawn = {
        f"answer_{scale}_{place}": chart
        for scale, answer in answers
        for place, (_, chart) in enumerate(charts.answer_charts(answer["conditions"]))
    }
    drawn["forest"] = charts.forest(claims["judged"], generated)
    for place, stage in enumerate(explorer["stages"] if explorer else ()):
        drawn[f"map_{place}"] = charts.word_map(stage["words"], explorer["languages"])
    glossary = read_yaml(Path(__file__).with_name("glossary.yaml"))
    return json.dumps({"charts": drawn, "explorer": explorer, "glossary": glossary}, allow_nan=False)


def _packaged(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")


def _as_script(module: str, default: str | None = None) -> str:
    """Return a module's text as a script that names nothing but what it puts into `window`, as `default` for its
    default export. It can stand in a script of HTML, where tags have any case.
    """
    if default:
        export = r"\bexport\s*\{[^}]*?([\w$]+) as default\b[^}]*\}"
        module, found = re.subn(export, rf"window.{default}=\1", module)
        if found != 1:
            raise ValueError(f"the module of {default} has {found} default exports")
    text = f'(() => {{"use strict";\n{module}\n}})();'
    return re.sub("</(?=script)", r"<\\/", text, flags=re.IGNORECASE).replace("<!--", "<\\!--")
