"""The driver of all benchmarks keeps what they measure."""

import json
import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
OWN = ("all", "page", "measure")
TWICE = """
import json, os, sys
side = {"seconds": 2.0, "cpu": 2.0, "peak_mb": 100}
row = {"what": "waiting", "size": os.environ["OMP_NUM_THREADS"], "peer": "sleep 1.0", "same": True, "check": "rest",
       "ours": side, "theirs": side | {"cpu": 5.0, "peak_mb": 1200}}
with open(sys.argv[sys.argv.index("--json") + 1], "a") as stream:
    stream.write(json.dumps(row) + "\\n")
print("measured")
"""


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> tuple[ModuleType, ModuleType]:
    """Return benchmarks/all.py and benchmarks/page.py."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    for name in OWN:
        monkeypatch.delitem(sys.modules, name, raising=False)
    found = import_module("all"), import_module("page")
    for name in OWN:  # a later test finds them as it did before
        monkeypatch.delitem(sys.modules, name)
    return found


@pytest.fixture
def call(modules: tuple[ModuleType, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a function that runs the driver with files of tmp_path, and returns the results and the page."""
    driver, page = modules
    (tmp_path / "twice.py").write_text(TWICE)
    (tmp_path / "broken.py").write_text(TWICE + "raise ValueError('no | such luck')")
    (tmp_path / "page.md").write_text(f"before\n\n{page.BEGIN}\nold\n{page.END}\n\nafter\n")

    def benchmark(script: object, tiny: str = "", **more: object):
        return driver.Benchmark(str(script), tiny, "", "", has_threads=False, **more)

    chosen = {
        "reading": benchmark("vectors_io.py", "--size 50 --dimensions 3"),
        "twice": benchmark(tmp_path / "twice.py"),
        "lonely": benchmark(tmp_path / "twice.py", packages=("no-such-peer", "numpy")),
        "dry": benchmark(tmp_path / "twice.py", data=("twice.py", "no/such.gz")),
        "broken": benchmark(tmp_path / "broken.py"),
    }
    monkeypatch.setattr(driver, "BENCHMARKS", chosen)

    def run(*argv: str) -> tuple[dict, str]:
        files = {"results": "results.json", "page": "page.md", "picture": "bars.svg"}
        own = [word for key, name in files.items() for word in (f"--{key}", str(tmp_path / name))]
        monkeypatch.setattr(sys, "argv", ["all.py", "--size", "tiny", *own, *argv])
        driver.main()
        return json.loads((tmp_path / "results.json").read_text()), (tmp_path / "page.md").read_text()

    return run


def test_the_driver_measures_both_sides_and_keeps_what_it_does_not_rerun(call, tmp_path: Path) -> None:
    first, _ = call("--only", "reading")
    results, text = call("--only", "twice")
    assert (results["reading"], list(results)) == (first["reading"], ["reading", "twice"])
    [row] = results["reading"]["rows"]
    assert (row["same"], row["size"]) == (True, "50 × 3")
    assert min(row["ours"]["peak_mb"], row["theirs"]["peak_mb"]) > 10
    cells = ["waiting", "1", "2 s", "sleep 1.0", "5 s", "2.5", "yes: rest", "100 / 1,200 MB", "A"]
    for part in (f"| {' | '.join(cells)} |\n", "![Bars of the ratios](images/bars.svg)"):
        assert part in text
    assert re.fullmatch("before\n(?:(?!old).)*\nafter\n", text, re.DOTALL)
    assert (tmp_path / "bars.svg").read_text().count("<!-- waiting") == 1


def test_a_peer_or_data_that_is_absent_is_a_row(call, tmp_path: Path) -> None:
    results, text = call("--only", "lonely", "dry", "--mirror", str(tmp_path))
    assert [results[name]["rows"] for name in ("lonely", "dry")] == [[], []]
    rows = [line.split(" | ")[:4] for line in text.splitlines() if line.startswith(("| lonely", "| dry"))]
    lonely, dry = "no-such-peer is not installed", "no no/such.gz"
    assert rows == [["| lonely", "–", "–", lonely], ["| dry", "–", "–", dry]]


def test_a_benchmark_that_fails_keeps_its_rows_and_fails_the_driver(call, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"failed: broken$"):
        call("--only", "broken", "twice")
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["broken"]["problem"] == "failed: ValueError: no | such luck"
    assert results["broken"]["rows"] == results["twice"]["rows"]


def test_the_table_of_the_docs_is_of_the_committed_results(modules: tuple[ModuleType, ModuleType]) -> None:
    _, page = modules
    results = page.read(ROOT / "benchmarks/results.json")
    told = (ROOT / "docs/performance.md").read_text(encoding="utf-8").split(page.BEGIN)[1].split(page.END)[0]
    picture = "![Bars of the ratios](images/benchmarks.png)"
    assert told.replace(picture, "").strip() == page.table(results), "python benchmarks/page.py"
    is_drawn = any(page.ratio(row) for found in results.values() for row in found["rows"])
    assert (picture in told) == is_drawn == (ROOT / "docs/images/benchmarks.png").exists()
