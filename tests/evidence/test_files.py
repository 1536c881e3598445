"""Files of evidence: exact, small, reproducible, and without words of the text."""

import gzip
import json
from math import inf
from pathlib import Path

import numpy as np
import pytest

from crosslingua.errors import InputError
from crosslingua.evidence.evidence import Evidence
from crosslingua.evidence.files import Recorded, read_evidence, write_evidence
from crosslingua.statistics.interval import mean_spread

WORDS = ("zebra", "acorn", "mango", "fig")


def recorded() -> Recorded:
    """P@1 of two systems on four words in two pairs, of which one run lacks a word; and an influence value."""
    precision = Evidence("points of P@1", bounds=(0, 100))
    precision.withhold("ana-ber", "muse", "does not beat random vectors")
    for pair, seed, hits in (("ana-ber", 1, (100, 0, 100, 0)), ("ana-cor", 2, (0, 0, 100, 100))):
        for system in ("rcsls", "joint"):
            values = {("ana", word): float(hit) for word, hit in zip(WORDS, hits, strict=True)}
            precision.add(pair, system, seed, values)
    del precision.values["ana-cor"]["joint"][2]["ana", "acorn"]
    precision.failed = [("ana-cor", "joint", 2)]
    f1 = Evidence("points of F1", controlled=True)
    f1.add("ner.ber", "bert", 1, {("ner", "0"): 1 / 3, ("ner", "1"): -2e-17, ("ana", "fig"): 1e22})
    evidence = {("precision", "all"): precision, ("f1", "all"): f1}
    return Recorded(
        "toy",
        "demo",
        "generated",
        evidence,
        {1: 1, 2: 1},
        (5, 10),
        {"rcsls": "aligned"},
        ("joint",),
        {"xlmr": "own"},
    )


def runs_of(one: Evidence) -> list[tuple]:
    return [
        (pair, system, seed, [*values.values()])
        for pair, systems in one.values.items()
        for system, seeds in systems.items()
        for seed, values in seeds.items()
    ]


def test_values_and_what_judging_needs_come_back_exactly(tmp_path: Path) -> None:
    before = recorded()
    write_evidence(tmp_path / "e.json.gz", before)
    after = read_evidence(tmp_path / "e.json.gz")
    for name in ("paper", "scale", "text", "runs", "strategies", "stand_ins"):
        assert getattr(after, name) == getattr(before, name)
    assert (list(after.planned), list(after.unsupervised)) == ([5, 10], ["joint"])
    assert after.evidence.keys() == before.evidence.keys()
    for key, one in before.evidence.items():
        found = after.evidence[key]
        assert runs_of(found) == runs_of(one)
        for name in ("unit", "bounds", "failed", "withheld", "controlled"):
            assert getattr(found, name) == getattr(one, name)
    assert after.evidence["f1", "all"].bounds == (-inf, inf)


def test_systems_have_other_names_everywhere() -> None:
    found = recorded().evidence["precision", "all"].renamed({"joint": "own", "muse": "other"})
    assert {*found.values["ana-ber"]} == {"rcsls", "own"}
    assert found.failed == [("ana-cor", "own", 2)]
    assert {*found.withheld} == {("ana-ber", "other")}


def test_items_keep_their_identity_and_order_but_not_their_words(tmp_path: Path) -> None:
    before = recorded()
    write_evidence(tmp_path / "e.json.gz", before)
    text = gzip.decompress((tmp_path / "e.json.gz").read_bytes()).decode()
    assert not any(word in text for word in WORDS)
    after = read_evidence(tmp_path / "e.json.gz")

    def items(evidence: Evidence) -> list[list]:
        return [[*run] for of in evidence.values.values() for seeds in of.values() for run in seeds.values()]

    every = [run for key in before.evidence for run in items(before.evidence[key])]
    numbers = [run for key in after.evidence for run in items(after.evidence[key])]
    known = {
        item: number
        for run, own in zip(every, numbers, strict=True)
        for item, number in zip(run, own, strict=True)
    }
    assert [[known[item] for item in run] for run in every] == numbers
    assert sorted(known, key=known.get) == sorted(known)
    assert len(set(known.values())) == len(known) == 6  # four words, and two sentences


def test_intervals_are_those_of_the_values_that_were_written(tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    evidence = Evidence("points")
    for pair in ("a-b", "a-c"):
        for system in ("one", "other"):
            for seed in (1, 2, 3):
                values = {("a", f"w{n}"): value for n, value in enumerate(generator.normal(size=50).tolist())}
                evidence.add(pair, system, seed, values)
    write_evidence(tmp_path / "e.json.gz", Recorded("toy", "demo", "real", {("f1", "all"): evidence}))
    found = read_evidence(tmp_path / "e.json.gz").evidence["f1", "all"]
    spreads = [
        mean_spread([one.grid(pair, "one", "other", (1, 2, 3)) for pair in one.values])
        for one in (evidence, found)
    ]
    assert spreads[0] == spreads[1]


def test_equal_evidence_makes_equal_bytes(tmp_path: Path) -> None:
    for name in "ab":
        write_evidence(tmp_path / name, recorded())
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_large_paper_takes_a_bit_a_value(tmp_path: Path) -> None:
    """A million hits and misses at random hold an eighth of a megabyte of information."""
    generator, evidence = np.random.default_rng(1), Evidence("points of P@1")
    for system in range(100):
        hits = (100.0 * (generator.random(10_000) < 0.5)).tolist()
        evidence.add("a-b", f"s{system}", 1, {("a", str(n)): hit for n, hit in enumerate(hits)})
    write_evidence(tmp_path / "e.json.gz", Recorded("toy", "demo", "real", {("precision", "all"): evidence}))
    assert (tmp_path / "e.json.gz").stat().st_size < 300_000


@pytest.mark.parametrize("change", [{"items": []}, {"evidence": [{}]}, {"runs": 3}, {"planned": None}])
def test_another_file_is_refused(tmp_path: Path, change: dict) -> None:
    write_evidence(tmp_path / "e.json.gz", recorded())
    content = json.loads(gzip.decompress((tmp_path / "e.json.gz").read_bytes()))
    content |= change
    if change == {"planned": None}:
        del content["planned"]
    (tmp_path / "e.json.gz").write_bytes(gzip.compress(json.dumps(content).encode()))
    with pytest.raises(InputError, match=r"e\.json\.gz: not a file of evidence"):
        read_evidence(tmp_path / "e.json.gz")
    (tmp_path / "e.json.gz").write_bytes(gzip.compress(b"{}" * 99)[:-9])
    with pytest.raises(InputError, match="truncated or damaged"):
        read_evidence(tmp_path / "e.json.gz")
