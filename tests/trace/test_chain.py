"""The jobs behind a file: of a job with many outputs, only the inputs of this file."""

from pathlib import Path

import pytest

from crosslingua.trace.chain import Records, Step, chain, open_records
from recorded_run import RESULTS, record, write


def made(steps: dict[tuple, Step]) -> dict[str, list[str]]:
    names = [f"{step.job['rule']} {step.files[0].removeprefix(f'{RESULTS}/')}" for step in steps.values()]
    return {name: list(step.inputs) for name, step in zip(names, steps.values(), strict=True)}


def test_only_what_the_plans_line_names_counts_and_what_no_line_names(toy: Records) -> None:
    steps = chain(toy, f"{RESULTS}/scores/main/far.seed2.json")
    assert made(steps) == {
        "score scores/main/far.seed2.json": [f"{RESULTS}/gold.txt", f"{RESULTS}/links/far/seed2.links"],
        "prepare_gold gold.txt": ["given.txt"],
        "align links/far/seed2.links": [f"{RESULTS}/text.txt"],
        "prepare text.txt": ["given.txt"],
    }
    first = next(iter(steps.values()))
    assert list(first.lines) == [(f"{RESULTS}/plans/score/main.csv", 5)]
    assert first.planned == 4


def test_of_a_whole_folder_all_lines_count_and_a_job_of_several_files_is_one_step(toy: Records) -> None:
    steps = chain(toy, f"{RESULTS}/scores/main")
    assert " ".join(step.job["rule"] for step in steps.values()) == "score prepare_gold align align prepare"
    near = list(steps.values())[2]
    assert near.files == [f"{RESULTS}/links/near/seed{seed}.links" for seed in (1, 2)]


def test_lines_and_inputs_can_be_chosen_of_plans_in_json_too(toy: Records) -> None:
    plan = f"{RESULTS}/plans/cells/xlm_align.main.csv"
    steps = chain(toy, f"{RESULTS}/tables/xlm_align_table2.csv", {plan: [3]})
    assert "write_rows rows/xlm_align.main.csv" in made(steps)
    assert made(steps)["write_rows rows/xlm_align.main.csv"] == [f"{RESULTS}/scores/main/near.seed2.json"]
    rows = f"{RESULTS}/rows/xlm_align.main.csv"
    without = chain(toy, f"{RESULTS}/tables/xlm_align_table2.csv", without=[rows])
    assert made(without) == {"write_table tables/xlm_align_table2.csv": ["reference/xlm_align_table2.csv"]}
    steps = chain(toy, f"{RESULTS}/claims/xlm_align.csv", {plan: [2]})
    assert made(steps)["judge_claims claims/xlm_align.csv"] == [f"{RESULTS}/scores/main/near.seed1.json"]


def test_of_several_tasks_in_a_line_only_that_of_the_file_counts(tmp_path: Path) -> None:
    train = "ner/ana=data/ner/ana.conll pos/ana=data/pos/ana.conll"
    settings = "ner.epochs=3 pos.epochs=2"
    plan = write(tmp_path, "plan.csv", f"encoder,out,train,set\nenc/m,tuned/m/seed1,{train},{settings}\n")
    inputs = ["data/ner/ana.conll", "data/pos/ana.conll", "enc/m", plan]
    record(tmp_path, "finetune", ["tuned/m"], inputs, f"finetune --cells {plan}")
    (step,) = chain(Records(tmp_path), "tuned/m/seed1/pos/ana/ana_trans.conll").values()
    assert list(step.inputs) == ["data/pos/ana.conll", "enc/m"]
    assert ("set", "pos.epochs", "2") in step.lines["plan.csv", 2]
    assert ("set", "ner.epochs", "3") not in step.lines["plan.csv", 2]
    (step,) = chain(Records(tmp_path), "tuned/m").values()
    assert list(step.inputs) == inputs[:3]


def test_a_job_is_found_by_its_file_and_by_what_lies_in_its_folder(toy: Records) -> None:
    assert toy.job(f"{RESULTS}/text.txt")["rule"] == "prepare"
    assert toy.job(f"{RESULTS}/scores/main/near.seed1.json")["rule"] == "score"
    assert (toy.job("given.txt"), chain(toy, "given.txt")) == (None, {})


def test_names_too_long_for_one_folder_entry_are_found(tmp_path: Path) -> None:
    name = "results/" + "x" * 700 + "/é.txt"
    record(tmp_path, "long", [name], [])
    assert Records(tmp_path).job(name)["rule"] == "long"


def test_inputs_that_changed_are_told_and_those_gone_are_not(tmp_path: Path) -> None:
    record(tmp_path, "rule", ["out"], [write(tmp_path, name, name) for name in ("same", "other", "gone")])
    write(tmp_path, "other", "edited")
    (tmp_path / "gone").unlink()
    records = Records(tmp_path)
    assert records.changed(records.job("out")) == ["other"]


def test_cost_is_that_of_the_benchmark_beside_the_log(toy: Records) -> None:
    assert toy.cost(toy.job(f"{RESULTS}/scores/main")) == {"s": 120.5, "cpu_time": 60.0, "max_rss": 300.0}
    assert toy.cost(toy.job(f"{RESULTS}/text.txt")) == {}


@pytest.mark.parametrize(
    ("measured", "log", "cost"),
    [
        ("44.0\t300\t15.2", "10:00:44 INFO processor time: 43.90 s\n", {"s": 44, "cpu_time": 43.9, "max_rss": 300}),
        ("0.1\tNA\t-", "", {"s": 0.1}),
    ],
)  # fmt: skip
def test_processor_time_is_that_of_the_log_and_what_was_not_measured_is_left_out(
    tmp_path: Path, measured: str, log: str, cost: dict[str, float]
) -> None:
    record(tmp_path, "long", ["out"], [])
    write(tmp_path, f"{RESULTS}/benchmarks/long/out.tsv", f"s\tmax_rss\tcpu_time\n{measured}\n")
    write(tmp_path, f"{RESULTS}/logs/long/out.log", log)
    records = Records(tmp_path)
    assert records.cost(records.job("out")) == cost


def test_the_records_are_those_of_the_folder_above_the_file(toy: Records, tmp_path: Path) -> None:
    records, name = open_records(toy.root / RESULTS / "text.txt")
    assert (records.root, name) == (toy.root, f"{RESULTS}/text.txt")
    records, name = open_records(tmp_path / "text.txt")
    assert (records.root, name) == (Path.cwd(), str(tmp_path / "text.txt"))
