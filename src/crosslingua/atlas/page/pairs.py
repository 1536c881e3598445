"""What the atlas's page says of language pairs: names, links, verdicts under each view, counts and the answer."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from crosslingua.atlas.cards import UNDECIDED

VIEWS = tuple((by, words) for by in ("dictionary", "none") for words in ("not spelt alike", "all"))
SIZES = {200_000: "up to 200,000 words", 1_000_000: "up to 1 million words", None: "over 1 million words"}

PREDICTORS = {
    "intercept": "lead in an average pair",
    "log10 text words": "larger text (log)",
    "log10 dictionary words": "larger dictionary (log)",
    "spelt alike": "more words spelt alike",
    "type-token ratio": "richer vocabulary (type-token ratio)",
    "same script": "same script",
    "family distance": "more distant families",
    "eigen similarity": "less similar spaces (eigenvalues)",
    "novels": "novels",
}


def pair_rows(atlas: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what the page shows of each pair, in order of names.

    `id` is the link: the codes of the languages (`fi-hu`), with the domain or a number where another pair has them.
    `views` are the conditions by number in VIEWS. `words` counts the smaller text.
    """
    facts, rows, ids = atlas["languages"], [], set[str]()
    predictions = (atlas["prediction"] or {}).get("by_pair", {})
    for card in sorted(atlas["pairs"], key=lambda card: (_names(card, facts), card["domain"])):
        link = "-".join(card["languages"])
        named = (
            f"{link}-{card['domain'].replace(' ', '-')}",
            *(f"{link}-{place}" for place in range(2, len(rows) + 3)),
        )
        ids.add(link := next(way for way in (link, *named) if way not in ids))
        own = [facts.get(code, {}) for code in card["languages"]]
        words = min(card["statistics"]["text_words"])
        rows.append(
            {
                "id": link,
                "card": card,
                "title": "–".join(_names(card, facts)),
                "languages": _names(card, facts),
                "families": [one.get("family", "") for one in own],
                "branches": [one.get("branch", "") for one in own],
                "scripts": [one.get("script", "") for one in own],
                "words": words,
                "size": next(name for most, name in SIZES.items() if most is None or words <= most),
                "views": {VIEWS.index((one["supervision"], one["words"])): one for one in card["conditions"]},
                "systems": _systems(card),
                "prediction": predictions.get(card["pair"]),
            }
        )
    return rows


def _names(card: Mapping[str, Any], facts: Mapping[str, Any]) -> list[str]:
    return [facts.get(code, {}).get("name", code) for code in card["languages"]]


def _systems(card: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return P@1 of each system, the best first: (mean, least, most) over seeds by test words; what it stands for, and
    whether it is the reference.
    """
    stands = {
        (one["system"], kind): None for view in card["conditions"] for kind, one in view["strategies"].items()
    }
    found: dict[str, dict[str, Any]] = {}
    for words, systems in card["scores"].items():
        for name, seeds in systems.items():
            if values := seeds.values():
                found.setdefault(name, {})[words] = (fmean(values), min(values), max(values))
    reference = card.get("reference") or {}
    rows = [
        {
            "name": name,
            "stands_for": [kind for system, kind in stands if system == name],
            "reference": bool(reference)
            and all(reference.get(words) == of[0] for words, of in values.items()),
        }
        | values
        for name, values in found.items()
    ]
    return sorted(rows, key=lambda row: -row.get("not spelt alike", row.get("all"))[0])


def runner_up(condition: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the comparison of a condition's leader with the strategy that comes closest."""
    return min(condition["comparisons"], key=lambda one: one["effect"])


def won(rows: Iterable[Mapping[str, Any]], view: int) -> Counter[str]:
    """Return how many pairs each strategy wins in a view, and how many have none ahead."""
    return Counter(row["views"][view]["best"] for row in rows if view in row["views"])


def headline(rows: Sequence[Mapping[str, Any]], view: int) -> str:
    """Return the answer in one sentence: how many pairs, how many are decided, and who wins in which domain."""
    counts = won(rows, view)
    decided = counts.total() - counts[UNDECIDED]
    where = []
    for domain in sorted({row["card"]["domain"] for row in rows}):
        own = won((row for row in rows if row["card"]["domain"] == domain), view)
        total = own.total()
        del own[UNDECIDED]
        if own:
            (first, most), *others = own.most_common()
            more = [f"“{name}” {number}" for name, number in others]
            told = [f"“{first}” wins {most} of {total} in {domain}", *more]
            where.append(" and ".join(filter(None, [", ".join(told[:-1]), told[-1]])))
        elif total:
            where.append(f"none wins in {domain}")
    if not decided:
        return f"No strategy is clearly best in any of {_counted(counts.total())}."
    return f"In {decided} of {_counted(counts.total())} one strategy is clearly best: {'; '.join(where)}."


def _counted(pairs: int) -> str:
    return f"{pairs} language pair{'' if pairs == 1 else 's'}"


def choices(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the values of each filter that has at least two, by the filter's name."""
    found = {
        name: sorted({value for row in rows for value in row[key] if value})
        for name, key in (("language", "languages"), ("family", "families"), ("script", "scripts"))
    }
    found["domain"] = sorted({row["card"]["domain"] for row in rows})
    found["size"] = [name for name in SIZES.values() if any(row["size"] == name for row in rows)]
    return {name: values for name, values in found.items() if len(values) > 1}
