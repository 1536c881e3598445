import re
from pathlib import Path

import pytest

from crosslingua.errors import InputError
from crosslingua.report.costs import OF_PAPERS, PlannedRun, costs, estimate, stats
from texts import written

PAPERS_COSTS = ("align", "align_mlm", "xlm_align")
COSTS_HEAD = "stage,paper,jobs,processor_minutes,wall_minutes,memory_mb,disk_mb\n"
HEAD = "s\th:m:s\tmax_rss\tcpu_time\n"


def benchmark(path: Path, *lines: tuple) -> None:
    written(path, HEAD + "".join("{}\t0:00:00\t{}\t{}\n".format(*line) for line in lines))


def test_stages_are_added_up_the_costliest_first_and_told_apart_by_paper(tmp_path: Path) -> None:
    """By paper where jobs are named by it."""
    benchmark(tmp_path / "merge_metrics.tsv", (30, 50.0, 6))
    benchmark(tmp_path / "write_config.tsv", (0.1, "NA", "-"))
    benchmark(tmp_path / "finetune/align_mlm/mlm.tsv", (60, 100.0, 30))
    benchmark(tmp_path / "finetune/align_mlm/xlm.tsv", (60, 120.0, 60))
    benchmark(tmp_path / "finetune/xlm_align/xlmr.tsv", (240, 90.0, 180))
    benchmark(tmp_path / "write_table/align_mlm_table3.tsv", (12, 50.0, 6))
    benchmark(tmp_path / "write_rows/align_mlm.main.tsv", (6, 40.0, 3))
    benchmark(tmp_path / "judge_claims/align.tsv", (0, 30.0, 0))
    # encoders, which others may read
    benchmark(tmp_path / "pretrain/xlm_align/seed1.tsv", (60, 300.5, 90))
    benchmark(tmp_path / "pretrain/xlm.tsv", (120, 200.0, 210))
    found = costs(tmp_path, tmp_path / "logs", PAPERS_COSTS).round(4).fillna(-1).to_numpy().tolist()
    assert found == [
        ["pretrain", "", 2, 5.0, 3.0, 300.5],
        ["finetune", "xlm_align", 1, 3.0, 4.0, 90.0],
        ["finetune", "align_mlm", 2, 1.5, 2.0, 120.0],
        ["merge_metrics", "", 1, 0.1, 0.5, 50.0],
        ["write_table", "align_mlm", 1, 0.1, 0.2, 50.0],
        ["write_rows", "align_mlm", 1, 0.05, 0.1, 40.0],
        ["judge_claims", "align", 1, 0.0, 0.0, 30.0],
        ["write_config", "", 1, 0.0, 0.0017, -1],
        ["total", "", 10, 9.75, 9.8017, 300.5],
    ]


def test_the_stages_of_papers_are_those_whose_rules_say_so() -> None:
    rules = "".join(path.read_text() for path in (Path(__file__).parents[2] / "rules").glob("*.smk"))
    assert set(OF_PAPERS) == set(re.findall(r"\{BENCHMARKS\}/(\w+)/\{\{paper\}\}", rules))


def test_processor_time_is_that_which_the_log_tells(tmp_path: Path) -> None:
    benchmark(tmp_path / "benchmarks/pretrain/mlm.seed1.tsv", (44.0, 300.5, 15.2))
    benchmark(tmp_path / "benchmarks/pretrain/mlm.seed2.tsv", (44.0, 300.5, 15.2))
    log = "10:00:00 INFO step 1\n10:00:44 INFO processor time: 44.80 s\n"
    written(tmp_path / "logs/pretrain/mlm.seed1.log", log)
    found = costs(tmp_path / "benchmarks", tmp_path / "logs", PAPERS_COSTS).to_numpy().tolist()
    assert found[0] == ["pretrain", "", 2, 1.0, pytest.approx(88 / 60), 300.5]  # 44.8 s and 15.2 s


def test_what_is_no_benchmark_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no benchmarks"):
        costs(tmp_path, tmp_path / "logs", PAPERS_COSTS)
    (tmp_path / "x.tsv").write_text("a\tb\n1\t2\n")
    with pytest.raises(InputError, match=r"x\.tsv: not a benchmark"):
        costs(tmp_path, tmp_path / "logs", PAPERS_COSTS)


def test_an_estimate_adds_up_what_jobs_of_a_stage_cost(tmp_path: Path) -> None:
    rows = "pretrain,,4,20,10,500,\nscore,a,10,1,5,90,\nscore,b,30,1,1,90,\ntotal,,44,22,12,500,2048\n"
    written(tmp_path / "reference/demo/costs.csv", COSTS_HEAD + rows)
    jobs = stats("Job stats:\njob  count\n-----\npretrain   2\nscore      20\nother      1\ntotal      23\n")
    assert jobs == {"pretrain": 2, "score": 20, "other": 1}
    said = estimate(jobs, "demo", cores=2, results=tmp_path)
    # 2 * 5 + 20 * 0.05 = 11 minutes; by each stage's longer time, 2 * 5 + 20 * 0.15 minutes on one core.
    assert "Processor: about 0.18 hours for 22 jobs, 0.11 on 2 cores" in said
    assert "Memory: 0.5 GB" in said
    assert "Disk: about 2.0 GB" in said
    assert "Not estimated (jobs): other (1)." in said
    assert "has not been measured" in estimate(jobs, "mine", 2, results=tmp_path)
    assert estimate({}, "demo", 2, results=tmp_path) == "Nothing is left to do."
    assert estimate({"scan": 1}, "mine", 2, results=tmp_path) == "1 jobs.\nNot estimated (jobs): scan (1)."
    with pytest.raises(InputError, match="finish a run"):
        estimate(jobs, "demo", 2, results=tmp_path / "none")


def test_an_estimate_without_a_finished_run_names_what_nothing_measures(tmp_path: Path) -> None:
    rows = "pretrain,,4,20,10,500,\ntrain_joint,,1,30,30,90,\nwrite_table,a,10,5,5,90,\ntotal,,15,55,45,500,2048\n"
    written(tmp_path / "reference/demo/costs.csv", COSTS_HEAD + rows)
    jobs = {"pretrain": 3, "train_joint": 2, "write_table": 12, "fetch_file": 3, "finetune": 3}
    memory = {"pretrain": 20 * 1024, "train_joint": 4096}
    trainings = [(10, "bf16"), (2.5, "bf16"), (1, "fp32")]
    tunings = [("finetune", 4.25), ("finetune", None), ("finetune", 1)]
    public = PlannedRun(False, trainings, tunings, memory, [2**30, 2**29, None])
    said = estimate(jobs, "paper", 2, public, tmp_path).splitlines()
    assert said[0] == "23 jobs."
    assert said[1].startswith("GPU: about 13.5 hours of an H200 for 3 pre-trainings, 1 of them in fp32")
    assert said[1].endswith("; about 5.2 hours for 2 jobs of fine-tuning in fp32.")
    assert said[2].startswith("Processor: about 0.10 hours for 12 jobs, 0.05 on 2 cores")  # 12 * 0.5 minutes
    assert said[4:] == [
        "Memory: up to 20.0 GB, which pretrain asks for.",
        "Disk: 1.5 GB for 2 downloads, without what is made of them, and without 1 of unknown size.",
        "Not estimated (jobs): fetch_file (3), finetune (1), train_joint (2).",
    ]
    brief = estimate(jobs, "paper", 2, PlannedRun(False, [(0.01, "bf16")], [], memory, []), tmp_path)
    assert "GPU: under 0.1 hours of an H200 for 1 pre-trainings." in brief.splitlines()
    # On a processor and the controlled world's text, the demo's jobs are the measure: 3 * 5 + 2 * 30 + 12 * 0.5.
    world = estimate(jobs, "full", 1, PlannedRun(True, [], [], memory, []), tmp_path)
    assert "about 1.35 hours for 17 jobs" in world
    assert "GPU" not in world
    assert world.endswith("Not estimated (jobs): fetch_file (3), finetune (3).")
    own = estimate(jobs, "paper", 1, PlannedRun(False, [], [], memory, []), tmp_path)
    assert own.endswith("Not estimated (jobs): fetch_file (3), finetune (3), pretrain (3), train_joint (2).")


def test_what_a_scale_has_not_measured_yet_is_taken_from_the_demo(tmp_path: Path) -> None:
    demo = "pretrain,,4,20,10,500,\nscore,a,10,5,5,90,\nscan,,1,60,60,90,\ntotal,,15,85,75,500,2048\n"
    full = "pretrain,,2,60,30,700,\nfit,,1,9,9,900,\ntotal,,3,69,39,900,\n"
    written(tmp_path / "reference/demo/costs.csv", COSTS_HEAD + demo)
    written(tmp_path / "reference/full/costs.csv", COSTS_HEAD + full)
    plan = PlannedRun(True, [], [], {}, [])
    said = estimate({"pretrain": 3, "score": 20, "mix": 1}, "full", 1, plan, tmp_path).splitlines()
    # 3 * 30 minutes of full, 20 * 0.5 of the demo.
    runs = f"{tmp_path}/reference/demo/costs.csv and {tmp_path}/reference/full/costs.csv"
    assert said == [
        "24 jobs.",
        f"Processor: about 1.67 hours for 23 jobs, 1.67 on 1 cores, by {runs}.",
        "Scale full has not been measured in 20 of these jobs: they are taken to cost what the demo's cost, which is"
        " too little where data or training are larger.",
        "Memory: 0.7 GB for the largest measured job.",
        "Not estimated (jobs): mix (1).",
    ]
