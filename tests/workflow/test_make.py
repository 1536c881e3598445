"""The Makefile and the README: commands from a fresh clone, names with spaces, errors of a line."""

import gzip
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from checkout import Checkout, copy_checkout, counts
from configurations import example

NAME = "it's a checkout"
# Stands in for Python: notes what it is told, and makes an environment of itself.
PYTHON = """#!/bin/sh
echo "$@" >> calls.txt
case "$2" in venv) mkdir -p "$3/bin" && cp "$0" "$3/bin/python";; esac
"""


@pytest.fixture
def checkout(repository: Path, tmp_path: Path) -> Checkout:
    """A folder with nothing but the Makefile, the requirements, and a stand-in for Python."""
    root = tmp_path / NAME
    root.mkdir()
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        (root / name).write_bytes((repository / name).read_bytes())
    (root / "my python").write_text(PYTHON)
    (root / "my python").chmod(0o755)
    return Checkout(root)


def setup(checkout: Checkout, *, ok: bool = True) -> list[str]:
    """Call `make setup`; return what Python was told."""
    calls = checkout.root / "calls.txt"
    calls.unlink(missing_ok=True)
    checkout.call(["make", "setup", f"PYTHON={checkout.root}/my python", "VENV=my env's"], ok=ok)
    return [line for line in calls.read_text().splitlines() if line[:2] != "-c"] if calls.exists() else []


def test_setup_installs_what_is_locked_and_the_package(checkout: Checkout) -> None:
    assert setup(checkout) == [
        "-m venv my env's",
        "-m pip install --quiet --requirement requirements.lock",
        "-m pip install --quiet --no-deps --editable .",
    ]
    assert setup(checkout) == []


@pytest.mark.parametrize("name", ["requirements.lock", "pyproject.toml"])
def test_setup_installs_again_when_the_requirements_are_others(checkout: Checkout, name: str) -> None:
    setup(checkout)
    (checkout.root / name).touch()
    assert setup(checkout) == []
    with (checkout.root / name).open("a") as stream:
        stream.write("# edited\n")
    assert len(setup(checkout)) == 3


def test_an_interrupted_installation_is_begun_again(checkout: Checkout) -> None:
    python = checkout.root / "my python"
    python.write_text(PYTHON + 'case "$*" in *editable*) exit 1;; esac\n')
    setup(checkout, ok=False)
    python.write_text(PYTHON)
    assert len(setup(checkout)) == 3


def test_an_unsuitable_python_is_named(checkout: Checkout) -> None:
    old = '#!/bin/sh\ncase "$1" in --version) echo Python 3.9.1;; *) exit 1;; esac\n'
    (checkout.root / "my python").write_text(old)
    output = checkout.call(["make", "setup", "PYTHON=./my python"], ok=False)
    assert "Python 3.11 or 3.12 is needed; found: Python 3.9.1. Set PYTHON=..." in output


def test_a_configuration_that_is_not_there_or_no_yaml_is_named(fresh_checkout: Checkout) -> None:
    assert "CONFIG=it's.yaml is no file" in fresh_checkout.make("run", "CONFIG=it's.yaml", ok=False)
    assert "CONFIG= is no file: say CONFIG=mine.yaml" in fresh_checkout.make("run", ok=False)
    (fresh_checkout.root / "empty.yaml").touch()
    said = fresh_checkout.make("run", "CONFIG=empty.yaml", ok=False)
    assert "CONFIG=empty.yaml is empty: write scale, pairs, languages" in said
    (fresh_checkout.root / "broken.yaml").write_text("seeds: [1\npairs: 2\n")
    assert "broken.yaml:2: not YAML: " in fresh_checkout.make("run", "CONFIG=broken.yaml", ok=False)


# Stands in for every program of the environment: notes how it is called, and becomes the real scripts/call.py.
PROGRAM = """#!/bin/sh
case "$1" in scripts/call.py) exec {python} "$@";; esac
printf '%s\\0' "$@" >> calls.txt
"""
RUN, ASK, PAGE, TEST = ("run", "CONFIG=my.yaml"), ("ask", "SOURCE=a", "TARGET=b"), ("page",), ("test",)
CALLS = {
    "CONFIG": RUN,
    "MIRROR": RUN,
    "TARGETS": RUN,
    "ARGS": RUN,
    "CORES": RUN,
    "SOURCE": ASK,
    "TARGET": ASK,
}
CALLS |= {
    "DICTIONARY": ASK,
    "SCALE": PAGE,
    "PYTEST_ARGS": TEST,
    "VENV": (*RUN, "PYTHON=./my python"),
    "PYTHON": (*RUN, "VENV=new"),
}
HOSTILE = [
    "$(shell touch ran)$(touch ran)`touch ran`${HOME};touch ran",
    "'; touch ran; '",
    '"; touch ran; "',
    "a\ntouch ran",
]


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("name", CALLS)
def test_a_value_arrives_whole_or_is_refused(
    repository: Path, checkout: Checkout, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(repository / "src"))
    (checkout.root / "scripts").mkdir()
    (checkout.root / "scripts/call.py").write_bytes((repository / "scripts/call.py").read_bytes())
    bin_folder = checkout.root / ".venv/bin"
    bin_folder.mkdir(parents=True)
    for program in ("python", "snakemake", "crosslingua", "ruff", "snakefmt", "mypy"):
        (bin_folder / program).write_text(PROGRAM.format(python=sys.executable))
        (bin_folder / program).chmod(0o755)
    installed = [(checkout.root / part).read_bytes() for part in ("requirements.lock", "pyproject.toml")]
    (bin_folder / ".installed").write_bytes(b"".join(installed))
    command = ["make", *CALLS[name], f"{name}={value}"]
    done = subprocess.run(
        command, cwd=checkout.root, capture_output=True, text=True, env={**os.environ, "MAKEFLAGS": ""}
    )
    assert not list(checkout.root.rglob("ran"))
    calls = checkout.root / "calls.txt"
    arrived = calls.read_text().split("\0") if calls.exists() else []
    if done.returncode:
        refused = (
            value.count("\n") or name in ("CORES", "PYTHON", "VENV") or (name in WORDS and not divided(value))
        )
        assert refused, done.stderr
        return
    if name in WORDS:
        words = ["run", *divided(value), "--config"] if name == "TARGETS" else divided(value)
        assert "\0".join(words) in "\0".join(arrived)
    elif name == "MIRROR":
        assert arrived[arrived.index("--mirror") + 1] == value
    elif name == "VENV":
        assert f"-m venv {value}\n" in calls.read_text()
    elif name == "CONFIG":  # several files, with blanks between them
        assert [part for part in arrived if part in value.split()][: len(value.split())] == value.split()
    else:
        assert [part for part in arrived if part == {"SCALE": f"results/reference/{value}"}.get(name, value)]


WORDS = ("TARGETS", "ARGS", "PYTEST_ARGS")


def divided(value: str) -> list[str]:
    """Return the words of a value as a shell divides them; none where a quotation mark has no partner."""
    try:
        return shlex.split(value)
    except ValueError:
        return []


@pytest.mark.parametrize("cores", ["0", "-1", "two", "", "1'; echo x"])
def test_a_number_of_cores_that_is_none_is_refused(fresh_checkout: Checkout, cores: str) -> None:
    said = fresh_checkout.make("demo", f"CORES={cores}", ok=False)
    assert f"CORES={cores}: write a whole number from 1, or all" in said


def test_a_configuration_of_several_files_or_of_a_name_with_spaces(fresh_checkout: Checkout) -> None:
    for name in ("it's mine.yaml", "mine.yaml"):
        (fresh_checkout.root / name).touch()

    def call(config: str, *more: str) -> str:
        said = fresh_checkout.make("-n", "run", f"CONFIG={config}", "CORES=2", *more)
        return re.sub(" +", " ", said.splitlines()[-1].partition("scripts/call.py ")[2].strip())

    start, end = "'.venv'/bin/crosslingua run --config", "--cores '2'"
    assert call("it's mine.yaml") == rf"--first='' --last='' {start} 'it'\''s mine.yaml' {end}"
    several = call("scales/own.yaml mine.yaml", "TARGETS=joint_align", "ARGS=-n --config seeds=[1]")
    words = "--first='joint_align' --last='-n --config seeds=[1]'"
    assert several == f"{words} {start} 'scales/own.yaml' 'mine.yaml' {end}"
    said = fresh_checkout.make("run", "CONFIG=scales/own.yaml mien.yaml", ok=False)
    assert "CONFIG=mien.yaml is no file" in said


def test_the_lock_holds_what_the_project_needs_on_its_first_python_and_versions_fit(repository: Path) -> None:
    lines = (line.split("==") for line in (repository / "requirements.lock").read_text().splitlines())
    locked = {canonicalize_name(name): version for name, version in lines}
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    # Debian 12 has Python 3.11.2: a package that needs 3.11.5 would end `make setup` there.
    first = project["requires-python"].partition(",")[0].removeprefix(">=") + ".0"
    for name in locked:
        needed = distribution(name).metadata["Requires-Python"]
        assert SpecifierSet(needed or "").contains(first), f"{name} needs Python {needed}"
    extras = project["optional-dependencies"]
    pending, seen = [Requirement(text) for text in (*project["dependencies"], *extras["dev"])], set()
    while pending:
        needed = pending.pop()
        name = canonicalize_name(needed.name)
        if name == "crosslingua":
            pending += [Requirement(text) for extra in needed.extras for text in extras[extra]]
            continue
        if name == "setuptools":  # which `pip freeze` leaves out
            continue
        assert name in locked, f"{needed} is not locked: make lock"
        fits = needed.specifier.contains(locked[name], prereleases=True)
        assert fits, f"{needed} is locked at {locked[name]}"
        for extra in ("", *sorted(needed.extras)):
            if (name, extra) not in seen:
                seen.add((name, extra))
                found = (Requirement(text) for text in distribution(name).requires or ())
                pending += [one for one in found if not one.marker or one.marker.evaluate({"extra": extra})]


def test_help_describes_every_target_and_every_variable_and_installs_nothing(checkout: Checkout) -> None:
    said = checkout.call(["make", "help", f"PYTHON={checkout.root}/my python"])
    assert not (checkout.root / "calls.txt").exists()
    assert not (checkout.root / ".venv").exists()
    makefile = (checkout.root / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)", makefile, re.MULTILINE)
    assert phony
    rules = {
        name for line in re.findall(r"^([\w -]+):(?!=)", makefile, re.MULTILINE) for name in line.split()
    }
    described = re.findall(r"^make ([\w-]+)", said, re.MULTILINE)
    assert {"help", "demo", "full", "real", "tiny", "run", "test"} <= rules
    assert set(described) == set(phony[1].split()) == rules
    assert len(described) == len(set(described))
    variables = set(re.findall(r"^([A-Z_]+) \?=", makefile, re.MULTILINE))
    assert variables == set(re.findall(r"^([A-Z_]+)  ", said, re.MULTILINE))
    assert said.startswith("Usage: make TARGET")
    assert max(map(len, said.splitlines())) <= 120


def test_plain_make_prints_the_help(fresh_checkout: Checkout) -> None:
    assert fresh_checkout.make("-n") == fresh_checkout.make("-n", "help")


@pytest.mark.slow
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
                stream.write(f"two words\nof {path.name}\n")
        said = checkout.run("--dry-run", "joint_align", "--configfile", *files, scale="demo")
        planned = counts(said)
        assert (planned["write_rows"], planned["write_table"]) == (1, 4)
        tables = set(re.findall(r"Write (\w+) of joint_align", said))
        assert tables == {"answer", "table1", "table2", "controls"}  # the last: of vecmap
        assert "generate_world_text" not in planned
