"""What jobs ask a cluster for; groups that cannot deadlock; and a SLURM of this machine that kills and retries."""

import importlib.util
import os
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from checkout import Checkout, copy_checkout
from configurations import Opener
from crosslingua.io.json import read_json, read_yaml
from crosslingua.workflow import cluster
from one_node_slurm import missing_programs, one_node_slurm

PROFILE = Path("profiles/slurm/config.yaml")


def test_each_attempt_asks_for_twice_as_much_as_the_table_says(opened: Opener, repository: Path) -> None:
    text = "\n".join(path.read_text() for path in (repository / "rules").glob("*.smk"))
    rules = re.findall(r"^rule (\w+):|^use rule \w+ as (\w+) with:", text, re.MULTILINE)
    assert {*cluster.BY_RULE} <= {first or second for first, second in rules}
    w = opened()
    assert cluster.needs(w, "pretrain") == {"mem_mb": 8000, "runtime": 2880}
    assert cluster.needs(w, "write_page") == {"mem_mb": 1000, "runtime": 30}
    larger = opened(change={"encoders": {"mem_mb": 300}})
    assert [cluster.needs(larger, rule)["mem_mb"] for rule in ("pretrain", "finetune")] == [300, 8000]
    assert [cluster.doubled(300)(None, attempt) for attempt in (1, 2, 3)] == [300, 600, 1200]


def test_the_estimate_of_a_scale_that_nobody_has_run(opened: Opener, repository: Path) -> None:
    spec = importlib.util.spec_from_file_location("estimate", repository / "scripts/estimate.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    told = """job           count
pretrain          1
derive_text       2
Job 2: Fetch en-es.0-5000.txt of muse
Job 3: Fetch the encoder FacebookAI--xlm-roberta-base
Job 4: Fetch enwiki.xml.bz2 of wikipedia
"""
    w = opened("paper")
    plan = script.planned(w, told)
    assert plan.memory_mb == {
        "pretrain": 200_000,
        "derive_text_cased": 4000,
    }  # encoders.mem_mb of scale paper
    assert plan.reads_world is False
    assert plan.downloads == [w.datasets["muse"].files["en-es.0-5000.txt"].size, None]


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


def test_the_environments_of_both_devices_have_the_same_pins(repository: Path) -> None:
    cpu, gpu = (read_yaml(repository / f"envs/{name}.yaml")["dependencies"] for name in ("cpu", "gpu"))
    index, *pinned = cpu[-1]["pip"]
    assert (cpu[:-1], pinned) == (gpu[:-1], gpu[-1]["pip"])
    assert index.endswith("/whl/cpu")


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


needs_slurm = pytest.mark.skipif(
    bool(missing_programs()) or not importlib.util.find_spec("snakemake_executor_plugin_slurm"),
    reason="needs SLURM (Debian: slurm-wlm, munge) and the extra `cluster`",
)


@needs_slurm
@pytest.mark.slow
def test_on_slurm_a_job_over_its_memory_is_retried_and_gives_the_same(repository: Path, tmp_path) -> None:
    """Two submissions of which the second is killed first: its own Snakemake needs more than 100 MB."""
    checkout = copy_checkout(repository, tmp_path)
    text = "results/tiny/corpora/text/ana.txt"
    command = [sys.executable, "-m", "snakemake", "--profile", "profiles/slurm"]
    command += ["--configfile", "scales/tiny.yaml"]
    options = ["--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2"]
    limit = ["--set-resources", "prepare_text:mem_mb=100 * attempt ** 4"]
    with one_node_slurm(cpus=2, memory=4000) as clients:
        environment = clients | {"PYTHONPATH": str(tmp_path / "src")}
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
