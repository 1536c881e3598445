"""The README: its commands from a fresh clone, and its configuration. tests/test_documentation.py checks its words."""

import gzip
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from checkout import Checkout, copy_checkout, counts
from configurations import example


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
