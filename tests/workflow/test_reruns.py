"""In copies of a finished run of the tiny scale: repeated jobs, kills, and how numbers came about."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from checkout import Checkout, copy_checkout
from crosslingua import paper_folders
from crosslingua.trace.chain import Records
from crosslingua.trace.show import listed, numbers, of_number
from metric_rows import values
from programs import run_script

SUMMARY = {"merge_metrics", "write_page", "write_costs", "merge_claims"}
TINY = "results/tiny"


def of_paper(paper: str, *tables: str, figures: tuple[str, ...] = ()) -> set[str]:
    """The jobs that follow other scores of a paper."""
    early = {"judge_claims/joint_align.main", "write_page_so_far/joint_align.main"}
    return SUMMARY | (early if paper == "joint_align" else set()) | {
        f"write_page_so_far/{paper}", f"write_rows/{paper}.main", f"judge_claims/{paper}",
        *(f"write_table/{paper}_{table}" for table in tables),
        *(f"draw_figure/{paper}_{figure}" for figure in figures),
    }  # fmt: skip


JUDGED = of_paper("joint_align", "answer", "table1", "table2", "controls")
# Whether its mapping failed is told by the lexicons.
LASER = of_paper("laser_taggers", "table2", "table3", figures=("figure3",))
CURVE = {"write_rows/joint_align.ablations", "write_table/joint_align_curve", "draw_figure/joint_align_curve"}
HUBNESS = {"measure_hubness/ana-ber.world", "draw_figure/joint_align_hubness"}


def judged_again(*systems: str) -> set[str]:
    """The inductions by systems that need a dictionary, and of the curve, where one job is of all of them."""
    main = {f"induce_lexicon/ana-ber.world/supervised/{name}" for name in systems}
    return main | {"induce_lexicon/ana-ber.world_55"}


def mapped_again(*systems: str) -> set[str]:
    """The mappings for such systems, by both dictionaries, and their inductions."""
    dictionaries = ("world", "world_55")
    mapped = {f"align_vectors/ana-ber.{name}/{system}" for name in dictionaries for system in systems}
    return mapped | judged_again(*systems)


def each(rule: str, *names: str) -> set[str]:
    return {f"{rule}/{name}" for name in names}


LAST_RULES = SUMMARY | {"write_rows", "write_table", "draw_figure", "judge_claims", "write_page_so_far"}


def rules(jobs: set[str]) -> set[str]:
    return {job.partition("/")[0] for job in jobs}


def append(checkout: Checkout, module: str) -> None:
    path = checkout.root / "src/crosslingua" / module
    path.write_text(path.read_text() + "\nEDITED = 1  # a comment and a constant\n")


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_nothing_is_left_to_do_in_a_finished_run(finished: Checkout) -> None:
    assert finished.pending("all", "data_card") == set()


def test_touching_a_file_of_a_copy_without_changing_it_reruns_nothing(editable: Checkout) -> None:
    for name in ("src/crosslingua/mappers/procrustes.py", "config.yaml", "world.yaml", "scales/tiny.yaml"):
        (editable.root / name).touch()
    assert editable.pending() == set()


def test_a_paper_with_encoders_leaves_the_vectors_of_one_before_it_as_they_are(editable: Checkout) -> None:
    """They read the same generated text: as it is, and with its case."""
    results = editable.root / "results/tiny"
    shutil.rmtree(results / "encoders/xlmr")
    (results / "corpora/text_cased/ana.txt").unlink()
    made = editable.planned("all", "results/tiny/encoders/xlmr/seed1")
    assert made["pretrain"]
    assert made["prepare_text"] == 1
    assert not made.keys() & {"generate_world_text", "train_independent", "train_joint", "train_duong"}


def test_editing_a_mapper_reruns_what_it_feeds(editable: Checkout) -> None:
    append(editable, "mappers/rcsls.py")
    mapped = mapped_again("rcsls", "joint_ar_rcsls", "joint_align_rcsls")
    assert editable.pending() == mapped | JUDGED | HUBNESS | CURVE


def test_editing_the_symmetrisation_reruns_aligners_on_text_and_who_reads_links(editable: Checkout) -> None:
    append(editable, "word_aligners/symmetrisation.py")
    pending = editable.pending()
    assert {
        "align_words_by_text/fast_align/ana-ber", "align_bitext/ana-ber", "score_alignment/ana-ber",
        "measure_distance", *of_paper("xlm_align", "table2", figures=("figure2",)),
        *of_paper("mbert_align", "table3"),
    } <= pending  # fmt: skip
    assert rules(pending) <= {
        *("align_words_by_text", "align_bitext", "score_alignment", "measure_distance", "rotate_encoder"),
        *("tune_alignment", "embed_words", "train_tagger", "score_predictions", *LAST_RULES),
    }
    assert not [job for job in pending if "align_mlm" in job or "laser" in job or "static" in job]


def test_editing_an_objective_reruns_the_encoders_that_it_trains(editable: Checkout) -> None:
    append(editable, "encoders/objectives/align_mlm.py")
    changed = [f"align_mlm_{what}.trans_inv" for what in ("dictionary_50", "steps_30")]
    trained = ("align_mlm.trans", "align_mlm.trans_inv", *changed)
    drawn = ("figure2", "figure3", "loss", "training_length")
    assert editable.pending() == {
        *each("pretrain", *(f"{name}/seed1" for name in trained)),
        *each("finetune/align_mlm", *trained),
        *(f"{rule}/align_mlm.{group}" for rule in ("score_predictions", "probe_embeddings", "write_rows")
          for group in ("main", "ablations")),
        *of_paper("align_mlm", "table2", "table3", "table8", "training_length", figures=drawn),
    }  # fmt: skip


def test_another_gamma_reruns_reallocation_onward(editable: Checkout) -> None:
    replace(editable.root / "scales/tiny.yaml", "gamma: [0.7, 0.9]", "gamma: [0.8, 0.9]")
    pending = editable.pending()
    # The plain joint space is written by the job that reallocates without a dictionary.
    mappers = ("geomm", "rcsls", "procrustes")
    spaces = [f"joint_{how}_{mapper}" for how in ("ar", "align") for mapper in mappers]
    others = ("joint_align_muse", "joint_align_identity", "joint_ar_muse")
    assert JUDGED | HUBNESS | CURVE | {
        "divide_joint/ana-ber", "measure_similarity/ana-ber.world", "embed_words/joint_align/static",
        "train_tagger/joint_align/static", *each("reallocate_vocabulary", "ana-ber.world", "ana-ber.world_55"),
        *each("draw_figure", "joint_align_figure1", "joint_align_similarity"),
    } <= pending  # fmt: skip
    assert {job for job in pending if job.startswith(("align_vectors/", "induce_lexicon/"))} == {
        *mapped_again(*spaces),
        *each("align_vectors/ana-ber.world", *others),
        *each("induce_lexicon/ana-ber.world/unsupervised", "joint", "joint_vr", *others),
    }
    assert rules(pending) <= {
        *("divide_joint", "reallocate_vocabulary", "measure_similarity", "measure_hubness", "align_vectors"),
        *("induce_lexicon", "embed_words", "train_tagger", "score_predictions", "compare_tags"),
        *("train_translation", "translate", "translate_words", "score_translation", *LAST_RULES),
    }
    others = ("align_mlm", "mbert_align", "xlm_align", "laser_taggers", "contextual")
    assert not [job for job in pending if any(name in job for name in others)]


def test_other_neighbours_induce_the_lexicons_again_and_align_nothing(editable: Checkout) -> None:
    replace(editable.root / "config.yaml", "neighbours: 10", "neighbours: 9")
    pending = editable.pending()
    induced = {job for job in pending if job.startswith("induce_lexicon/")}
    assert judged_again("rcsls", "duong") < induced
    assert each("induce_lexicon/ana-ber.world/unsupervised", "muse", "joint") < induced
    assert pending - induced == JUDGED | CURVE | LASER


def test_editing_a_task_kind_of_the_world_remakes_that_kind(editable: Checkout) -> None:
    append(editable, "corpora/world/paraphrase.py")
    kind, rest = set(), set()
    for job in editable.pending("data_card"):
        (kind if "/paraphrase/" in job else rest).add(job)
    assert {"generate_world_labelled/paraphrase/ana.tsv", "derive_labelled/paraphrase/ana_trans.tsv"} <= kind
    # XTREME is tuned on it, in one job an encoder; no other paper reads it.
    assert "data_card" in rest
    others = rest - {"data_card"}
    assert rules(others) <= {"select_settings", "finetune", "score_predictions", "export_xtreme", *LAST_RULES}
    assert not [job for job in others if "/" in job and "xlm_align" not in job]


def test_a_deleted_file_of_a_table_is_written_again(editable: Checkout) -> None:
    (editable.root / "results/tiny/tables/joint_align_table1.tex").unlink()
    pages = each("write_page_so_far", "joint_align.main", "joint_align")
    assert editable.pending() == pages | {"write_table/joint_align_table1", "write_page", "write_costs"}


def test_a_result_that_is_gone_is_made_again_and_a_folder_that_lost_a_file(editable: Checkout) -> None:
    results = editable.root / "results/tiny"
    (results / "claims.json").unlink()
    assert editable.planned()["merge_claims"] == 1
    lexicon = "ana-ber.world/supervised/rcsls"
    (results / "claims/mbert_align.json").unlink()
    next((results / "fine_tuning/align_mlm/mlm.trans").rglob("*.conll")).unlink()
    (results / f"lexicon_induction/{lexicon}/seed1.predictions.tsv").unlink()
    made = {f"induce_lexicon/{lexicon}", "finetune/align_mlm/mlm.trans", "judge_claims/mbert_align"}
    pending = editable.pending()
    assert {job for job in pending if rules({job}) <= {"induce_lexicon", "finetune"}} < made < pending


@pytest.mark.slow
def test_killed_and_run_again_on_one_core_it_comes_to_the_same(
    finished: Checkout, repository: Path, tmp_path: Path
) -> None:
    """Training of vectors and an encoder, alignment of vectors and of words, fine-tuning, rows."""
    checkout = copy_checkout(repository, tmp_path / "killed", compiled=finished.root)
    rows, tuned = "rows/xlm_align.main.csv", "fine_tuning/align_mlm/mlm.trans_inv"
    lexicons = "lexicon_induction/ana-ber.world_55/supervised"
    targets = " ".join(f"{TINY}/{name}" for name in (rows, tuned, lexicons))
    checkout.link_environment()
    command = ["make", "tiny", f"TARGETS={targets}", "CORES=1"]
    place = {"cwd": checkout.root, "env": checkout.environment(), "start_new_session": True}
    process = subprocess.Popen(command, **place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    first_vectors = checkout.root / TINY / "word_embeddings"
    while not list(first_vectors.rglob("[!.]*.vec")):
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (checkout.root / TINY / rows).exists()
    assert "Unlocked" in checkout.make("tiny", f"TARGETS={targets}", "CORES=1")
    alone, together = (one.root / TINY for one in (checkout, finished))
    assert values(alone / rows) == values(together / rows)
    # what was being written at the kill keeps its hidden name, which no step reads
    written = alone.rglob("[!.]*")
    made = [path for path in written if path.suffix in (".vec", ".safetensors", ".links", ".conll")]
    stages = {path.relative_to(alone).parts[0] for path in made}
    assert stages >= {"word_embeddings", "encoders", "fine_tuning"}
    differ = [path for path in made if path.read_bytes() != (together / path.relative_to(alone)).read_bytes()]
    assert differ == []
    lexicon = f"{lexicons}/joint_align_procrustes/seed1.json"
    assert (alone / lexicon).read_text() == (together / lexicon).read_text()


def traced(finished: Checkout, file: str, *options: str) -> list[dict]:
    with contextlib.chdir(finished.root):
        ended = run_script(finished.root / "scripts/trace.py", f"{TINY}/{file}", *options, "--json")
    return json.loads(ended.stdout)


def rules_of(answer: dict) -> set[str]:
    return {step["rule"] for step in answer["steps"]}


def test_a_number_leads_to_its_own_encoder_and_text_and_to_no_other(finished: Checkout) -> None:
    words = "mlm,Transliteration and inversion,POS Δ"
    (answer,) = traced(finished, "tables/align_mlm_table3.csv", "--cell", words)
    files = {file for step in answer["steps"] for file in step["files"]}
    assert {f"{TINY}/encoders/mlm.trans_inv/seed1", f"{TINY}/corpora/text_cased/ana_trans_inv.txt"} <= files
    assert f"{TINY}/corpora/world/ana.txt" in files
    others = re.compile(r"/ner/|align_mlm\.trans_inv|mlm\.trans/")
    assert not list(filter(others.search, files))
    assert {"score_predictions", "finetune", "pretrain", "train_tokeniser", "derive_text"} <= rules_of(answer)
    assert all(step["cost"] and step["log"] and not step["changed_since"] for step in answer["steps"])
    given = {name for step in answer["steps"] for name in step["given"]}
    assert given == {"reference/align_mlm_table3.csv", "world.yaml"}


@pytest.mark.parametrize("paper", paper_folders.names())
def test_every_number_that_is_listed_of_any_table_is_traced(finished: Checkout, paper: str) -> None:
    tables = paper_folders.load(paper, "tables").TABLES
    paths = sorted((finished.root / TINY / "tables").glob(f"{paper}_*.csv"))
    assert paths
    records = Records(finished.root)
    for path in paths:
        file = f"{TINY}/tables/{path.name}"
        rows = numbers(records, file, paper, tables[path.stem.removeprefix(f"{paper}_")])
        for one in (listed(rows)[0], listed(rows)[-1]):
            answers = of_number(records, file, rows, one["words"].split(","), None)
            assert answers, (file, one)
            for answer in answers:
                ran = {step.job["rule"] for step in answer["steps"].values()}
                assert ran > {"write_table", "write_rows"}, (file, one)


def test_what_a_table_shows_only_means_of_is_listed_without_a_place(finished: Checkout) -> None:
    table = "tables/xlm_align_transfer_gap.csv"  # a language's score less the mean of the others
    found = traced(finished, table)
    assert {tuple(one["place"]) for one in found} == {()}
    first = traced(finished, table, "--cell", found[0]["words"])[0]
    assert f"{TINY}/rows/xlm_align.xtreme.csv" in {file for step in first["steps"] for file in step["files"]}
    assert "write_rows" in rules_of(first)


@pytest.mark.parametrize(
    "file", ["plots/joint_align_figure1.png", "plots/xlm_align_figure2.svg", "report.html"]
)
def test_a_file_leads_to_the_world(finished: Checkout, file: str) -> None:
    (answer,) = traced(finished, file)
    assert any("world.yaml" in step["given"] for step in answer["steps"])


def test_a_claim_of_each_paper_is_traced(finished: Checkout) -> None:
    for claim in {claim["paper"]: claim for claim in traced(finished, "claims.csv")}.values():
        (answer,) = traced(finished, "claims.csv", "--claim", claim["claim"])
        assert "judge_claims" in rules_of(answer)
