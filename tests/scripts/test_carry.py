"""Results that are carried to another checkout arrive whole, or not at all."""

import base64
import hashlib
import json
import os
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from texts import written

RECORDS = Path(".snakemake/metadata")


@pytest.fixture
def checkouts(tmp_path: Path) -> tuple[Path, Path]:
    """A checkout with results and Snakemake's records, and an empty one."""
    here, there = tmp_path / "here", tmp_path / "there"
    there.mkdir()
    made = here / "results/x"
    (made / "encoder").mkdir(parents=True)
    written(made / "links.txt", "0-0\n" * 1000)
    written(made / "noise.bin", os.urandom(2_500_000))
    written(made / "left.log", "log")
    weights = {"w": torch.randn(50, 7), "n": torch.arange(3), "b": torch.randn(4).bfloat16()}
    save_file(weights, made / "encoder/model.safetensors", {"format": "pt"})
    for place, path in enumerate(sorted(made.rglob("*.*"))):
        os.utime(path, ns=(10**18 + place, 10**18 + place))
    for output in ("results/x/links.txt", "results/x/encoder", "results/other.txt", "results/x/" + "n" * 200):
        name = base64.urlsafe_b64encode(output.encode()).decode()
        written(here / RECORDS / (name if len(name) < 255 else f"@{name[:254]}/{name[254:]}"), output)
    return here, there


def test_files_times_and_records_arrive(script, checkouts, tmp_path):
    here, there = checkouts
    given = ("pack", "results/x", "--out", tmp_path / "c", "--part-mb", 1, "--leave", "*.log")
    told = script("carry.py", *given, folder=here)
    parts = sorted(path.name for path in tmp_path.glob("c.0*"))
    assert parts == ["c.001", "c.002", "c.003"]
    sums = {name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in parts}
    assert json.loads((tmp_path / "c.json").read_text())["parts"] == sums
    assert max((tmp_path / name).stat().st_size for name in parts) == 1_000_000
    assert "3 files in 3 parts" in told.stdout
    assert "5 files are new" in script("carry.py", "unpack", tmp_path / "c.json", folder=there).stdout
    arrived = {path.relative_to(there) for path in there.rglob("*") if path.is_file()}
    expected = {path.relative_to(here) for path in (here / "results/x").rglob("*.*") if path.is_file()}
    assert {path for path in arrived if path.parts[0] == "results"} == expected - {Path("results/x/left.log")}
    for path in arrived:
        assert (there / path).read_bytes() == (here / path).read_bytes()
        assert (there / path).stat().st_mtime == pytest.approx((here / path).stat().st_mtime, abs=1e-6, rel=0)
    records = {(there / path).read_text() for path in arrived if path.parts[0] == ".snakemake"}
    assert records == {"results/x/links.txt", "results/x/encoder"}
    assert "0 files are new, 5 stay" in script("carry.py", "unpack", tmp_path / "c.json", folder=there).stdout


def test_a_newer_file_stays(script, checkouts, tmp_path):
    here, there = checkouts
    script("carry.py", "pack", "results/x/links.txt", "--out", tmp_path / "c", folder=here)
    (there / "results/x").mkdir(parents=True)
    (there / "results/x/links.txt").write_text("newer")
    script("carry.py", "unpack", tmp_path / "c.json", folder=there)
    assert (there / "results/x/links.txt").read_text() == "newer"


def test_half_precision_keeps_eight_bits(script, checkouts, tmp_path):
    here, there = checkouts
    weights = "results/x/encoder/model.safetensors"
    script("carry.py", "pack", weights, "--out", tmp_path / "c", "--half", folder=here)
    script("carry.py", "unpack", tmp_path / "c.json", folder=there)
    before, after = load_file(here / weights), load_file(there / weights)
    assert after["w"].dtype == torch.float32
    assert torch.equal(after["w"], before["w"].bfloat16().float())
    for name in ("n", "b"):  # what is no single precision stays as it is
        assert after[name].dtype == before[name].dtype
        assert torch.equal(after[name], before[name])
    assert (there / weights).stat().st_mtime_ns == (here / weights).stat().st_mtime_ns


def test_nothing_is_written_of_a_damaged_archive(script, checkouts, tmp_path):
    here, there = checkouts
    script("carry.py", "pack", "results/x", "--out", tmp_path / "c", "--part-mb", 1, folder=here)
    part = tmp_path / "c.002"
    part.write_bytes(part.read_bytes()[:-1] + b"?")
    other = script("carry.py", "unpack", tmp_path / "c.json", status=1, folder=there).error
    part.unlink()
    gone = script("carry.py", "unpack", tmp_path / "c.json", status=1, folder=there).error
    for error, message in ((other, "other bytes than were packed"), (gone, "the part is missing")):
        assert str(part) in error
        assert message in error
    assert not list(there.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["results/none"], "results/none does not exist"),
        (["/etc"], "relative to the checkout"),
        (["../here"], "relative to the checkout"),
        (["results/x", "--leave", "*"], "no file is left to pack"),
    ],
)
def test_what_cannot_be_packed(script, checkouts, tmp_path, arguments, message):
    ended = script("carry.py", "pack", "--out", tmp_path / "c", *arguments, status=1, folder=checkouts[0])
    assert message in ended.error
    assert not list(tmp_path.glob("c.*"))
