"""The jobs behind a file, the tree that shows them, and trace.py on a small run."""

import json
import math
import re
import shutil
from dataclasses import replace
from pathlib import Path, PurePath

import pytest

from crosslingua import paper_folders
from crosslingua.errors import ConfigError, InputError
from crosslingua.trace.chain import Records, Step, chain, open_records
from crosslingua.trace.show import choose, numbers, places, tree_lines, with_lines
from metric_rows import error_row, frame, transfer_row
from programs import SCRIPTS, run_script
from recorded_run import RESULTS, record, recorded_run, write


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Records:
    """The records of a small run; not to be changed."""
    return Records(recorded_run(tmp_path_factory.mktemp("toy")))


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
    assert (f"  align: {', '.join(far)}" in whole, len(whole)) == (True, 5)


def test_a_step_tells_its_command_line_cost_log_and_code(toy: Records) -> None:
    lines = list(tree_lines(chain(toy, f"{RESULTS}/scores/main/far.seed2.json"), toy, code=True))
    plan = f"{RESULTS}/plans/score/main.csv"
    assert lines[1:3] == [f"  | python score.py --cells {plan}", f"  | {plan}:5  seed 2"]
    assert lines[3].endswith(f"; 120.5 s, 60.0 s of processor time, 300 MB; {RESULTS}/logs/score/main.log")
    assert "    | code: scripts/align.py and 1 modules" in lines
    assert "    |   src/crosslingua/links.py" in lines
    assert "      | reads: given.txt (given)" in lines


TABLE = f"{RESULTS}/tables/xlm_align_table2.csv"
TABLE2 = paper_folders.load("xlm_align", "tables").TABLES["table2"]
TABLE3 = paper_folders.load("align_mlm", "tables").TABLES["table3"]


def test_a_row_is_found_where_the_table_shows_it() -> None:
    shown = [(system, target) for target in ("trans", "trans_inv") for system in ("mlm", "xlm")]
    shown.append(("xlm_parallel_100", "trans_inv"))
    rows = frame(*(transfer_row(*one, "pos", "delta", 5.0) for one in shown))
    changes = ("Transliteration", "Transliteration and inversion")
    expected = [[change, system, "POS Δ"] for change in changes for system in ("mlm", "xlm")]
    assert places(rows, TABLE3) == dict(enumerate(expected))


def test_a_mean_over_rows_is_of_no_row_even_where_values_are_equal() -> None:
    rows = frame(*(error_row("near", 5.0, pair) for pair in ("ana-ber", "ana-cor")))
    note = "Alignment error rate (AER)."
    assert places(rows, TABLE2) == {0: [note, "near", "ana-ber"], 1: [note, "near", "ana-cor"]}


def test_rows_are_placed_seed_by_seed_though_one_has_fewer() -> None:
    trained = (("mlm", 1), ("mlm", 2), ("xlm", 3))
    rows = frame(*(transfer_row(system, "trans", "pos", "delta", 5.0, seed) for system, seed in trained))
    assert {row: place[1] for row, place in places(rows, TABLE3).items()} == {0: "mlm", 1: "mlm", 2: "xlm"}


def test_a_word_that_is_said_twice_is_asked_for_twice() -> None:
    rows = frame({"target": "de"}, {"target": "en"}, source="en", task="pos", signature="f1")
    rows = rows.assign(place=[()] * 2)
    assert list(choose(rows, ["pos", "en"])["target"]) == ["de", "en"]
    assert list(choose(rows, ["pos", "en", "en"])["target"]) == ["en"]


def test_words_are_of_columns_signature_and_place_in_any_order_and_case(toy: Records) -> None:
    rows = numbers(toy, TABLE, "xlm_align", TABLE2)
    note = "Alignment error rate (AER)."
    for words in (["near", "1"], ["seed=1", "NEAR"], [note, "near", "1"], ["de-en", "1", "near"]):
        assert choose(rows, words)[["system", "seed"]].to_numpy().tolist() == [["near", 1]]
    assert len(choose(rows, ["links=sure"])) == len(choose(rows, ["sure", "aer", "word_alignment"])) == 4
    for words, message in (
        (["nearr"], r"'nearr'; did you mean 'near'\?"),
        (["near", "far"], "all of near, far"),
        (["xlm_align"], "'xlm_align'"),  # the paper is no word: systems are called as papers
    ):
        with pytest.raises(ConfigError, match=message):
            choose(rows, words)


def test_rows_lead_to_the_lines_of_the_plan(toy: Records) -> None:
    rows = numbers(toy, TABLE, "xlm_align", TABLE2)
    found = with_lines(choose(rows, ["far"]), toy, PurePath(RESULTS))
    plan = f"{RESULTS}/plans/cells/xlm_align.main.csv"
    assert found[["plan", "line", "seed"]].to_numpy().tolist() == [[plan, 4, 1], [plan, 5, 2]]


def test_a_table_that_shows_no_row_as_it_is_lists_them_without_a_place(toy: Records) -> None:
    rows = numbers(toy, TABLE, "xlm_align", replace(TABLE2, grids=lambda rows, published: iter(())))
    assert (len(rows), set(rows["place"])) == (4, {()})


def test_a_table_without_rows_beside_it_is_an_error(toy: Records) -> None:
    with pytest.raises(InputError, match="no metrics rows"):
        numbers(toy, "elsewhere/tables/xlm_align_table2.csv")


@pytest.fixture
def trace(script, toy: Records):
    def call(*options: str, cwd: Path = toy.root, ok: bool = True) -> str:
        done = script("trace.py", *options, folder=cwd, status=0 if ok else 1)
        return done.stdout if ok else done.stderr

    return call


def test_the_numbers_of_a_table_are_listed_with_their_words(trace) -> None:
    _, *rows = (" ".join(line.split()) for line in trace(TABLE).splitlines())
    assert rows == ["Alignment error rate (AER).", "21.5000 near near | de-en", "61.5000 far far | de-en"]


def test_of_several_seeds_the_first_is_shown_and_the_others_are_named(trace) -> None:
    told = trace(TABLE, "--cell", "near,aer")
    cell = "table2,near,word_alignment,de,en, seed"
    assert told.startswith(f"{cell} 1\n  Alignment error rate (AER). | near | de-en")
    assert f"{RESULTS}/links/near/seed1.links" in told
    assert not re.search("far|near/seed2", told)
    assert told.endswith(f"name 1 more (--all):\n  {cell} 2\n")
    for more in (("--all",), ("--seed", "2")):
        assert "near/seed2" in trace(TABLE, "--cell", "near,aer", *more)
    assert "no seed 3: there are 1, 2" in trace(TABLE, "--cell", "near", "--seed", "3", ok=False)


def test_json_has_every_job(trace) -> None:
    (answer,) = json.loads(trace(TABLE, "--cell", "near,seed=2", "--json"))
    rules = [step["rule"] for step in answer["steps"]]
    assert rules == ["write_table", "write_rows", "score", "prepare_gold", "align", "prepare"]
    assert (answer["says"][0]["value"], answer["steps"][-1]["given"]) == (22.0, ["given.txt"])


def test_a_claim_leads_to_the_cells_that_its_comparison_names(trace) -> None:
    assert "near_is_near: reproduced. Near." in trace(f"{RESULTS}/claims/xlm_align.csv")
    told = trace(f"{RESULTS}/claims/xlm_align.csv", "--claim", "near_is_near")
    parts = ("by near@first (de-en)", "links/near", "links/far")
    assert [part in told for part in parts] == [True, True, False]
    error = trace(f"{RESULTS}/claims/xlm_align.csv", "--claim", "near_is_nea", ok=False)
    assert "did you mean 'near_is_near'?" in error


def test_any_file_from_anywhere(trace, toy: Records, tmp_path: Path) -> None:
    links = f"{RESULTS}/links/far/seed1.links"
    assert trace(str(toy.root / links), cwd=tmp_path).startswith(f"{links}\n\nalign: ")


def test_what_no_job_made_and_what_was_made_elsewhere(trace, toy: Records, tmp_path: Path) -> None:
    assert "given.txt: no job made this file" in trace("given.txt", ok=False)
    assert "nothing.txt: no such file" in trace("nothing.txt", ok=False)
    shutil.copytree(toy.root / "results", tmp_path / "results")
    told = trace(TABLE, "--cell", "near,1", cwd=tmp_path)
    assert f"read from {RESULTS}/scores/main/near.seed1.json" in told
    assert "it was made elsewhere" in told
    (tmp_path / "a.txt").touch()
    assert "has no record" in trace("a.txt", cwd=tmp_path, ok=False)


@pytest.mark.parametrize(
    "damage",
    [
        *(b"", b"\xff\0", b"null", b"[]", b"{}", b'{"rule": "a', b"<html>"),
        *(
            {name: value}
            for name in ("rule", "input", "log", "starttime", "input_checksums")
            for value in (None, [5], {"a": 5}, math.inf, -1e30, math.nan)
            if (name, value) != ("input_checksums", {})
        ),
        *({"shellcmd": value} for value in (5, [], {})),
    ],
)  # fmt: skip
def test_a_damaged_record_leaves_its_job_out_and_the_others_in(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: bytes | dict
) -> None:
    records = Records(recorded_run(tmp_path))
    path = records._path(f"{RESULTS}/links/far/seed2.links")
    if isinstance(damage, dict):
        damage = json.dumps(json.loads(path.read_text()) | damage).encode()
    path.write_bytes(damage)
    steps = chain(records, f"{RESULTS}/scores/main/far.seed2.json")
    assert " ".join(step.job["rule"] for step in steps.values()) == "score prepare_gold"
    assert f"{path}:" in caplog.text
    assert "far/seed2.links is left out" in caplog.text
    assert list(tree_lines(steps, records))


@pytest.mark.parametrize(
    "content", ["", "\0", "s\tmax_rss\tcpu_time\n", "a\tb\n1\t2\n", "s\tmax_rss\tcpu_time\n1\n", "s\nx\n"]
)
def test_a_damaged_measurement_is_as_none(tmp_path: Path, content: str) -> None:
    records = Records(recorded_run(tmp_path))
    write(tmp_path, f"{RESULTS}/benchmarks/score/main.tsv", content)
    write(tmp_path, f"{RESULTS}/logs/score/main.log", "10:00:44 INFO processor time: 1.2.3 s\n")
    assert records.cost(records.job(f"{RESULTS}/scores/main")) == {}


CLAIM = {"claim": "near_is_near", "paper": "xlm_align", "verdict": "open", "statement": "Near."}


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        *(("claims/xlm_align.json", content, "must hold an object") for content in ("[]", "null")),
        *(("claims/xlm_align.json", f'{{"judged": {content}}}', "judged holds no claims") for content in ("5", "[5]")),
        *(
            ("claims/xlm_align.json", json.dumps({"judged": [CLAIM | {"decisive": decisive}]}), "no decisive")
            for decisive in (5, {"comparison": 5, "pair": "a"})
        ),
        *(("plans/claims/xlm_align.json", content, "must hold an object") for content in ("[]", "null")),
        *(("plans/claims/xlm_align.json", f'{{"cells": {content}}}', "no list of files") for content in ("5", "[5]")),
        ("plans/score/main.csv", "gold,seed\nit's,1\n", "csv:2: no words of a shell: No closing quotation"),
    ],
)  # fmt: skip
def test_a_damaged_file_on_the_way_of_a_claim_is_named(
    tmp_path: Path, file: str, content: str, message: str
) -> None:
    recorded_run(tmp_path)
    write(tmp_path, f"{RESULTS}/{file}", content)
    ended = run_script(
        SCRIPTS / "trace.py", tmp_path / f"{RESULTS}/claims/xlm_align.csv", "--claim", "near_is_near"
    )
    assert ended.error.startswith(f"error: {tmp_path}/{RESULTS}/{file}")
    assert message in ended.error
    assert ended.error.endswith(")")
