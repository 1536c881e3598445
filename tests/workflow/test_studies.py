"""The studies: overlays that open by the command on their page, and tables that name their configuration."""

import re
from pathlib import Path

import pytest

from configurations import Opener

STUDIES = sorted(path.parent.name for path in Path(__file__).parents[2].glob("studies/*/overlay.yaml"))


@pytest.mark.parametrize("study", STUDIES)
def test_the_command_on_a_page_opens_its_overlay(opened: Opener, repository: Path, study: str) -> None:
    page = (repository / "studies" / study / "README.md").read_text()
    files = rf"scales/(\w+)\.yaml studies/{study}/overlay\.yaml"
    command = re.search(rf'CONFIG="{files}".*TARGETS="?([\w ]+)', page)
    assert command
    w = opened(f"{command[1]} studies/{study}")
    # repeatability trains more encoders for full's own results
    assert w.results == ("results/full" if study == "repeatability" else f"results/{study}")
    known = {*w.config.papers, "aer", "xtreme", "translation", "ablations_align_mlm"}
    assert set(command[2].split()) <= known


def test_tables_of_studies_name_their_configuration(repository: Path) -> None:
    tables = [*(repository / "studies").glob("*/tables/*.md")]
    assert tables
    for path in tables:
        named = re.findall(r"(?:scales|studies)/[\w/]+\.yaml", path.read_text())
        assert named
        assert all((repository / name).is_file() for name in named), path
