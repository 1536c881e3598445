"""The whole workflow at the tiny scale: outputs, reruns, interruption, configuration errors."""

from __future__ import annotations

import csv
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from checkout import Checkout, copy_checkout
from crosslingua.metrics import Row, read_rows

pytestmark = pytest.mark.workflow

RESULTS = "results/tiny"


def identity(row: Row) -> tuple:
    return (row.table, row.system, row.source, row.target, row.metric, row.seed, row.signature)


def values(checkout: Checkout) -> dict[tuple, tuple]:
    return {
        identity(row): (row.value, row.n, row.config_hash)
        for row in read_rows(checkout.root / RESULTS / "metrics.csv")
    }


def test_the_outputs_are_there_and_follow_their_contracts(finished: Checkout) -> None:
    results = finished.root / RESULTS
    schema = yaml.safe_load((finished.root / "schemas/metrics.schema.yaml").read_text())
    rows = read_rows(results / "metrics.csv")
    for row in rows:
        Draft202012Validator(schema).validate(row.__dict__)
    config = yaml.safe_load((finished.root / "config.yaml").read_text())
    systems = {
        paper: {row.system for row in rows if row.paper == paper} for paper in {row.paper for row in rows}
    }
    assert systems["joint_align"] == set(config["joint_align"]["systems"])
    aligners = [name for name in config["word_alignment"]["aligners"] if name != "fast_align"]
    on_vectors = {f"{aligner}+{space}" for aligner in aligners for space in ("procrustes", "xlmr")}
    assert systems["xlm_align"] == {"fast_align", *on_vectors}
    assert systems["align_mlm"] == {"mlm", "align_mlm"}
    transfer = {(row.target, row.task, row.metric) for row in rows if row.paper == "align_mlm"}
    assert {("trans_inv", "pos", metric) for metric in ("supervised", "zero_shot", "delta")} <= transfer
    assert ("trans", "embedding_alignment", "alignment") in transfer
    assert {row.seed for row in rows} == {1, 2}
    for suffix in ("csv", "md", "tex"):
        assert "joint_align_procrustes" in (
            results / f"tables/joint_align_table1.{suffix}"
        ).read_text().replace("\\", "")
    for figure in (
        "joint_align_figure1",
        "joint_align_similarity",
        "joint_align_hubness",
        "xlm_align_figure2",
        "align_mlm_figure2",
        "align_mlm_figure3",
        "align_mlm_loss",
    ):
        for suffix, magic in (("png", b"\x89PNG"), ("svg", b"<?xml")):
            assert (results / f"plots/{figure}.{suffix}").read_bytes().startswith(magic)
    with (results / "claims.csv").open(newline="", encoding="utf-8") as stream:
        claims = list(csv.DictReader(stream))
    assert {claim["verdict"] for claim in claims} <= {"reproduced", "contradicted", "inconclusive"}
    assert {"reallocation_alone_improves_joint", "optimal_transport_outperforms_fast_align"} <= {
        claim["claim"] for claim in claims
    }
    page = (results / "report.html").read_text()
    assert "data:image/png;base64," in page
    assert page.count("data:image/png;base64,") == 8
    assert all(
        f'id="{table}"' in page for table in ("xlm_align_table2", "align_mlm_table3", "align_mlm_table8")
    )
    assert 'id="claims"' in page
    assert 'src="http' not in page
    assert 'href="http' not in page.replace('href="https://', "").replace("href='https://", "")


@pytest.mark.parametrize("table", ["table1", "table2"])
def test_the_result_agrees_with_the_tracked_reference(
    finished: Checkout, repository: Path, table: str
) -> None:
    def cells(path: Path) -> dict[tuple[str, str, str], float]:
        with path.open(newline="", encoding="utf-8") as stream:
            return {
                (r["convention"], r["system"], r["column"]): float(r["mean"]) for r in csv.DictReader(stream)
            }

    reference = cells(repository / f"results/reference/tiny/joint_align_{table}.csv")
    found = cells(finished.root / RESULTS / f"tables/joint_align_{table}.csv")
    assert found.keys() == reference.keys()
    # fastText is compiled for the processor at hand, so that its floating point differs between machines.
    assert {key: value for key, value in found.items() if abs(value - reference[key]) > 5} == {}


def test_a_second_run_does_nothing(finished: Checkout) -> None:
    assert "Nothing to be done" in finished.run()


def test_the_number_of_cores_changes_nothing(finished: Checkout, repository: Path, tmp_path: Path) -> None:
    alone = copy_checkout(repository, tmp_path / "alone")
    alone.run(cores=1)
    assert values(alone) == values(finished)


def test_killed_in_the_middle_and_run_again_gives_the_same(
    finished: Checkout, repository: Path, tmp_path: Path
) -> None:
    checkout = copy_checkout(repository, tmp_path / "killed")
    process = subprocess.Popen(
        checkout.command(),
        cwd=checkout.root,
        env=checkout.environment(),
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    first_vectors = checkout.root / RESULTS / "word_embeddings"
    while not list(first_vectors.rglob("*.vec")):
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (checkout.root / RESULTS / "metrics.csv").exists()
    checkout.run("--unlock")
    checkout.run()
    assert values(checkout) == values(finished)


def test_editing_a_mapper_reruns_what_it_feeds_and_nothing_else(editable: Checkout) -> None:
    module = editable.root / "src/crosslingua/mappers/procrustes.py"
    module.write_text(module.read_text() + "\nEDITED = 1  # a comment and a constant\n")
    planned = editable.planned()
    assert {"align_procrustes", "align_joint_ar", "align_joint_align_procrustes"} <= set(planned)
    assert {"induce_lexicon", "write_bli_rows", "merge_metrics", "write_table", "report"} <= set(planned)
    untouched = {
        "generate_world_text",
        "prepare_text",
        "count_words",
        "train_independent",
        "train_joint",
        "divide_joint",
    }
    assert not untouched & set(planned)


def test_editing_the_symmetrisation_reruns_aligners_on_text_and_nothing_else(editable: Checkout) -> None:
    module = editable.root / "src/crosslingua/word_aligners/symmetrisation.py"
    module.write_text(module.read_text() + "\nEDITED = 1\n")
    planned = editable.planned()
    assert {"align_words_fast_align", "score_alignment_ana-ber", "write_alignment_table"} <= set(planned)
    assert not {
        "pretrain_xlmr",
        "align_words_optimal_transport_xlmr",
        "align_words_simalign_itermax_procrustes",
        "induce_lexicon",
    } & set(planned)


def test_editing_an_objective_reruns_the_encoders_it_trains_and_no_others(editable: Checkout) -> None:
    module = editable.root / "src/crosslingua/encoders/objectives/align_mlm.py"
    module.write_text(module.read_text() + "\nEDITED = 1\n")
    planned = editable.planned()
    assert {"pretrain_align_mlm_trans_inv", "finetune_align_mlm_trans_inv", "merge_metrics"} <= set(planned)
    untouched = {"pretrain_mlm_trans_inv", "finetune_mlm_trans_inv", "pretrain_xlmr", "train_tokeniser"}
    assert not untouched & set(planned)


def test_an_encoder_is_a_folder_that_the_library_of_its_format_loads(finished: Checkout) -> None:
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    folder = finished.root / RESULTS / "encoders/align_mlm.trans_inv/seed1"
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForMaskedLM.from_pretrained(folder)
    text = (finished.root / RESULTS / "corpora/text_cased/ana.txt").read_text().splitlines()[0]
    encoded = tokenizer(text, return_tensors="pt")
    assert model(**encoded).logits.shape == (1, encoded["input_ids"].shape[1], len(tokenizer))


def test_the_ablations_add_their_tables_and_claims(editable: Checkout) -> None:
    editable.run("--", "ablations")
    results = editable.root / RESULTS
    with (results / "tables/align_mlm_table2.csv").open(newline="", encoding="utf-8") as stream:
        systems = {record["system"] for record in csv.DictReader(stream)}
    assert systems == {"align_mlm 25%", "align_mlm 50%"}
    claims = (results / "claims/align_mlm_ablations.csv").read_text()
    assert "align_mlm_outperforms_mlm_under_inversion" in claims
    assert editable.planned() == {}


def test_touching_a_file_without_changing_it_reruns_nothing(editable: Checkout) -> None:
    (editable.root / "src/crosslingua/mappers/procrustes.py").touch()
    assert editable.planned() == {}


def test_changing_gamma_reruns_reallocation_onward_only(editable: Checkout) -> None:
    scale = editable.root / "scales/tiny.yaml"
    scale.write_text(scale.read_text().replace("gamma: [0.7, 0.9]", "gamma: [0.8, 0.9]"))
    planned = editable.planned()
    assert planned["reallocate_vocabulary"] == 1
    assert "align_joint_align_procrustes" in planned
    assert not {
        "train_joint",
        "train_independent",
        "divide_joint",
        "align_procrustes",
        "align_joint_ar",
    } & set(planned)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("word_embeddings={'dims': 3}", "unknown key word_embeddings.dims"),
        ("seeds=none", "seeds: 'none' has the wrong type; allowed: array"),
        (
            "joint_align={'pairs': [{'source': 'ana', 'target': 'xyz', 'dictionary': 'world'}]}",
            "'xyz' is not defined under languages",
        ),
    ],
)
def test_a_bad_configuration_stops_before_any_job(
    fresh_checkout: Checkout, config: str, message: str
) -> None:
    output = fresh_checkout.run("--config", config, ok=False)
    assert message in output
    assert "Traceback" not in output
    assert not (fresh_checkout.root / RESULTS).exists()


@pytest.mark.parametrize(("arguments", "free"), [((), sys.maxsize), (("--max-jobs-per-timespan", "7/2s"), 7)])
def test_jobs_start_at_any_rate_unless_somebody_limits_it(
    repository: Path, tmp_path: Path, arguments: tuple[str, ...], free: int
) -> None:
    output = copy_checkout(repository, tmp_path).run("--verbose", *arguments, "--", f"{RESULTS}/config.yaml")
    after = re.search(r"Resources after job selection: .*'_job_count': (\d+)", output)
    assert after
    assert int(after[1]) == free


@pytest.mark.parametrize(
    ("gpus", "expected"),
    [
        (0, r"python scripts/pretrain.py .*device=cpu"),
        (1, r"python scripts/pretrain.py .*device=cuda"),
        (4, r"torchrun --standalone --nproc-per-node 4 scripts/pretrain.py .*device=cuda"),
    ],
)
def test_encoders_train_where_gpus_says(
    fresh_checkout: Checkout, tmp_path: Path, gpus: int, expected: str
) -> None:
    changed = tmp_path / "gpus.yaml"
    changed.write_text(f"encoders: {{gpus: {gpus}}}\n")
    files, target = (
        ("--configfile", "scales/tiny.yaml", str(changed)),
        "results/tiny/encoders/mlm.trans/seed1",
    )
    output = fresh_checkout.run("--dry-run", "--printshellcmds", *files, "--", target)
    (command,) = re.findall(r"^.*scripts/pretrain.py.*$", output, re.MULTILINE)
    assert re.search(expected, command)


def test_articles_are_split_into_sentences(fresh_checkout: Checkout) -> None:
    target = "results/small/corpora/text_cased/eng.txt"
    output = fresh_checkout.run("--dry-run", "--printshellcmds", "--", target, scale="small")
    assert "--split-sentences" in next(line for line in output.splitlines() if "prepare_text.py" in line)


@pytest.mark.parametrize("scale", ["tiny", "small", "paper"])
def test_every_scale_resolves(fresh_checkout: Checkout, scale: str) -> None:
    planned = fresh_checkout.planned(scale=scale)
    assert planned["write_bli_rows"] >= 1


def test_the_demo_resolves_within_its_number_of_jobs(fresh_checkout: Checkout) -> None:
    output = fresh_checkout.planned("--config", "scale=demo")
    assert 20 < sum(output.values()) < 290


@pytest.mark.parametrize("target", ["joint_align", "xlm_align", "bli", "aer", "claims", "report", "fetch"])
def test_every_target_resolves(fresh_checkout: Checkout, target: str) -> None:
    # The tiny scale has nothing to fetch.
    scale = "small" if target == "fetch" else "tiny"
    assert sum(fresh_checkout.planned(target, scale=scale).values()) > 1


def test_tables_of_one_paper_wait_for_no_other(fresh_checkout: Checkout) -> None:
    assert not {"pretrain_xlmr", "align_words_fast_align"} & set(fresh_checkout.planned("joint_align"))
    assert "induce_lexicon" not in fresh_checkout.planned("xlm_align")
