"""Which alignments a configuration asks for, under which names, from which files."""

import pytest

from configurations import FEW_ALIGNMENTS, Opener, job
from crosslingua.workflow import alignment
from crosslingua.workflow.workflow import Workflow

RESULTS = "results/demo"
GOLD = f"{RESULTS}/corpora/gold_alignment"
LINKS = f"{RESULTS}/word_alignment/links"


@pytest.fixture
def few(opened: Opener) -> Workflow:
    return opened(change=FEW_ALIGNMENTS)


def test_files_never_collide(few: Workflow) -> None:
    found = alignment.every_alignment(few)
    assert len({alignment.links_file(few, one) for one in found}) == len(found)
    assert len({alignment.score_file(few, one) for one in found}) == len(found)
    first, static, _, _, layer = found[:5]
    assert alignment.links_file(few, first) == f"{LINKS}/fast_align/ana-ber.links"
    assert alignment.links_file(few, static) == f"{LINKS}/optimal_transport+procrustes/ana-ber.seed5.links"
    assert alignment.links_file(few, layer) == f"{LINKS}/optimal_transport+xlmr/seed7/ana-ber.layer2.links"
    score = "optimal_transport+xlmr.layer2.seed7.json"
    assert alignment.score_file(few, layer) == f"{RESULTS}/word_alignment/scores/ana-ber/{score}"


def test_vectors_and_training_text_are_turned_round_where_they_must_be(opened: Opener) -> None:
    small = opened("small")
    text, *_, static = [one for one in alignment.alignments_of(small, "de-en") if one.layer is None]
    assert (text.vectors, static.vectors.name) == (None, "en-de.muse_full")
    folder = f"results/small/embedding_alignment/en-de.muse_full/procrustes/seed{static.seed}"
    lines = job(small, f"word_align/{static.system}").lines
    line = next(line for line in lines if line["out"] == alignment.links_file(small, static))
    assert line["source_vectors"] == f"{folder}.target.vec"
    assert line["target_vectors"] == f"{folder}.source.vec"
    told = job(small, "word_align/fast_align/de-en").options
    corpora, names = "results/small/corpora/bitext", ("en-de", "en-de.manythings")
    for side, language in (("source", "de"), ("target", "en")):
        assert told[f"training_{side}"] == [f"{corpora}/{name}.{language}.txt" for name in names]
    assert job(small, "word_align/fast_align/ro-en").options["training_source"] == []


def test_options_of_aligners(few: Workflow) -> None:
    told = {"aligner": "optimal_transport", "set": ["mu=0.5"], "lowercase": True}
    assert job(few, "word_align/optimal_transport+procrustes").options == told
    assert job(few, "word_align/optimal_transport+xlmr.seed7").options == told | {"lowercase": False}
    corpora = f"{RESULTS}/corpora/bitext/ana-cor"
    sides = {"source": f"{corpora}.ana.txt", "target": f"{corpora}.cor.txt"}
    bitext = job(few, "align_bitext/ana-cor")
    assert bitext.options == {
        "aligner": "fast_align", "set": ["symmetrisation=intersect"], "lowercase": True, **sides,
        "languages": ["ana", "cor"],
    }  # fmt: skip
    assert bitext.files() == list(sides.values())
    assert bitext.members == ["crosslingua.word_aligners.fast_align"]
    assert job(few, "word_align/fast_align/ana-cor").options == {
        "source": f"{GOLD}/ana-cor.ana.txt", "target": f"{GOLD}/ana-cor.cor.txt",
        "aligner": "fast_align", "set": [], "lowercase": True, "languages": ["ana", "cor"],
        "training_source": [sides["source"]], "training_target": [sides["target"]],
    }  # fmt: skip


def test_static_vectors_are_one_job_of_a_line_for_each_gold_set_and_seed(few: Workflow) -> None:
    found = job(few, "word_align/optimal_transport+procrustes")
    assert len(found.lines) == 3 * 2
    mapped = f"{RESULTS}/embedding_alignment/ana-ber.world/procrustes/seed5"
    assert found.lines[0] == {
        "source": f"{GOLD}/ana-ber.ana.txt", "target": f"{GOLD}/ana-ber.ber.txt",
        "languages": ["ana", "ber"], "source_vectors": f"{mapped}.source.vec", "target_vectors": f"{mapped}.target.vec",
        "out": f"{LINKS}/optimal_transport+procrustes/ana-ber.seed5.links",
    }  # fmt: skip
    read = [line[name] for line in found.lines for name in line.keys() - {"out", "languages"}]
    assert set(found.files()) == {*read}


def test_an_encoder_is_one_job_of_a_line_for_each_gold_set_with_all_its_layers(few: Workflow) -> None:
    found = job(few, "word_align/optimal_transport+xlmr.seed7")
    assert [line["languages"] for line in found.lines] == [["ana", other] for other in ("ber", "cor", "dax")]
    encoder, folder = f"{RESULTS}/encoders/xlmr/seed7", f"{LINKS}/optimal_transport+xlmr/seed7"
    assert found.lines[0] == {
        "source": f"{GOLD}/ana-ber.ana.txt", "target": f"{GOLD}/ana-ber.ber.txt",
        "encoder": encoder, "languages": ["ana", "ber"], "layer": [1, 2],
        "out": [f"{folder}/ana-ber.layer1.links", f"{folder}/ana-ber.layer2.links"],
    }  # fmt: skip
    texts = {path for line in found.lines for path in (line["source"], line["target"])}
    assert set(found.files()) == texts | {encoder}


def test_scoring_reads_every_alignment_of_a_gold_set_and_its_links(few: Workflow) -> None:
    found = job(few, "score_alignment/ana-ber")
    assert len(found.lines) == 5
    gold = [f"{GOLD}/ana-ber.{name}" for name in ("ana.txt", "ber.txt", "links")]
    folders = [f"{LINKS}/optimal_transport+procrustes", f"{LINKS}/optimal_transport+xlmr/seed7"]
    read = found.files()
    assert read == [*gold, f"{LINKS}/fast_align/ana-ber.links", *folders]
    assert all(line["hypothesis"].startswith(tuple(read[3:])) for line in found.lines)


def test_an_aligner_that_draws_has_a_job_a_row_and_links_for_each_seed(opened: Opener) -> None:
    gibbs = {"aligners": {"gibbs": {"settings": {"passes": 9}}}}
    w = opened(change=FEW_ALIGNMENTS | {"word_alignment": gibbs})
    found = [one for one in alignment.alignments_of(w, "ana-ber") if one.aligner == "gibbs"]
    assert [one.seed for one in found] == [5, 6]
    made = job(w, "word_align/gibbs.seed6/ana-ber")
    assert made.makes == (f"{LINKS}/gibbs.seed6/ana-ber.links",)
    assert made.options["set"] == ["passes=9", "seed=6"]
    assert made.options["training_source"] == [f"{RESULTS}/corpora/bitext/ana-ber.ana.txt"]
    scored = [line["out"] for line in job(w, "score_alignment/ana-ber").lines if "gibbs" in line["out"]]
    assert scored == [f"{RESULTS}/word_alignment/scores/ana-ber/gibbs.seed{seed}.json" for seed in (5, 6)]


def test_links_are_gibbss_where_no_paper_names_another(opened: Opener) -> None:
    for scale, aligner in (("own", "gibbs"), ("small gpu", "gibbs"), ("paper", "fast_align")):
        assert opened(scale).config["word_alignment"]["bitext"]["aligner"] == aligner
