"""The results page in Chromium: nothing fails, and sorting, filtering, search, links, keys and both themes work."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from crosslingua.io.json import write_json
from crosslingua.report.page import write_page
from result_pages import CLAIM, LEFT_OUT, PAPERS, answer

pytest.importorskip("playwright", reason="no Playwright: it is in the extra `dev`")
from playwright.sync_api import Browser, Page, expect, sync_playwright

BROWSER = which("chromium") or which("chromium-browser") or which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium here: apt-get install chromium"),
]

TABLE = """<section id="joint_align_table1"><h3>Table one</h3><div class="scroll"><table>
<thead><tr><th>system</th><th>ana-ber</th></tr></thead>
<tbody><tr><td>rcsls</td><td style="text-align: right;">9.5 ± 1.0</td></tr>
<tr><td>geomm</td><td><strong>30.1 ± 0.2</strong></td></tr></tbody></table></div>
<details><summary>more</summary><p id="folded">Folded, with nrefs~1,case~lc,eff~no,tok~13a,smooth~exp,version~2.6.0.</p>
</details></section>"""
LONG = "word" * 9  # wider than a telephone beside others
SAMPLES = {
    "gold.tags": f"{LONG}\tB-PER\n" + "b\tO\n" * 15, "said.tags": f"{LONG}\tO\n" + "b\tB-LOC\n" * 15,
    "source": "a b c\n", "target": f"{LONG} y z\n", "gold.links": "0-0 1-1 2-2\n", "said.links": "0-0 1-2 2-2\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def explorer(payload: str = "") -> dict[str, Any]:
    """Return word vectors of two words, which end with a payload."""
    dog, cat, hund = (f"{word}{payload}" for word in ("dog", "cat", "hund"))
    places = ((dog, "ana", 0.1, 0.2), (hund, "ber", 0.3, 0.1))
    words = [dict(zip(("word", "language", "x", "y"), place, strict=True)) for place in places]
    neighbours = {dog: {"ana": [[[cat, 0.9, ""]], [[hund, 0.8, "right"], [cat, 0.7, "wrong"]]]}}
    stage = {"name": f"joint training{payload}", "words": words, "neighbours": neighbours}
    return {"languages": ["ana", "ber"], "known": [dog, hund], "stages": [stage]}


def written(results: Path, payload: str = "", more: str = "") -> str:
    """Write a page with two papers, an answer, two statements, a table, figures, samples and word vectors; return its
    address. What data, configuration and papers say ends with `payload`; `more` is HTML of the first paper.
    """

    def ending(record: dict[str, Any], *names: str) -> dict[str, Any]:
        return record | {name: f"{record[name]}{payload}" for name in names}

    claim = ending(
        CLAIM, "claim", "statement", "source", "test", "falsified_by", "unit", "likeness_why", "reason"
    )
    claim["decisive"] = ending(CLAIM["decisive"], "comparison", "pair")
    other = CLAIM | {"claim": "other", "statement": "Another.", "paper": "align_mlm"}
    other |= {"verdict": "reproduced", "effect": -3}
    said = answer()
    (condition,) = said["conditions"]
    condition |= ending(condition, "pair")
    condition["strategies"] = {name: ending(one, "system") for name, one in condition["strategies"].items()}
    left_out = ending(LEFT_OUT, "statement", "source", "reason")
    judged = {
        "method": f"Tested so.{payload}",
        "judged": [claim, other],
        "left_out": [left_out],
        "answer": said,
    }
    write_json(results / "claims.json", judged)
    (results / "tables/joint_align_table1.html").write_text(TABLE)
    for name, text in SAMPLES.items():
        (results / name).write_text(text.replace(LONG, f"{LONG}{payload.replace(' ', '')}"))
    kinds = (("spans", "ner", "tags"), ("links", "word_alignment", "links"))
    told = [
        {
            "kind": kind,
            "task": task,
            "pair": f"ana-ber{payload}",
            "seed": 1,
            "gold": str(results / f"gold.{files}"),
        }
        | {side: str(results / side) for side in ("source", "target")}
        | {"systems": {f"mine{payload}": str(results / f"said.{files}")}}
        for kind, task, files in kinds
    ]
    of_papers = {"explorer": lambda: explorer(payload), "samples": told, "more": lambda _: more}
    first = replace(PAPERS[0], title=f"Joint or not{payload}", authors=f"Wang{payload}", **of_papers)
    tales = {"name": "tales", "title": "Tales", "licence": "CC BY", "citation": "Grimm", "homepage": "#run"}
    shown = {"data_sets": [ending(tales, *tales)], "remark": f"Drawn.{payload}"}
    with (results / "config.yaml").open("a", encoding="utf-8") as stream:
        stream.write(f"# Configured.{payload}\n")
    write_page(results / "report.html", results, [first, PAPERS[1]], results / "config.yaml", **shown)
    return (results / "report.html").as_uri()


@pytest.fixture
def address(results: Path) -> str:
    return written(results)


def test_numbers_stand_on_the_right_without_a_style_of_their_own(opened: Callable[..., Page]) -> None:
    cell = opened().locator("#joint_align_table1 td", has_text="9.5").first
    assert cell.evaluate("cell => getComputedStyle(cell).textAlign") == "right"


FAULTS = ("error", "warning")  # messages of the console


def watched(browser: Browser, address: str, **how: Any) -> tuple[Page, list[str]]:
    """Open a page; return it with a list to which errors, dialogs and requests of the network are added."""
    page, trouble = browser.new_page(**how), []
    page.on("console", lambda message: trouble.append(message.text) if message.type in FAULTS else None)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on(
        "request", lambda one: trouble.append(f"request {one.url}") if one.url.startswith("http") else None
    )
    page.on("dialog", lambda dialog: trouble.append(f"dialog {dialog.message}") or dialog.dismiss())
    page.goto(address)
    return page, trouble


@pytest.fixture
def opened(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """Open the page, at a place in it; nothing may fail or ask for the network until the test ends."""
    troubles = []

    def call(place: str = "", width: int = 1280, scheme: str = "light") -> Page:
        how = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
        page, trouble = watched(browser, address + place, **how)
        troubles.append(trouble)
        return page

    yield call
    assert not any(troubles)


def test_charts_are_drawn_and_tables_sort(opened: Callable[..., Page]) -> None:
    page = opened()
    page.wait_for_selector("#answer_tiny_0 svg")
    head = page.locator("#joint_align_table1 th", has_text="ana-ber")
    head.scroll_into_view_if_needed()
    page.wait_for_selector("#joint_align_table1 th.dt-orderable-asc")
    for first in ("rcsls", "geomm"):  # 9.5 before 30.1, by number; then the other way round
        head.click()
        page.locator("#joint_align_table1 tbody tr:first-child td:first-child", has_text=first).wait_for()
    ground = "getComputedStyle(document.querySelector('#joint_align_table1 .dt-container')).backgroundColor"
    assert page.evaluate(ground) == "rgba(0, 0, 0, 0)"  # the page's own, which is dark in the dark theme


def test_statements_are_filtered_by_paper_verdict_and_words(opened: Callable[..., Page]) -> None:
    page = opened()
    shown = page.locator("#statements_table tbody tr:visible")
    assert shown.count() == 2
    page.select_option("select[name=verdict]", "contradicted")
    assert [shown.count(), page.text_content("#statements_shown")] == [1, "1 of 2 statements"]
    page.select_option("select[name=verdict]", "")
    page.fill("#find_statement", "another")
    assert shown.get_attribute("id") == "claim_other"


def test_the_picture_of_statements_shows_the_chosen_paper(opened: Callable[..., Page]) -> None:
    page = opened()
    page.evaluate("document.getElementById('forest').closest('details').open = true")
    points = page.locator("#forest .mark-symbol.role-mark path")
    for paper, number in (("", 2), ("align_mlm", 1), ("joint_align", 1)):
        page.select_option("[name=paper]", paper)
        expect(points).to_have_count(number)


def test_an_address_keeps_the_filters_of_statements(opened: Callable[..., Page]) -> None:
    page = opened()
    page.select_option("[name=paper]", "align_mlm")
    page.fill("#find_statement", "another")
    assert page.evaluate("location.hash") == "#paper=align_mlm&find=another"
    page.goto("about:blank")
    page = opened("#verdict=reproduced")
    assert (
        page.locator("#statements_table tbody tr:not([hidden])").all_inner_texts()[0].startswith("Another.")
    )
    assert page.locator("#statements_shown").inner_text() == "1 of 2 statements"


def test_statements_tables_and_sections_have_links(opened: Callable[..., Page]) -> None:
    page = opened()
    addresses = [one.get_attribute("href") for one in page.locator("a.anchor").all()]
    assert {"#statements", "#claim_other", "#joint_align_table1", "#cite"} <= {*addresses}
    page.locator("#claim_other a.anchor").click()
    assert page.evaluate("location.hash") == "#claim_other"
    assert page.locator("#references").inner_text().startswith("@misc{crosslingua,")


def test_on_a_phone_the_verdict_and_effect_stand_above_the_statement(opened: Callable[..., Page]) -> None:
    page = opened(width=360)
    places = [page.locator(f"#claim_other td:nth-child({n})").bounding_box() for n in (1, 2)]
    assert places[1]["y"] < places[0]["y"]
    assert page.locator("#claim_other td.wrap").is_visible()


def test_words_are_searched(opened: Callable[..., Page]) -> None:
    page = opened()
    page.fill("#sought", "dog")
    assert page.locator("#neighbours_0 li").all_inner_texts() == ["cat 0.90", "● hund 0.80", "✕ cat 0.70"]
    page.fill("#sought", "nothing")
    assert "Not among the words shown" in page.inner_text("#neighbours_0")


def test_samples_show_what_is_right_wrong_and_missed(opened: Callable[..., Page]) -> None:
    page = opened("#sample_joint_align_2")
    states = page.locator("#sample_joint_align_2 td").all_inner_texts()[1:]
    assert [state or "-" for state in states] == list("●---○✕--●")
    page.click("#sample_joint_align_1 summary")
    page.locator("#sample_joint_align_1 .missed").wait_for()
    assert page.locator("#sample_joint_align_1 .missed").inner_text().split() == [LONG, "O"]
    assert page.locator("#sample_joint_align_1 .wrong").count() == 15


def test_links_open_what_is_folded_and_keys_change_tabs(opened: Callable[..., Page]) -> None:
    assert opened("#folded").is_visible("#folded")
    page = opened("#align_mlm")
    assert page.is_visible("#align_mlm")
    assert page.is_hidden("#joint_align")
    page.focus("#tab_align_mlm")
    page.keyboard.press("ArrowLeft")
    assert page.is_visible("#joint_align")
    assert opened("#50%").is_visible("#joint_align")  # no encoded text, which must not stop the program


@pytest.mark.parametrize(
    "payload",
    ["</SCRIPT><svg/onload=alert(1)>", "<!--<script>", "\"'><img src=x onerror=alert(1)>", "{{ alert(1) }}"],
)
def test_text_of_the_data_is_text(browser: Browser, results: Path, payload: str) -> None:
    """Words, titles, systems, samples, claims, the configuration and licences hold what could be a program."""

    page, trouble = watched(browser, written(results, payload))
    page.wait_for_selector("#answer_tiny_0 svg")
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    page.locator("#forest").scroll_into_view_if_needed()  # charts are drawn as they come into sight
    page.wait_for_selector("#forest svg")
    page.fill("#sought", f"dog{payload}")
    assert f"hund{payload}" in page.inner_text("#neighbours_0")
    page.locator("#answer_tiny_0 path[aria-label]").first.hover()
    page.wait_for_selector("#vg-tooltip-element.visible")
    seen = page.text_content("body")
    texts = (
        "Joint is low.",
        "Joint or not",
        "Wang",
        "CC BY",
        "Grimm",
        "mine",
        "Drawn.",
        "rcsls",
        "# Configured.",
    )
    assert [text for text in texts if f"{text}{payload}" not in seen] == []
    assert trouble == []


UNESCAPED = """<img src=x onerror=alert(1)><svg onload=alert(2)></svg><script>alert(3)</script>
<b style="color: red">b</b><iframe srcdoc="<script>parent.alert(4)</script>"></iframe>
<object data="data:text/html,<script>alert(5)</script>"></object>
<a id="link" href="javascript:alert(6)">link</a><script type="text/plain" id="charts_script">alert(7)</script>
<form action="javascript:alert(8)"><button id="sent">send</button></form><base href="https://example.org/">"""


def test_what_were_not_escaped_would_not_run(browser: Browser, results: Path) -> None:
    """The page's policy stands behind the escapes. The page itself still works."""
    page, trouble = watched(browser, written(results, more=UNESCAPED))
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    page.click("#link")
    page.click("#sent")
    page.click("#tab_align_mlm")
    assert page.is_visible("#align_mlm")
    assert page.url.startswith("file:")
    assert not [each for each in trouble if each.startswith(("dialog", "request"))]
    refused = {name for name in ("script", "style", "object", "base") if f"{name}-" in " ".join(trouble)}
    assert refused == {"script", "style", "object", "base"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 768, 1280])
def test_the_page_is_accessible_and_fits(opened: Callable[..., Page], width: int, scheme: str) -> None:
    pytest.importorskip("axe_playwright_python", reason="no axe-core: it is in the extra `dev`")
    page = opened(width=width, scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    page.wait_for_selector("#answer_tiny_0 svg")
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    violations = page.evaluate(
        "axe.run().then((found) => found.violations.map((each) => [each.id, each.nodes.map((n) => n.target.join())]))"
    )
    assert violations == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
