"""Another paper is a folder of four files, its section of a configuration, its published numbers: no other edit."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from checkout import Checkout, copy_checkout
from crosslingua.config import load_schema
from crosslingua.metrics import NUMBERS

pytestmark = pytest.mark.slow

FOLDER = "src/crosslingua/papers/toy"
FILES = {
    f"{FOLDER}/__init__.py": '''"""A paper that induces lexicons with a few systems."""

TITLE = "Toy translations"
AUTHORS = "Nobody 2000"
''',
    f"{FOLDER}/section.py": '''"""The section of the configuration, typed."""

from typing import Annotated

from crosslingua.workflow.sections import Distinct, Section, SystemOfVectors


class ToySection(Section):
    """A toy."""

    systems: Annotated[Distinct[SystemOfVectors], "systems of joint_align"]


SECTION = ToySection
''',
    f"{FOLDER}/experiments.py": '''"""What toy asks for: lexicons of its systems, on every pair with a dictionary."""

from crosslingua.cells import Cell
from crosslingua.papers.toy.section import ToySection
from crosslingua.workflow import lexicon_induction
from crosslingua.workflow.paper import Paper
from crosslingua.workflow.results import MAIN, Drawing, TableRequest, rows_file

GROUPS = {MAIN: ("table1", "precision=p_at_1"), "five_guesses": ("table2", "precision=p_at_5")}


class Toy(Paper[ToySection]):
    name = "toy"

    def groups(self):
        return list(GROUPS)

    def cells(self, group):
        table, metric = GROUPS[group]
        return [
            Cell(
                "toy", table, system, "bli", pair.source, pair.target, seed,
                lexicon_induction.score_file(self.w, system, pair, seed), (metric,), where="identical=kept",
                conditions={"dictionary": pair.dictionary},
            )
            for pair in self.w.lexicon_pairs.values()
            for system in self.section.systems
            for seed in self.w.seeds
        ]

    def tables(self):
        return {"table1": TableRequest(note="A toy."), "table2": TableRequest(("five_guesses",))}

    def drawings(self):
        rows = [rows_file(self.w, "toy", group) for group in GROUPS]
        return {"bars": Drawing("bars", {"rows": rows}, {"caption": "One and five"}, tuple(GROUPS))}


PAPER = Toy
''',
    f"{FOLDER}/tables.py": '''"""Tables 1 and 2, precision; a figure of both; what toy's statement is tested on."""

from crosslingua.evidence.evidence import Evidence
from crosslingua.io.json import read_json
from crosslingua.metrics import read_rows
from crosslingua.report.figures import Figure, pyplot, save
from crosslingua.report.tables import Table, grid

MEASURES = {"precision": ("all",)}  # of one guess, and of five


def grids(rows, published):
    theirs = {(system, target): value for (system, target, _, _), value in published.items()}
    yield grid("Precision.", rows.assign(column=rows["source"] + "-" + rows["target"]), theirs)


def draw(inputs, settings, out):
    rows = read_rows(inputs["rows"])
    figure, axes = pyplot().subplots()
    axes.bar(rows["system"] + ", " + rows["table"], rows["value"])
    axes.set_title(settings["caption"])
    save(figure, out)


def evidence(cells, inputs):
    found = Evidence("points")
    for cell in cells:
        (result,) = [one for one in read_json(cell.score) if cell.where in one["signature"]]
        name = cell.system if cell.table == "table1" else f"{cell.system}@five"
        guesses = int(cell.metrics[0].rpartition("_")[2])
        right = {(cell.source, word): 100 * (0 < rank <= guesses) for word, rank in result["ranks"].items()}
        found.add(f"{cell.source}-{cell.target}", name, cell.seed, right)
    return {("precision", "all"): found}


TABLES = {
    "table1": Table("toy, table 1: precision", "Precision at 1 in percent.", grids),
    "table2": Table("toy, table 2: five guesses", "Precision at 5 in percent.", grids),
}
FIGURES = {"bars": Figure("Precision, toy by toy.", draw)}
''',
    "reference/toy_table1.csv": "system,target,task,metric,value\nprocrustes,ana-ber,bli,precision,87.5\n",
    "reference/toy_claims.yaml": """paper: toy
claims:
  - claim: more_guesses_more_right
    source: table 2
    statement: Five guesses are right more often than one.
    test: Precision at 5 less that at 1 is above 0.
    measure: precision
    comparisons: [{of: [procrustes@five], over: [procrustes]}]
    holds: {above: 0}
""",
    "scales/toy.yaml": """scale: toy
papers: [toy]
toy: {systems: [procrustes]}
seeds: [1]
pairs: [ana-ber]
world: {text: {ana: 600, ber: 600}}
word_embeddings: {dim: 8, epoch: 1, minCount: 1}
lexicon_induction: {retrieval: [csls], oov: [paper], bootstrap_samples: 20}
""",
}


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=test", "-c", "user.email=test@example.org", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def toy(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy under version control, with the toy paper added."""
    checkout = copy_checkout(repository, tmp_path_factory.mktemp("toy"))
    git(checkout.root, "init", "--quiet")
    git(checkout.root, "add", "--all")
    git(checkout.root, "commit", "--quiet", "--message", "as it was")
    for name, text in FILES.items():
        (checkout.root / name).parent.mkdir(exist_ok=True)
        (checkout.root / name).write_text(text, encoding="utf-8")
    return checkout


def snakemake(toy: Checkout, *arguments: str, scale: str = "toy", ok: bool = True) -> str:
    """Call snakemake in a process of its own, which imports the copy's papers."""
    return toy.call(toy.command(*arguments, "toy", scale=scale), ok=ok)


def test_a_paper_is_its_folder_a_section_and_a_reference(toy: Checkout) -> None:
    output = snakemake(toy, "--keep-going")
    assert "rule pretrain" not in output
    changed = git(toy.root, "status", "--porcelain", "--untracked-files=all").splitlines()
    assert sorted(changed) == sorted(f"?? {name}" for name in FILES)
    assert len([line for line in changed if FOLDER in line]) <= 4

    results = toy.root / "results/toy"
    with (results / "metrics.csv").open(newline="", encoding="utf-8") as stream:
        row, five = csv.DictReader(stream)
    with (results / "claims/toy.csv").open(newline="", encoding="utf-8") as stream:
        (claim,) = csv.DictReader(stream)
    more = float(five["value"]) - float(row["value"])
    assert five["table"] == "table2"
    assert (claim["verdict"], float(claim["effect"])) == ("inconclusive", pytest.approx(more))  # of one seed
    typed = {name: NUMBERS.get(name, (str,))[0](value) for name, value in row.items()}
    Draft202012Validator(load_schema(toy.root / "schemas/metrics.schema.yaml")).validate(typed)
    names = ("paper", "table", "system", "target", "metric")
    assert [row[name] for name in names] == ["toy", "table1", "procrustes", "ber", "precision"]
    for suffix in ("csv", "md", "tex", "html"):
        text = (results / f"tables/toy_table1.{suffix}").read_text(encoding="utf-8")
        assert "procrustes" in text
        assert "87.5" in text
    markdown = (results / "tables/toy_table1.md").read_text(encoding="utf-8")
    assert f"{float(row['value']):.1f}" in markdown
    assert "A toy." in markdown
    assert "snakemake toy --configfile scales/toy.yaml" in markdown
    assert (results / "plots/toy_bars.png").read_bytes().startswith(b"\x89PNG")
    picture = (results / "plots/toy_bars.svg").read_text(encoding="utf-8")
    for shown in ("One and five", "procrustes, table1", "procrustes, table2"):
        assert shown in picture
    page = (results / "report.html").read_text(encoding="utf-8")
    titles = ("Toy translations", "Nobody 2000", "toy, table 1: precision")
    for shown in ('id="toy_bars"', "Precision, toy by toy.", *titles):
        assert shown in page
    assert (results / "costs.csv").is_file()

    traced = ["scripts/trace.py", "results/toy/tables/toy_table1.csv"]
    assert "procrustes | ana-ber" in toy.call([sys.executable, *traced])
    assert "induce_lexicon" in toy.call([sys.executable, *traced, "--cell", "procrustes,ana-ber"])


def test_its_section_is_checked_like_any_other(toy: Checkout) -> None:
    wrong = toy.root / "scales/wrong.yaml"
    for section, message in (
        ("{systems: [procuste]}", "toy.systems: 'procuste' is not defined under joint_align.systems"),
        ("{system: [muse]}", "unknown key toy.system; allowed here: systems; did you mean 'systems'?"),
    ):
        wrong.write_text(f"scale: wrong\npapers: [toy]\ntoy: {section}\n")
        assert message in snakemake(toy, "--dry-run", scale="wrong", ok=False)
    wrong.write_text("scale: wrong\npapers: [toy]\n")
    assert "papers: toy: the key 'toy' is missing" in snakemake(toy, "--dry-run", scale="wrong", ok=False)
    wrong.unlink()
