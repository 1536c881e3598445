"""Which alignments table 2 and figure 2 ask for, and which sections are refused."""

import pytest

from configurations import FEW_ALIGNMENTS, Opener
from crosslingua.errors import ConfigError
from crosslingua.papers.xlm_align.cells import (
    alignments,
    alignments_of,
    gold,
    lexicon_pair,
    tables,
    tables_of,
    training,
)
from crosslingua.workflow.alignment import Alignment, trained
from crosslingua.workflow.workflow import Workflow


@pytest.fixture
def few(opened: Opener) -> Workflow:
    return opened(change=FEW_ALIGNMENTS)


def test_every_aligner_meets_every_space_layer_and_seed(few: Workflow) -> None:
    vectors = few.lexicon_pairs["ana-ber.world"]
    found = alignments_of(few, "ana-ber")
    assert found == [
        Alignment("ana-ber", "fast_align", 5, training=("ana-ber",)),
        Alignment("ana-ber", "optimal_transport", 5, "procrustes", vectors=vectors),
        Alignment("ana-ber", "optimal_transport", 6, "procrustes", vectors=vectors),
        Alignment("ana-ber", "optimal_transport", 7, "xlmr", 1, member="xlmr"),
        Alignment("ana-ber", "optimal_transport", 7, "xlmr", 2, member="xlmr"),
    ]
    assert [tables_of(few, one) for one in found] == [["table2"]] * 3 + [["fig2"], ["table2", "fig2"]]
    assert len(alignments(few)) == 3 * 5


def test_only_figure_2s_aligner_has_every_layer(opened: Opener) -> None:
    aligners = FEW_ALIGNMENTS["word_alignment"]["aligners"] | {"simalign_itermax": {"reads": "vectors"}}
    section = FEW_ALIGNMENTS["xlm_align"] | {"figure2": "simalign_itermax"}
    few = opened(change=FEW_ALIGNMENTS | {"word_alignment": {"aligners": aligners}, "xlm_align": section})
    found = [one for one in alignments_of(few, "ana-ber") if one.layer is not None]
    assert [(one.aligner, one.layer, tables_of(few, one)) for one in found] == [
        ("simalign_itermax", 1, ["fig2"]),
        ("simalign_itermax", 2, ["table2", "fig2"]),
        ("optimal_transport", 2, ["table2"]),
    ]


def test_the_paper_draws_ten_layers_of_published_encoders(opened: Opener) -> None:
    w = opened("paper")
    found = [one for one in alignments_of(w, "de-en") if one.aligner == "optimal_transport" and one.layer]
    assert [one.layer for one in found if one.space == "xlmr"] == list(range(3, 13))
    assert [one.layer for one in found if "table2" in tables_of(w, one)] == [8, 8]
    assert {one.space for one in alignments_of(w, "ro-en")} == {"", "xlmr", "xlm_align"}


def test_another_encoder_may_stand_for_one_of_the_tables(opened: Opener) -> None:
    w = opened("full")
    assert trained(w, "xlmr", 3) == "results/full/encoders/xlmr_4_layers/seed3"
    assert "xlmr: xlmr_4_layers. " in tables(w)["table2"].note
    members = w.config["encoders"]["multilingual"]["members"]
    assert (
        members["xlmr_4_layers"]["settings"]["layers"] in w.config["xlm_align"]["encoders"]["xlmr"]["layers"]
    )
    with pytest.raises(ConfigError, match="xlmr_8_layers"):
        opened("full", {"xlm_align": {"encoders": {"xlmr": {"member": "xlmr_8_layers"}}}})


def test_gold_sets_are_those_of_the_sheets_and_of_the_language_pairs(opened: Opener) -> None:
    assert gold(opened("small")) == gold(opened("paper")) == ["de-en", "en-fr", "en-hi", "ro-en"]
    assert gold(opened(change={"pairs": ["ana-ber", "eno-fyr"]})) == ["ana-ber", "eno-fyr"]
    sheet = opened.sheet("gold_alignment\tde-en\tword-alignments\t\t\talignment-test-sets.tar.gz")
    both = opened(change={"data": {"sheets": [sheet]}, "pairs": ["ber-ana"]})
    assert gold(both) == ["ber-ana", "de-en"]
    assert gold(opened(change={"xlm_align": {"gold": ["eno-ana"]}})) == ["eno-ana"]


def test_vectors_serve_a_pair_in_either_direction_or_not_at_all(opened: Opener) -> None:
    small = opened("small")
    found = {pair: lexicon_pair(small, pair) for pair in ("en-fr", "de-en", "ro-en")}
    names = {pair: entry and entry.name for pair, entry in found.items()}
    assert names == {"en-fr": "en-fr.muse_full", "de-en": "en-de.muse_full", "ro-en": None}


def test_an_aligner_on_text_trains_on_the_bitext_of_the_pair_unless_told(opened: Opener) -> None:
    assert training(opened("small"), "de-en") == ("en-de", "en-de.manythings")
    assert training(opened("small"), "ro-en") == ()
    assert training(opened("paper"), "en-hi") == ("en-hi.iitb",)
    named = opened(change={"xlm_align": {"training": {"ana-ber": []}}})
    assert (training(named, "ana-ber"), training(named, "ana-cor")) == ((), ("ana-cor",))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"xlm_align": {"gold": ["ana-xyz"]}},
            "xlm_align.gold: 'ana-xyz' is not defined under gold alignments",
        ),
        (
            {"xlm_align": {"figure2": "simalign"}},
            "xlm_align.figure2: 'simalign' is not defined .*did you mean",
        ),
        ({"xlm_align": {"figure2": "fast_align"}}, "figure2: 'fast_align' .* the aligners that read vectors"),
        (
            {"word_alignment": {"aligners": {"optimal_transport": None}}},
            "xlm_align.figure2: 'optimal_transport' is not defined",
        ),
        (
            {"papers": ["xlm_align"], "mappers": {"none": {}}},
            "mappers.none: 'none' is not defined under the mappers",
        ),
        ({"xlm_align": {"vectors": ["procruste"]}}, "'procruste' is not defined under joint_align.systems"),
        (
            {"xlm_align": {"encoders": {"roberta": {"layer": 1, "layers": []}}}},
            "xlm_align.encoders: 'roberta' is not defined under encoders.multilingual.members",
        ),
        (
            {"xlm_align": {"training": {"ana-ber": ["ana-cor"]}}},
            "xlm_align.training.ana-ber: 'ana-cor' has other languages",
        ),
        (
            {"xlm_align": {"training": {"ana-ber": ["nowhere-at"]}}},
            "xlm_align.training.ana-ber: 'nowhere-at' is not defined under bitext",
        ),
        (
            {"word_alignment": {"aligners": {"fastalign": {"reads": "text"}}}},
            "word_alignment.aligners: 'fastalign' .*did you",
        ),
        (
            {"word_alignment": {"bitext": {"aligner": "fastalign"}}},
            "bitext.aligner: 'fastalign' .*did you mean 'fast_align'",
        ),
    ],
)
def test_what_is_not_there_is_refused(opened: Opener, change: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        opened(change=change)
