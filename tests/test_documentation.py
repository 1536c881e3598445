"""README, docs and studies: words a page, words a sentence, links, numbers, and the pages of the site."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import keys
import pytest
import yaml

from crosslingua import command, paper_folders
from crosslingua.io.json import read_json
from crosslingua.workflow.results import every_target
from prose import Table, anchors, length, links, numbers, sentences, tables, words
from texts import csv_rows

ROOT = Path(__file__).resolve().parents[1]
GENERATED = {  # by make docs
    "docs/configuration.md": keys.page(),
    "docs/command-line.md": command.page(),
}
BUDGETS = {  # words a page, without tables and code
    "README.md": 600, "CONTRIBUTING.md": 900, "CHANGELOG.md": 600, "docs/tutorial.md": 900,
    "docs/how-it-works.md": 900, "docs/your-data.md": 1000, "docs/results.md": 1000, "docs/data.md": 1000,
    "docs/glossary.md": 900, "docs/world.md": 900, "docs/derived-languages.md": 700, "docs/performance.md": 900,
    "docs/scaling.md": 800, "docs/clusters.md": 500, "docs/api.md": 400, "docs/atlas.md": 700, "docs/ask.md": 600,
    "docs/papers/*.md": 700,
    "docs/methods/*.md": 600, "studies/*/README.md": 300,
}  # fmt: skip
FILES = [(path, budget) for pattern, budget in BUDGETS.items() for path in sorted(ROOT.glob(pattern))]
BUDGETED = {path.relative_to(ROOT).as_posix(): budget for path, budget in FILES}
WRITTEN = {*BUDGETED, *(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md"))}
PAGES = sorted({*WRITTEN, *GENERATED})
SITE = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
LONGEST, LONG = 40, 25  # words of a sentence


def read(page: str) -> str:
    return GENERATED.get(page) or (ROOT / page).read_text(encoding="utf-8")


def test_every_page_has_a_budget() -> None:
    assert set(BUDGETED) == WRITTEN


@pytest.mark.parametrize("page", BUDGETED)
def test_a_page_is_within_its_budget_and_its_sentences_are_short(page: str) -> None:
    assert len(words(read(page))) <= BUDGETED[page]
    lengths = {one: length(one) for one in sentences(read(page))}
    assert [one for one, number in lengths.items() if number > LONGEST] == []
    long = [one for one, number in lengths.items() if number > LONG]
    assert len(long) <= 0.1 * len(lengths), long


@pytest.mark.parametrize("page", PAGES)
def test_links_resolve(page: str) -> None:
    broken = []
    for address in links(read(page)):
        path, _, anchor = address.partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        target = ((ROOT / page).parent / path).resolve().relative_to(ROOT).as_posix() if path else page
        site = {f"docs/leaderboards/{name}" for name in ("index.html", "atlas/atlas.html")}
        made = {*GENERATED, *site} if page != "README.md" else set()  # which GitHub shows
        there = (ROOT / target).exists() or target in made
        if not there or (anchor and target.endswith(".md") and anchor not in _anchors(target)):
            broken.append(address)
    assert broken == []


@cache
def _anchors(page: str) -> set[str]:
    return anchors(read(page))


def test_the_site_has_every_page_and_no_other() -> None:
    named = re.findall(r":\s+([\w/-]+\.md)\s*$", read("mkdocs.yml").partition("\nnav:")[2], re.MULTILINE)
    assert len(named) == len(set(named))
    pages = {page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")}
    assert set(named) == pages | set(SITE)


def test_the_site_fetches_nothing() -> None:
    theme = yaml.safe_load(read("mkdocs.yml").partition("\nnav:")[0])
    assert theme["theme"]["font"] is False
    plugins = [next(iter(one)) if isinstance(one, dict) else one for one in theme["plugins"]]
    assert plugins == ["search", "offline", "mkdocstrings"]
    assert all((ROOT / "docs" / one).is_file() for one in theme["extra"]["polyfills"])


def test_the_python_api_names_what_there_is() -> None:
    for name in re.findall(r"^::: (\S+)$", read("docs/api.md"), re.MULTILINE):
        module, _, member = name.rpartition(".")
        tree = ast.parse(read(f"src/{module.replace('.', '/')}.py"))
        assert member in {getattr(node, "name", None) for node in tree.body}, name


def test_programs_and_targets_that_pages_name_exist() -> None:
    rules = set(" ".join(re.findall(r"^([\w -]+):(?!=)", read("Makefile"), re.MULTILINE)).split())
    assert {"demo", "test", "real"} <= set(re.findall(r"(?:`|^)make (\w+)", read("README.md"), re.MULTILINE))
    for page in BUDGETED:
        text = read(page)
        assert set(re.findall(r"(?:`|^|&& )make ([a-z_-]+)\b", text, re.MULTILINE)) <= rules, page
        for path in re.findall(r"\b(?:scripts|benchmarks)/\w+\.py\b", text):
            assert (ROOT / path).exists(), (page, path)
        for verb in re.findall(r"(?:`|^ *|bin/)crosslingua ([a-z][a-z-]*)", text, re.MULTILINE):
            assert verb in {*command.RUNS, "help", *command.verbs()}, (page, verb)


def test_parts_of_papers_that_make_names_are_targets() -> None:
    parts = re.search(r"a part\n#\s+[(]([\w, ]+)[)]", read("Makefile"))
    assert parts
    assert set(parts[1].split(", ")) <= set(every_target())


def test_captions_are_short() -> None:
    for paper in (path.parent.name for path in ROOT.glob("src/crosslingua/papers/*/tables.py")):
        figures = paper_folders.load(paper, "figures").FIGURES.items()
        texts = {name: (figure.caption, "", LONGEST) for name, figure in figures}
        for name, table in paper_folders.load(paper, "tables").TABLES.items():
            texts[name] = (table.caption, table.notes, LONGEST - 2)  # "Scale: demo." stands before
        for name, (caption, notes, limit) in texts.items():
            assert len(words(caption)) <= limit, (paper, name)
            long = [one for one in sentences(f"{caption}\n\n{notes}") if length(one) > LONG]
            assert long == [], (paper, name)


def test_the_papers_are_cited() -> None:
    cited = yaml.safe_load(read("CITATION.cff"))
    addresses = {one["url"].rpartition("/")[2] for one in cited["references"]}
    assert addresses == {"1910.04708", "2106.06381", "2009.14304", "1912.10169", "2211.08547"}
    (version,) = re.findall(r'^version = "(.+)"', read("pyproject.toml"), re.MULTILINE)
    assert cited["version"] == version in read("CHANGELOG.md")


def test_every_number_of_the_readme_is_in_a_committed_file() -> None:
    reference = (ROOT / "results/reference").rglob("*")
    made = (path for path in reference if path.suffix in (".csv", ".md"))
    named = (ROOT / name for name in ("config.yaml", "CITATION.cff", "pyproject.toml", "Makefile"))
    files = (*made, *(ROOT / "scales").iterdir(), *named)
    known = {number for path in files for number in re.findall(r"\d+(?:\.\d+)?", path.read_text())}
    found = numbers(read("README.md"))
    assert len(found) > 40
    totals = Counter()
    for (paper, verdict), number in _verdicts().items():
        column = next(place for place, verdicts in enumerate(SHOWN_VERDICTS) if verdict in verdicts)
        totals[paper, column] += number
    cards = [read_json(path) for path in (ROOT / "results/reference/atlas/cards").glob("*.json")]
    pairs = [card for card in cards if not card["curve"]]
    totals["pairs of the atlas", 0] = len(pairs)
    totals["pairs in which the encoder finds more", 0] = sum(
        card["reference"][one["words"]] > one["strategies"]["both"]["value"]
        for card in pairs
        for one in card["conditions"]
        if (one["supervision"], one["words"]) == ("dictionary", "not spelt alike")
    )
    assert set(found) <= known | {*map(str, totals.values())}


def test_the_verdicts_of_the_readme_are_those_of_scale_real() -> None:
    judged = _verdicts()
    for name, _, *shown in _table("paper")[1:]:
        paper = re.findall(r"`(\w+)`", name)[0]
        counts = [sum(judged.pop((paper, verdict), 0) for verdict in verdicts) for verdicts in SHOWN_VERDICTS]
        assert list(map(int, shown)) == counts
    assert not judged


def test_the_costs_on_the_page_of_performance_are_the_demos() -> None:
    costs = csv_rows(ROOT / "results/reference/demo/costs.csv")
    minutes = {(row["stage"], row["paper"]): float(row["processor_minutes"]) for row in costs}
    _, *stages, (_, _, total) = _table("stage", "docs/performance.md")
    assert float(total) == round(minutes["total", ""], 1)
    for name, paper, shown in stages:
        stage = re.findall(r"`(\w+)`", name)[0]
        assert float(shown) == round(minutes.get((stage, paper)) or minutes[stage, ""], 1)


# The columns of the README: hold, fail, open, not tested.
SHOWN_VERDICTS = (
    ("reproduced",),
    ("contradicted", "mixed", "negligible"),
    ("inconclusive", "too_small"),
    ("left out",),
)


def _verdicts() -> Counter[tuple[str, str]]:
    """Return the numbers of statements by paper and verdict, or left out, of scale real."""
    told = read_json(ROOT / "results/reference/real/claims.json")
    judged = Counter((claim["paper"], claim["verdict"]) for claim in told["judged"])
    return judged + Counter((claim["paper"], "left out") for claim in told["left_out"])


def _table(first: str, page: str = "README.md") -> Table:
    """Return the table of a page whose first column has this title: its header and its rows."""
    (found,) = (one for one in tables(read(page)) if one[0][0] == first)
    return found
