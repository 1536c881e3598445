"""The tree: every step once, those alike named."""

from crosslingua.trace.chain import Records, chain
from crosslingua.trace.show import facts, tree_lines
from recorded_run import RESULTS


def outline(lines: list[str]) -> list[str]:
    return [line for line in lines if "|" not in line]


def test_of_jobs_of_one_kind_the_first_is_shown_and_what_both_read_stands_under_it(toy: Records) -> None:
    steps = chain(toy, f"{RESULTS}/scores/main")
    near, far = ([f"{RESULTS}/links/{name}/seed{seed}.links" for seed in (1, 2)] for name in ("near", "far"))
    assert outline(list(tree_lines(steps, toy))) == [
        f"score: {RESULTS}/scores/main",
        f"  prepare_gold: {RESULTS}/gold.txt",
        f"  align: {', '.join(near)}",
        f"    prepare: {RESULTS}/text.txt",
        f"  align, 1 more of its kind (--all): {', '.join(far)}",
    ]
    whole = outline(list(tree_lines(steps, toy, everything=True)))
    assert f"  align: {', '.join(far)}" in whole
    assert len(whole) == 5


def test_a_step_tells_its_command_line_cost_log_and_code(toy: Records) -> None:
    lines = list(tree_lines(chain(toy, f"{RESULTS}/scores/main/far.seed2.json"), toy, code=True))
    plan = f"{RESULTS}/plans/score/main.csv"
    assert lines[1:3] == [f"  | python score.py --cells {plan}", f"  | {plan}:5  seed 2"]
    assert lines[3].endswith(f"; 120.5 s, 60.0 s of processor time, 300 MB; {RESULTS}/logs/score/main.log")
    assert "    | code: scripts/align.py and 1 modules" in lines
    assert "    |   src/crosslingua/links.py" in lines
    assert "      | reads: given.txt (given)" in lines


def test_facts_name_what_was_given(toy: Records) -> None:
    (step,) = chain(toy, f"{RESULTS}/text.txt").values()
    assert facts(step, toy)["given"] == ["given.txt"]
    assert facts(step, toy)["changed_since"] == []
