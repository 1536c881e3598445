from pathlib import Path

from crosslingua.io.json import write_json
from crosslingua.papers.joint_align.page import section


def test_what_reallocation_moved(tmp_path: Path) -> None:
    assert section(tmp_path) == ""
    sizes = {"source": 20, "target": 21, "shared": 60}
    moved = {"moved_to_source": [f"w{i}" for i in range(9)], "moved_to_target": ["<b>"]}
    chosen = {"seed": 3, "gamma": 0.9, "criterion": "validation P@1"}
    path = tmp_path / "word_embeddings/joint_vr/en-de.muse/division.json"
    write_json(path, [chosen | moved | {"sizes_before": sizes, "sizes": sizes | {"shared": 5}}])
    html = section(tmp_path, divisions=[str(path), str(tmp_path / "not made.json")])
    for text in ("en-de.muse", "60 → 5", "w0 w1 w2 w3 w4 w5<", "&lt;b&gt;"):
        assert text in html


def test_settings_that_were_chosen_stand_beside_the_published_ones(tmp_path: Path) -> None:
    mapper_rates = (({}, 12.5), ({"l2_reg": "100"}, 25.0), ({"l2_reg": "10"}, 26.0))
    tried = [{"settings": settings, "p_at_1": rate} for settings, rate in mapper_rates]
    mapped = tmp_path / "embedding_alignment/en-de.muse/geomm/choice.json"
    choice = {"mapper": "geomm", "settings": {"l2_reg": "100"}, "queries": 40, "tried": tried}
    write_json(mapped, choice)
    write_json(tmp_path / "embedding_alignment/en-de.muse/of_before/choice.json", choice)
    rates = [{"settings": {"epoch": "5", "delta": delta}, "p_at_1": 12.5} for delta in ("0.01", "0.1")]
    trained = {"settings": rates[1]["settings"], "queries": 40, "tried": rates}
    duong = tmp_path / "word_embeddings/duong/en-de.muse/choice.json"
    write_json(duong, trained)
    rows = section(tmp_path, [str(mapped), str(duong)]).split("<tr>")[2:]
    assert [[cell.split("<")[0].strip() for cell in row.split("<td>")[1:]] for row in rows] == [
        ["en-de.muse", "geomm", "l2_reg=100", "25.0", "12.5", "26.0", "3", "40"],
        ["en-de.muse", "duong", "delta=0.1", "12.5", "12.5", "12.5", "2", "40"],
    ]
