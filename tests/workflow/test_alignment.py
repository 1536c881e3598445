"""Which alignments a configuration asks for, under which names, from which files."""

from __future__ import annotations

import pytest

from configurations import Opener, planned
from crosslingua.errors import ConfigError
from crosslingua.workflow import alignment
from crosslingua.workflow.alignment import Alignment, alignments, gold, lexicon_pair, training_pairs
from crosslingua.workflow.workflow import Workflow

FEW = {
    "seeds": [5, 6],
    "encoders": {"seeds": [7]},
    "word_alignment": {
        "aligners": {
            "simalign_argmax": None,
            "simalign_itermax": None,
            "optimal_transport": {"reads": "vectors", "settings": {"regularisation": "entropic"}},
        }
    },
    "xlm_align": {"encoders": {"xlmr": {"layer": 2, "layers": [1, 2]}, "xlm_align": None}},
}
RESULTS = "results/demo"
GOLD = f"{RESULTS}/corpora/gold_alignment"


@pytest.fixture
def few(opened: Opener) -> Workflow:
    return opened(change=FEW)


def test_every_aligner_meets_every_space_layer_and_seed(few: Workflow) -> None:
    assert alignments(few, "ana-ber") == [
        Alignment("ana-ber", "fast_align", 5),
        Alignment("ana-ber", "optimal_transport", 5, "procrustes"),
        Alignment("ana-ber", "optimal_transport", 6, "procrustes"),
        Alignment("ana-ber", "optimal_transport", 7, "xlmr", 1, ("fig2",)),
        Alignment("ana-ber", "optimal_transport", 7, "xlmr", 2, ("table2", "fig2")),
    ]
    assert len(alignment.every_alignment(few)) == 3 * 5


def test_only_figure_2s_aligner_has_every_layer(opened: Opener) -> None:
    aligners = FEW["word_alignment"]["aligners"] | {"simalign_itermax": {"reads": "vectors"}}
    section = FEW["xlm_align"] | {"figure2": "simalign_itermax"}
    few = opened(change=FEW | {"word_alignment": {"aligners": aligners}, "xlm_align": section})
    found = [one for one in alignments(few, "ana-ber") if one.layer is not None]
    assert [(one.aligner, one.layer, one.tables) for one in found] == [
        ("simalign_itermax", 1, ("fig2",)),
        ("simalign_itermax", 2, ("table2", "fig2")),
        ("optimal_transport", 2, ("table2",)),
    ]


def test_the_paper_draws_ten_layers_of_published_encoders(opened: Opener) -> None:
    w = opened("paper")
    found = [one for one in alignments(w, "de-en") if one.aligner == "optimal_transport" and one.layer]
    assert [one.layer for one in found if one.space == "xlmr"] == list(range(3, 13))
    assert [one.layer for one in found if "table2" in one.tables] == [8, 8]
    assert {one.space for one in alignments(w, "ro-en")} == {"", "xlmr", "xlm_align"}


def test_files_never_collide(few: Workflow) -> None:
    found = alignment.every_alignment(few)
    assert len({alignment.links_file(few, one) for one in found}) == len(found)
    assert len({alignment.score_file(few, one) for one in found}) == len(found)
    first, static, _, _, layer = found[:5]
    links = f"{RESULTS}/word_alignment/links"
    assert alignment.links_file(few, first) == f"{links}/fast_align/ana-ber.links"
    assert alignment.links_file(few, static) == f"{links}/optimal_transport+procrustes/ana-ber.seed5.links"
    assert alignment.links_file(few, layer) == f"{links}/optimal_transport+xlmr/seed7/ana-ber.layer2.links"
    assert alignment.score_file(few, layer) == (
        f"{RESULTS}/word_alignment/scores/ana-ber/optimal_transport+xlmr.layer2.seed7.json"
    )


def test_gold_sets_are_those_of_the_sheets_and_of_the_language_pairs(opened: Opener) -> None:
    assert gold(opened("small")) == gold(opened("paper")) == ["de-en", "en-fr", "en-hi", "ro-en"]
    assert gold(opened(change={"pairs": ["ana-ber", "eno-fyr"]})) == ["ana-ber", "eno-fyr"]
    sheet = opened.sheet("gold_alignment\tde-en\tword-alignments\t\t\talignment-test-sets.tar.gz")
    both = opened(change={"data": {"sheets": [sheet]}, "pairs": ["ber-ana"]})
    assert gold(both) == ["ber-ana", "de-en"]
    assert gold(opened(change={"xlm_align": {"gold": ["eno-ana"]}})) == ["eno-ana"]


def test_vectors_serve_a_pair_in_either_direction_or_not_at_all(opened: Opener) -> None:
    small = opened("small")
    assert lexicon_pair(small, "en-fr")[0].name == "en-fr.muse_full"
    entry, swapped = lexicon_pair(small, "de-en")
    assert (entry.name, swapped) == ("en-de.muse_full", True)
    assert lexicon_pair(small, "ro-en") is None
    one = Alignment("de-en", "optimal_transport", 1, "procrustes")
    vectors = [alignment.static_vectors(small, one, side) for side in (0, 1)]
    folder = "results/small/embedding_alignment/en-de.muse_full/procrustes"
    assert vectors == [f"{folder}/seed1.target.vec", f"{folder}/seed1.source.vec"]


def test_training_text_is_turned_round_where_it_must_be(opened: Opener) -> None:
    small = opened("small")
    assert training_pairs(small, "de-en") == [("en-de", True), ("en-de.manythings", True)]
    corpora, names = "results/small/corpora/bitext", ("en-de", "en-de.manythings")
    for side, language in enumerate(("de", "en")):
        files = [f"{corpora}/{name}.{language}.txt" for name in names]
        assert alignment.training_text(small, "de-en", side) == files
    assert training_pairs(small, "ro-en") == []
    assert alignment.text_options(small, "fast_align", "ro-en")["training_source"] == []
    paper = opened("paper")
    assert training_pairs(paper, "en-hi") == [("en-hi.iitb", False)]
    named = opened(change={"xlm_align": {"training": {"ana-ber": []}}})
    assert training_pairs(named, "ana-ber") == []
    assert training_pairs(named, "ana-cor") == [("ana-cor", False)]


def test_options_of_aligners(few: Workflow) -> None:
    settings = ["regularisation=entropic"]
    told = {"aligner": "optimal_transport", "set": settings, "lowercase": True}
    assert alignment.aligner_options(few, "optimal_transport") == told
    assert alignment.aligner_options(few, "optimal_transport", encoder=True) == told | {"lowercase": False}
    assert alignment.bitext_options(few) == {
        "aligner": "fast_align", "set": ["symmetrisation=intersect"], "lowercase": True,
    }  # fmt: skip
    corpora = f"{RESULTS}/corpora/bitext/ana-cor"
    assert alignment.text_options(few, "fast_align", "ana-cor") == {
        "aligner": "fast_align", "set": [], "lowercase": True,
        "training_source": [f"{corpora}.ana.txt"], "training_target": [f"{corpora}.cor.txt"],
    }  # fmt: skip


def test_static_vectors_are_one_job_of_a_cell_for_each_gold_set_and_seed(few: Workflow) -> None:
    cells = planned(alignment.vector_plan(few, "optimal_transport", "procrustes"))
    assert len(cells) == 3 * 2
    mapped = f"{RESULTS}/embedding_alignment/ana-ber.world/procrustes/seed5"
    assert cells[0] == {
        "source": f"{GOLD}/ana-ber.ana.txt", "target": f"{GOLD}/ana-ber.ber.txt",
        "source_vectors": f"{mapped}.source.vec", "target_vectors": f"{mapped}.target.vec",
        "out": f"{RESULTS}/word_alignment/links/optimal_transport+procrustes/ana-ber.seed5.links",
    }  # fmt: skip
    read = alignment.vector_inputs(few, "optimal_transport", "procrustes")
    assert set(read) == {path for cell in cells for name, path in cell.items() if name != "out"}
    assert len(read) == len(set(read))


def test_an_encoder_is_one_job_of_a_cell_for_each_gold_set_with_all_its_layers(few: Workflow) -> None:
    cells = planned(alignment.encoder_plan(few, "optimal_transport", "xlmr", 7))
    assert [cell["languages"] for cell in cells] == ["ana ber", "ana cor", "ana dax"]
    folder = f"{RESULTS}/word_alignment/links/optimal_transport+xlmr/seed7"
    assert cells[0] == {
        "source": f"{GOLD}/ana-ber.ana.txt", "target": f"{GOLD}/ana-ber.ber.txt",
        "encoder": f"{RESULTS}/encoders/xlmr/seed7", "languages": "ana ber", "layer": "1 2",
        "out": f"{folder}/ana-ber.layer1.links {folder}/ana-ber.layer2.links",
    }  # fmt: skip
    texts = {path for cell in cells for path in (cell["source"], cell["target"])}
    assert set(alignment.all_gold_text(few)) == texts


def test_scoring_reads_every_alignment_of_a_gold_set_and_its_links(few: Workflow) -> None:
    cells = planned(alignment.scoring_plan(few, "ana-ber"))
    assert len(cells) == 5
    assert {cell["gold"] for cell in cells} == {f"{GOLD}/ana-ber.links"}
    links = f"{RESULTS}/word_alignment/links"
    assert alignment.scoring_inputs(few, "ana-ber") == [
        f"{links}/fast_align/ana-ber.links",
        f"{links}/optimal_transport+procrustes",
        f"{links}/optimal_transport+xlmr/seed7",
    ]
    made = [cell["hypothesis"] for cell in cells]
    assert all(
        any(path.startswith(read) for read in alignment.scoring_inputs(few, "ana-ber")) for path in made
    )


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
