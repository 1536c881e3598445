"""The atlas's page: one HTML file, without network requests, that answers for each pair which strategy is best."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from crosslingua.atlas.cards import STRATEGIES, is_told
from crosslingua.atlas.page import drawings, pairs
from crosslingua.claims.verdict import IN_WORDS
from crosslingua.io.html import content_policy, templates


def render(atlas: Mapping[str, Any]) -> str:
    """Return the page of an atlas: `pairs`, `curves` (cards), `decides`, `prediction` (or None), `languages` by code.

    What the data say is text, never HTML. The browser runs this page's own script and style alone, by their hashes.
    """
    environment = templates("crosslingua.atlas", "page")
    rows = pairs.pair_rows(atlas)
    views = sorted({view for row in rows for view in row["views"]}) or [0]
    script = files(__name__).joinpath("atlas.js").read_text(encoding="utf-8")
    sheets = (("crosslingua.report.page", "style.css"), (__name__, "atlas.css"))
    style = "".join(files(package).joinpath(name).read_text(encoding="utf-8") for package, name in sheets)
    tops = {
        view: drawings.steps(max(_highs(rows, view), default=1))[-1] for view in views
    }  # one scale a view, so that bars compare
    leads = (atlas["decides"] or {"leads": {}})["leads"].values()
    effects = dict.fromkeys(["intercept", *(name for lead in leads for name in lead["effects"])])
    known = [one for lead in leads for one in (lead["intercept"], *lead["effects"].values())]
    return environment.get_template("atlas.html.jinja").render(
        rows=rows,
        encoder=any(row["card"].get("reference") for row in rows),
        views=views,
        tops=tops,
        strategies=STRATEGIES,
        undecided=pairs.UNDECIDED,
        is_told=is_told,
        glyphs=drawings.GLYPHS,
        choices=pairs.choices(rows),
        counts=pairs.won(rows, views[0]),
        headlines={view: pairs.headline(rows, view) for view in views},
        runner_up=pairs.runner_up,
        map=drawings.scatter(rows) if rows else None,
        curves=drawings.panels(atlas["curves"]),
        titles={row["card"]["pair"]: row for row in rows},
        averages={**atlas["averages"], **{f"with {name}": one for name, one in atlas["families"].items()}},
        decides=atlas["decides"],
        effects=effects,
        farthest=max((abs(one[end]) for one in known for end in ("low", "high")), default=1),
        labels=pairs.PREDICTORS,
        prediction=atlas["prediction"],
        statements=atlas["statements"],
        verdicts=IN_WORDS,
        script=script,
        style=style,
        policy=content_policy([style], [script]),
    )


def _highs(rows: list[dict[str, Any]], view: int) -> list[float]:
    found = (row["views"][view]["strategies"].values() for row in rows if view in row["views"])
    return [one["high"] for strategies in found for one in strategies]
