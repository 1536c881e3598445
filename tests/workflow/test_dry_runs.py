"""Dry runs of every scale and target, and errors that stop before any job."""

import re
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cases import slow
from checkout import Checkout, commands, copy_checkout, counts
from crosslingua import paper_folders
from many_languages import write_many_languages
from texts import written

SCALES = ["tiny", "demo", slow("full"), "real", slow("paper")]
EVERYTHING = ("all", "ablations", "encoders", "data_card")
RESULTS = "results/tiny"


@cache
def everything(checkout: Checkout, scale: str) -> str:
    """The dry run of all that a scale can make."""
    return checkout.run("--dry-run", "--printshellcmds", *EVERYTHING, scale=scale)


@cache
def lacking(checkout: Checkout, *targets: str) -> set[str]:
    return checkout.lacking(*targets)


@pytest.mark.parametrize("scale", SCALES)
def test_every_scale_resolves(fresh_checkout: Checkout, scale: str) -> None:
    planned = counts(everything(fresh_checkout, scale))
    # A paper has one; joint_align besides taggers, translation (and its curve, on the controlled world), xlm_align
    # XTREME and what it varies, align_mlm its ablations. The demo has neither translation nor what xlm_align varies.
    assert planned["write_rows"] == {"demo": 9, "real": 7, "paper": 10}.get(scale, 11)
    assert planned["data_card"] == planned["write_page"] == 1
    # The published LASER takes the place of one that is trained.
    laser = (planned.get("import_laser"), "train_laser" in planned)
    assert laser == ((1, False) if scale == "paper" else (None, True))
    lines = commands(everything(fresh_checkout, scale))
    assert len(lines) > 100
    assert [line for line in lines if len(line) > 2000] == []
    for kind in ("ner", "pos", "slots", "nli", "paraphrase", "qa"):
        made = re.compile(rf"prepare_labelled.py --task={kind} |generate_world.py {kind} ")
        assert any(made.search(line) for line in lines), kind


@pytest.mark.slow
def test_no_command_line_grows_with_the_number_of_languages(repository: Path, tmp_path: Path) -> None:
    checkout = copy_checkout(repository, tmp_path)
    write_many_languages(tmp_path)
    files = ("--configfile", "scales/own.yaml", "many.yaml")
    lines = commands(checkout.run("--dry-run", "--printshellcmds", *EVERYTHING, *files, scale="demo"))
    planned = {match[1] for match in (re.search(r"scripts/(\w+)[.]py", line) for line in lines) if match}
    assert {"prepare_text", "prepare_bitext", "train_tokenizer", "pretrain", "train_laser"} <= planned
    assert {"finetune", "train_tagger", "align_encoder", "embed_words", "score_alignment"} <= planned
    tables = {match[1] for match in (re.search(r"--paper (\w+) --table", line) for line in lines) if match}
    assert tables == set(paper_folders.names())
    assert {len(line): line for line in lines if len(line) > 1700} == {}  # names of other scales are longer


def test_the_default_leaves_out_ablations_and_other_data(fresh_checkout: Checkout) -> None:
    made = lacking(fresh_checkout)
    assert {"rows/align_mlm.main.csv", "report.html", "corpora/ner/ana.train.conll"} <= made
    assert "rows/align_mlm.ablations.csv" not in made
    assert not [file for file in made if "dictionary_50" in file or "no_filter" in file]
    assert "data_card.md" not in made


@pytest.mark.parametrize(("target", "others"), [
    ("ablations_align_mlm", r"joint_align\b|xlm_align|mbert_align|laser"),
    ("joint_align", r"xlm_align|align_mlm|mbert_align|laser"),
    ("xlm_align", r"joint_align\b|align_mlm|mbert_align|laser"),
    ("mbert_align", r"joint_align\b|align_mlm|laser"),
])  # fmt: skip
def test_a_paper_waits_for_no_other(fresh_checkout: Checkout, target: str, others: str) -> None:
    made, paper = lacking(fresh_checkout, target), target.removeprefix("ablations_")
    assert {f"rows/{paper}.main.csv", f"claims/{paper}.csv", "metrics.csv", "costs.csv"} <= made
    assert {file for file in made if re.search(others, file)} == set()


def test_a_paper_waits_for_no_mapper_that_it_does_not_ask_for(fresh_checkout: Checkout) -> None:
    """MUSE's maps, which take most of the time of joint_align, are of the same pairs."""
    made = fresh_checkout.lacking("laser_taggers", scale="full")
    mapped = {file.rpartition("/")[0] for file in made if file.startswith("embedding_alignment/")}
    induced = {file for file in made if file.startswith("lexicon_induction/")}
    pairs = [f"ana-{target}.world" for target in ("ber", "cor", "dax")]
    assert mapped == {f"embedding_alignment/{pair}/vecmap" for pair in pairs}
    assert induced == {f"lexicon_induction/{pair}/unsupervised/vecmap" for pair in pairs}


@pytest.mark.parametrize(("target", "group"), [
    ("bli", "joint_align.main"), ("translation", "joint_align.translation"), ("aer", "xlm_align.main"),
    ("xtreme", "xlm_align.xtreme"),
])  # fmt: skip
def test_a_part_of_a_paper_waits_for_no_other(fresh_checkout: Checkout, target: str, group: str) -> None:
    made = fresh_checkout.lacking(target)
    paper = group.partition(".")[0]
    assert {"metrics.csv", "claims.csv", "claims.json", "report.html", "costs.csv"} <= made
    assert {file for file in made if file.startswith("rows/")} == {f"rows/{group}.csv"}
    judged = {file for file in made if file.startswith("claims/")}
    assert judged == {f"claims/{paper}.{suffix}" for suffix in ("csv", "json", "evidence.json.gz")}
    shown = [file.partition("/")[2] for file in made if file.startswith(("tables/", "plots/"))]
    assert shown
    assert all(name.startswith(paper) for name in shown)


def test_ablations_beside_a_paper_or_the_whole_take_nothing_from_it(fresh_checkout: Checkout) -> None:
    ablations = lacking(fresh_checkout, "ablations")
    for target, alone in (
        ("all", ()),
        ("joint_align", ("joint_align",)),
    ):  # without a target, the whole is made
        assert lacking(fresh_checkout, target, "ablations") == lacking(fresh_checkout, *alone) | ablations


def test_a_job_on_a_cluster_waits_for_what_its_run_was_asked_for(repository: Path, tmp_path: Path) -> None:
    """Snakemake starts itself again for such a job, without the targets of the command line."""
    checkout = copy_checkout(repository, tmp_path)
    written(tmp_path / RESULTS / "plans/wanted.json", '{"targets": ["mbert_align"], "there": []}')
    job = ("--mode", "remote", "--target-jobs", "write_page:", "--allowed-rules", "write_page")
    lacking = re.findall(rf"{RESULTS}/(?:tables|plots|claims)/(\w+)", checkout.run(*job, ok=False))
    assert any(name.startswith("mbert_align_table3") for name in lacking)
    assert {name for name in lacking if not name.startswith("mbert_align")} == set()


def test_every_other_target_resolves(fresh_checkout: Checkout) -> None:
    planned = fresh_checkout.planned("bli", "aer", "claims", "report", "data", "align_mlm")
    assert planned["write_rows"] == 3
    fetched = fresh_checkout.planned("fetch", "fetch_data", scale="real")
    assert set(fetched) == {"fetch", "fetch_data", "fetch_encoder", "fetch_file"}


@pytest.mark.parametrize(("config", "message"), [
    ("word_embeddings={'dims': 3}", "unknown key word_embeddings.dims"),
    ("scale=real", "scale: --config says 'real', but "),
])  # fmt: skip
def test_a_bad_configuration_stops_before_any_job(repository: Path, tmp_path: Path, config, message) -> None:
    checkout = copy_checkout(repository, tmp_path)
    shutil.rmtree(tmp_path / "results", ignore_errors=True)  # tracked references
    output = checkout.run("--config", config, ok=False)
    assert len([line for line in output.splitlines() if message in line]) == 1
    assert "Traceback" not in output
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("arguments", "free"), [((), sys.maxsize), slow(("--max-jobs-per-timespan", "7/2s"), 7)]
)
def test_jobs_start_at_any_rate_unless_somebody_limits_it(
    repository: Path, tmp_path: Path, arguments: tuple[str, ...], free: int
) -> None:
    target = f"{RESULTS}/corpora/dictionaries/ana-ber.world/train.txt"
    output = copy_checkout(repository, tmp_path).run("--verbose", *arguments, "--", target)
    after = re.search(r"Resources after job selection: .*'_job_count': (\d+)", output)
    assert after
    assert int(after[1]) == free


def test_encoders_train_where_gpus_says(fresh_checkout: Checkout) -> None:
    gpus = ("--config", "device=cuda", "encoders={'gpus': 4}", "--", f"{RESULTS}/encoders/mlm.trans/seed1")
    output = fresh_checkout.run("--dry-run", "--printshellcmds", *gpus)
    (command,) = [line for line in commands(output) if "scripts/pretrain.py" in line]
    assert re.search(r"torchrun --standalone --nproc-per-node 4 scripts/pretrain.py .*device=cuda", command)


def test_threads_that_results_depend_on_are_told_whatever_the_cores(fresh_checkout: Checkout) -> None:
    for line in commands(everything(fresh_checkout, "tiny")):
        if re.search(r"scripts/(pretrain|finetune|train_laser)\.py", line):
            assert line.startswith("python ")  # without a GPU
            assert "--threads=1 " in line


@pytest.mark.parametrize(("scale", "cores", "threads"), [("tiny", 4, 1), ("real", 2, 1), ("real", 4, 2)])
def test_texts_have_two_threads_where_they_are_large_and_more_than_two_cores_are_there(
    fresh_checkout: Checkout, scale: str, cores: int, threads: int
) -> None:
    plan = fresh_checkout.run("--dry-run", "--printshellcmds", "bli", scale=scale, cores=cores)
    texts = [line for line in commands(plan) if "scripts/prepare_text.py" in line]
    assert texts
    assert all(f"--threads {threads} " in line for line in texts)


# What selects reads nothing that tests: in the whole DAG, with all that comes before.
# Commands that choose: settings, gamma, training with a dictionary, how an encoder is fine-tuned.
CHOOSES = re.compile(r"--(search|validation|choice|gamma)[= ]|choose_training\.py|select_settings\.py")
# They read what tests, so that no text and no set for training has its sentences (docs/data.md).
LEAVES_OUT = re.compile(r"prepare_(text|bitext)\.py|prepare_labelled\.py .*--split=train_without_tests ")
TESTS = re.compile(r"(^|[/._-])test([/._-]|$)")


def jobs(output: str) -> list[dict[str, Any]]:
    """Return the jobs of a dry run of what was never made: name, files made and read of other jobs, command."""
    found = []
    for block in re.split(r"\n(?=Job \d+: |rule |localrule )", output):
        reason = re.search(r"Reason: Missing output files: (.+)", block)
        if reason is None:
            continue
        made, _, read = reason[1].partition("; Input files updated by another job: ")
        command = re.search(r"Shell command: (.+)", block)
        files = {"output": made.split(", "), "input": [file for file in read.split(", ") if file]}
        found.append({"name": block.split("\n")[0], "command": command[1] if command else "", **files})
    return found


def read(job: dict[str, Any]) -> str:
    """Return a job's command without the files that it makes, as all splits of a generated set."""
    words = job["command"].partition(" --out-test")[0].split()
    return " ".join(word for word in words if word not in job["output"])


def selecting(checkout: Checkout, every: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the jobs that choose, by their command or by a column of their plan."""
    found = []
    for job in every:
        plan = re.search(r"--cells (\S+)", job["command"])
        header = (checkout.root / plan[1]).read_text(encoding="utf-8").split("\n")[0] if plan else ""
        if CHOOSES.search(job["command"]) or {"choosing", "gamma"} & set(header.split(",")):
            found.append(job)
    return found


def check_that_none_reads_what_tests(choosing: list[dict[str, Any]], every: list[dict[str, Any]]) -> None:
    """Follow each job of `choosing` through all that comes before it."""
    maker = {file: job for job in every for file in job["output"]}
    for job in choosing:
        waiting, seen = [job], set()
        for one in waiting:  # which grows
            if id(one) in seen:
                continue
            seen.add(id(one))
            if LEAVES_OUT.search(one["command"]):
                continue
            assert not [file for file in one["input"] if TESTS.search(file)], (job["name"], one["name"])
            assert not TESTS.search(read(one)), one["command"]
            waiting += [maker[file] for file in one["input"]]


def test_no_job_that_selects_reads_a_test_file(fresh_checkout: Checkout) -> None:
    every = jobs(everything(fresh_checkout, "demo"))
    choosing = selecting(fresh_checkout, every)
    names = " ".join(job["name"] + job["command"] for job in choosing)
    chosen = ("choose_training.py", "Reallocate the shared vocabulary", "--mapper=rcsls", "Divide the joint")
    assert [what for what in chosen if what not in names] == []
    assert len(choosing) > 30
    check_that_none_reads_what_tests(choosing, every)
    judges = [job for job in every if "induce_lexicon.py" in job["command"]]
    assert len(judges) == 3 * 16 + 3 * 3  # a system on a pair; of the curve a dictionary's
    for job in judges:  # what the patterns look for is found where it is
        assert any(TESTS.search(file) for file in job["input"])
        assert TESTS.search(job["command"])


# Where papers choose besides: how encoders are fine-tuned (full), and the same as above on real text (real). Taggers
# choose by validation data inside of the job that predicts, which no walk through jobs can tell.
@pytest.mark.parametrize(("scale", "least"), [
    slow("full", {"select_settings.py": 10, "choose_training.py": 6, "--search": 6}),
    ("real", {"choose_training.py": 3, "--search": 3}),
])  # fmt: skip
def test_nor_does_one_of_another_scale(fresh_checkout: Checkout, scale: str, least: dict[str, int]) -> None:
    every = jobs(everything(fresh_checkout, scale))
    choosing = selecting(fresh_checkout, every)
    for what, number in least.items():
        assert sum(what in job["command"] for job in choosing) >= number, what
    check_that_none_reads_what_tests(choosing, every)
