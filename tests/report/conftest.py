from pathlib import Path

import pytest
from PIL import Image

from crosslingua.metrics import write_rows
from metric_rows import frame


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A folder in which joint_align has a table and two figures; nothing else ran."""
    write_rows(tmp_path / "metrics.csv", frame({}, {"seed": 2}))
    for path, content in (
        ("config.yaml", "scale: tiny\nworld: {seed: 1}\n# kept as it is\n"),
        ("tables/joint_align_table2.html", "<p>table two</p>"),
        ("tables/joint_align_table1.html", "<p>table one</p>"),
        ("plots/joint_align_a_second.png", "red"),
        ("plots/joint_align_a.png", "blue"),
        ("plots/joint_align_b.png", "white"),
    ):
        target = tmp_path / path
        target.parent.mkdir(exist_ok=True)
        if target.suffix == ".png":
            Image.new("RGB", (3, 2), content).save(target)
        else:
            target.write_text(content)
    return tmp_path
