"""Which alignments a configuration asks for, under which names, from which files."""

import pytest

from configurations import FEW_ALIGNMENTS, Opener, planned
from crosslingua.workflow import alignment
from crosslingua.workflow.workflow import Workflow

RESULTS = "results/demo"
GOLD = f"{RESULTS}/corpora/gold_alignment"


@pytest.fixture
def few(opened: Opener) -> Workflow:
    return opened(change=FEW_ALIGNMENTS)


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


def test_vectors_and_training_text_are_turned_round_where_they_must_be(opened: Opener) -> None:
    small = opened("small")
    text, *_, static = [one for one in alignment.alignments_of(small, "de-en") if one.layer is None]
    assert (text.vectors, static.vectors.name) == (None, "en-de.muse_full")
    folder = f"results/small/embedding_alignment/en-de.muse_full/procrustes/seed{static.seed}"
    vectors = [alignment.static_vectors(small, static, side) for side in (0, 1)]
    assert vectors == [f"{folder}.target.vec", f"{folder}.source.vec"]
    told = alignment.training_text(small, "fast_align", "de-en")
    corpora, names = "results/small/corpora/bitext", ("en-de", "en-de.manythings")
    for side, language in (("source", "de"), ("target", "en")):
        assert told[f"training_{side}"] == [f"{corpora}/{name}.{language}.txt" for name in names]
    assert alignment.text_options(small, "fast_align", "ro-en")["training_source"] == []


def test_options_of_aligners(few: Workflow) -> None:
    settings = ["mu=0.5"]
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
