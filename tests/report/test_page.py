import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from crosslingua.errors import InputError
from crosslingua.io.json import write_json
from crosslingua.metrics import write_rows
from crosslingua.report.page import OF_PAPERS, REAL, WORLD, PagePaper, costs, origin, settled_by, write_page
from metric_rows import frame
from texts import written

CLAIM = {
    "claim": "joint_low", "paper": "joint_align", "statement": "Joint is low.", "verdict": "contradicted", "effect": 15,
    "ci_low": 12.0, "ci_high": 18.0, "source": "section 4", "test": "P@1 is below.", "reading": "", "holds": "< 0",
    "falsified_by": "By more.", "unit": "points", "seeds": [1, 2, 3], "not_run": [], "failed": [], "reason": "",
    "mde": 3.0, "settle_seeds": None, "settle_items": None,
    "decisive": {"comparison": "joint_ar - joint", "pair": "mean"},
    "comparisons": [
        {"comparison": "joint_ar - joint", "pair": "mean", "effect": 15.0, "low": 0.123, "high": 18.0,
         "level": 0.975, "contradicts": True},
    ],
}  # fmt: skip
LEFT_OUT = {"claim": "x", "paper": "joint_align", "statement": "X.", "source": "section 5"}
LEFT_OUT |= {"reason": "not run: duong"}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A folder in which joint_align has a table and two figures; nothing else ran."""
    write_rows(tmp_path / "metrics.csv", frame({}, {"seed": 2}))
    for path, content in (
        ("config.yaml", "scale: tiny\nworld: {seed: 1}\n# kept as it is\n"),
        ("tables/joint_align_table2.html", "<p>table two</p>"),
        ("tables/joint_align_table1.html", "<p>table one</p>"),
        ("plots/joint_align_a_second.png", "png"),
        ("plots/joint_align_a.png", "png"),
        ("plots/joint_align_b.png", "png"),
    ):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(content)
    return tmp_path


FIGURES = {"b": "Of b.", "a": "Of a & c."}
PAPERS = (
    PagePaper(
        "joint_align", "Joint or not", "Wang", ("table1", "table2"), FIGURES, lambda results: "<b>more</b>"
    ),
    PagePaper("align_mlm", "ALIGN-MLM", "Tang", (), {}, lambda results: ""),
)


def page(results: Path) -> str:
    write_page(results / "report.html", results, PAPERS, results / "config.yaml")
    return (results / "report.html").read_text()


def test_the_page_shows_what_there_is(results: Path) -> None:
    text = page(results)
    parts = (
        "tiny", "seeds 1, 2", WORLD, "Joint or not", "table one", "table two",
        'id="joint_align_b"', "Of b.", 'id="joint_align_a"', "Of a &amp; c.", 'id="joint_align_a_second"',
        "<b>more</b>", "# kept as it is",
    )  # fmt: skip
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "data:image/png;base64,cG5n" in text
    assert "ALIGN-MLM" not in text
    assert 'id="claims"' not in text


def test_figures_of_an_earlier_configuration_are_left_out(results: Path) -> None:
    paper = replace(PAPERS[0], tables=("table2",), figures=("a_second", "b"))
    write_page(results / "report.html", results, [paper], results / "config.yaml")
    text = (results / "report.html").read_text()
    assert "table one" not in text
    assert 'id="joint_align_a"' not in text
    assert 'id="joint_align_a_second"' in text


def test_claims_stand_with_their_paper(results: Path) -> None:
    write_json(results / "claims.json", {"method": "Tested so.", "judged": [CLAIM], "left_out": [LEFT_OUT]})
    text = page(results)
    assert text.index("Tested so.") < text.index('<section id="joint_align">') < text.index("Joint is low.")
    assert 'class="verdict contradicted">1</td>' in text
    assert "joint_ar - joint, mean: 15.0 [0.12, 18.0] contradicts (level 97.5%)" in text
    assert "not run: duong" in text
    assert "An effect 3.0 from the edge would be told" in text
    assert "<td>± 3.0</td>" in text


@pytest.mark.parametrize(
    ("seeds", "items", "said"),
    [
        (None, 900, "900 test items would settle it, if the effect is what it seems; more"),
        (7, None, "7 seeds would settle it, if the effect is what it seems."),
        (None, None, ""),
    ],
)
def test_what_would_settle_a_claim(seeds: int | None, items: int | None, said: str) -> None:
    assert said in settled_by(seeds, items)
    assert bool(settled_by(seeds, items)) == bool(said)


def test_an_inconclusive_claim_says_why_and_what_would_settle_it(results: Path) -> None:
    finding = CLAIM["comparisons"][0] | {"low": None, "high": None, "contradicts": False}
    claim = CLAIM | {"verdict": "inconclusive", "ci_low": None, "ci_high": None, "comparisons": [finding]}
    claim |= {"reason": "one seed; a verdict needs 3", "mde": None, "settle_seeds": 4, "settle_items": 900}
    write_json(results / "claims.json", {"method": "Tested so.", "judged": [claim], "left_out": []})
    text = page(results)
    said = "Inconclusive: one seed; a verdict needs 3. 4 seeds or 900 test items would settle it, if the"
    assert said in text
    assert '<td>–<br><span class="note">settled by 4 seeds</span></td>' in text
    assert "joint_ar - joint, mean: 15.0</p>" in text
    assert "An effect" not in text


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("world: null", REAL),
        ("languages: {sw: {path: s.txt}}", REAL),
        ("world: {seed: 1}\ndata: {sheets: []}\nlanguages: {}", WORLD),
        ("world: {seed: 1}\ndata: {sheets: [a.tsv]}", f"{WORLD} Other text is real."),
        ("world: {seed: 1}\nlanguages: {sw: {path: s.txt}}", f"{WORLD} Other text is real."),
    ],
)
def test_where_the_text_comes_from(config: str, said: str) -> None:
    assert origin(yaml.safe_load(config)) == said


PAPERS_COSTS = ("align", "align_mlm", "xlm_align")
HEAD = "s\th:m:s\tmax_rss\tcpu_time\n"


def benchmark(path: Path, *lines: tuple) -> None:
    written(path, HEAD + "".join("{}\t0:00:00\t{}\t{}\n".format(*line) for line in lines))


def test_stages_are_added_up_the_costliest_first(tmp_path: Path) -> None:
    benchmark(tmp_path / "merge_metrics.tsv", (30, 50.0, 6))
    benchmark(tmp_path / "pretrain/mlm/seed1.tsv", (60, 300.5, 90))
    benchmark(tmp_path / "pretrain/xlm.tsv", (120, 200.0, 210))
    benchmark(tmp_path / "write_config.tsv", (0.1, "NA", "-"))
    found = costs(tmp_path, tmp_path / "logs", PAPERS_COSTS).round(4).to_numpy().tolist()
    assert found[0] == ["pretrain", "", 2, 5.0, 3.0, 300.5]
    assert found[1] == ["merge_metrics", "", 1, 0.1, 0.5, 50.0]
    assert found[2][:5] == ["write_config", "", 1, 0.0, 0.0017]
    assert found[3] == ["total", "", 4, 5.1, 3.5017, 300.5]


def test_papers_are_told_apart_where_jobs_are_named_by_them(tmp_path: Path) -> None:
    benchmark(tmp_path / "finetune/align_mlm/mlm.tsv", (60, 100.0, 30))
    benchmark(tmp_path / "finetune/align_mlm/xlm.tsv", (60, 120.0, 60))
    benchmark(tmp_path / "finetune/xlm_align/xlmr.tsv", (240, 90.0, 180))
    benchmark(tmp_path / "write_table/align_mlm_table3.tsv", (12, 50.0, 6))
    benchmark(tmp_path / "write_rows/align_mlm.main.tsv", (6, 40.0, 3))
    benchmark(tmp_path / "judge_claims/align.tsv", (0, 30.0, 0))
    # an encoder, which others may read
    benchmark(tmp_path / "pretrain/xlm_align/seed1.tsv", (60, 200.0, 120))
    found = costs(tmp_path, tmp_path / "logs", PAPERS_COSTS).round(4).to_numpy().tolist()
    assert found == [
        ["finetune", "xlm_align", 1, 3.0, 4.0, 90.0],
        ["pretrain", "", 1, 2.0, 1.0, 200.0],
        ["finetune", "align_mlm", 2, 1.5, 2.0, 120.0],
        ["write_table", "align_mlm", 1, 0.1, 0.2, 50.0],
        ["write_rows", "align_mlm", 1, 0.05, 0.1, 40.0],
        ["judge_claims", "align", 1, 0.0, 0.0, 30.0],
        ["total", "", 7, 6.65, 7.3, 200.0],
    ]


def test_the_stages_of_papers_are_those_whose_rules_say_so() -> None:
    rules = "".join(path.read_text() for path in (Path(__file__).parents[2] / "rules").glob("*.smk"))
    assert set(OF_PAPERS) == set(re.findall(r"\{BENCHMARKS\}/(\w+)/\{\{paper\}\}", rules))


def test_processor_time_is_that_which_the_log_tells(tmp_path: Path) -> None:
    benchmark(tmp_path / "benchmarks/pretrain/mlm.seed1.tsv", (44.0, 300.5, 15.2))
    benchmark(tmp_path / "benchmarks/pretrain/mlm.seed2.tsv", (44.0, 300.5, 15.2))
    log = "10:00:00 INFO step 1\n10:00:44 INFO processor time: 44.80 s\n"
    written(tmp_path / "logs/pretrain/mlm.seed1.log", log)
    found = costs(tmp_path / "benchmarks", tmp_path / "logs", PAPERS_COSTS).to_numpy().tolist()
    assert found[0] == ["pretrain", "", 2, 1.0, pytest.approx(88 / 60), 300.5]  # 44.8 s and 15.2 s


def test_what_is_no_benchmark_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no benchmarks"):
        costs(tmp_path, tmp_path / "logs", PAPERS_COSTS)
    (tmp_path / "x.tsv").write_text("a\tb\n1\t2\n")
    with pytest.raises(InputError, match=r"x\.tsv: not a benchmark"):
        costs(tmp_path, tmp_path / "logs", PAPERS_COSTS)
