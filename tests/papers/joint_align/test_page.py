from __future__ import annotations

from pathlib import Path

from crosslingua.io.json import write_json
from crosslingua.papers.joint_align.page import section


def test_what_reallocation_moved(tmp_path: Path) -> None:
    assert section(tmp_path) == ""
    sizes = {"source": 20, "target": 21, "shared": 60}
    moved = {"moved_to_source": [f"w{i}" for i in range(9)], "moved_to_target": ["<b>"]}
    report = {"seed": 3, "gamma": 0.9, "sizes_before": sizes, "sizes": sizes | {"shared": 5}, **moved}
    write_json(tmp_path / "word_embeddings/joint_vr/en-de.muse/division.json", [report])
    html = section(tmp_path)
    for text in ("en-de.muse", "60 → 5", "w0 w1 w2 w3 w4 w5<", "&lt;b&gt;"):
        assert text in html
