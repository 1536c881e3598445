"""The documentation site in Chromium, opened from a folder: search, leaderboards and their addresses; no request."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest

pytest.importorskip("playwright", reason="no Playwright: it is in the extra `dev`")
pytest.importorskip("mkdocs", reason="no MkDocs: it is in the extra `docs`")
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[3]
BROWSER = which("chromium") or which("chromium-browser") or which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium here: apt-get install chromium"),
]
SHOWN = ".board:not([hidden])"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=600)
    return folder


@pytest.fixture
def page() -> Iterator[Page]:
    """A page on which nothing may fail or ask for the network."""
    trouble: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda one: trouble.append(one.url) if one.url.startswith("http") else None)
        yield page
        browser.close()
    assert trouble == []


def test_search_finds_a_page_without_a_server(site: Path, page: Page) -> None:
    page.goto((site / "papers/joint_align.html").as_uri())
    page.click("input.md-search__input")
    page.keyboard.type("hubness")
    found = page.locator(".md-search-result__link").first
    found.wait_for()
    found.click()
    page.wait_for_url("**/site*/**.html*")
    assert "hubness" in page.locator("article").inner_text().lower()


def test_a_shared_address_shows_the_leaderboards_of_a_pair(site: Path, page: Page) -> None:
    address = (site / "leaderboards/index.html").as_uri()
    page.goto(f"{address}#languages=en-fr&task=Word+alignment")
    assert page.locator(f"{SHOWN} h2").all_inner_texts() == ["en-fr: word alignment #"]
    page.fill("#languages", "hu")
    page.select_option("#task", "")
    codes = [one.get_attribute("data-languages").split() for one in page.locator(SHOWN).all()]
    assert codes
    assert all("hu" in both for both in codes)
    assert page.evaluate("location.hash") == "#languages=hu"
    page.click("button[type=reset]")
    page.wait_for_url(lambda url: "languages" not in url)
    assert page.locator(SHOWN).count() == page.locator(".board").count() > len(codes)


def test_pages_of_the_site_lead_to_each_other(site: Path, page: Page) -> None:
    page.goto((site / "leaderboards/index.html").as_uri())
    for name in page.locator("nav.contents a").all_inner_texts():
        page.goto((site / "leaderboards/index.html").as_uri())
        page.click(f"nav.contents a:text-is('{name}')")
        page.locator("h1").first.wait_for()
    page.goto((site / "leaderboards/real/report.html").as_uri())
    for address in {one.get_attribute("href") for one in page.locator("a[href^='tables/']").all()}:
        assert (site / "leaderboards/real" / str(address)).is_file()
