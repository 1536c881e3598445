"""The README: its commands from a fresh clone, its numbers, and how long it and its sentences are."""

import csv
import gzip
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
import yaml

from checkout import Checkout, copy_checkout, counts
from configurations import example
from prose import length, numbers, sentences, words

ROOT = Path(__file__).parents[2]
BUDGETS = {"README.md": 600, "studies/*/README.md": 300}  # words a page
PAGES = [
    (path.relative_to(ROOT).as_posix(), budget)
    for pattern, budget in BUDGETS.items()
    for path in sorted(ROOT.glob(pattern))
]


@pytest.mark.clone
def test_demo_and_test_work_from_a_fresh_clone(repository: Path, tmp_path: Path) -> None:
    clone = Checkout(tmp_path / "clone")
    subprocess.run(["git", "clone", "--quiet", str(repository), str(clone.root)], check=True)
    # A small part of the demo, for time; test_tiny.py runs every step of all papers by `make tiny`.
    demo = ("demo", "TARGETS=results/demo/corpora/counts/fyr.tsv")
    clone.make(*demo)
    assert (clone.root / "results/demo/corpora/counts/fyr.tsv").stat().st_size > 0
    assert "Nothing to be done" in clone.make(*demo)
    assert re.search(r"\d+ passed", clone.make("test", "PYTEST_ARGS=tests/test_registry.py"))
    assert clone.call(["git", "status", "--porcelain"]) == ""


def test_every_command_of_the_readme_exists(repository: Path) -> None:
    text = (repository / "README.md").read_text()
    targets = set(re.findall(r"(?:`|^)make (\w+)", text, re.MULTILINE))
    assert {"demo", "test", "small"} <= targets
    makefile = (repository / "Makefile").read_text()
    rules = re.findall(r"^([a-z ]+):", makefile, re.MULTILINE)
    assert targets <= {name for line in rules for name in line.split()}
    for path in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert (repository / path).exists(), path


def test_a_configuration_of_your_own_makes_a_paper(repository: Path, tmp_path: Path) -> None:
    """What a comment of `scales/own.yaml` and the README show, over `scales/own.yaml`."""
    checkout = copy_checkout(repository, tmp_path)
    block = re.search(r"```yaml\n(.*?)```", (repository / "README.md").read_text(), re.DOTALL)
    assert block
    shown = {"scale": "shown"} | example(repository)
    for mine in (shown, yaml.safe_load(block[1])):
        files = ["scales/own.yaml", f"{mine['scale']}.yaml"]
        (tmp_path / files[1]).write_text(yaml.safe_dump(mine))
        source, target = mine["pairs"][0].split("-")
        named = [entry["path"] for entry in mine["languages"].values()]
        for name in (*named, *(mine["dictionaries"][split] for split in ("train", "test"))):
            path = tmp_path / name.replace("{source}", source).replace("{target}", target)
            path.parent.mkdir(exist_ok=True)
            with (gzip.open if path.suffix == ".gz" else open)(path, "wt") as stream:
                stream.write("two words\n" * 2)
        said = checkout.run("--dry-run", "joint_align", "--configfile", *files, scale="demo")
        planned = counts(said)
        assert planned["write_rows"] == 1
        tables = set(re.findall(r"Write (\w+) of joint_align", said))
        assert tables == {"answer", "table1", "table2", "controls"}  # the last: of vecmap
        assert planned["write_table"] == 4
        assert "generate_world_text" not in planned


@pytest.mark.parametrize(("page", "budget"), PAGES)
def test_a_page_and_its_sentences_are_short(repository: Path, page: str, budget: int) -> None:
    text = (repository / page).read_text()
    assert len(words(text)) <= budget
    lengths = {one: length(one) for one in sentences(text)}
    assert max(lengths.values()) <= 40, max(lengths, key=lengths.__getitem__)
    long = [one for one, number in lengths.items() if number > 25]
    assert len(long) <= 0.1 * len(lengths), long


def test_every_number_of_the_readme_is_in_a_committed_file(repository: Path) -> None:
    files = [
        *(repository / "results/reference").rglob("*.csv"),
        *(repository / "results/reference").rglob("*.md"),
        *(repository / "scales").iterdir(),
        *(repository / name for name in ("config.yaml", "CITATION.cff", "pyproject.toml", "Makefile")),
    ]
    known = {number for path in files for number in re.findall(r"\d+(?:\.\d+)?", path.read_text())}
    found = numbers((repository / "README.md").read_text())
    assert len(found) > 40
    assert set(found) <= known


def test_the_table_of_the_readme_is_the_demos(repository: Path) -> None:
    with (repository / "results/reference/demo/joint_align_table1.csv").open(newline="") as stream:
        made = list(csv.DictReader(stream))
    main = {(row["system"], row["column"]): row for row in made if row["convention"] == made[0]["convention"]}
    rows = _rows((repository / "README.md").read_text(), "word vectors")
    header, *systems = rows
    assert (len(header), len(systems)) == (4, 6)
    for name, *shown in systems:
        system = re.findall(r"`(\w+)`", name)[-1]
        for column, cell in zip(header[1:], shown, strict=True):
            row = main[system, column.strip("`")]
            assert cell.strip("*") == f"{float(row['mean']):.1f} ± {float(row['deviation']):.1f}"


def test_the_verdicts_of_the_readme_are_fulls(repository: Path) -> None:
    with (repository / "results/reference/full/claims.csv").open(newline="") as stream:
        judged = Counter((row["paper"], row["verdict"]) for row in csv.DictReader(stream))
    _, *papers = _rows((repository / "README.md").read_text(), "paper")
    for name, _, *shown in papers:
        paper = re.findall(r"`(\w+)`", name)[0]
        verdicts = ("reproduced", "contradicted", "inconclusive")
        assert list(map(int, shown)) == [judged.pop((paper, verdict)) for verdict in verdicts]
    assert not judged


def _rows(text: str, first: str) -> list[list[str]]:
    """Return the table whose first column has this title: its header and its rows."""
    table = re.search(rf"^\| {first} \|.*\n\|[-|]+\n(?:\|.*\n)+", text, re.MULTILINE)
    assert table
    header, _, *rows = table[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in (header, *rows)]
