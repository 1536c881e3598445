"""The jobs of xlm_align."""

import pytest

from configurations import FEW_ALIGNMENTS, SCRATCH, Opener, job
from crosslingua.errors import ConfigError
from crosslingua.papers.xlm_align.experiments import XlmAlign
from crosslingua.workflow.word_alignment import Alignment, WordAlignment
from crosslingua.workflow.workflow import Workflow


def test_what_sets_rows_apart_is_in_their_conditions(opened: Opener) -> None:
    found = XlmAlign(opened()).cells("main")
    table2 = [c for c in found if c.table == "table2" and c.system != "gibbs"]
    conditions = {c.system.partition("+")[2]: c.conditions for c in table2}
    encoders = {name: {"layer": "1"} for name in ("xlmr", "xlm_align")}
    assert conditions == {"": {"reads": "text"}, "procrustes": {}, **encoders}
    one = next(c for c in found if c.table == "fig2" and c.conditions == {"layer": "2"})
    assert (one.task, one.seed, one.metrics) == ("word_alignment", 1, ("aer", "precision", "recall", "f1"))
    assert one.score == "results/demo/word_alignment/scores/ana-ber/optimal_transport+xlmr.layer2.seed1.json"
    assert {c.score.rpartition("/")[0] for c in found} == set(job(opened(), "cells/xlm_align.main").files())


def test_the_table_says_what_its_encoders_are(opened: Opener) -> None:
    table = XlmAlign(opened("paper")).tables()["table2"]
    assert table.note == "xlmr: FacebookAI/xlm-roberta-base. xlm_align: microsoft/xlm-align-base."
    assert (
        XlmAlign(opened("tiny"))
        .tables()["table2"]
        .note.startswith("xlmr: trained here (continued from mbert, 20")
    )


def test_a_sentence_pair_is_drawn_as_the_last_encoder_aligns_it(opened: Opener) -> None:
    drawings = XlmAlign(opened(SCRATCH)).drawings()
    results = "results/from_scratch"
    assert list(drawings) == ["figure2", "grid_de-en", "grid_en-fr", "grid_en-hi", "grid_ro-en", "xtreme"]
    assert drawings["figure2"].inputs == {"rows": [f"{results}/rows/xlm_align.main.csv"]}
    grid = drawings["grid_de-en"]
    gold = f"{results}/corpora/gold_alignment/de-en"
    assert grid.kind == "grid"
    assert grid.inputs == {
        "source": [f"{gold}.de.txt"], "target": [f"{gold}.en.txt"], "gold": [f"{gold}.links"],
        "encoder": [f"{results}/encoders/xlm_align/seed1"],
    }  # fmt: skip
    assert grid.settings == {
        "line": 54, "languages": ["de", "en"], "aligner": "optimal_transport", "layer": 5, "aligner_settings": {},
        "caption": "Scale from_scratch, de-en, line 54: optimal_transport+xlm_align",
    }  # fmt: skip


def test_two_gold_sets_of_one_pair_are_refused_and_so_is_none(opened: Opener) -> None:
    line = "\tword-alignments\t\t\talignment-test-sets.tar.gz"
    sheet = opened.sheet(f"gold_alignment\tde-en{line}", f"gold_alignment\tde-en.again{line}")
    with pytest.raises(ConfigError, match=r"xlm_align.gold: two gold sets of one language pair"):
        opened(change={"data": {"sheets": [sheet]}})
    assert opened(change={"data": {"sheets": [sheet]}, "xlm_align": {"gold": ["de-en.again"]}})
    change = {"languages": {"sw": {"path": "sw.txt"}}, "pairs": ["ana-sw"], "papers": ["xlm_align"]}
    with pytest.raises(ConfigError, match=r"xlm_align\.gold: neither .* or leave xlm_align out"):
        opened(change=change)


def test_without_encoders_an_aligner_on_text_draws_and_without_either_none(opened: Opener) -> None:
    none = {"xlm_align": {"encoders": {"xlmr": None, "xlm_align": None}, "xtreme": None}}
    w = opened(change=none)
    assert not [c for c in XlmAlign(w).cells("main") if c.table == "fig2"]
    drawn = XlmAlign(w).drawings()
    assert set(drawn) == {"grid_ana-ber", "grid_ana-cor", "grid_ana-dax"}
    links = "results/demo/word_alignment/links/fast_align/ana-ber.links"
    assert drawn["grid_ana-ber"].inputs["links"] == [links]
    assert drawn["grid_ana-ber"].settings["caption"].endswith(": fast_align")
    ours = none | {"word_alignment": {"aligners": {"fast_align": None}}}
    drawn = XlmAlign(opened(change=ours)).drawings()
    assert drawn["grid_ana-ber"].inputs["links"] == [links.replace("fast_align", "gibbs.seed1")]
    neither = none | {"word_alignment": {"aligners": dict.fromkeys(("fast_align", "gibbs", "diagonal"))}}
    assert XlmAlign(opened(change=neither)).drawings() == {}


def test_encoders_stay_in_order_where_a_scale_changes_one(opened: Opener) -> None:
    w = opened(change={"xlm_align": {"encoders": {"xlm_align": {"layer": 2}}}})
    found = XlmAlign(w).cells("main")
    systems = list(dict.fromkeys(cell.system for cell in found if cell.system.startswith("opt")))
    assert systems[-2:] == ["optimal_transport+xlmr", "optimal_transport+xlm_align"]


# Which alignments table 2 and figure 2 ask for.


def test_every_aligner_meets_every_space_layer_and_seed(opened: Opener) -> None:
    few = opened(change=FEW_ALIGNMENTS)
    vectors = few.lexicon_pairs["ana-ber.world"]
    paper = XlmAlign(few)
    found = paper.alignments_of("ana-ber")
    assert found == [
        Alignment("ana-ber", "fast_align", 5, training=("ana-ber",)),
        Alignment("ana-ber", "diagonal", 5),
        Alignment("ana-ber", "optimal_transport", 5, "procrustes", vectors=vectors),
        Alignment("ana-ber", "optimal_transport", 6, "procrustes", vectors=vectors),
        Alignment("ana-ber", "optimal_transport", 7, "xlmr", 1, member="xlmr"),
        Alignment("ana-ber", "optimal_transport", 7, "xlmr", 2, member="xlmr"),
    ]
    assert [paper.tables_of(one) for one in found] == [["table2"]] * 4 + [["fig2"], ["table2", "fig2"]]
    assert len(paper.alignments()) == 3 * 6


def test_only_figure_2s_aligner_has_every_layer(opened: Opener) -> None:
    aligners = FEW_ALIGNMENTS["word_alignment"]["aligners"] | {"simalign_itermax": {"reads": "vectors"}}
    section = FEW_ALIGNMENTS["xlm_align"] | {"figure2": "simalign_itermax"}
    change = FEW_ALIGNMENTS | {"word_alignment": {"aligners": aligners}, "xlm_align": section}
    paper = XlmAlign(opened(change=change))
    found = [one for one in paper.alignments_of("ana-ber") if one.layer is not None]
    assert [(one.aligner, one.layer, paper.tables_of(one)) for one in found] == [
        ("simalign_itermax", 1, ["fig2"]),
        ("simalign_itermax", 2, ["table2", "fig2"]),
        ("optimal_transport", 2, ["table2"]),
    ]


def test_in_the_paper_table_2_has_layer_8_of_published_encoders(opened: Opener) -> None:
    paper = XlmAlign(opened("paper"))
    found = [one for one in paper.alignments_of("de-en") if one.aligner == "optimal_transport" and one.layer]
    assert [one.layer for one in found if "table2" in paper.tables_of(one)] == [8, 8]
    assert {one.space for one in paper.alignments_of("ro-en")} == {"", "xlmr", "xlm_align"}


def test_another_encoder_may_stand_for_one_of_the_tables(opened: Opener) -> None:
    def shown_as(member: str) -> Workflow:
        return opened("full", {"xlm_align": {"encoders": {"xlmr": {"member": member}}}})

    w = shown_as("mbert")
    assert w.stage(WordAlignment).trained("xlmr", 3) == "results/full/encoders/mbert/seed3"
    assert "xlmr: mbert. " in XlmAlign(w).tables()["table2"].note
    with pytest.raises(ConfigError, match="nobody"):
        shown_as("nobody")


def test_gold_sets_are_those_of_the_sheets_and_of_the_language_pairs(opened: Opener) -> None:
    def gold(scale: str = "", **change: object) -> list[str]:
        return XlmAlign(opened(scale, change)).gold

    assert gold("real") == gold("paper") == ["de-en", "en-fr", "en-hi", "ro-en"]
    assert gold(pairs=["ana-ber", "eno-fyr"]) == ["ana-ber", "eno-fyr"]
    sheet = opened.sheet("gold_alignment\tde-en\tword-alignments\t\t\talignment-test-sets.tar.gz")
    assert gold(data={"sheets": [sheet]}, pairs=["ber-ana"]) == ["ber-ana", "de-en"]
    assert gold(xlm_align={"gold": ["eno-ana"]}) == ["eno-ana"]


def test_vectors_serve_a_pair_in_either_direction_or_not_at_all(opened: Opener) -> None:
    real = XlmAlign(opened("real"))
    found = [real.lexicon_pair(pair) for pair in ("en-fr", "de-en", "ro-en")]
    assert [entry and entry.name for entry in found] == ["en-fr.muse_full", "en-de.muse_full", None]


def test_an_aligner_on_text_trains_on_the_bitext_of_the_pair_unless_told(opened: Opener) -> None:
    assert XlmAlign(opened("real")).training("de-en") == ("en-de", "en-de.everyday")
    assert XlmAlign(opened("real")).training("ro-en") == ()
    assert XlmAlign(opened("paper")).training("en-hi") == ("en-hi.iitb",)
    named = XlmAlign(opened(change={"xlm_align": {"training": {"ana-ber": []}}}))
    assert (named.training("ana-ber"), named.training("ana-cor")) == ((), ("ana-cor",))
