"""A user's pair, text and dictionary, in files with names that a shell would interpret."""

import json
import random
import re
import shutil
import tarfile
from pathlib import Path

import pytest
import yaml

from checkout import Checkout, copy_checkout, counts
from texts import written

SENTENCES = 400
# Seconds in place of hours; `joint` and `joint_vr` need no dictionary.
QUICK = {
    "scale": "mine", "seeds": [1], "pairs": ["sw-en"],
    "languages": {"sw": {"path": "text/swahili.txt"}, "en": {"path": "text/english.txt"}},
    "word_embeddings": {"dim": 8, "epoch": 1, "minCount": 1, "minn": 0, "maxn": 0},
    "joint_align": {"systems": {"vecmap": None, "joint_align_identity": None}},
}  # fmt: skip
# Word alignment as scales/own.yaml describes it, without encoders.
PAPERS = ["joint_align", "xlm_align", "mbert_align", "laser_taggers", "align_mlm"]
ALIGNED = QUICK | {
    "papers": ["joint_align", "xlm_align"],
    "data": {"sheets": ["mine.tsv"]},
    "xlm_align": {"encoders": {"xlmr": None, "xlm_align": None}},
}
SHEET = """task\tset\tfrom\ttrain\tvalid\ttest\toptions
bitext\tsw-en\tfile\ttext/swahili.txt text/english.txt
gold_alignment\tsw-en\tfile\t\t\ttext/gold.tar.gz
"""
FOLDER = 'it\'s a "checkout" {config[seeds]}{x}'
TEXT = {"xx": '-my (text); touch "$(touch x)".txt', "yy": "it's `touch y`.txt"}
DICTIONARY = "$(touch z) {source}-{target} %s;touch z.txt"


@pytest.fixture(scope="module")
def pair(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy with the files that the configurations name; what they hold matters to those that run."""
    checkout = copy_checkout(repository, tmp_path_factory.mktemp("pair"))
    for name in ("swahili", "english"):
        written(checkout.root / f"text/{name}.txt", text(name))
    tarfile.open(checkout.root / "text/gold.tar.gz", "w:gz").close()  # jobs only read what is in it
    (checkout.root / "mine.tsv").write_text(SHEET)
    return checkout


def call(checkout: Checkout, change: dict, *arguments: str, ok: bool = True) -> str:
    """Call snakemake with scales/own.yaml and a change over it."""
    (checkout.root / "mine.yaml").write_text(yaml.safe_dump({"scale": "mine"} | change))
    return checkout.run(*arguments, "--configfile", "scales/own.yaml", "mine.yaml", scale="demo", ok=ok)


def described_sheet(repository: Path) -> list[list[str]]:
    """Return the lines of the data sheet that a comment of scales/own.yaml shows, in columns under its header."""
    lines = (repository / "scales/own.yaml").read_text().splitlines()
    (first,) = [number for number, line in enumerate(lines) if line.startswith("#   task ")]
    starts = [match.start() for match in re.finditer(r"\S+", lines[first])][1:]  # after `#`
    shown = [line for line in lines[first:] if line.startswith("#   ")]
    return [[line[a:b].strip() for a, b in zip(starts, [*starts[1:], None], strict=True)] for line in shown]


def text(language: str) -> str:
    """Return sentences of a hundred words, frequent ones first."""
    draw = random.Random(language)
    words = [f"{language[:2]}{number}" for number in range(100)]
    lines = (draw.choices(words, [1 / (i + 1) for i in range(100)], k=8) for _ in range(SENTENCES))
    return "".join(" ".join(line) + "\n" for line in lines)


def test_without_a_dictionary_tables_and_page_come_out_and_say_what_was_left_out(pair: Checkout) -> None:
    call(pair, QUICK, "joint_align")
    results = pair.root / "results/mine"
    table = (results / "tables/joint_align_table1.md").read_text()
    assert "mean cosine of the 10,000 most frequent" in table
    assert "Without a dictionary: sw-en; left out there, because they need one: procrustes" in table
    assert not (results / "tables/joint_align_table2.md").exists()
    assert "mean cosine of the 10,000 most frequent" in (results / "report.html").read_text()


def test_word_alignment_without_encoders_trains_none(pair: Checkout) -> None:
    planned = counts(call(pair, ALIGNED, "--dry-run", "xlm_align"))
    assert planned["align_words_by_text"] == 3  # fast_align, gibbs with one seed, and the diagonal
    assert not set(planned) & {"pretrain", "finetune", "export_xtreme", "train_tokeniser"}


def test_a_target_of_what_the_configuration_leaves_out_is_explained(pair: Checkout) -> None:
    output = call(pair, QUICK, "--dry-run", "aer", ok=False)
    assert "aer: not of this configuration, whose `papers` are joint_align: add" in output
    assert "No rule to produce" not in output


@pytest.mark.parametrize(("target", "said"), [
    ("datacard", "datacard: no target; there are all, joint_align, bli, .*; did you mean 'data_card'?"),
    ("results/mine/tables/joint_align_table3.csv", "'joint_align_table3' is not defined under tables of"),
    ("results/mine/plots/joint_align_figure3.png", "'joint_align_figure3' is not defined under figures"),
])  # fmt: skip
def test_a_misspelt_target_is_named_with_those_that_there_are(pair: Checkout, target: str, said: str) -> None:
    output = call(pair, QUICK, "--dry-run", "bli", target, ok=False)
    assert re.search(said, output)
    assert "No rule to produce" not in output


def test_a_text_without_a_suffix_beside_the_snakefile_is_no_target(pair: Checkout) -> None:
    (pair.root / "swahili").write_bytes((pair.root / "text/swahili.txt").read_bytes())
    own = QUICK | {"scale": "bare", "languages": QUICK["languages"] | {"sw": {"path": "swahili"}}}
    assert counts(call(pair, own, "--dry-run", "bli"))["prepare_text"] == 2


def test_a_file_that_is_not_there_stops_a_scale_that_has_run(pair: Checkout) -> None:
    """Snakemake alone would find nothing to be done, and label the results with the new name."""
    call(pair, QUICK, "joint_align")
    before = (pair.root / "results/mine/config.yaml").read_bytes()
    misspelt = QUICK | {"languages": QUICK["languages"] | {"sw": {"path": "text/swahilli.txt"}}}
    said = call(pair, misspelt, "joint_align", ok=False)
    (line,) = [line for line in said.splitlines() if "swahilli" in line]
    assert "languages.sw: path: there is no file text/swahilli.txt" in line
    assert line.endswith("did you mean 'text/swahili.txt'?")
    assert "Traceback" not in said
    assert (pair.root / "results/mine/config.yaml").read_bytes() == before


def test_every_paper_can_be_added_with_the_sheet_that_is_described(pair: Checkout, repository: Path) -> None:
    sheet = described_sheet(repository)
    (pair.root / "described.tsv").write_text("".join("\t".join(line) + "\n" for line in sheet))
    for _, _, origin, *columns, _ in sheet[1:]:
        for path in (" ".join(columns)).split() if origin == "file" else ():
            if not (pair.root / path).exists():
                written(pair.root / path, f"two words\n{path} too\n")
    change = QUICK | {"papers": PAPERS, "data": {"sheets": ["described.tsv"]}}
    said = call(pair, change, "--dry-run", "--printshellcmds", "all")
    planned = counts(said)
    assert planned["write_rows"] == 7  # XTREME and table 3 of joint_align besides
    assert {"pretrain", "finetune", "train_tagger", "align_words_by_text"} <= set(planned)
    assert not re.search(r"\b(ana|ber|cor|dax)\b", said)  # languages of the demo
    no_encoder = change | {"papers": ["joint_align"], "joint_align": {"table3": None}}
    fewer = set(counts(call(pair, no_encoder, "--dry-run", "all")))
    assert not fewer & {"pretrain", "finetune", "train_tagger"}


@pytest.fixture(scope="module")
def own(finished: Checkout, repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy that made joint_align's tables of the world's text and dictionary, given as if they were yours."""
    checkout = copy_checkout(repository, tmp_path_factory.mktemp("own") / FOLDER)
    corpora = finished.root / "results/tiny/corpora"
    for language, world in (("xx", "ana"), ("yy", "ber")):
        shutil.copy2(corpora / f"text/{world}.txt", checkout.root / TEXT[language])
    for split in ("train", "test"):
        name = (DICTIONARY % split).replace("{source}", "xx").replace("{target}", "yy")
        shutil.copy2(corpora / f"dictionaries/ana-ber.world/{split}.txt", checkout.root / name)
    tiny = yaml.safe_load((repository / "scales/tiny.yaml").read_text())
    systems = yaml.safe_load((repository / "config.yaml").read_text())["joint_align"]["systems"]
    others = dict.fromkeys({*systems} - {"procrustes", "joint_align_procrustes"})
    mine = {
        "scale": "mine", "papers": ["joint_align"], "seeds": [1], "pairs": ["xx-yy"],
        "languages": {name: {"path": path, "tokeniser": "whitespace"} for name, path in TEXT.items()},
        "dictionaries": {split: DICTIONARY % split for split in ("train", "test")},
        "data": {"mirror": '"$(touch x)" `touch y`', "folder": "`touch z`"},
        "joint_align": {"systems": others, "table3": None, "translation": None},
        **{key: tiny[key] for key in ("word_embeddings", "vocabulary_reallocation", "lexicon_induction")},
    }  # fmt: skip
    (checkout.root / "-my own's.yaml").write_text(yaml.safe_dump({k: v or None for k, v in mine.items()}))
    checkout.make(
        "run", "CONFIG=./-my own's.yaml", "TARGETS=joint_align", "MIRROR=it's nowhere {config[seeds]}{x}"
    )
    return checkout


@pytest.mark.slow
def test_everything_arrives_and_nothing_is_executed(own: Checkout) -> None:
    results = own.root / "results/mine"
    for name in ("metrics.csv", "claims.csv", "report.html", "costs.csv", "tables/joint_align_table1.md"):
        assert (results / name).stat().st_size > 0
    assert not {path.name for path in own.root.iterdir()} & {"x", "y", "z", "x.txt", "z.txt"}


@pytest.mark.slow
def test_numbers_are_those_of_the_same_text_by_another_name(own: Checkout, finished: Checkout) -> None:
    place = "lexicon_induction/{}/supervised/procrustes/seed1.json"
    mine = json.loads((own.root / "results/mine" / place.format("xx-yy.own")).read_text())
    world = json.loads((finished.root / "results/tiny" / place.format("ana-ber.world")).read_text())
    for one, other in zip(mine, world, strict=True):
        for key in ("p_at_1", "p_at_10", "n_queries", "signature"):
            assert one[key] == other[key]
