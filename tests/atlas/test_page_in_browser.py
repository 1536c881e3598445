"""The atlas's page in Chromium: search, filters, sorting, views, cards and links, on a phone and without JavaScript."""

from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from atlas_cards import complete, large
from crosslingua.atlas.page import render

pytest.importorskip("playwright", reason="no Playwright: it is in the extra `dev`")
from playwright.sync_api import Browser, Page, sync_playwright

BROWSER = which("chromium") or which("chromium-browser") or which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium here: apt-get install chromium"),
]
FINNISH, NOVELS, HELP = (
    "Finnish–Hungarian, help pages",
    "English–Hungarian, novels",
    "English–Hungarian, help pages",
)
RUSSIAN = "Russian–Turkish, help pages"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Open an atlas at a place in it; nothing may fail, be refused or ask for the network until the test ends."""
    trouble, pages = [], []

    def call(place: str = "", atlas: dict[str, Any] | None = None, **how: Any) -> Page:
        path = tmp_path / "atlas.html"
        path.write_text(render(atlas or complete()), encoding="utf-8")
        page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}} | how)
        page.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", lambda dialog: trouble.append(dialog.message))
        page.on("request", lambda one: trouble.append(one.url) if one.url.startswith("http") else None)
        page.goto(path.as_uri() + place)
        pages.append(page)
        return page

    yield call
    for page in pages:
        page.close()
    assert trouble == []


def pairs(page: Page) -> list[str]:
    """Return the names of the pairs that are seen, from the top."""
    names = page.locator("#pairs_table tr.row:visible > th").all()
    return [" ".join(name.text_content().split()) for name in names]


def cards(page: Page) -> list[str]:
    return [card.locator("h3").text_content() for card in page.locator("tr.card:visible").all()]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("hu-fi", [FINNISH]), ("fi hu", [FINNISH]), ("FI–HU", [FINNISH]), ("finnish", [FINNISH]),
        ("Hungarian to Finnish", [FINNISH]), ("magyar suomi", [FINNISH]), ("hungarian", [HELP, NOVELS, FINNISH]),
        ("hungarian novels", [NOVELS]), ("turk", [RUSSIAN]), ("cyrillic", [RUSSIAN]), ("fi-ru", []),
    ],
)  # fmt: skip
def test_a_pair_is_found_in_any_order(opened: Callable[..., Page], words: str, found: list[str]) -> None:
    page = opened()
    page.fill("#sought", words)
    assert pairs(page) == found
    assert page.is_visible("#none") == (not found)
    if found == [FINNISH]:
        assert page.inner_text("#shown") == "1 of 4 pairs. Finnish–Hungarian, help pages: joint"
        page.press("#sought", "Enter")
        assert cards(page) == [FINNISH]


def test_all_pairs_come_back(opened: Callable[..., Page]) -> None:
    page = opened()
    page.fill("#sought", "nothing")
    page.click("#clear")
    assert len(pairs(page)) == 4


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("language", "English", [HELP, NOVELS]), ("family", "Turkic", [RUSSIAN]), ("script", "Cyrillic", [RUSSIAN]),
        ("domain", "novels", [NOVELS]), ("size", "up to 1 million words", [RUSSIAN]),
    ],
)  # fmt: skip
def test_filters_leave_the_pairs_that_fit(
    opened: Callable[..., Page], name: str, value: str, found: list[str]
) -> None:
    page = opened()
    page.select_option(f"select[name={name}]", value)
    assert pairs(page) == found
    counts = {
        one.get_attribute("data-count"): int(one.inner_text()) for one in page.locator("[data-count]").all()
    }
    assert sum(counts.values()) == len(found)
    assert counts["both"] == (NOVELS in found)
    assert page.locator("#map a.out").count() == 4 - len(found)


def test_columns_sort_by_number_and_back(opened: Callable[..., Page]) -> None:
    page = opened()
    head = page.locator("th[data-key=joint]")
    for way, names in (
        ("descending", [NOVELS, FINNISH, HELP, RUSSIAN]),  # 21, 12.5, 8.5, 8.5
        ("ascending", [HELP, RUSSIAN, FINNISH, NOVELS]),
    ):
        head.locator("button").press("Enter")
        assert (pairs(page), head.get_attribute("aria-sort")) == (names, way)
    page.select_option("#sort", "words")
    assert pairs(page)[:2] == [NOVELS, RUSSIAN]
    page.select_option("#sort", "best")
    assert pairs(page) == [FINNISH, NOVELS, HELP, RUSSIAN]


def test_the_address_keeps_what_is_shown(opened: Callable[..., Page]) -> None:
    page = opened()
    page.fill("#sought", "hungarian")
    page.select_option("select[name=domain]", "help pages")
    page.get_by_label("all", exact=True).check()
    page.select_option("#sort", "joint")
    page.locator("#fi-hu > tr.row").click()
    kept, shown = page.url.partition("atlas.html")[2], pairs(page)
    assert kept == "?sought=hungarian&domain=help+pages&words=1&sort=-joint#fi-hu"
    again = opened(kept)
    assert (pairs(again), shown) == ([FINNISH, HELP], [FINNISH, HELP])
    assert again.get_by_label("all", exact=True).is_checked()
    assert cards(again) == [FINNISH]
    again.fill("#sought", "nothing")
    again.click("#clear")
    assert again.url.endswith("atlas.html?words=1&sort=-joint#fi-hu")


def test_views_switch_values_winners_and_the_headline(opened: Callable[..., Page]) -> None:
    page = opened()
    row = page.locator("#fi-hu > tr.row")
    assert row.locator("td.best").inner_text().split()[0] == "joint"
    page.get_by_label("all", exact=True).check()
    assert row.locator("td.best").inner_text().split()[0] == "both"
    assert row.locator("td.aligned").inner_text().split()[0] == "20.0"
    assert page.locator("p.lead:visible").inner_text().startswith("In 3 of 4 language pairs")
    assert page.inner_text("[data-count=both]") == "2"
    page.get_by_label("not spelt alike").check()
    page.get_by_label("without").check()
    assert row.locator("td.both").inner_text().split()[0] == "9.0"
    assert page.locator("#ru-tr > tr.row td.both").inner_text() == "–"


def test_a_click_opens_the_card_and_another_closes_it(opened: Callable[..., Page]) -> None:
    page = opened()
    assert cards(page) == []
    page.click("#fi-hu td.both")
    assert cards(page) == [FINNISH]
    assert page.get_by_text("make atlas TARGETS=fi_a-hu_b").is_visible()
    assert page.get_attribute("#fi-hu th a", "aria-expanded") == "true"
    page.click("#fi-hu td.both")
    assert cards(page) == []
    page.focus("#en-hu th a")
    page.keyboard.press("Enter")
    assert cards(page) == [HELP]
    page.select_option("#sort", "words")  # which moves the open card
    assert cards(page) == [HELP]
    page.locator("#map a[data-pair=ru-tr]").click()
    assert cards(page) == [RUSSIAN]


@pytest.mark.parametrize(
    ("place", "found"),
    [("#fi-hu", [FINNISH]), ("#hu-fi", [FINNISH]), ("#FI-HU", [FINNISH]), ("#hu-en", [HELP]),
     ("#en-hu-novels", [NOVELS]), ("#50%", []), ("#fi-fi", []), ("#%E0%A4%A", []), ("#", []), ("#pairs", [])],
)  # fmt: skip
def test_links_open_pairs_and_bad_ones_stop_nothing(
    opened: Callable[..., Page], place: str, found: list[str]
) -> None:
    page = opened(place)
    assert cards(page) == found
    if found:
        seen = page.locator("tr.row", has=page.locator("a[aria-expanded=true]")).bounding_box()
        assert 0 <= seen["y"] < 700
    page.fill("#sought", "turkish")
    assert pairs(page) == [RUSSIAN]
    page.evaluate("location.hash = '#hu-fi'")  # a pair that the search hides
    page.locator("#fi-hu tr.card").wait_for()
    assert FINNISH in pairs(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 800, 1280])
def test_the_page_is_accessible_and_fits(opened: Callable[..., Page], width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python", reason="no axe-core: it is in the extra `dev`")
    page = opened("#fi-hu", viewport={"width": width, "height": 740}, color_scheme=scheme)
    page.evaluate(files(axe).joinpath("axe.min.js").read_text(encoding="utf-8"))
    violations = page.evaluate(
        "axe.run().then((found) => found.violations.map((each) => [each.id, each.nodes.map((n) => n.target.join())]))"
    )
    assert violations == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_phone_shows_the_answer_beside_the_search(opened: Callable[..., Page]) -> None:
    page = opened(atlas=large(), viewport={"width": 360, "height": 740})
    page.fill("#sought", "hu-fi")
    told, row = page.locator("#shown").bounding_box(), page.locator("#fi-hu > tr.row").bounding_box()
    assert told["y"] + told["height"] < 740 - 260  # above the keyboard
    assert row["x"] >= 0
    assert row["x"] + row["width"] <= 360
    for cell in page.locator("#fi-hu > tr.row > *").all():
        box = cell.bounding_box()
        assert box["x"] + box["width"] <= 360
        assert cell.evaluate("(cell) => cell.scrollWidth <= cell.clientWidth")


def test_without_javascript_the_table_and_its_links_work(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "atlas.html"
    path.write_text(render(complete()), encoding="utf-8")
    page = browser.new_page(java_script_enabled=False)
    page.goto(path.as_uri())
    assert pairs(page) == [HELP, NOVELS, FINNISH, RUSSIAN]
    assert page.is_hidden("#controls")
    assert cards(page) == []
    page.click("#fi-hu th a")
    assert cards(page) == [FINNISH]
    page.close()


def test_text_of_the_data_runs_nothing(opened: Callable[..., Page]) -> None:
    payload = "</SCRIPT><svg/onload=alert(1)><!--"
    atlas = complete()
    atlas["languages"] |= {"fi": dict.fromkeys(("name", "family", "branch", "script"), payload)}
    atlas["pairs"][0] |= {"domain": payload, "languages": ["fi", payload]}
    page = opened(atlas=atlas)
    page.fill("#sought", "svg onload")
    assert pairs(page) == [f"{payload}–{payload}, {payload}"]
    page.select_option("select[name=family]", payload)
    page.press("#sought", "Enter")
    assert cards(page) == [f"{payload}–{payload}, {payload}"]
