"""Committed results: what `make reference` keeps, and the page that `make page` draws from it."""

import gzip
import re
from pathlib import Path

import pandas as pd
import pytest

from crosslingua.errors import InputError
from crosslingua.io.json import read_json, write_json
from crosslingua.report import tables
from crosslingua.report.page.committed import html_of, lay_out
from crosslingua.report.tables import Document, grid
from programs import SCRIPTS, run_script
from result_pages import CLAIM, answer
from texts import written


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """The results of a run at scale toy: a table, rows, verdicts, the answer, and evidence."""
    folder = tmp_path / "results/toy"
    written(folder / "metrics.csv", "paper,code_version\n" + "joint_align,0.1.0+g1\n" * 100)
    written(folder / "costs.csv", "stage,paper,jobs\ntotal,,1\n")
    head = "claim,paper,statement,verdict,effect,ci_low,ci_high,n_seeds\n"
    written(folder / "claims.csv", head + "joint_is_low,joint_align,Joint is low.,reproduced,-2.5,-3,-2,3\n")
    write_json(folder / "claims.json", {"method": "", "judged": [CLAIM], "left_out": [], "answer": answer()})
    for part in ("joint_align", "joint_align.main"):
        written(folder / f"claims/{part}.evidence.json.gz", part)
    for suffix in ("csv", "md", "html", "tex"):
        tables.write(folder / f"tables/joint_align_table1.{suffix}", document())
    return folder


def document() -> Document:
    lines = [("joint_align_rcsls", "a|b", 40.25), ("joint_align_rcsls", "a|b", 42.25), ("joint", "a|b", 1.0)]
    made = grid("P@1, `csls`.", pd.DataFrame(lines, columns=["system", "column", "value"]))
    texts = ("Of joint_vr and joint_ar, 1 < 2.", "Beware.")
    return Document("joint_align_table1", "joint_align, table 1", texts, [made, made], "By `make`.", "More.")


def keep(results: Path, out: Path) -> None:
    assert (
        run_script(SCRIPTS / "keep_reference.py", results, results.parent / "none", "--out", out).status == 0
    )


def test_finished_results_are_kept_and_equal_ones_make_equal_files(finished: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        keep(finished, tmp_path / name)
    kept = {path.relative_to(tmp_path / "one/toy") for path in (tmp_path / "one/toy").rglob("*.*")}
    names = "claims.csv claims.json costs.csv answer.json metrics.csv.gz evidence/joint_align.json.gz"
    assert {str(path) for path in kept} == {*names.split(), "joint_align_table1.csv", "joint_align_table1.md"}
    for path in kept:
        assert (tmp_path / "one/toy" / path).read_bytes() == (tmp_path / "two/toy" / path).read_bytes()
    rows = gzip.decompress((tmp_path / "one/toy/metrics.csv.gz").read_bytes())
    assert rows == (finished / "metrics.csv").read_bytes()
    assert (tmp_path / "one/toy/evidence/joint_align.json.gz").read_text() == "joint_align"


COSTS = "stage,paper,jobs,processor_minutes,wall_minutes,memory_mb,disk_mb\n"


def test_after_a_run_of_one_paper_what_another_made_stays(finished: Path, tmp_path: Path) -> None:
    """Of `pretrain`, which both need, the cost of two jobs stays; `train` was run for joint_align alone."""
    kept = tmp_path / "kept/toy"
    written(
        finished / "costs.csv",
        COSTS + "train,,3,5.0,6.0,50,\nfinetune,joint_align,1,2.5,2.0,99,\ntotal,,4,7.5,8,99,7\n",
    )
    keep(finished, tmp_path / "kept")
    written(finished / "metrics.csv", "paper,code_version\nalign_mlm,0.1.0+g2\nxlm_align,0.1.0+g2\n")
    claims = (finished / "claims.csv").read_text()
    written(finished / "claims.csv", claims.replace("joint_", "mlm_").replace("mlm_align", "align_mlm"))
    other = dict(CLAIM, claim="mlm_is_low", paper="align_mlm")
    write_json(finished / "claims.json", {"method": "", "judged": [other], "left_out": []})
    written(
        finished / "costs.csv",
        COSTS + "pretrain,,2,4.0,4.5,80,\ntrain,,1,9.0,9.0,300,\ntotal,,3,13.0,13.5,300,5\n",
    )
    keep(finished, tmp_path / "kept")
    rows = gzip.decompress((kept / "metrics.csv.gz").read_bytes()).decode().splitlines()
    assert rows[:3] == ["paper,code_version", "align_mlm,0.1.0+g2", "joint_align,0.1.0+g1"]
    assert (len(rows), rows[-1]) == (1 + 1 + 100 + 1, "xlm_align,0.1.0+g2")
    told = read_json(kept / "claims.json", dict)
    assert [claim["paper"] for claim in told["judged"]] == ["align_mlm", "joint_align"]
    assert told["answer"] == read_json(kept / "answer.json") == answer()
    assert (kept / "claims.csv").read_text().count("\n") == 3
    assert (kept / "costs.csv").read_text() == (
        COSTS + "train,,3,5.0,6.0,50.0,\npretrain,,2,4.0,4.5,80.0,\nfinetune,joint_align,1,2.5,2.0,99.0,\n"
        "total,,6,11.5,12.5,300.0,7.0\n"
    )
    whole = (finished / "metrics.csv").read_text()
    written(finished / "metrics.csv", whole + "joint_align,0.1.0+g3\n")
    keep(finished, tmp_path / "kept")
    assert gzip.decompress((kept / "metrics.csv.gz").read_bytes()) == (finished / "metrics.csv").read_bytes()


def test_a_verdict_is_logged_where_it_is_new(finished: Path, tmp_path: Path) -> None:
    for verdict in ("reproduced", "reproduced", "inconclusive"):
        path = finished / "claims.csv"
        path.write_text(re.sub("reproduced|inconclusive", verdict, path.read_text()))
        keep(finished, tmp_path / "kept")
    head, *lines = (tmp_path / "kept/verdicts.csv").read_text().splitlines()
    assert head == "date,scale,paper,claim,verdict,effect,ci_low,ci_high,n_seeds,code_version"
    assert [line.partition(",")[2] for line in lines] == [
        f"toy,joint_align,joint_is_low,{verdict},-2.5,-3,-2,3,0.1.0+g1"
        for verdict in ("reproduced", "inconclusive")
    ]
    finished.rename(finished.with_name("tiny"))
    keep(finished.with_name("tiny"), tmp_path / "other")
    assert not (tmp_path / "other/verdicts.csv").exists()


def cells_of(html: str) -> list[str]:
    return re.findall(r"<t[dh](?: [^>]*)?>\s*(.*?)\s*</t[dh]>", html)


def test_a_committed_table_is_shown_as_the_run_shows_it(finished: Path, tmp_path: Path) -> None:
    keep(finished, tmp_path / "kept")
    shown = html_of(tmp_path / "kept/toy/joint_align_table1.md")
    made = tables.html(document())
    assert cells_of(shown) == cells_of(made)
    assert "<strong>41.2 ± 1.4</strong>" in cells_of(shown)
    for part in (
        '<section id="joint_align_table1">', "<h3>joint_align, table 1</h3>", "<p>Beware.</p>",
        "<p>Of joint_vr and joint_ar, 1 &lt; 2.</p>", "<summary>P@1, <code>csls</code>.</summary>",
    ):  # fmt: skip
        assert part in shown
        assert part in made
    assert shown.count("<details>") == made.count("<details>") == 2  # the second grid, and the notes


def test_the_page_of_committed_results_says_what_it_lacks(finished: Path, tmp_path: Path) -> None:
    keep(finished, tmp_path / "kept")
    kept, out = tmp_path / "kept/toy", tmp_path / "page"
    base = written(tmp_path / "base.yaml", "scale: demo\npapers: [joint_align]\nworld: {seed: 1, size: 2}\n")
    own = written(tmp_path / "own.yaml", "scale: toy\nworld: {size: 3}\n")
    (kept / "metrics.csv.gz").unlink()
    remark = lay_out(kept, out, [base, own])
    assert remark.endswith("nothing was run, and figures and single rows are left out.")
    options = (
        "--results",
        out,
        "--config",
        out / "config.yaml",
        "--remark",
        remark,
        "--out",
        out / "report.html",
    )
    ended = run_script(SCRIPTS / "write_page.py", *options)
    assert ended.status == 0, ended.stderr
    page = (out / "report.html").read_text()
    for part in (
        "Scale <strong>toy</strong>", remark.partition("(")[0], "P@1, <code>csls</code>.", "Joint is low.",
        "<strong>41.2 ± 1.4</strong>", "seed: 1\n  size: 3\n", 'href="tables/joint_align_table1.csv">csv</a>',
        "Aligned",
    ):  # fmt: skip
        assert part in page
    assert "joint_align_table1.tex" not in page
    with pytest.raises(InputError, match="holds no committed table"):
        lay_out(tmp_path, out, [base])


def test_cards_of_the_atlas_are_kept_beside_earlier_ones(tmp_path: Path) -> None:
    for name in ("en-hu.xling", "fi-hu.panlex"):
        card = written(tmp_path / f"atlas/atlas/cards/{name}.json", name)
        keep(tmp_path / "atlas", tmp_path / "out")
        card.unlink()
    kept = {path.name: path.read_text() for path in (tmp_path / "out/atlas/cards").iterdir()}
    assert kept == {"en-hu.xling.json": "en-hu.xling", "fi-hu.panlex.json": "fi-hu.panlex"}
