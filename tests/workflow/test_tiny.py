"""The whole tiny scale: its results by step."""

from pathlib import Path

import yaml
from jsonschema import Draft202012Validator

from checkout import Checkout
from crosslingua.io.json import read_json
from metric_rows import rows_of, values
from texts import csv_rows

RESULTS = "results/tiny"
PAPERS = ["joint_align", "xlm_align", "align_mlm", "mbert_align", "laser_taggers"]
FIGURES = (
    "joint_align_figure1", "joint_align_similarity", "joint_align_hubness", "joint_align_curve", "joint_align_figure2",
    "xlm_align_figure2", "xlm_align_grid_ana-ber", "align_mlm_figure2", "align_mlm_figure3", "align_mlm_loss",
    "align_mlm_training_length",
    "xlm_align_xtreme", "laser_taggers_figure3", "laser_taggers_figure5",
)  # fmt: skip


def test_every_row_follows_the_schema(finished: Checkout) -> None:
    schema = yaml.safe_load((finished.root / "schemas/metrics.schema.yaml").read_text())
    rows = rows_of(finished.root / RESULTS / "metrics.csv")
    for row in rows:
        Draft202012Validator(schema).validate(row)
    assert {row["seed"] for row in rows} == {1, 2}


def test_every_system_of_every_paper_has_its_rows(finished: Checkout) -> None:
    rows = rows_of(finished.root / RESULTS / "metrics.csv")
    config = yaml.safe_load((finished.root / RESULTS / "config.yaml").read_text())
    systems = {paper: {row["system"] for row in rows if row["paper"] == paper} for paper in PAPERS}
    translators = {"align", "joint"}
    assert systems["joint_align"] >= {
        name for name, system in config["joint_align"]["systems"].items() if system
    } | translators | {"copy", "supervised", *(f"word_by_word+{name}" for name in translators)}
    found = config["word_alignment"]["aligners"].items()
    aligners = [name for name, entry in found if entry["reads"] == "vectors"]
    on_vectors = {f"{aligner}+{space}" for aligner in aligners for space in ("procrustes", "xlmr")}
    assert systems["xlm_align"] >= {"fast_align", "gibbs", *on_vectors}
    changed = {"align_mlm_dictionary_50", "align_mlm_steps_30"}
    assert systems["align_mlm"] == {"mlm", "align_mlm", *changed, "untrained"}
    transfer = {(row["target"], row["task"], row["metric"]) for row in rows if row["paper"] == "align_mlm"}
    assert {("trans_inv", "pos", metric) for metric in ("supervised", "zero_shot", "delta")} <= transfer
    assert ("trans", "embedding_alignment", "alignment") in transfer


def test_tables_and_figures_are_there_in_every_format(finished: Checkout) -> None:
    results = finished.root / RESULTS
    for suffix in ("csv", "md", "tex", "html"):
        table = (results / f"tables/joint_align_table1.{suffix}").read_text()
        assert "joint_align_procrustes" in table.replace("\\", "")
    for suffix, magic in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        drawn = {path.stem for path in (results / "plots").glob(f"*.{suffix}")}
        assert drawn == set(FIGURES)
        assert all((results / f"plots/{name}.{suffix}").read_bytes().startswith(magic) for name in drawn)


def test_the_page_shows_everything_and_needs_nothing_else(finished: Checkout) -> None:
    page = (finished.root / RESULTS / "report.html").read_text()
    assert page.count('<img class="plot"') == len(FIGURES)
    tables = ("joint_align_table1", "xlm_align_table2", "align_mlm_table3", "align_mlm_table8")
    assert all(f'id="{name}"' in page for name in (*PAPERS, *tables, *FIGURES, "statements"))
    assert 'src="http' not in page
    assert 'href="http' not in page.replace('href="https://', "").replace("href='https://", "")


def test_one_paper_leaves_its_own_numbers_claims_page_and_costs(steps: Path) -> None:
    left = steps / "joint_align"
    assert {row["paper"] for row in rows_of(left / "metrics.csv")} == {"joint_align"}
    assert {claim["paper"] for claim in csv_rows(left / "claims.csv")} == {"joint_align"}
    page = (left / "report.html").read_text()
    assert 'id="joint_align_table1"' in page
    assert 'id="align_mlm_table3"' not in page
    stages = [record["stage"] for record in csv_rows(left / "costs.csv")]
    assert "train_duong" in stages
    assert "align_words_by_text" not in stages
    assert stages[-1] == "total"


def test_the_first_page_waits_for_no_tagger(finished: Checkout) -> None:
    made = {path.name: path.stat().st_mtime_ns for path in (finished.root / RESULTS).glob("*/joint_align.*")}
    later = [made[f"joint_align.{group}.csv"] for group in ("ner", "translation")]
    assert made["joint_align.main.done"] < min(later)


def test_other_papers_add_to_what_one_left(steps: Path) -> None:
    before, after = (values(steps / step / "metrics.csv") for step in ("joint_align", "all"))
    assert before.items() < after.items()
    before, after = (csv_rows(steps / step / "claims.csv") for step in ("joint_align", "all"))
    assert {claim["claim"] for claim in before} <= {claim["claim"] for claim in after}
    assert {row["paper"] for row in rows_of(steps / "all/metrics.csv")} == set(PAPERS)
    stages = {record["stage"] for record in csv_rows(steps / "all/costs.csv")}
    assert {"train_duong", "pretrain", "finetune", "align_words_by_text", "train_tagger"} <= stages


def test_the_ablations_stay_when_the_whole_is_run_after_them(steps: Path) -> None:
    for step in ("joint_align", "all"):
        assert "curve" in {row["table"] for row in rows_of(steps / step / "metrics.csv")}
    table = csv_rows(steps / f"finished/{RESULTS}/tables/align_mlm_table2.csv")
    assert {record["system"] for record in table} == {"align_mlm 25%", "align_mlm 50%"}


def test_every_claim_has_a_verdict_or_a_reason_why_not(steps: Path, repository: Path) -> None:
    claims = csv_rows(steps / "all/claims.csv")
    assert {claim["verdict"] for claim in claims} == {"inconclusive"}  # of two seeds
    for paper in PAPERS:
        stated = yaml.safe_load((repository / f"reference/{paper}_claims.yaml").read_text())["claims"]
        judged = {claim["claim"] for claim in claims if claim["paper"] == paper}
        told = read_json(steps / f"finished/{RESULTS}/claims/{paper}.json")
        reasons = {claim["claim"]: claim["reason"] for claim in told["left_out"] if claim["reason"]}
        assert judged | reasons.keys() == {claim["claim"] for claim in stated}
        # mbert_align has one language, which is neither close nor distant; other systems do not beat their controls.
        assert judged or paper == "mbert_align" or any("not compared" in told for told in reasons.values())


def test_the_tables_agree_with_the_tracked_reference(finished: Checkout, repository: Path) -> None:
    def cells(path: Path) -> dict[tuple[str, str, str], str]:
        return {(r["convention"], r["system"], r["column"]): r["mean"] for r in csv_rows(path)}

    reference, made = repository / "results/reference/tiny", finished.root / RESULTS / "tables"
    tables = [path for path in reference.glob("*.csv") if path.name not in ("claims.csv", "costs.csv")]
    expected = {path.name: cells(path) for path in tables}
    found = {path.name: cells(path) for path in made.glob("*.csv")}
    of_tables = [{name: table.keys() for name, table in one.items()} for one in (found, expected)]
    assert of_tables[0] == of_tables[1]
    # Kernels are compiled for the processor at hand, so that floating point differs between machines.
    for name in ("joint_align_table1.csv", "joint_align_table2.csv"):
        both = {key for key, value in found[name].items() if value and expected[name][key]}
        # a map that failed has no mean, on one machine or the other
        assert len(both) > 0.8 * len(found[name])
        far = {key for key in both if abs(float(found[name][key]) - float(expected[name][key])) > 5}
        assert far == set()


def test_an_encoder_is_a_folder_that_the_library_of_its_format_loads(finished: Checkout) -> None:
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    folder = finished.root / RESULTS / "encoders/align_mlm.trans_inv/seed1"
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForMaskedLM.from_pretrained(folder)
    text = (finished.root / RESULTS / "corpora/text_cased/ana.txt").read_text().splitlines()[0]
    encoded = tokenizer(text, return_tensors="pt")
    assert model(**encoded).logits.shape == (1, encoded["input_ids"].shape[1], len(tokenizer))
