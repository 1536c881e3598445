"""Jobs of word alignment and machine translation: names, inputs, no test set in training."""

import pytest

from configurations import FEW_ALIGNMENTS, SCRATCH, Opener, job, rows
from crosslingua.errors import ConfigError
from crosslingua.papers.joint_align.experiments import JointAlign
from crosslingua.workflow import translation
from crosslingua.workflow.jobs import Jobs
from crosslingua.workflow.translation import Translation
from crosslingua.workflow.word_alignment import WordAlignment
from crosslingua.workflow.workflow import Workflow

RESULTS = "results/demo"
GOLD = f"{RESULTS}/corpora/gold_alignment"
LINKS = f"{RESULTS}/word_alignment/links"
NEWS = "real studies/news_translation"
ONE_PAIR = {"joint_align": {"translation": {"pairs": 1}}}


@pytest.fixture
def few(opened: Opener) -> Workflow:
    return opened(change=FEW_ALIGNMENTS)


def test_files_never_collide(few: Workflow) -> None:
    found = few.stage(WordAlignment).alignments
    for file in (few.stage(WordAlignment).links_file, few.stage(WordAlignment).score_file):
        assert len({file(one) for one in found}) == len(found)
    first, _, static, _, _, layer = found[:6]
    assert few.stage(WordAlignment).links_file(first) == f"{LINKS}/fast_align/ana-ber.links"
    assert (
        few.stage(WordAlignment).links_file(static)
        == f"{LINKS}/optimal_transport+procrustes/ana-ber.seed5.links"
    )
    assert (
        few.stage(WordAlignment).links_file(layer)
        == f"{LINKS}/optimal_transport+xlmr/seed7/ana-ber.layer2.links"
    )
    score = "optimal_transport+xlmr.layer2.seed7.json"
    assert few.stage(WordAlignment).score_file(layer) == f"{RESULTS}/word_alignment/scores/ana-ber/{score}"


def test_vectors_and_training_text_are_turned_round_where_they_must_be(opened: Opener) -> None:
    real = opened("real", {"xlm_align": {"vectors": ["procrustes"]}})
    text, *_, static = [
        one for one in real.stage(WordAlignment).alignments if one.pair == "de-en" and one.layer is None
    ]
    assert (text.vectors, static.vectors.name) == (None, "en-de.muse_full")
    folder = f"results/real/embedding_alignment/en-de.muse_full/procrustes/seed{static.seed}"
    links = real.stage(WordAlignment).links_file(static)
    (line,) = [line for line in job(real, f"word_align/{static.system}").lines if line["out"] == links]
    vectors = [f"{folder}.{side}.vec" for side in ("target", "source")]
    assert [line[f"{side}_vectors"] for side in ("source", "target")] == vectors
    told = job(real, "word_align/fast_align/de-en").options
    corpora, names = "results/real/corpora/bitext", ("en-de", "en-de.everyday")
    for side, language in (("source", "de"), ("target", "en")):
        assert told[f"training_{side}"] == [f"{corpora}/{name}.{language}.txt" for name in names]
    assert job(real, "word_align/fast_align/ro-en").options["training_source"] == []


def test_a_published_encoder_aligns_once_for_all_seeds(opened: Opener) -> None:
    real = opened("real")
    stage = real.stage(WordAlignment)
    links = {space: {stage.links_file(one) for one in stage.alignments if one.space == space and one.pair == "de-en"}
             for space in ("e5_small_q4", "xlm_align")}  # fmt: skip
    assert (len(links["e5_small_q4"]), len(links["xlm_align"])) == (
        14,
        3 * 14,
    )  # 12 layers, and two other aligners
    scored = [line for line in job(real, "score_alignment/de-en").lines if "e5_small_q4" in line["out"]]
    assert len(scored) == 3 * 14
    with pytest.raises(ConfigError, match="not defined"):
        job(real, "word_align/simalign_argmax+e5_small_q4.seed2")


def test_options_of_aligners(few: Workflow) -> None:
    told = {"aligner": "optimal_transport", "set": ["mu=0.5"], "lowercase": True}
    assert job(few, "word_align/optimal_transport+procrustes").options == told
    assert job(few, "word_align/optimal_transport+xlmr.seed7").options == told | {"lowercase": False}
    corpora = f"{RESULTS}/corpora/bitext/ana-cor"
    sides = {"source": f"{corpora}.ana.txt", "target": f"{corpora}.cor.txt"}
    bitext = job(few, "align_bitext/ana-cor")
    shared = {"aligner": "fast_align", "lowercase": True, "languages": ["ana", "cor"]}
    assert bitext.options == shared | sides | {"set": ["symmetrisation=intersect"]}
    assert bitext.files() == list(sides.values())
    assert bitext.members == ["crosslingua.word_aligners.fast_align"]
    assert job(few, "word_align/fast_align/ana-cor").options == shared | {
        "source": f"{GOLD}/ana-cor.ana.txt", "target": f"{GOLD}/ana-cor.cor.txt", "set": [],
        "training_source": [sides["source"]], "training_target": [sides["target"]],
    }  # fmt: skip


def test_static_vectors_are_a_line_for_each_gold_set_and_seed_and_an_encoder_one_for_its_layers(few) -> None:
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
    assert len(found.lines) == 6
    gold = [f"{GOLD}/ana-ber.{name}" for name in ("ana.txt", "ber.txt", "links")]
    folders = [f"{LINKS}/optimal_transport+procrustes", f"{LINKS}/optimal_transport+xlmr/seed7"]
    read = found.files()
    assert read == [
        *gold,
        *(f"{LINKS}/{name}/ana-ber.links" for name in ("fast_align", "diagonal")),
        *folders,
    ]
    assert all(line["hypothesis"].startswith(tuple(read[3:])) for line in found.lines)


def test_an_aligner_that_draws_has_a_job_a_row_and_links_for_each_seed(opened: Opener) -> None:
    gibbs = {"aligners": {"gibbs": {"settings": {"passes": 9}}}}
    w = opened(change=FEW_ALIGNMENTS | {"word_alignment": gibbs})
    found = [
        one for one in w.stage(WordAlignment).alignments if one.pair == "ana-ber" and one.aligner == "gibbs"
    ]
    assert [one.seed for one in found] == [5, 6]
    made = job(w, "word_align/gibbs.seed6/ana-ber")
    assert made.makes == (f"{LINKS}/gibbs.seed6/ana-ber.links",)
    assert made.options["set"] == ["passes=9", "seed=6"]
    assert made.options["training_source"] == [f"{RESULTS}/corpora/bitext/ana-ber.ana.txt"]
    scored = [line["out"] for line in job(w, "score_alignment/ana-ber").lines if "gibbs" in line["out"]]
    assert scored == [f"{RESULTS}/word_alignment/scores/ana-ber/gibbs.seed{seed}.json" for seed in (5, 6)]


def test_links_are_gibbss_where_no_paper_names_another(opened: Opener) -> None:
    for scale, aligner in (("own", "gibbs"), (SCRATCH, "gibbs"), ("paper", "fast_align")):
        assert opened(scale).config.word_alignment.bitext.aligner == aligner


def pair_of(w: Workflow):
    return w.stage(Translation).pairs[0]


def hashes(w: Workflow) -> dict[str, str]:
    """The hash of each system of the first pair and direction."""
    name = translation.directions(pair_of(w))[0].name
    own = [one for one in rows(w, "joint_align") if one["task"] == "translation"]
    return {one["system"]: one["config_hash"] for one in own if f"{one['source']}-{one['target']}" == name}


def test_systems_begin_with_the_vectors_of_table_1(opened: Opener) -> None:
    w = opened(change=ONE_PAIR)
    joint = {"joint": "joint", "joint_align": "joint_align_identity"}
    assert w.stage(Translation).trained == joint | {"align": "vecmap", "supervised": "vecmap"}
    begin = {"align": "embedding_alignment/ana-ber.world/vecmap", "joint": "word_embeddings/joint/ana-ber"}
    for system, place in begin.items():
        read = job(w, f"train_translation/ana-ber.world.{system}.seed2").options["vectors"]
        assert read == [f"results/demo/{place}/seed2.{side}.vec" for side in ("source", "target")]


def test_words_are_shared_where_vectors_were_trained_together(opened: Opener) -> None:
    w = opened("full")
    names = {one: f"train_translation/{pair_of(w).name}.{one}.seed1" for one in w.stage(Translation).trained}
    shared = {system: job(w, name).options["shared"] for system, name in names.items()}
    place = "results/full/word_embeddings"
    assert shared == {
        "align": [], "duong": [], "supervised": [], "joint": [f"{place}/joint/ana-ber/seed1.shared.txt"],
        "joint_align": [f"{place}/joint_vr_unsupervised/ana-ber/seed1.shared.txt"],
    }  # fmt: skip


@pytest.mark.parametrize("scale", ["tiny", "full", NEWS, "paper"])
def test_no_system_is_trained_on_what_it_is_tested_on(opened: Opener, scale: str) -> None:
    w = opened(scale)
    jobs = Jobs(w.stage(Translation).jobs()).values()
    for pair in w.stage(Translation).pairs:
        tested = set(w.stage(Translation).test_files(translation.directions(pair)[0]).values())
        assert len(tested) == 2
        trained = [job for job in jobs if job.name.startswith(f"train_translation/{pair.name}.")]
        assert trained
        assert not any(tested & set(job.files()) for job in trained)


def test_data_of_scale_paper(opened: Opener) -> None:
    paper = opened("paper")
    found = [
        (f"{p.source}-{p.target}", *paper.stage(Translation).test_set(p))
        for p in paper.stage(Translation).pairs
    ]
    assert found == [("en-fr", "bitext", "en-fr.wmt14"), ("en-de", "bitext", "en-de.wmt16")]
    files = [f"results/paper/corpora/text/{language}.txt" for language in ("en", "fr")]
    assert paper.stage(Translation).text_files("joint", pair_of(paper)) == files


def test_news_is_translated_after_training_on_sentences_of_everyday_life(opened: Opener) -> None:
    """The study over scale real: its own folder, none of the test sets among the training data."""
    w = opened(NEWS)
    folder = "results/news_translation/corpora/bitext"
    for pair, test in zip(w.stage(Translation).pairs, ("newstest2016", "newstest2014"), strict=True):
        name = f"{pair.source}-{pair.target}"
        for one in translation.directions(pair):
            read = w.stage(Translation).test_files(one)
            assert list(read.values()) == [f"{folder}/{name}.{test}.{spoken}.txt" for spoken in one.languages]
        wanted = [f"{folder}/{name}.manythings.{spoken}.txt" for spoken in (pair.source, pair.target)]
        for system in w.stage(Translation).trained:
            assert w.stage(Translation).text_files(system, pair) == wanted
        held_out = job(w, f"prepare_bitext/{name}.manythings").files()
        assert {read["source"], read["reference"]} <= set(held_out)
        trained = job(w, f"train_translation/{pair.name}.align.seed{w.stage(Translation).seeds['align'][0]}")
        assert trained.options["data"] == "alternating"


def test_both_directions_are_translated_by_every_epoch(opened: Opener) -> None:
    w = opened(change=ONE_PAIR)
    translating = job(w, "translate/ana-ber.world.joint.seed2")
    assert translating.options == {"every_epoch": True, "beam": w.stage(Translation).section.beam}
    system, lines = f"{RESULTS}/translation/systems/ana-ber.world/joint/seed2", translating.lines
    told = [(line["system"], line["input"], line["to"], line["out"].rpartition("/")[2]) for line in lines]
    assert told == [
        (system, f"{GOLD}/ana-ber.{source}.txt", target, f"seed2.{source}-{target}")
        for source, target in (("ana", "ber"), ("ber", "ana"))
    ]


def test_baselines_look_words_up_in_each_systems_own_vectors(opened: Opener) -> None:
    lines = job(opened(change=ONE_PAIR), "translate_words/ana-ber.world").lines
    assert len([line for line in lines if not line["source"]]) == 2  # the copy is the same for all seeds
    back = next(line for line in lines if "word_by_word+align.seed1.ber-ana" in line["out"])
    sides = [back[side].rpartition("/")[2] for side in ("source", "target")]
    assert sides == ["seed1.target.vec", "seed1.source.vec"]
    assert len(lines) == 2 * (1 + 3 * 2)


def test_everything_that_is_scored_is_a_line_and_the_other_way_round(opened: Opener) -> None:
    w = opened(change=ONE_PAIR)
    scoring = job(w, "score_translation/ana-ber.world")
    lines = scoring.lines
    assert f"{RESULTS}/translation/baselines/ana-ber.world" in scoring.files()  # a folder that one job makes
    found = JointAlign(w).cells("translation")
    assert {line["out"] for line in lines} == {cell.score for cell in found}
    assert {cell.system for cell in found} == {
        "copy", "word_by_word+align", "word_by_word+joint", "word_by_word+joint_align", "align", "joint", "joint_align",
        "supervised",
    }  # fmt: skip
    assert {(c.table, c.task) for c in found} == {("fig2", "translation")}
    assert not any(line["language"] for line in lines)  # the world's words stay apart
    real = opened(NEWS)
    told = job(real, f"score_translation/{pair_of(real).name}").lines
    assert {line["language"] for line in told} == {"en", "de"}


def test_a_hash_is_of_what_a_score_depends_on(opened: Opener) -> None:
    settings = {"translation": {"pairs": 1, "settings": {"epochs": 21}}}
    before, longer = (hashes(opened(change=own)) for own in (ONE_PAIR, {"joint_align": settings}))
    moved = {name for name in before if before[name] != longer[name]}
    assert moved == {"align", "joint", "joint_align", "supervised"}
    vectors = hashes(opened(change=ONE_PAIR | {"word_embeddings": {"epoch": 6}}))
    assert {name for name in before if before[name] == vectors[name]} == {"copy"}
    assert len(set(before.values())) == len(before)


def test_without_the_section_nothing_is_translated(opened: Opener) -> None:
    w = opened("full", {"joint_align": {"translation": None}})
    assert JointAlign(w).groups() == ["main", "ner", "ablations"]
    assert not {"fig2", "figure2"} & {*JointAlign(w).tables(), *JointAlign(w).drawings()}
    assert w.stage(Translation).trained == {}
