"""Which alignments a configuration asks for, under which names, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosslingua.config import load_yaml
from crosslingua.errors import ConfigError
from crosslingua.word_aligners.cells import (
    Cell,
    cell_hash,
    cells,
    check_word_alignment,
    claimed_systems,
    lexicon_pair,
    systems,
    training_pairs,
)


@pytest.fixture
def config(repository: Path) -> dict:
    config = load_yaml(repository / "config.yaml")
    config["seeds"], config["encoders"]["seeds"] = [5, 6], [7]
    config["word_alignment"] |= {
        "aligners": {"fast_align": {"reads": "text"}, "optimal_transport": {"reads": "vectors"}},
        "vectors": {"procrustes": "world"},
        "encoders": {"xlmr": {"layer": 2, "layers": [1, 2]}, "xlm_align": None},
    }
    return config


def test_every_aligner_meets_every_space_layer_and_seed(config: dict) -> None:
    assert cells(config, "ana-ber") == [
        Cell("ana-ber", "fast_align", 5),
        Cell("ana-ber", "optimal_transport", 5, "procrustes"),
        Cell("ana-ber", "optimal_transport", 6, "procrustes"),
        Cell("ana-ber", "optimal_transport", 7, "xlmr", 1, ("fig2",)),
        Cell("ana-ber", "optimal_transport", 7, "xlmr", 2, ("table2", "fig2")),
    ]
    assert systems(config) == ["fast_align", "optimal_transport+procrustes", "optimal_transport+xlmr"]


def test_only_figure_2s_aligner_has_every_layer(config: dict) -> None:
    config["word_alignment"]["figure2"] = "simalign_itermax"
    found = [cell for cell in cells(config, "ana-ber") if cell.layer is not None]
    assert found == [Cell("ana-ber", "optimal_transport", 7, "xlmr", 2)]


def test_files_of_cells_never_collide(config: dict) -> None:
    stems = [cell.stem for cell in cells(config, "ana-ber")]
    assert len(set(stems)) == len(stems)
    assert stems[0] == "fast_align"
    assert stems[-1] == "optimal_transport+xlmr.layer2.seed7"


def test_names_in_claims(config: dict) -> None:
    named = {cell.stem: claimed_systems(config, cell) for cell in cells(config, "ana-ber")}
    assert named["fast_align"] == ["fast_align"]
    assert named["optimal_transport+xlmr.layer1.seed7"] == ["optimal_transport+xlmr@first"]
    assert named["optimal_transport+xlmr.layer2.seed7"] == [
        "optimal_transport+xlmr", "optimal_transport+xlmr@middle", "optimal_transport+xlmr@last",
    ]  # fmt: skip


def test_vectors_serve_a_pair_in_either_direction_or_not_at_all(config: dict) -> None:
    assert lexicon_pair(config, "procrustes", "ana-ber")[1] is False
    entry, swapped = lexicon_pair(config, "procrustes", "ber-ana.real")
    assert (entry["source"], entry["target"], swapped) == ("ana", "ber", True)
    assert lexicon_pair(config, "procrustes", "ber-cor") is None
    assert systems({**config, "word_alignment": config["word_alignment"] | {"pairs": ["ber-cor"]}}) == [
        "fast_align", "optimal_transport+xlmr",
    ]  # fmt: skip


def test_training_text_is_turned_round_where_it_must_be(config: dict) -> None:
    config["word_alignment"]["training"] = {"de-en": ["en-de", "de-en.tatoeba"]}
    assert training_pairs(config, "de-en") == [("en-de", True), ("de-en.tatoeba", False)]
    assert training_pairs(config, "ro-en") == []


def test_the_hash_follows_what_a_number_depends_on(config: dict) -> None:
    text, static, encoder = (cells(config, "ana-ber")[k] for k in (0, 1, 3))
    before = {cell.system: cell_hash(config, cell) for cell in (text, static, encoder)}
    config["word_embeddings"]["dim"] += 1
    changed = {
        cell.system for cell in (text, static, encoder) if cell_hash(config, cell) != before[cell.system]
    }
    assert changed == {"optimal_transport+procrustes"}
    config["word_alignment"]["training"]["ana-ber"] = []
    assert cell_hash(config, text) != before["fast_align"]
    config["encoders"]["settings"]["steps"] += 1
    assert cell_hash(config, encoder) != before["optimal_transport+xlmr"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"pairs": ["ana-xyz"]},
            r"word_alignment.pairs: 'ana-xyz' is not defined under tasks.gold_alignment",
        ),
        ({"pairs": ["ana-ber", "ana-ber.again"]}, "two gold sets of one language pair"),
        ({"aligners": {"fastalign": {"reads": "text"}}}, "did you mean 'fast_align'"),
        ({"figure2": "simalign_argmax"}, "is not defined under word_alignment.aligners"),
        ({"vectors": {"procruste": "world"}}, "'procruste' is not defined under joint_align.systems"),
        ({"encoders": {"roberta": {"layer": 1, "layers": []}}}, "'roberta' is not defined under encoders"),
        ({"training": {"ana-ber": ["ana-cor"]}}, "'ana-cor' has other languages"),
        ({"training": {"ana-ber": ["nowhere"]}}, "'nowhere' is not defined under tasks.bitext.sources"),
    ],
)
def test_what_is_not_there_is_refused(config: dict, change: dict, message: str) -> None:
    config["tasks"]["gold_alignment"]["pairs"].append("ana-ber.again")
    config["word_alignment"] |= change
    with pytest.raises(ConfigError, match=message):
        check_word_alignment(config)


def test_the_demo_is_accepted_and_has_the_rows_of_table_2(repository: Path) -> None:
    demo = load_yaml(repository / "config.yaml")
    check_word_alignment(demo)
    assert {
        "fast_align", "simalign_argmax+xlmr", "simalign_itermax+xlmr", "optimal_transport+xlmr",
        "simalign_itermax+xlm_align", "optimal_transport+xlm_align",
    } <= set(systems(demo))  # fmt: skip
