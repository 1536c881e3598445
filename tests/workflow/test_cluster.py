"""What jobs ask a cluster for; groups that cannot deadlock; and a SLURM of this machine that kills and retries."""

import importlib.util
import os
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import yaml

from checkout import Checkout, copy_checkout
from configurations import Opener
from crosslingua.io.json import read_json, read_yaml
from crosslingua.workflow import cluster, encoders
from crosslingua.workflow.tagging import set_size
from crosslingua.workflow.workflow import Workflow
from one_node_slurm import missing_programs, one_node_slurm
from texts import written

HEADER = "stage,paper,jobs,processor_minutes,wall_minutes,memory_mb,disk_mb\n"
PAWS_X = ("en", "de", "es", "fr", "ja", "ko", "zh")
PROFILE = Path("profiles/slurm/config.yaml")


def asked(w: Workflow, stage: str, name: str = "mem_mb", **stated: int) -> list[int]:
    """What a job asks for in three attempts, of a stage for which the rule states an amount."""
    found = cluster.of_stage(w, stage, stated)
    return [found[name](None, attempt) for attempt in (1, 2, 3)]


def test_jobs_ask_first_for_what_their_stage_took_and_then_for_what_rules_state(opened: Opener) -> None:
    w = opened()
    costs = f"{HEADER}finetune,xlm_align,5,9,10,400,\nfinetune,align_mlm,1,1,4,300,\ntotal,,,,,,\n"
    written(Path("results/reference/demo/costs.csv"), costs)
    for stage in ("finetune/xlm_align/xlmr.tsv", "finet{what}/{paper}.tsv"):
        assert asked(w, stage, mem_mb=8000, runtime=600) == [600 + 600, 8000, 16000]
    assert asked(w, "finetune/xlm_align/xlmr.tsv", "runtime", mem_mb=8000, runtime=600) == [5 + 28, 600, 1200]
    assert asked(w, "finetune.tsv", mem_mb=1000) == [1000, 2000, 3000]
    assert asked(w, "pretrain/x.tsv", mem_mb=8000) == [8000, 16000, 24000]


@pytest.mark.parametrize(("objective", "layers", "hidden", "batch", "vocabulary", "text", "peak"), [
    ("mlm", 2, 128, 256, 4000, 1.2, 444), ("span_corruption", 2, 128, 256, 4000, 1.2, 487),
    ("mlm", 2, 128, 256, 4000, 30, 432), ("mlm", 2, 128, 8192, 4000, 1.2, 765),
    ("mlm", 2, 128, 8192, 16000, 1.2, 918), ("mlm", 6, 512, 512, 4000, 1.2, 826),
    ("mlm", 6, 512, 4096, 4000, 1.2, 1940), ("span_corruption", 6, 512, 4096, 4000, 1.2, 4860),
])  # fmt: skip
def test_a_pretraining_asks_for_more_than_peaks_that_were_measured(
    opened: Opener, objective: str, layers: int, hidden: int, batch: int, vocabulary: int, text: float, peak
) -> None:
    """Peaks of scripts/pretrain.py in megabytes, on a processor; text in megabytes."""
    settings = {"layers": layers, "hidden": hidden, "batch_size": batch, "preset": "align_mlm"}
    member = {"objective": [objective], "settings": settings}
    encoders = {"multilingual": {"vocabulary_size": vocabulary, "members": {"mbert": member}}}
    need = cluster.pretraining(opened(change={"encoders": encoders}), "mbert", 1, text)
    assert peak < need.mem_mb - cluster.OVERHEAD < 2.5 * peak


def test_a_pretraining_asks_for_time_by_its_steps_and_doubles_with_the_attempt(opened: Opener) -> None:
    def minutes(attempt: int = 1, **settings: object) -> int:
        member = {"settings": {"steps": 100_000, **settings}}
        w = opened(change={"encoders": {"multilingual": {"members": {"mbert": member}}}})
        return cluster.pretraining(w, "mbert", attempt).runtime

    assert minutes(2) == 2 * minutes()
    assert minutes(steps=200_000) - 10 == pytest.approx(2 * (minutes() - 10), abs=2)
    assert minutes(steps=10**9) == minutes(9) == cluster.LONGEST
    tiny = opened("tiny")
    assert cluster.pretraining(tiny, "xlmr", 1).runtime <= 11
    assert cluster.pretraining(opened("tiny", {"encoders": {"mem_mb": 300}}), "xlmr", 2).mem_mb == 600


def test_hours_on_a_gpu_follow_the_measured_tokens_a_second(opened: Opener) -> None:
    """12 layers of 768 with 30,000 subwords read 567,000 tokens a second: 4 * 768² + 2 * 768 * 3072 weights a layer."""

    def hours(objective: str = "mlm", **settings: object) -> tuple[float, str]:
        whole = {"preset": "align_mlm", "layers": 12, "hidden": 768, "heads": 12, "precision": "bf16"}
        whole |= {"max_length": 512, "max_positions": 512, "batch_unit": "sequences", "batch_size": 100}
        whole |= {"steps": 39_867, **settings}
        member = {"objective": [*objective.split()], "settings": whole}
        multilingual = {"vocabulary_size": 30_000, "members": {"xlmr": member}}
        return cluster.pretraining_hours(opened(change={"encoders": {"multilingual": multilingual}}), "xlmr")

    assert hours() == (pytest.approx(1, rel=1e-4), "bf16")  # 100 * 512 * 39,867 = 567,000 * 3,600 tokens
    assert hours(layers=24)[0] == pytest.approx(1 + 84_934_656 / (84_934_656 + 0.15 * 30_000 * 768), rel=1e-4)
    assert hours("mlm tlm", parallel="summed")[0] == pytest.approx(2, rel=1e-4)  # a batch of each
    assert hours("mlm tlm dwa", parallel="summed")[0] == pytest.approx(2 * 1.34, rel=1e-4)
    assert hours(precision="fp32")[1] == "fp32"


def test_hours_of_fine_tuning_follow_published_sizes_and_measured_subwords_a_second(opened: Opener) -> None:
    w = opened("paper")
    # Table 3: CoNLL-2003, 14,041 sentences to train on and 3,250 to validate on, 14 words each; 10 epochs, 5 seeds.
    hours = 5 * 10 * (14_041 + 3_250 / 3) * 14 * 1.4 / 32_000 / 3600
    assert cluster.tuning_hours(w, "joint_align", "mbert") == pytest.approx(hours)
    wider = 1024**2 / 768**2
    assert cluster.tuning_hours(w, "joint_align", "xlm_xnli15") == pytest.approx(hours * wider)
    # Two rates of 10 epochs; the first of the five seeds keeps its model of the search.
    tasks = dict.fromkeys(("pos", "ner", "xquad", "mlqa", "tydiqa", "xnli"))
    w = opened("paper", {"xlm_align": {"xtreme": {"tasks": tasks, "languages": [*PAWS_X]}}})
    once = 10 * 49_401 * 43 * 1.4 / 32_000 / 3600
    assert cluster.tuning_hours(w, "xlm_align", "xlmr", chooses=True) == pytest.approx(2 * once)
    assert cluster.tuning_hours(w, "xlm_align", "xlmr") == pytest.approx(4 * once)
    assert cluster.tuning_hours(opened("full"), "xlm_align", "xlmr") is None  # of generated text


def test_sizes_of_sets_are_those_that_readers_must_count(opened: Opener) -> None:
    w = opened("paper")
    assert set_size(w, "ner", "en", "train") == 14_041
    assert set_size(w, "nli", "eng_trans", "train") == 392_702  # derived from eng
    assert set_size(w, "qa", "en_tydiqa", "train") == round(0.95 * 3_696)
    assert set_size(w, "ner", "laser_taggers_zero_shot", "train") == 14_041
    assert set_size(w, "pos", "de", "train") is None
    mixed = set_size(w, "ner", "laser_taggers_scenario_b", "train")
    assert mixed == round(14_041 + (15_806 + 12_152 + 8_323) / 4)


def test_the_estimate_of_a_scale_that_nobody_has_run(opened: Opener, repository: Path) -> None:
    spec = importlib.util.spec_from_file_location("estimate", repository / "scripts/estimate.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    told = """Job 1: Pre-train xlm_align_short (seed 1)
Job 2: Fetch en-es.0-5000.txt of muse
Job 3: Fetch the encoder FacebookAI--xlm-roberta-base
Job 4: Fetch enwiki.xml.bz2 of wikipedia
Job 5: Choose settings of fine-tuning xlmr (xlm_align)
Job 6: Fine-tune xlmr (xlm_align)
"""
    w = opened("paper")
    plan = script.planned(w, told)
    # 50,000 steps of 256 rows of text and 256 of pairs, with logits over 250,000 subwords.
    tokens = 50_000 * 2 * 256 * 512
    a_token = (84_934_656 + 0.15 * 250_000 * 768) / (84_934_656 + 0.15 * 30_000 * 768)
    assert plan.trainings == [(pytest.approx(1.34 * tokens * a_token / 567_000 / 3600, rel=1e-4), "bf16")]
    assert plan.memory_mb["pretrain"] == 200_000  # encoders.mem_mb of scale paper
    assert plan.reads_world is False
    assert plan.downloads == [w.datasets["muse"].files["en-es.0-5000.txt"].size, None]
    hours = [cluster.tuning_hours(w, "xlm_align", "xlmr", chooses) for chooses in (True, False)]
    assert plan.tunings == [*zip(("select_settings", "finetune"), hours, strict=True)]
    assert script.planned(opened("full"), told.replace("xlm_align_short", "xlmr")).trainings == []


@pytest.mark.workflow
@pytest.mark.parametrize("scale", ["tiny", "real"])
def test_no_group_of_the_profile_waits_for_itself(fresh_checkout: Checkout, repository: Path, scale) -> None:
    """Even if all jobs of a group went into one submission."""
    profile = read_yaml(repository / PROFILE)
    dag = fresh_checkout.run("--dag", "dot", "--", "all", "ablations", scale=scale)
    rules = dict(re.findall(r'(\d+)\[label = "(\w+)', dag))
    submitted = {job: profile["groups"].get(rule, job) for job, rule in rules.items()}
    waits = TopologicalSorter()
    for before, after in re.findall(r"(\d+) -> (\d+)", dag):
        if submitted[before] != submitted[after]:
            waits.add(submitted[after], submitted[before])
    waits.prepare()  # raises CycleError
    assert set(profile["groups"].values()) == set(profile["group-components"])
    assert set(profile["groups"].values()) & set(submitted.values())


def test_the_environments_of_both_devices_have_the_same_pins(opened: Opener, repository: Path) -> None:
    chosen = [encoders.environment(opened(change={"device": name})) for name in ("cpu", "cuda")]
    cpu, gpu = (read_yaml(repository / f"envs/{name}.yaml")["dependencies"] for name in chosen)
    index, *pinned = cpu[-1]["pip"]
    assert (chosen, cpu[:-1], pinned) == (["cpu", "gpu"], gpu[:-1], gpu[-1]["pip"])
    assert index.endswith("/whl/cpu")


@pytest.mark.workflow
def test_in_a_container_jobs_run_its_python_with_this_package(repository: Path, tmp_path: Path) -> None:
    """A stand-in for Apptainer, which runs the command with another Python first on the PATH."""
    checkout = copy_checkout(repository, tmp_path / "checkout")
    inside, image, text = tmp_path / "inside", tmp_path / "image.sif", "results/tiny/corpora/world/ana.txt"
    inside.mkdir()
    image.touch()
    programs = {
        "python": f'echo "$PYTHONPATH" > {tmp_path}/ran; exec {sys.executable} "$@"',
        "apptainer": f'[ "$1" = --version ] && echo apptainer version 1.3.6 && exit; PATH={inside}:$PATH "${{@: -3}}"',
    }
    for name, script in programs.items():
        (inside / name).write_text(f"#!/bin/bash\n{script}\n")
        (inside / name).chmod(0o755)
    command = checkout.command("--software-deployment-method", "apptainer", "--", text)
    found = {"CROSSLINGUA_IMAGE": str(image), "PATH": f"{inside}:{os.environ['PATH']}"}
    environment = checkout.environment() | found
    done = subprocess.run(command, cwd=checkout.root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (checkout.root / text).is_file()
    assert (tmp_path / "ran").read_text().strip() == str(checkout.root / "src")


@pytest.mark.workflow
def test_the_profile_of_kubernetes_plans_the_same_jobs(fresh_checkout: Checkout, repository: Path) -> None:
    """The executor stays away: its plugin is an extra that tests do not install."""
    profile = read_yaml(repository / "profiles/kubernetes/config.yaml")
    plugin = ("executor", "kubernetes-namespace", "kubernetes-persistent-volumes")
    shared = {key: value for key, value in profile.items() if key not in plugin}
    shared["directory"] = str(fresh_checkout.root)
    written(fresh_checkout.root / "without/config.yaml", yaml.safe_dump(shared))
    planned = fresh_checkout.planned("bli", "--profile", "without")
    assert planned == fresh_checkout.planned("bli")
    text = "\n".join(path.read_text() for path in (repository / "rules").glob("*.smk"))
    rules = re.findall(r"^(?:use )?rule (?:(\w+) as )?(\w+)\b.*\n((?:[ \n].*\n?)*)", text, re.MULTILINE)
    asks = {rule for _, rule, body in rules if re.search(r"\bgpu=", body)}
    asks |= {rule for base, rule, body in rules if base in asks and "resources:" not in body}
    assert set(profile["set-resources"]) == asks


needs_slurm = pytest.mark.skipif(
    bool(missing_programs()) or not importlib.util.find_spec("snakemake_executor_plugin_slurm"),
    reason="needs SLURM (Debian: slurm-wlm, munge) and the extra `cluster`",
)


@needs_slurm
@pytest.mark.workflow
def test_on_slurm_a_job_over_its_memory_is_retried_and_gives_the_same(repository: Path, tmp_path) -> None:
    """Two submissions of which the second is killed first: its own Snakemake needs more than 100 MB."""
    checkout = copy_checkout(repository, tmp_path)
    text = "results/tiny/corpora/text/ana.txt"
    command = [sys.executable, "-m", "snakemake", "--profile", "profiles/slurm"]
    command += ["--configfile", "scales/tiny.yaml"]
    options = ["--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2"]
    limit = ["--set-resources", "prepare_text:mem_mb=100 * attempt ** 4"]
    with one_node_slurm(cpus=2, memory=4000) as clients:
        environment = clients | {"PYTHONPATH": str(repository / "src")}
        called = [*command, *options, *limit, "--", text]
        done = subprocess.run(called, cwd=tmp_path, env=environment, capture_output=True, text=True)
        jobs = ["squeue", "--noheader", "--states=all", "--sort=i", "--format=%T %m"]
        submitted = subprocess.run(jobs, env=clients, capture_output=True, text=True).stdout.split("\n")
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert [line.split()[0] for line in submitted[:3]] == ["COMPLETED", "FAILED", "COMPLETED"], submitted
    assert [line.split()[1] for line in submitted[1:3]] == ["100M", "1600M"]
    killed = r"prepare_text needed more memory than it asked for, by the cluster's log (\S+)"
    assert re.search(killed, said), said
    note = tmp_path / ".snakemake/crosslingua_run.json"
    assert read_json(note)["executor"] == "slurm"
    clustered = (tmp_path / text).read_bytes()
    checkout.run("--forceall", "--", text)
    assert (tmp_path / text).read_bytes() == clustered
    assert read_json(note)["executor"] == "local"
