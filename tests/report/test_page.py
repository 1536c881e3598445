from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from crosslingua.io.json import write_json
from crosslingua.metrics import write_rows
from crosslingua.report.page import REAL, WORLD, PagePaper, origin, settled_by, write_page
from metric_rows import frame

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
LEFT_OUT = {
    "claim": "x",
    "paper": "joint_align",
    "statement": "X.",
    "source": "section 5",
    "reason": "not run: duong",
}


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
    claim |= {
        "reason": "one seed; a verdict needs 3",
        "mde": None,
        "settle_seeds": 4,
        "settle_items": 900,
    }
    write_json(results / "claims.json", {"method": "Tested so.", "judged": [claim], "left_out": []})
    text = page(results)
    assert (
        "Inconclusive: one seed; a verdict needs 3. 4 seeds or 900 test items would settle it, if the" in text
    )
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
