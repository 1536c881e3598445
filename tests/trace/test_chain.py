"""Which jobs made a file: of a job that makes many things, only what this one was made of."""

from pathlib import Path

from crosslingua.trace.chain import Records, Step, chain
from recorded_run import RESULTS, record, write


def made(steps: dict[tuple, Step]) -> dict[str, list[str]]:
    return {
        f"{step.job['rule']} {step.files[0].removeprefix(f'{RESULTS}/')}": list(step.inputs)
        for step in steps.values()
    }


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
    assert [step.job["rule"] for step in steps.values()] == [
        "score",
        "prepare_gold",
        "align",
        "align",
        "prepare",
    ]
    near = list(steps.values())[2]
    assert near.files == [f"{RESULTS}/links/near/seed{seed}.links" for seed in (1, 2)]


def test_lines_and_inputs_can_be_chosen(toy: Records) -> None:
    plan = f"{RESULTS}/plans/cells/xlm_align.main.csv"
    steps = chain(toy, f"{RESULTS}/tables/xlm_align_table2.csv", {plan: [3]})
    assert "write_rows rows/xlm_align.main.csv" in made(steps)
    assert made(steps)["write_rows rows/xlm_align.main.csv"] == [f"{RESULTS}/scores/main/near.seed2.json"]
    without = chain(
        toy, f"{RESULTS}/tables/xlm_align_table2.csv", without=[f"{RESULTS}/rows/xlm_align.main.csv"]
    )
    assert made(without) == {"write_table tables/xlm_align_table2.csv": ["reference/xlm_align_table2.csv"]}


def test_cells_of_a_plan_in_json_count_as_its_lines(toy: Records) -> None:
    plan = f"{RESULTS}/plans/cells/xlm_align.main.csv"
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


def test_what_no_job_made_has_no_steps(toy: Records) -> None:
    assert chain(toy, "given.txt") == {}
