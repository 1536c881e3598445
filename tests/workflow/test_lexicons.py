"""Jobs of lexicon induction, and of the controls of unsupervised mappers."""

from collections import Counter
from pathlib import PurePath

from configurations import Opener
from crosslingua.workflow import lexicons
from crosslingua.workflow.jobs import Job, Jobs
from crosslingua.workflow.workflow import Workflow

EMBEDDINGS = "results/tiny/word_embeddings"
MAPPED = "results/tiny/embedding_alignment/ana-ber.world"
INDUCED = "results/tiny/lexicon_induction"


def induction(w: Workflow, name: str) -> Job:
    return Jobs(lexicons.lexicon_jobs(w))[f"induce_lexicon/{name}"]


def test_inducing_a_lexicon_is_a_line_a_variant_and_seed(opened: Opener) -> None:
    w = opened("tiny")
    folder = f"{INDUCED}/ana-ber.world/supervised/joint_ar_rcsls"
    job = induction(w, "ana-ber.world.joint_ar_rcsls")
    mapped = f"{MAPPED}/joint_ar_rcsls"
    assert job.lines == [
        {
            "source": f"{mapped}/{run}.source.vec",
            "target": f"{mapped}/{run}.target.vec",
            "mapping": f"{mapped}/{run}.details.json",
            "out": f"{folder}/{run}.json",
            "predictions": f"{folder}/{run}.predictions.tsv",
        }
        for run in ("seed1", "seed2", "published.seed1", "published.seed2")
    ]
    read = {line[name] for line in job.lines for name in ("source", "target", "mapping")}
    assert set(job.files()) == read | {*job.options["dictionary"]}
    assert lexicons.score_file(w, "joint_ar_rcsls", w.lexicon_pairs["ana-ber.world"], 1).made_by == (folder,)
    duong = induction(w, "ana-ber.world.duong").lines[0]
    assert (duong["source"], duong["mapping"]) == (f"{EMBEDDINGS}/duong/ana-ber.world/seed1.source.vec", "")
    told, section = induction(w, "ana-ber.world.muse").options, w.config["lexicon_induction"]
    assert {name: told[name] for name in section} == section
    assert (told["identical"], told["max_vocabulary"]) == (["kept", "dropped"], 200000)
    assert told["dictionary"] == ["results/tiny/corpora/dictionaries/ana-ber.world/test.txt"]


def test_a_job_of_the_curve_is_of_all_systems_that_need_a_dictionary(opened: Opener) -> None:
    w = opened("tiny")
    scores = [line["out"] for line in induction(w, "ana-ber.world_55").lines]
    judged = [PurePath(score).parent.name for score in scores]
    assert {"procrustes", "duong", "joint_align_rcsls"} <= set(judged)
    assert not {"muse", "joint", "joint_vr", "joint_align_identity"} & set(judged)
    assert max(Counter(judged).values()) == len(w.seeds)  # none under published settings
    made = lexicons.score_file(w, "duong", w.curve_pairs["ana-ber.world_55"], 1).made_by
    assert made == (f"{INDUCED}/ana-ber.world_55/supervised",)


def test_an_unsupervised_mapper_is_controlled_by_one_language_twice(opened: Opener) -> None:
    w = opened("tiny", {"joint_align": {"controls": 3}})
    assert lexicons.controlled(w) == ["muse", "vecmap"]
    (job,) = lexicons.control_jobs(w)
    assert job.members == [f"crosslingua.mappers.{name}" for name in ("muse", "vecmap", "procrustes")]
    assert len(job.lines) == 3 * 2 * 3
    upper = job.lines[-6:]  # the line above them, on the same vectors
    assert all((line["mapper"], line["set"]) == ("procrustes", []) for line in upper)
    for name in ("source", "target", "seed"):
        assert [line[name] for line in upper] == [line[name] for line in job.lines[:6]]
    folder = f"{EMBEDDINGS}/independent/ana"
    assert [(line["source"], line["target"]) for line in job.lines[:4]] == [
        (f"{folder}/seed1.vec", f"{folder}/seed2.vec"),
        (f"{folder}/seed2.vec", f"{folder}/seed1.vec"),
        (f"{folder}/seed1.vec", f"{folder}/seed2.vec"),
        (f"{folder}/even.seed1.vec", f"{folder}/odd.seed1.vec"),
    ]
    assert [line["out"] for line in job.lines] == lexicons.control_scores(w)
    (alone,) = lexicons.control_jobs(opened("tiny", {"seeds": [1]}))
    assert alone.files() == [f"{folder}/{half}.seed1.vec" for half in ("even", "odd")]
    assert list(lexicons.control_jobs(opened("tiny", {"joint_align": {"controls": None}}))) == []
