"""The results page: one HTML file with every table, figure, claim and cost of a scale that there is."""

import base64
import csv
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from crosslingua.claims.verdict import Judgement, LeftOut
from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import CsvRecords
from crosslingua.io.json import read_json, read_yaml, write_json
from crosslingua.metrics import read_rows
from crosslingua.provenance import told

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

    `more` gives HTML of what it shows besides. Figures that are not in `figures` are left out, if that is given.
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
    tables = [results / f"tables/{paper.name}_{name}.html" for name in paper.tables]
    return {
        "id": paper.name,
        "title": paper.title,
        "authors": paper.authors,
        "tables": [path.read_text(encoding="utf-8") for path in tables if path.is_file()],
        "figures": _figures(results, paper),
        "more": paper.more(results),
        **{key: [one for one in claims[key] if one["paper"] == paper.name] for key in ("judged", "left_out")},
    }


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
    claims = read_json(results / "claims.json", dict) if (results / "claims.json").is_file() else CLAIMS
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


COLUMNS = {"s": float, "max_rss": float, "cpu_time": float}  # seconds, MB, seconds; others are not read
UNKNOWN = ["-", "NA"]  # of jobs too short to be measured
# Stages whose jobs are named by a paper first. Those of others may be so by chance: xlm_align is an encoder too.
OF_PAPERS = (
    "select_settings", "finetune", "score_predictions", "probe_embeddings", "embed_words", "train_tagger",
    "compare_tags", "write_rows", "write_table", "draw_figure", "judge_claims",
)  # fmt: skip


def costs(folder: str | Path, logs: str | Path, papers: Collection[str]) -> pd.DataFrame:
    """Return a row a stage and paper of `folder` (STAGE.tsv and STAGE/...tsv), the costliest first, and the total.

    Logs are named as benchmarks are; processor time that a log does not tell is the benchmark's. Columns: stage,
    paper ("" where papers share it), jobs, processor_minutes, wall_minutes, memory_mb. InputError where there is
    none.
    """
    jobs = []
    for name in sorted(path.relative_to(folder) for path in Path(folder).rglob("*.tsv")):
        stage = name.parts[0].removesuffix(".tsv")
        # Of STAGE/PAPER/..., STAGE/PAPER.tsv, STAGE/PAPER.GROUP.tsv and STAGE/PAPER_TABLE.tsv.
        owned = name.parts[1].removesuffix(".tsv") if stage in OF_PAPERS else ""
        owners = [paper for paper in papers if owned == paper or owned.startswith((f"{paper}.", f"{paper}_"))]
        path, paper = Path(folder, name), max(owners, key=len, default="")
        try:
            job = pd.read_csv(path, sep="\t", usecols=list(COLUMNS), dtype=COLUMNS, na_values=UNKNOWN)
        except ValueError as error:
            raise InputError(path, f"not a benchmark of Snakemake: {error}") from None
        seconds = told(Path(logs, name).with_suffix(".log"))
        known = job if seconds is None else job.assign(cpu_time=seconds)
        jobs.append(known.assign(stage=stage, paper=paper))
    if not jobs:
        raise InputError(folder, "holds no benchmarks")
    jobs = pd.concat(jobs)
    stages = _summary(jobs.groupby(["stage", "paper"]))
    total = _summary(jobs.assign(stage="total", paper="").groupby(["stage", "paper"]))
    costliest = stages.sort_values("processor_minutes", ascending=False, kind="stable")
    return pd.concat([costliest, total]).reset_index()


def _summary(jobs) -> pd.DataFrame:
    return jobs.agg(
        jobs=("s", "size"),
        processor_minutes=("cpu_time", lambda seconds: seconds.sum() / 60),
        wall_minutes=("s", lambda seconds: seconds.sum() / 60),
        memory_mb=("max_rss", "max"),
    )


CLAIM_COLUMNS = (
    "claim", "paper", "statement", "verdict", "effect", "ci_low", "ci_high", "n_seeds", "looks",
    "mde", "settle_seeds", "settle_items",
)  # fmt: skip
METHOD = (
    "Each statement is a comparison of systems and the effects for which it is true. Its 95% interval accounts for "
    "test words and training seeds both. Reproduced: every comparison's interval lies where the statement puts the "
    "effect; contradicted: one lies wholly outside, also when widened for the number of comparisons (Holm); "
    "where a statement was judged before with fewer seeds, intervals are wider for that too. Failed runs that these "
    "seeds may not show, and skewed errors, widen them by what all runs of the measure tell. "
    "Inconclusive: the data do not decide, or there are too few seeds for a verdict. Shown is the comparison that "
    "decides, with the interval that does; the others unfold below."
)


def row(judgement: Judgement) -> dict[str, Any]:
    """Return a row of claims.csv; of one seed without interval and `mde`, the effect that 80% of runs would tell."""
    interval, effect = judgement.decisive.interval, judgement.decisive.spread.effect
    detectable, settle = judgement.decisive.detectable, judgement.settle or {}
    return {
        "claim": judgement.claim.claim,
        "paper": judgement.claim.paper,
        "statement": judgement.claim.statement,
        "verdict": judgement.verdict,
        "effect": round(effect, 4),
        "ci_low": round(interval.low, 4) if interval else None,
        "ci_high": round(interval.high, 4) if interval else None,
        "n_seeds": len(judgement.seeds),
        "looks": judgement.looks,
        "mde": None if detectable is None else round(detectable, 4),
        "settle_seeds": settle.get("seeds"),
        "settle_items": settle.get("items"),
    }


def write_csv(path: str | Path, results: Sequence[Judgement | LeftOut]) -> None:
    """Write the judged claims; claims that were left out have no verdict, and stand in the details only."""
    _write_rows(path, [row(result) for result in results if isinstance(result, Judgement)])


def _write_rows(path: str | Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with atomic_open(path) as stream:
        writer = csv.DictWriter(stream, CLAIM_COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_details(path: str | Path, results: Sequence[Judgement | LeftOut]) -> None:
    """Write every claim: how it was tested, all comparisons with their intervals, or why it was left out."""
    judged = [_details(result) for result in results if isinstance(result, Judgement)]
    left_out = [
        {name: getattr(result.claim, name) for name in ("claim", "paper", "statement", "source")}
        | {"reason": result.reason}
        for result in results
        if isinstance(result, LeftOut)
    ]
    write_json(path, {"method": METHOD, "judged": judged, "left_out": left_out})


JUDGE = "judge a paper's claims first: judge_claims.py"


def merge_csv(path: str | Path, parts: Sequence[str | Path]) -> None:
    """Write the rows of several files of `write_csv` one after another."""
    records = []
    for part in _existing(parts):
        rows = CsvRecords(part)
        if tuple(rows.fieldnames or ()) != tuple(CLAIM_COLUMNS):
            raise InputError(part, f"columns must be {','.join(CLAIM_COLUMNS)}", line=1, remedy=JUDGE)
        records += rows
    _write_rows(path, records)


def merge_details(path: str | Path, parts: Sequence[str | Path]) -> None:
    """Write the claims of several files of `write_details` as one."""
    contents = [read_json(part, dict) for part in _existing(parts)]
    lists = {key: [claim for content in contents for claim in content[key]] for key in ("judged", "left_out")}
    write_json(path, {"method": METHOD, **lists})


def _existing(parts: Sequence[str | Path]) -> list[Path]:
    """Return the files that are there: a run may test one paper only. Raises InputError where none is."""
    found = [path for path in map(Path, parts) if path.is_file()]
    if not found:
        raise InputError(parts[0], "no such file, and none of the others", remedy=JUDGE)
    return found


def _details(judgement: Judgement) -> dict[str, Any]:
    claim = judgement.claim
    return row(judgement) | {
        "source": claim.source,
        "test": claim.test,
        "reading": claim.reading,
        "holds": str(claim.holds),
        "falsified_by": claim.falsified_by,
        "unit": judgement.unit,
        "error": round(judgement.error, 4),
        "reason": judgement.reason,
        "decisive": judgement.decisive.record(),
        "comparisons": [finding.record() for finding in judgement.findings],
        "seeds": list(judgement.seeds),
        "not_run": list(judgement.missing),
        "failed": list(judgement.failed),
    }
