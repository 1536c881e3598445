"""Snakemake's records, written by its own code."""

from pathlib import Path

from crosslingua.trace.chain import Records, open_records
from recorded_run import RESULTS, record, write


def test_a_job_is_found_by_its_file_and_by_what_lies_in_its_folder(toy: Records) -> None:
    assert toy.job(f"{RESULTS}/text.txt")["rule"] == "prepare"
    assert toy.job(f"{RESULTS}/scores/main/near.seed1.json")["rule"] == "score"
    assert toy.job("given.txt") is None


def test_names_too_long_for_one_folder_entry_are_found(tmp_path: Path) -> None:
    name = "results/" + "x" * 700 + "/é.txt"
    record(tmp_path, "long", [name], [])
    assert Records(tmp_path).job(name)["rule"] == "long"


def test_inputs_that_changed_are_told_and_those_gone_are_not(tmp_path: Path) -> None:
    names = [write(tmp_path, name, name) for name in ("same", "other", "gone")]
    record(tmp_path, "rule", ["out"], names)
    write(tmp_path, "other", "edited")
    (tmp_path / "gone").unlink()
    records = Records(tmp_path)
    assert records.changed(records.job("out")) == ["other"]


def test_cost_is_that_of_the_benchmark_beside_the_log(toy: Records) -> None:
    assert toy.cost(toy.job(f"{RESULTS}/scores/main")) == {"s": 120.5, "cpu_time": 60.0, "max_rss": 300.0}
    assert toy.cost(toy.job(f"{RESULTS}/text.txt")) == {}


def test_processor_time_is_that_which_the_log_tells(tmp_path: Path) -> None:
    record(tmp_path, "long", ["out"], [])
    write(tmp_path, f"{RESULTS}/benchmarks/long/out.tsv", "s\tmax_rss\tcpu_time\n44.0\t300\t15.2\n")
    write(tmp_path, f"{RESULTS}/logs/long/out.log", "10:00:44 INFO processor time: 43.90 s\n")
    records = Records(tmp_path)
    assert records.cost(records.job("out"))["cpu_time"] == 43.9


def test_what_was_not_measured_is_left_out(tmp_path: Path) -> None:
    record(tmp_path, "short", ["out"], [])
    write(tmp_path, f"{RESULTS}/benchmarks/short/out.tsv", "s\tmax_rss\tcpu_time\n0.1\tNA\t-\n")
    records = Records(tmp_path)
    assert records.cost(records.job("out")) == {"s": 0.1}


def test_the_records_are_those_of_the_folder_above_the_file(toy: Records, tmp_path: Path) -> None:
    records, name = open_records(toy.root / RESULTS / "text.txt")
    assert (records.root, name) == (toy.root, f"{RESULTS}/text.txt")
    records, name = open_records(tmp_path / "text.txt")
    assert (records.root, name) == (Path.cwd(), str(tmp_path / "text.txt"))
