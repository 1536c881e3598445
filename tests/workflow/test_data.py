"""Every task's data through the workflow, and the published LASER with a small checkpoint in its place."""

import hashlib
import json
import re
from collections import Counter
from pathlib import Path

import pytest
import torch

from checkout import Checkout, copy_checkout
from crosslingua.laser.model import load_laser
from laser.authors import CODES, VOCABULARY, AuthorsEncoder, write

RESULTS = "results/tiny"
FOLDER = "results/paper/encoders/laser/seed1"


@pytest.fixture
def card(finished: Checkout) -> str:
    return (finished.root / RESULTS / "data_card.md").read_text()


@pytest.fixture
def corpora(finished: Checkout) -> Path:
    return finished.root / RESULTS / "corpora"


def rows(card: str, title: str) -> list[dict[str, str]]:
    """The table below a heading of the card."""
    section = card.split(f"\n## {title}\n")[1].split("\n## ")[0]
    header, _, *body = [line for line in section.splitlines() if line.startswith("|")]
    names = [cell.strip() for cell in header.strip("|").split("|")]
    return [dict(zip(names, [c.strip() for c in line.strip("|").split("|")], strict=True)) for line in body]


def number(cell: str) -> int:
    return int(cell.replace(",", ""))


def spelling(corpora: Path, derived: str) -> dict[str, str]:
    """How a derived language spells the words of its parent."""
    lines = (corpora / f"text/{derived}.dictionary.txt").read_text().splitlines()
    return dict(re.split(r"[ \t]", line) for line in lines)


def test_the_counts_of_the_card_are_those_of_the_files(card: str, corpora: Path) -> None:
    for title, task, label in (("Named entities", "ner", "PER"), ("Slot filling", "slots", None)):
        for row in rows(card, title):
            text = (corpora / task / f"{row['set']}.{row['split']}.conll").read_text()
            assert number(row["sentences"]) == len(text.strip().split("\n\n"))
            assert number(row["tokens"]) == len(re.findall(r"^[^\t\n]+\t[^\t\n]+$", text, re.MULTILINE))
            assert number(row["spans"]) == len(re.findall(r"\tB-", text))
            if label:
                assert number(row[label]) == text.count(f"\tB-{label}\n")
    for row in rows(card, "Inference"):
        lines = (corpora / "nli" / f"{row['set']}.{row['split']}.tsv").read_text().splitlines()
        assert number(row["pairs"]) == len(lines) - 1
        assert number(row["neutral"]) == sum(line.endswith("\tneutral") for line in lines)
    for row in rows(card, "Questions"):
        text = (corpora / "qa" / f"{row['set']}.{row['split']}.json").read_text()
        assert number(row["questions"]) == text.count('"question":')
        assert json.loads(text)["data"]
    for row in rows(card, "Gold word alignments"):
        links = (corpora / "gold_alignment" / f"{row['set']}.links").read_text()
        assert number(row["sure links"]) == links.count("-")
        assert number(row["only possible"]) == links.count("p")


def test_the_sizes_are_those_of_the_configuration(card: str) -> None:
    for title in ("Named entities", "Parts of speech", "Slot filling"):
        sizes = {(row["split"], row["sentences"]) for row in rows(card, title)}
        assert sizes == {("train", "200"), ("valid", "50"), ("test", "100")}
    assert [row["pairs"] for row in rows(card, "Parallel text")] == ["300"]


def test_derived_languages_keep_every_label(card: str) -> None:
    cases = [("Named entities", "ana_trans_inv"), ("Parts of speech", "ana_trans_syn")]
    for title, derived in (*cases, ("Inference", "ana_trans"), ("Inference", "ana_trans_syn")):
        sets = {name: [row for row in rows(card, title) if row["set"] == name] for name in ("ana", derived)}
        assert len(sets["ana"]) == 3
        for ours, theirs in zip(*sets.values(), strict=True):
            assert {name for name in ours if ours[name] != theirs[name]} <= {"set", "from"}


def test_syntax_moves_words_with_their_labels_within_each_sentence(corpora: Path) -> None:
    dictionary = spelling(corpora, "ana_trans_syn")

    def texts(name: str) -> list[str]:
        return (corpora / name).read_text().splitlines()

    moved = 0
    for ours, theirs in zip(texts("text/ana.txt"), texts("text/ana_trans_syn.txt"), strict=True):
        spelled = [dictionary[word] for word in ours.split()]
        assert Counter(spelled) == Counter(theirs.split())
        moved += spelled != theirs.split()
    assert moved > 1000
    for split in ("train", "valid", "test"):
        both = [texts(f"nli/{name}.{split}.tsv")[1:] for name in ("ana", "ana_trans_syn")]
        for ours, theirs in zip(*both, strict=True):
            *sentences, label = ours.split("\t")
            *derived, same = theirs.split("\t")
            assert label == same
            assert [len(s.split()) for s in sentences] == [len(s.split()) for s in derived]
        for task in ("ner", "pos"):
            ours, theirs = (
                [re.findall(r"^(\S+)\t(?:[BI]-)?(\S+)$", block, re.MULTILINE) for block in
                 (corpora / f"{task}/{name}.{split}.conll").read_text().strip().split("\n\n")]
                for name in ("ana", "ana_trans_syn")
            )  # fmt: skip
            for one, other in zip(ours, theirs, strict=True):
                assert Counter(label for _, label in one) == Counter(label for _, label in other)
                known = Counter((dictionary[word], label) for word, label in one if word in dictionary)
                assert known <= Counter(other)


def test_a_word_is_spelled_alike_in_text_and_tasks(corpora: Path) -> None:
    dictionary = spelling(corpora, "ana_trans_inv")

    def sentences(name: str) -> list[list[str]]:
        text = (corpora / f"ner/{name}.test.conll").read_text()
        return [[line.split("\t")[0] for line in block.splitlines()] for block in text.strip().split("\n\n")]

    known = 0
    for ours, theirs in zip(sentences("ana"), sentences("ana_trans_inv"), strict=True):
        for word, derived in zip(ours[-2::-1], theirs, strict=False):
            if word in dictionary:
                known += 1
                assert dictionary[word] == derived
    assert known > 200


def test_every_checksum_of_the_card_is_right(card: str, finished: Checkout) -> None:
    lines = re.findall(r"^([0-9a-f]{64})  (corpora/\S+)$", card, re.MULTILINE)
    assert len(lines) > 40
    for digest, name in lines:
        assert hashlib.sha256((finished.root / RESULTS / name).read_bytes()).hexdigest() == digest


def test_every_link_of_the_card_has_its_heading(card: str) -> None:
    headings = re.findall(r"^#{2,3} (.+)$", card, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", card)) <= anchors


@pytest.mark.slow
def test_published_sets_are_made_from_the_mirror(repository: Path, mirror: Path, tmp_path_factory) -> None:
    checkout = copy_checkout(repository, tmp_path_factory.mktemp("published"))
    corpora = Path("results/real/corpora")
    # file -> (pattern that stands once a record, count published, given in the mirror's table, or asked for by `take`)
    wanted = {
        "ner/hy.test.conll": ("\n\n", 2527), "pos/de_udpos.test.conll": ("\n\n", 500),
        "slots/es_facebook.test.conll": ("\n\n", 3043), "nli/en_xnli.train.tsv": ("\n", 1992 + 2490 + 1),
        "paraphrase/de_pawsx.test.tsv": ("\n", 1000 + 1), "bitext/en-de.valid.de.txt": ("\n", 1014),
        "gold_alignment/en-hi.links": ("\n", 90),
    }  # fmt: skip
    place = json.dumps({"mirror": str(mirror)})
    xquad = [str(corpora / f"qa/{language}_xquad.test.json") for language in ("en", "de", "es")]
    targets = [*(str(corpora / name) for name in wanted), *xquad]
    checkout.run("--keep-going", *targets, "--config", f"data={place}", scale="real")
    for name, (mark, count) in wanted.items():
        assert (checkout.root / corpora / name).read_text().count(mark) == count, name
    for path in xquad:
        assert len(json.loads((checkout.root / path).read_text())["data"]) == 24


@pytest.mark.slow
@torch.no_grad()
def test_the_published_laser_takes_the_place_of_a_trained_one(repository: Path, tmp_path: Path) -> None:
    # Their names would do something if a shell read them.
    mirror, data = tmp_path / 'it\'s "$(touch x)"', "data; `touch y` -z"
    files = mirror / "laser-93langs"
    files.mkdir(parents=True)
    torch.manual_seed(3)
    authors = AuthorsEncoder()
    write(files / "bilstm.93langs.2018-12-26.pt", authors)
    (files / "93langs.fcodes").write_text(CODES, encoding="utf-8")
    (files / "93langs.fvocab").write_text(VOCABULARY, encoding="utf-8")
    checkout = copy_checkout(repository, tmp_path / "checkout")
    places = json.dumps({"mirror": str(mirror), "folder": data})
    checkout.run("--config", f"data={places}", "--", FOLDER, scale="paper")
    assert (checkout.root / data / "laser-93langs/93langs.fcodes").is_file()
    assert not [name for name in "xyz" if (checkout.root / name).exists()]
    embedding = load_laser(checkout.root / FOLDER).embed([["lower"]])
    torch.testing.assert_close(torch.from_numpy(embedding[0]), authors.embed([4, 7, 6, 2]), atol=1e-6, rtol=0)


def test_the_target_fetch_takes_its_files(fresh_checkout: Checkout) -> None:
    output = fresh_checkout.run("--dry-run", "fetch", scale="paper")
    for file in ("bilstm.93langs.2018-12-26.pt", "93langs.fcodes", "93langs.fvocab"):
        assert f"Fetch {file} of laser-93langs" in output
