"""Measurements of joint_align: the cells of a plan end in one file, in their order."""

import contextlib
import csv
from pathlib import Path

import pytest

from crosslingua.io.json import read_json
from programs import SCRIPTS, call, run_script

TEXTS = {
    "en.vec": "3 2\ndog 1 0\ncat 0 1\ntaxi 1 1\n",
    "de.vec": "3 2\nhund 1 0.1\nkatze 0.1 1\ntaxi 1 1\n",
    "1.txt": "taxi\n",  # what the vectors of a seed share
    "2.txt": "taxi\ndog\n",
    "dictionary.txt": "dog hund\ncat katze\ntaxi taxi\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def measure(folder: Path, script: str, cells: list[dict], *options: str, ok: bool = True) -> str:
    with (folder / "plan.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, cells[0])
        writer.writeheader()
        writer.writerows(cells)
    return call(script, "--cells", "plan.csv", *options, folder=folder, ok=ok)


def test_hubness_of_systems_and_seeds(folder: Path) -> None:
    runs = [{"system": system, "seed": seed} for system in ("joint", "duong") for seed in (1, 2)]
    cells = [run | {"source": "en.vec", "target": "de.vec"} for run in runs]
    measure(folder, "measure_hubness.py", cells, "--neighbours", "1", "--out", "h.json")
    found = read_json(folder / "h.json")
    seeds = {name: [cell["seed"] for cell in each] for name, each in found.items()}
    assert seeds == {"joint": [1, 2], "duong": [1, 2]}
    assert found["joint"][0]["n"] == [1]  # each word is the nearest of one


def test_similarity_of_stages_and_seeds(folder: Path) -> None:
    runs = [(stage, seed, f"{seed}.txt") for stage in ("joint", "refined") for seed in (1, 2)]
    cells = [dict(zip(("stage", "seed", "shared"), run, strict=True)) for run in runs]
    cells = [cell | {"source": "en.vec", "target": "de.vec"} for cell in cells]
    options = ("--dictionary", "dictionary.txt", "--out", "s.json", "--pair", "en-de.muse")
    measure(folder, "measure_similarity.py", cells, *options)
    found = read_json(folder / "s.json")
    assert (found["pair"], found["source"]) == ("en-de.muse", "en")
    stages = [(cell["stage"], cell["seed"]) for cell in found["cells"]]
    assert stages == [("joint", 1), ("joint", 2), ("refined", 1), ("refined", 2)]
    assert found["shared_sources"] == [{"seed": 1, "words": ["taxi"]}, {"seed": 2, "words": ["dog", "taxi"]}]
    assert [pair["shared"] for pair in found["cells"][1]["pairs"]] == [True, False]
    (folder / "upper.txt").write_text("DOG HUND\ntaxi taxi\n")  # one is unknown, one has a single form
    upper = ("--cells", "plan.csv", "--dictionary", "upper.txt", *options[2:])
    with contextlib.chdir(folder):
        told = run_script(SCRIPTS / "measure_similarity.py", *upper)
    assert "s.json: no pair of en-de.muse with two different words" in told.stderr
    assert [cell["pairs"] for cell in read_json(folder / "s.json")["cells"]] == [[]] * 4
    both = [cell | {"pair": f"en-{name}.muse"} for cell, name in zip(cells, ("de", "fr"), strict=False)]
    error = measure(folder, "measure_similarity.py", both, *options[:-2], ok=False)
    assert "--out s.json: for one pair, not for en-fr.muse too" in error
