from pathlib import Path

from crosslingua.io.json import write_json
from crosslingua.papers.joint_align.page import explorer, section


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


def test_neighbours_are_marked_by_the_test_dictionary(tmp_path: Path) -> None:
    """Of two dimensions: `dog` is beside `hund`, `cat` beside `maus`, which is wrong, and `sun` has no entry."""
    sides = {
        "source": {"dog": (1, 0), "cat": (0, 1), "sun": (-1, 0)},
        "target": {"hund": (1, 0.1), "maus": (0.1, 1), "katze": (0.5, 1)},
    }
    inputs = {}
    for side, words in sides.items():
        lines = [f"{len(words)} 2", *(f"{word} {x} {y}" for word, (x, y) in words.items())]
        (tmp_path / f"{side}.vec").write_text("\n".join(lines) + "\n")
        inputs[side] = [str(tmp_path / f"{side}.vec")] * 3
    (tmp_path / "shared.txt").touch()
    (tmp_path / "test.txt").write_text("dog hund\ncat katze\n")
    inputs |= {"shared": [str(tmp_path / "shared.txt")] * 3, "dictionary": [str(tmp_path / "test.txt")]}
    shown = explorer(inputs, {"languages": ["en", "de"]})
    assert shown is not None
    found = shown["stages"][2]["neighbours"]
    marks = {word: [(near, mark) for near, _, mark in found[word]["en"][1]] for word in sides["source"]}
    assert marks == {
        "dog": [("hund", "right"), ("katze", "wrong"), ("maus", "wrong")],
        "cat": [("maus", "wrong"), ("katze", "right"), ("hund", "wrong")],
        "sun": [("maus", ""), ("katze", ""), ("hund", "")],
    }
    assert [mark for _, _, mark in found["katze"]["de"][0]] == ["right", "wrong", "wrong"]
    assert {mark for _, _, mark in found["dog"]["en"][0]} == {""}
