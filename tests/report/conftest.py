from pathlib import Path

import pytest
from PIL import Image

from crosslingua.metrics import write_rows
from metric_rows import frame
from texts import written


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A folder in which joint_align has a table and two figures; nothing else ran."""
    write_rows(tmp_path / "metrics.csv", frame({}, {"seed": 2}))
    written(tmp_path / "config.yaml", "scale: tiny\nworld: {seed: 1}\n# kept as it is\n")
    written(tmp_path / "tables/joint_align_table2.html", "<p>table two</p>")
    written(tmp_path / "tables/joint_align_table1.html", "<p>table one</p>")
    (tmp_path / "plots").mkdir()
    for name, colour in (("a_second", "red"), ("a", "blue"), ("b", "white")):
        Image.new("RGB", (3, 2), colour).save(tmp_path / f"plots/joint_align_{name}.png")
    return tmp_path
