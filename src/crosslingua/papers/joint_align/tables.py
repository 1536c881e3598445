"""Tables 1 and 2 (lexicon induction), 3 (entities), and the answer; all tables by name, at the end."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from crosslingua.claims.statements import MIN_SEEDS
from crosslingua.evidence.participation import SHORTCUT, SOURCE, UPPER
from crosslingua.metrics import conditions
from crosslingua.papers.joint_align import controls, curve, figure2
from crosslingua.papers.joint_align.controls import unable, warn_of_controls
from crosslingua.papers.joint_align.convention import (
    SPELLED,
    SPELLING,
    condition,
    leading,
    marked_grid,
    pair_columns,
    precision_grid,
    warn_of_coverage,
)
from crosslingua.report.controls import flagged, scores_of
from crosslingua.report.tables import MEAN, Grid, Published, Table, column_means, grid, hardly_above

JOINT, BOTH = "joint", "joint_align_"  # and the mapper
SIDES = ("aligned afterwards", "trained jointly", "both")
ANSWER_CAPTION = (
    "P@1 in percent (CSLS, as in table 1), mean ± standard deviation over seeds. Aligned afterwards: trained apart, "
    "then mapped by the column's mapper. Trained jointly: no mapping. Both: trained jointly, shared words reallocated, "
    "then mapped."
)
ANSWER_REMARKS = (
    "Joint training finds words of equal spelling at no cost: they count in the first grid, and not in the second "
    "(table 2). Systems of one column use the same mapper, which in “both” moves the words that the languages do not "
    f"share. Words out of vocabulary count as in table 1. Control: `{SPELLING}` translates every word by itself."
)
ALL, UNLIKE = "table1", "table2"
ANSWER_NOTES = {ALL: "The best of the three is bold.", UNLIKE: "The same without pairs that are spelt alike."}
DIFFERENCES = ((2, 0), (2, 1), (1, 0))


def mappers(systems: list[str]) -> list[str]:
    """Return the mappers of which the question can be asked, in the order of `systems`."""
    return [name for name in systems if JOINT in systems and BOTH + name in systems]


def answer_grids(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    """Yield the three sides by pair and mapper, also without words of equal spelling, then their differences."""
    values = _sides(_precision(rows, ALL))
    if values.empty:
        return
    unranked = _unranked(values, rows)
    spelled = _sides(_precision(rows, ALL, SPELLED))
    yield precision_grid(ANSWER_NOTES[ALL], values, spelled, unranked=unranked)
    if not (unlike := _sides(_precision(rows, UNLIKE))).empty:
        found = precision_grid(ANSWER_NOTES[UNLIKE], unlike, spelled[:0], unranked=unranked)
        yield replace(found, unfolded=True)
    wide = values.pivot_table(index=["column", "seed"], columns="system", values="value", sort=False)
    wide = wide.reindex(columns=list(SIDES))
    parts = [
        (wide[SIDES[first]] - wide[SIDES[second]]).dropna().rename("value").reset_index()
        .assign(system=f"{SIDES[first]}, less {SIDES[second]}")
        for first, second in DIFFERENCES
    ]  # fmt: skip
    note = "Points between them, seed by seed; failed runs count with what they measured."
    yield grid(note, pd.concat(parts), bold=False)


def say_who_is_ahead(rows: pd.DataFrame) -> str:
    """Say which side is ahead in each pair, how many seeds stand behind it, and on how few words it rests.

    Mappers that fail a control that counts are not asked.
    """
    every, unlike = (_sides(_precision(rows, table)) for table in ANSWER_NOTES)
    ranked, apart = (
        _ahead(values[~values["column"].isin(_unranked(values, rows))]) for values in (every, unlike)
    )
    pairs: dict[str, list[str]] = {}
    for pair, side in ranked.items():
        sides = f"{side}; without words of equal spelling: {apart.get(pair, 'unknown')}"
        pairs.setdefault(sides, []).append(pair)
    said = [f"Ahead in {', '.join(those)}: {sides}." for sides, those in pairs.items()]
    if said and (seeds := rows["seed"].nunique()) < MIN_SEEDS:
        said.append(f"Number of seeds: {seeds}. A verdict takes {MIN_SEEDS}.")
    said.append(warn_of_controls(rows))
    if few := warn_of_coverage(rows):
        said += [few, _chance(every)]
    return " ".join(filter(None, said))


def _unranked(values: pd.DataFrame, rows: pd.DataFrame) -> list[str]:
    """Return the columns of mappers that fail a control that counts."""
    failed = unable(rows)
    return [column for column in values["column"].unique() if column.rpartition(": ")[2] in failed]


def _ahead(values: pd.DataFrame) -> dict[str, str]:
    """Return of each pair the side that is best with most mappers, and with how many; `none` where nothing is right.

    Failed runs count with what they measured.
    """
    if values.empty:
        return {}
    means = values.pivot_table(index="column", columns="system", values="value", sort=False)
    means = means.reindex(columns=list(SIDES)).dropna()
    pairs = means.index.map(lambda column: column.rpartition(": ")[0])
    found = {}
    for pair, own in means.groupby(pairs, sort=False):
        best = own.eq(own.max(axis="columns"), axis="index") & own.gt(0)
        side = best.sum().idxmax()
        count = f" ({best[side].sum()} of {len(own)} mappers)" if len(own) > 1 else ""
        found[pair] = f"{side}{count}" if best[side].any() else "none"
    return found


def _chance(values: pd.DataFrame) -> str:
    """Say which differences may be chance of the fewest words: 1.96 standard errors, as of sides apart."""
    if values.empty:
        return ""
    words = values["n"].min()
    column = values.loc[values["n"].idxmin(), "column"]
    share = values.loc[values["column"] == column, "value"].max() / 100
    points = 196 * (2 * share * (1 - share) / words) ** 0.5
    told = f"Of {words} words, differences of less than {points:.0f} points may be chance."
    return told if points >= 1 else ""


def _precision(rows: pd.DataFrame, table: str, metric: str = "p_at_1") -> pd.DataFrame:
    """Return a table's rows of a metric in the convention that leads in table 1, of each system's own settings."""
    rows = rows[rows["task"] == "bli"]
    rule = leading(rows.loc[(rows["metric"] == "coverage") & (rows["table"] == ALL), "value"])
    rows = rows[rows["table"] == table]
    rows = rows[(rows["metric"] == metric) & rows["signature"].str.startswith("csls|")]
    own = condition(rows, "settings", "")
    selected = rows["system"].isin(set(rows.loc[own == "selected", "system"]))
    return rows[condition(rows, "oov", "").eq(rule) & ((own != "published") | ~selected)]


def _sides(rows: pd.DataFrame) -> pd.DataFrame:
    """Return system (the side), column (`en-de: rcsls`), seed, value, n, signature; what lacks a side is left out."""
    parts = []
    for place, own in rows.groupby(pair_columns(rows), sort=False):
        for name in mappers(list(dict.fromkeys(own["system"]))):
            systems = dict(zip((name, JOINT, BOTH + name), SIDES, strict=True))
            found = own[own["system"].isin(systems)]
            parts.append(found.assign(system=found["system"].map(systems), column=f"{place}: {name}"))
    columns = ["system", "column", "seed", "value", "n", "signature"]
    every = pd.concat(parts)[columns] if parts else pd.DataFrame(columns=columns)
    return every.sort_values("system", key=lambda sides: sides.map(SIDES.index), kind="stable")


# Of tables 1 and 2, as the paper groups them: alignment, joint training, both; unsupervised methods above.
OF_THE_PAPER = (
    "muse", "vecmap", "procrustes", "iterative_norm", "geomm", "rcsls", "joint", "duong", "joint_replace", "joint_vr",
    "joint_align_muse", "joint_ar_muse", "joint_ar_geomm", "joint_ar_rcsls", "joint_align_geomm", "joint_align_rcsls",
)  # fmt: skip
AS_PUBLISHED = ", as published"
CAPTION = (
    "Precision in percent, mean ± standard deviation over seeds. Bold: best of the column. †: runs whose map failed, "
    f"which count. Columns “{AS_PUBLISHED.strip(', ')}” have published settings; other columns have chosen "
    "settings."
)
REMARKS = (
    "Validation translations choose the settings of supervised systems, with the first seed. †: the map is no better "
    f"than a random one, or has no pair to learn from; mostly failed cells are never bold. Control: `{SPELLING}` "
    "translates every word by itself, held against each system's words. Where coverage is low, MUSE's rule leads: the "
    "paper's would measure spelling."
)
COVERAGE = (
    "Coverage: percent of the test dictionary's source words that have a vector and a translation with one."
)
# Of pairs without a dictionary.
WITHOUT_GOLD = {
    "mean_cosine": "Without a dictionary, {retrieval}: mean cosine of the 10,000 most frequent source words (or all) "
    "with their best candidate.",
    "mutual": "Without a dictionary, {retrieval}: percent of these words whose best candidate retrieves them back.",
}
BEWARE = (
    "Mean cosine and mutual retrieval are judged without gold: they do not tell right translations from wrong ones, "
    "and no best is marked. Compare systems within one pair and corpus only, mapped spaces with mapped ones, and "
    "joint with joint. Joint training of little text leaves all vectors alike, shared words retrieve themselves, and "
    "some mappers fit these very numbers."
)
DECIMALS = {"mean_cosine": 3, "mutual": 1}
RETRIEVAL = {"csls": "CSLS", "nn": "nearest neighbour by cosine"}
OOV = {
    "paper": "out-of-vocabulary as in the paper",
    "footnote6": "out-of-vocabulary to the letter of footnote 6",
    "muse": "out-of-vocabulary pairs skipped, as in MUSE",
}


def grids(rows: pd.DataFrame, published: Published, table: str) -> Iterator[Grid]:
    """Yield P@1 in the leading convention, coverage, P@1 in the others, P@5, P@10; then pairs without a dictionary."""
    failed = unable(rows)
    rows = rows[(rows["table"] == table) & (rows["task"] == "bli")]
    rows = rows.assign(column=pair_columns(rows), retrieval=rows["signature"].str.split("|").str[0])
    gold = ~rows["metric"].isin(WITHOUT_GOLD)
    if gold.any():
        # Unsupervised systems before supervised ones, else in the order of the configuration.
        reads = condition(rows[gold], "supervision", "none") != "none"
        for one in _with_gold(rows[gold].iloc[reads.argsort(kind="stable")]):
            yield replace(one, unranked=one.unranked.union(failed))
    for (metric, retrieval), values in rows[~gold].groupby(["metric", "retrieval"], sort=False):
        note = WITHOUT_GOLD[metric].format(retrieval=RETRIEVAL[retrieval])
        yield _grid(note, values, marked_grid, decimals=DECIMALS[metric], bold=False)


def _with_gold(rows: pd.DataFrame) -> Iterator[Grid]:
    rows = rows.assign(oov=condition(rows, "oov", ""), own=condition(rows, "settings", "selected"))
    found = dict(list(rows.groupby(["metric", "retrieval", "oov"], sort=False)))
    lead = ("csls", leading(rows.loc[rows["metric"] == "coverage", "value"]))
    first, *others = sorted({key[1:] for key in found}, key=lambda kind: (kind != lead, kind))
    wanted = [("p_at_1", *first), ("coverage", *first), *(("p_at_1", *kind) for kind in others)]
    wanted += [(metric, *first) for metric in ("p_at_5", "p_at_10")]
    for number, (metric, retrieval, rule) in enumerate(key for key in wanted if key in found):
        shown = _with_own_settings(found[metric, retrieval, rule], beside=not number)
        if metric == "coverage":
            yield _grid(COVERAGE, shown, marked_grid)
            continue
        spelled = found.get((SPELLED, retrieval, rule), rows[:0])
        spelled = _with_own_settings(spelled, beside=not number)
        note = f"{metric.replace('p_at_', 'P@')}, {RETRIEVAL[retrieval]}, {OOV[rule]}."
        one = _grid(note, shown, partial(precision_grid, spelled=spelled))
        yield replace(one, kinds={**one.kinds, SPELLING: "control"} if len(spelled) else one.kinds)


def _with_own_settings(rows: pd.DataFrame, *, beside: bool) -> pd.DataFrame:
    """Return the rows of chosen settings, or of published ones of systems without a choice; `beside` them as further
    columns those of published settings of systems with a choice.
    """
    selected = rows["system"].isin(rows.loc[rows["own"] == "selected", "system"])
    shown = rows[(rows["own"] == "selected") | ~selected]
    published = rows[(rows["own"] == "published") & selected & beside]
    return pd.concat([shown, published.assign(column=published["column"] + AS_PUBLISHED)])


def _grid(note: str, rows: pd.DataFrame, summarise: Callable[..., Grid], **how: Any) -> Grid:
    """Summarise rows, failed runs apart, and say each system's kind."""
    kinds = {}
    for system, signature in zip(rows["system"], rows["signature"], strict=True):
        supervision = conditions(signature).get("supervision", "")
        kind = {"none": "unsupervised", "dictionary": "supervised"}.get(supervision, "")
        kinds[system] = kind if system in OF_THE_PAPER else f"{kind} (beyond the paper)".strip()
    return replace(summarise(note, rows, **how), kinds=kinds)


def warn(rows: pd.DataFrame) -> str:
    """Say what numbers without gold are worth, where there are any, and which mappers failed their control."""
    without_gold = BEWARE if rows["metric"].isin(WITHOUT_GOLD).any() else ""
    return " ".join(filter(None, (without_gold, warn_of_controls(rows), warn_of_coverage(rows))))


# Table 3: F1 of named entities across languages, and the controls.
FLOORS = ("majority", "random_vectors", "same_spelling", SHORTCUT)
CONTROLLED = (*FLOORS, UPPER)
ENTITY_CAPTION = (
    "F1 of entities in percent, mean ± standard deviation over seeds: trained on the source language, tested on the "
    "target language (zero-shot). Bold: best of the column. In parentheses: the paper's figure. Dash: not run."
)
ENTITY_REMARKS = (
    "A column whose best is less than 10 points above the controls that must fail has no bold number. A BiLSTM layer "
    "and a CRF read static vectors; two such layers read the features of a frozen encoder."
)
ENTITY_CONTROLS = (
    "Controls, F1: `majority` gives every word the most frequent label; `random_vectors` has random vectors, of every "
    "word and language its own; `same_spelling` random vectors that a spelling has in both languages; `shortcut` is "
    "the best reader without an encoder; "
    f"`{UPPER}` is trained on the target's own data, with its independent vectors."
)
HOME = "F1 in the source language, of the taggers above. The claims compare a system where it beats all controls here."
CONLL = "F1 as conlleval counts, which Lample et al.'s program calls: an I-X that goes on nothing begins an entity."
FROZEN = "_frozen"  # behind a system's name: its vectors are not tuned with the tagger
FROZEN_NOTE = "Static vectors that stay frozen, F1 (strict): the same vectors, taggers and seeds as above."
TUNING_NOTE = (
    "What tuning adds, points of F1, seed by seed. Words of the target that training never saw keep their vectors. A "
    "word that both languages share moves in both, if training saw it: `joint` and `joint_align` have such words, "
    "`align` has none."
)
NEAR_NOTHING = 10.0  # points of F1 up to which a control that must fail has failed, and that learning exceeds


def _entities(rows: pd.DataFrame, metric: str = "f1", table: str = "table3") -> pd.DataFrame:
    """Return system, source, target, seed, column (`source-target`) and value of a table, and the shortcut's."""
    rows = scores_of(rows, table, metric)
    return rows.assign(column=rows["source"] + "-" + rows["target"])


def entity_grids(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    """Yield the systems, the controls, and F1 by the other convention."""
    ours = _entities(rows)
    is_frozen = ours["system"].str.endswith(FROZEN)
    ours, frozen = ours[~is_frozen], ours[is_frozen]
    shown = ours[~ours["system"].isin(CONTROLLED)]
    sources = set(ours["source"])
    theirs = {
        (system, f"{source}-{target}"): value
        for (system, target, _, metric), value in published.items()
        for source in sources
        if metric == "f1"
    }
    whole = pd.concat([shown, column_means(shown, ["system", "seed"])])
    weak = hardly_above(shown, ours[ours["system"].isin(FLOORS)], NEAR_NOTHING)
    weak += [MEAN] if len(weak) == ours["column"].nunique() else []
    floors = ours[ours["system"].isin(FLOORS)]
    floors = pd.concat([floors, column_means(floors, ["system", "seed"])])
    yield flagged(grid("F1 of entities (strict).", whole, theirs, unranked=weak), whole, floors)
    controls = ours[ours["system"].isin(CONTROLLED)]
    yield flagged(grid(ENTITY_CONTROLS, controls, bold=False), controls, floors)
    home = _entities(rows, table=SOURCE)
    yield flagged(grid(HOME, home, bold=False), home, home[home["system"].isin(FLOORS)])
    yield from _tuning(shown, frozen, floors)
    conll = _entities(rows, "f1_conll")
    shown = conll[~conll["system"].isin(CONTROLLED) & ~conll["system"].str.endswith(FROZEN)]
    yield flagged(grid(CONLL, shown, unranked=weak), shown, conll[conll["system"].isin(FLOORS)])


def _tuning(tuned: pd.DataFrame, frozen: pd.DataFrame, floors: pd.DataFrame) -> Iterator[Grid]:
    """Yield F1 of frozen vectors, and what tuning them adds."""
    keys = ["system", "column", "seed"]
    named = frozen.assign(system=frozen["system"].str.removesuffix(FROZEN))
    both = tuned.merge(named, on=keys, suffixes=("", FROZEN))
    added = both.assign(value=both["value"] - both["value" + FROZEN])
    named, added = (pd.concat([each, column_means(each, ["system", "seed"])]) for each in (named, added))
    yield flagged(grid(FROZEN_NOTE, named, bold=False), named, floors)
    yield grid(TUNING_NOTE, added, bold=False)


def warn_of_entities(rows: pd.DataFrame) -> str:
    """Name failed controls: the scores of such a pair say little."""
    found = _entities(rows).groupby(["column", "system"])["value"].mean()
    told = []
    for column in found.index.unique("column"):
        own = found[column]
        passed = [name for name in FLOORS[:2] if own.get(name, 0) > NEAR_NOTHING]
        told += [f"{column}: {name} {own[name]:.1f}" for name in passed]
        static = [own[name] for name in ("align", "joint", "joint_align") if name in own]
        if UPPER in own and static and own[UPPER] <= max(static):
            told.append(f"{column}: {UPPER} {own[UPPER]:.1f}, not above zero-shot {max(static):.1f}")
    return f"Controls that failed: {'; '.join(told)}." if told else ""


TABLES = {
    "answer": Table(
        "joint_align: joint training, alignment, or both?", ANSWER_CAPTION, answer_grids,
        say_who_is_ahead, ANSWER_REMARKS,
    ),
    "table1": Table(
        "joint_align, table 1: precision at 1 of bilingual lexicon induction", CAPTION,
        partial(grids, table="table1"), warn, REMARKS,
    ),
    "table2": Table(
        "joint_align, table 2: the same without test pairs of one surface form", CAPTION,
        partial(grids, table="table2"), warn_of_controls, REMARKS,
    ),
    "table3": Table(
        "joint_align, table 3: F1 of named entities across languages", ENTITY_CAPTION, entity_grids,
        warn_of_entities, ENTITY_REMARKS,
    ),
    "fig2": figure2.TABLE,
    "curve": curve.TABLE,
    "controls": controls.TABLE,
}  # fmt: skip
