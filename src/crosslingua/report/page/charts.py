"""The page's charts, as Vega-Lite: the answer by pair, all statements as a forest, the map of word vectors."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from crosslingua.report.figures import AMBER, BLUE, GREEN, GREY, ORANGE, PURPLE
from crosslingua.report.page.statements import in_words, occurring

STRATEGIES = {"aligned": BLUE, "joint": ORANGE, "joint then mapped": PURPLE, "both": GREEN}
VERDICTS = {
    **{"reproduced": GREEN, "contradicted": ORANGE, "mixed": PURPLE, "negligible": AMBER},
    **dict.fromkeys(("inconclusive", "too_small"), GREY),
}
Chart = dict[str, Any]  # a specification of Vega-Lite


def answer_charts(conditions: Iterable[Mapping[str, Any]]) -> list[tuple[str, Chart]]:
    """Return a title and chart for each kind of condition: P@1 of each strategy's best system by pair."""
    import altair as alt

    kinds: dict[str, list[dict[str, Any]]] = {}
    for condition in conditions:
        of_kind = kinds.setdefault(title_of(condition), [])
        of_kind += [
            {"pair": condition["pair"], "strategy": name, **strategy}
            for name, strategy in condition["strategies"].items()
        ]
    charts = []
    for title, records in kinds.items():
        base = alt.Chart(pd.DataFrame(records)).encode(
            y=alt.Y("pair:N", title=None, sort=None),
            yOffset=alt.YOffset("strategy:N", sort=list(STRATEGIES)),
            color=_colour("strategy:N", STRATEGIES),
            tooltip=[
                "pair:N", "strategy:N", alt.Tooltip("system:N", title="best system"),
                *(alt.Tooltip(f"{name}:Q", format=".1f") for name in ("value", "low", "high")),
            ],
        )  # fmt: skip
        shape = alt.Shape("strategy:N", sort=list(STRATEGIES), legend=None)
        intervals = base.mark_rule(strokeWidth=2).encode(
            x=alt.X("low:Q", title="P@1 (%)", scale=alt.Scale(domainMin=0), axis=alt.Axis(tickCount=6)),
            x2="high:Q",
        )
        points = base.mark_point(filled=True, size=70).encode(x="value:Q", shape=shape)
        rows = len({(record["pair"], record["strategy"]) for record in records})
        charts.append((title, _spec(intervals + points, height=24 * rows)))
    return charts


def title_of(condition: Mapping[str, Any]) -> str:
    """Return a condition in words."""
    dictionary = "With a dictionary" if condition["supervision"] == "dictionary" else "Without a dictionary"
    words = "words of any spelling" if condition["words"] == "all" else "words not spelt alike"
    return f"{dictionary}, {words}"


def forest(judged: Sequence[Mapping[str, Any]], generated: bool) -> Chart:
    """Return every statement's deciding comparison: how far its effect and interval lie from the edge of what the
    statement claims, in the unit of its measure. Right of 0 the statement holds. Verdicts are those of `generated` text
    or of real text.
    """
    import altair as alt

    known = [claim for claim in judged if claim["ci_low"] is not None and claim["region"]]
    words = {verdict: in_words(verdict, generated) for verdict in occurring(known)}
    frame = pd.DataFrame([_beyond_the_edge(claim) | {"verdict": words[claim["verdict"]]} for claim in known])
    if frame.empty:
        return {}
    base = (
        alt.Chart(frame)
        .add_params(alt.param(name="paper", value=""))  # page.js sets it to the paper that the reader chooses
        .transform_filter("!paper || datum.paper === paper")
        .encode(
            y=alt.Y("statement:N", title=None, sort=None, axis=alt.Axis(labelLimit=330)),
            color=_colour("verdict:N", {said: VERDICTS[verdict] for verdict, said in words.items()}),
            href="link:N",
            tooltip=[
                "statement:N", "paper:N", "text:N", "comparison:N", "verdict:N",
                *(alt.Tooltip(f"{name}:Q", format=".2f") for name in ("effect", "low", "high")),
            ],
        )
    )  # fmt: skip
    scale = alt.Scale(type="symlog", constant=1)
    title = "points beyond the edge of the statement (left: it fails, right: it holds; logarithmic)"
    intervals = base.mark_rule(strokeWidth=2).encode(
        x=alt.X(
            "from:Q", title=title, scale=scale, axis=alt.Axis(values=[-50, -20, -5, -1, 0, 1, 5, 20, 50])
        ),
        x2="to:Q",
    )
    points = base.mark_point(filled=True, size=50).encode(x="at:Q")
    edge = alt.Chart(pd.DataFrame({"x": [0]})).mark_rule(strokeDash=[4, 3]).encode(x="x:Q")
    return _spec(edge + intervals + points, height=15 * len(frame))


def _beyond_the_edge(claim: Mapping[str, Any]) -> dict[str, Any]:
    sign, edge = (1 if claim["region"].startswith(">") else -1), float(claim["region"].split()[1])
    low, high = sorted(sign * (claim[end] - edge) for end in ("ci_low", "ci_high"))
    return {
        "statement": claim["claim"].replace("_", " "),
        "paper": claim["paper"],
        "text": claim["statement"],
        "comparison": claim["decisive"]["comparison"],
        "effect": claim["effect"],
        "low": claim["ci_low"],
        "high": claim["ci_high"],
        "at": sign * (claim["effect"] - edge),
        "from": low,
        "to": high,
        "link": f"#claim_{claim['claim']}",
    }


def word_map(words: Sequence[Mapping[str, Any]], languages: Sequence[str]) -> Chart:
    """Return the map of one stage's word vectors; `words` have word, language (or `shared`), x and y."""
    import altair as alt

    sought = alt.param(name="sought", value="")
    base = alt.Chart(pd.DataFrame(words)).encode(
        x=alt.X("x:Q", axis=None),
        y=alt.Y("y:Q", axis=None),
        tooltip=["word:N", "language:N"],
        color=_colour("language:N", dict(zip([*languages, "shared"], (BLUE, ORANGE, GREY), strict=True))),
    )
    points = base.mark_circle(size=22, opacity=0.6).add_params(sought)
    chosen = alt.condition("datum.word === sought", alt.value(1), alt.value(0))
    marked = base.mark_point(size=160, strokeWidth=2.5).encode(opacity=chosen)
    named = base.mark_text(dy=-12, fontSize=13, fontWeight="bold").encode(text="word:N", opacity=chosen)
    return _spec(points + marked + named, height=300)


def _colour(field: str, colours: Mapping[str, str]) -> Any:
    """Return the colours of a field's values, with a legend above."""
    import altair as alt

    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    return alt.Color(field, title=None, legend=alt.Legend(orient="top"), scale=scale)


def _spec(chart: Any, height: int) -> Chart:
    """Return the specification of a chart as wide as its place, whose drawing has a height in pixels."""
    import altair as alt

    autosize = alt.AutoSizeParams(type="fit-x", contains="padding")
    return chart.properties(width="container", height=height, autosize=autosize).to_dict()
