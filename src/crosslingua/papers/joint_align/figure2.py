"""Figure 2: rows of translation scores as the table, the curves and the claims want them."""

from collections.abc import Iterator, Mapping

import pandas as pd

from crosslingua.metrics import conditions
from crosslingua.papers.joint_align.convention import condition
from crosslingua.report.controls import NO_BETTER, not_above
from crosslingua.report.tables import Grid, Published, Table, grid, of_metric

UPPER_LINE = "supervised"  # a control: it sees pairs
COPY, WORD_BY_WORD = "copy", "word_by_word+"  # baselines; a system's name follows the second
BASELINES_NOTE = f"{NO_BETTER}: no better than `{COPY}`, or than its own vectors word by word; never bold."
NOTES = {
    "bleu": "BLEU, by sacrebleu.",
    "chrf": "chrF, by sacrebleu.",
    "degenerate": "Degenerate: percent of the runs that copy, repeat themselves, say one thing, or nothing.",
}
CAPTION = (
    "Mean ± standard deviation over seeds, of detokenised text without case. Every system but the baselines is one "
    "model, trained alike from other word vectors. Bold: best of the column, except baselines, supervised systems "
    "and those with degenerate runs."
)
REMARKS = (
    "Round-trip BLEU of held-out sentences chose the epoch; the test set did not. Decoding is beam search. `copy` is "
    "the source sentence. `word_by_word` replaces each word by its best translation (CSLS) in the system's vectors "
    "before training. `supervised` is the model trained on the same sentences with their pairs."
)


def rows_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of translation with their epoch (NaN of the chosen one) and column (`ana-ber`)."""
    rows = rows[(rows["task"] == "translation") & (rows["table"] == "fig2")]
    epochs = condition(rows, "epoch", None).astype(float)
    return rows.assign(epoch=epochs, column=rows["source"] + "-" + rows["target"])


def grids(rows: pd.DataFrame, published: Published) -> Iterator[Grid]:
    """Yield BLEU, chrF, and which runs are no translations, of the chosen epochs."""
    rows = rows_of(rows)
    rows = rows[rows["epoch"].isna()]
    theirs = of_metric(published, "bleu") or None
    marked = _degenerate(rows)
    systems = rows["system"].unique()
    baselines = [name for name in systems if name == COPY or name.startswith(WORD_BY_WORD)]
    unranked = [UPPER_LINE, *baselines, *zip(marked["system"], marked["column"], strict=True)]
    for metric, note in NOTES.items():
        own = rows[rows["metric"] == metric]
        if metric == "degenerate":
            yield grid(note, own, bold=False)
            continue
        found = grid(note, own, theirs if metric == "bleu" else None, unranked=unranked)
        shown = found.cells["mean"].round(found.decimals)
        weak = [
            (system, column)
            for system, column in shown.index
            if any(
                shown[system, column] <= shown.get((baseline, column), -1.0)
                for baseline in (COPY, WORD_BY_WORD + system)
                if baseline != system
            )
        ]
        yield not_above(found, weak, BASELINES_NOTE)


def _degenerate(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of `rows_of` whose chosen epoch is degenerate."""
    return rows[(rows["metric"] == "degenerate") & (rows["value"] > 0) & rows["epoch"].isna()]


def warn(rows: pd.DataFrame) -> str:
    """Name the systems whose chosen epoch is degenerate in some run: their scores are no translation's."""
    marked = _degenerate(rows_of(rows))
    names = marked["system"] + " (" + marked["column"] + ", seed " + marked["seed"].astype(str) + ")"
    found = sorted(set(names))
    return f"Degenerate: {'; '.join(found)}." if found else ""


def remarks(rows: pd.DataFrame) -> str:
    """Return sacrebleu's signatures, and the warning."""
    told = [conditions(text) for text in dict.fromkeys(rows_of(rows)["signature"])]
    signatures = {f"BLEU {one.get('bleu')}; chrF {one.get('chrf')}" for one in told}
    return f"sacrebleu's signatures: {'; '.join(sorted(signatures))}. {warn(rows)}".rstrip()


def curves(
    rows: pd.DataFrame, systems: list[str] | None = None
) -> dict[str, dict[str, dict[int, list[float]]]]:
    """Return direction -> system -> epoch -> BLEU of each seed."""
    rows = rows_of(rows)
    rows = rows[(rows["metric"] == "bleu") & rows["epoch"].notna()]
    found: dict[str, dict[str, dict[int, list[float]]]] = {}
    for (column, system, epoch), group in rows.groupby(["column", "system", "epoch"], sort=False)["value"]:
        if systems is None or system in systems:
            found.setdefault(column, {}).setdefault(system, {})[int(epoch)] = group.to_list()
    return found


def chosen(rows: pd.DataFrame) -> Mapping[tuple[str, str], float]:
    """Return the mean BLEU over seeds of each (direction, system) of the table."""
    rows = rows_of(rows)
    rows = rows[(rows["metric"] == "bleu") & rows["epoch"].isna()]
    means: dict[tuple[str, str], float] = (
        rows.groupby(["column", "system"], sort=False)["value"].mean().to_dict()
    )
    return means


TABLE = Table(
    "joint_align, figure 2 (c): machine translation without parallel text", CAPTION, grids, remarks, REMARKS
)
