"""What would run: every scale and target, from dry runs; and errors that stop before any job."""

import re
import shutil
import sys
from functools import cache
from pathlib import Path

import pytest

from checkout import Checkout, commands, copy_checkout, counts
from crosslingua import paper_folders
from many_languages import write_many_languages

pytestmark = pytest.mark.workflow

SCALES = ["tiny", "demo", "full", "small", "paper"]
EVERYTHING = ("all", "ablations", "encoders", "data_card")
RESULTS = "results/tiny"


@cache
def everything(checkout: Checkout, scale: str) -> str:
    """The dry run of all that a scale can make."""
    return checkout.run("--dry-run", "--printshellcmds", *EVERYTHING, scale=scale)


@pytest.mark.parametrize("scale", SCALES)
def test_every_scale_resolves(fresh_checkout: Checkout, scale: str) -> None:
    planned = counts(everything(fresh_checkout, scale))
    # A paper has one; joint_align besides translation (and its curve, on the controlled world), xlm_align XTREME and
    # what it varies, align_mlm its ablations.
    assert planned["write_rows"] == {"small": 9, "paper": 9}.get(scale, 10)
    assert planned["data_card"] == planned["write_page"] == 1


@pytest.mark.parametrize("scale", SCALES)
def test_no_command_line_is_long(fresh_checkout: Checkout, scale: str) -> None:
    lines = commands(everything(fresh_checkout, scale))
    assert len(lines) > 100
    assert [line for line in lines if len(line) > 2000] == []


def test_no_command_line_grows_with_the_number_of_languages(repository: Path, tmp_path: Path) -> None:
    checkout = copy_checkout(repository, tmp_path)
    write_many_languages(tmp_path)
    files = ("--configfile", "scales/own.yaml", "many.yaml")
    lines = commands(checkout.run("--dry-run", "--printshellcmds", *EVERYTHING, *files, scale="demo"))
    planned = {match[1] for match in (re.search(r"scripts/(\w+)[.]py", line) for line in lines) if match}
    assert {"prepare_text", "prepare_bitext", "train_tokenizer", "pretrain", "train_laser"} <= planned
    assert {"finetune", "train_tagger", "align_encoder", "embed_words", "score_alignment"} <= planned
    tables = {match[1] for match in (re.search(r"--paper (\w+) --table", line) for line in lines) if match}
    assert tables == set(paper_folders.names())
    assert {len(line): line for line in lines if len(line) > 1700} == {}  # names of other scales are longer


@pytest.mark.parametrize("scale", SCALES)
def test_every_kind_of_data_is_made_at_every_scale(fresh_checkout: Checkout, scale: str) -> None:
    made = "\n".join(commands(everything(fresh_checkout, scale)))
    for kind in ("ner", "pos", "slots", "nli", "paraphrase", "qa"):
        assert re.search(rf"prepare_labelled.py --task={kind} |generate_world.py {kind} ", made), kind


def test_the_demo_is_of_few_jobs(fresh_checkout: Checkout) -> None:
    assert 20 < sum(fresh_checkout.planned(scale="demo").values()) < 400


def test_the_default_leaves_out_ablations_and_other_data(fresh_checkout: Checkout) -> None:
    made = fresh_checkout.lacking()
    assert {"rows/align_mlm.main.csv", "report.html", "corpora/ner/ana.train.conll"} <= made
    assert "rows/align_mlm.ablations.csv" not in made
    assert not [file for file in made if "dictionary_50" in file or "no_filter" in file]
    assert "data_card.md" not in made


@pytest.mark.parametrize(
    ("paper", "others"),
    [
        ("joint_align", r"xlm_align|align_mlm|mbert_align|laser"),
        ("xlm_align", r"joint_align\b|align_mlm|mbert_align|laser"),
        ("mbert_align", r"joint_align\b|align_mlm|laser"),
    ],
)
def test_a_paper_waits_for_no_other(fresh_checkout: Checkout, paper: str, others: str) -> None:
    made = fresh_checkout.lacking(paper)
    assert {f"rows/{paper}.main.csv", f"claims/{paper}.csv", "metrics.csv", "costs.csv"} <= made
    assert {file for file in made if re.search(others, file)} == set()


def test_a_paper_waits_for_no_mapper_that_it_does_not_ask_for(fresh_checkout: Checkout) -> None:
    """MUSE's maps, which take most of the time of joint_align, are of the same pairs."""
    made = fresh_checkout.lacking("laser_taggers", scale="full")
    mapped = {file.rpartition("/")[0] for file in made if file.startswith("embedding_alignment/")}
    induced = {file for file in made if file.startswith("lexicon_induction/")}
    pairs = [f"ana-{target}.world" for target in ("ber", "cor", "dax")]
    assert mapped == {f"embedding_alignment/{pair}/vecmap" for pair in pairs}
    assert induced == {f"lexicon_induction/{pair}/unsupervised/vecmap" for pair in pairs}


@pytest.mark.parametrize(
    ("target", "group"),
    [
        ("bli", "joint_align.main"),
        ("translation", "joint_align.translation"),
        ("aer", "xlm_align.main"),
        ("xtreme", "xlm_align.xtreme"),
    ],
)
def test_a_part_of_a_paper_is_summed_up_and_waits_for_no_other(
    fresh_checkout: Checkout, target: str, group: str
) -> None:
    made = fresh_checkout.lacking(target)
    paper = group.partition(".")[0]
    assert {"metrics.csv", "claims.csv", "claims.json", "report.html", "costs.csv"} <= made
    assert {file for file in made if file.startswith("rows/")} == {f"rows/{group}.csv"}
    assert {file for file in made if file.startswith("claims/")} == {
        f"claims/{paper}.csv",
        f"claims/{paper}.json",
    }
    assert {re.split(r"[/_.]", file)[1] for file in made if file.startswith(("tables/", "plots/"))} == {
        paper.partition("_")[0]
    }


def test_ablations_of_one_paper_wait_for_no_other(fresh_checkout: Checkout) -> None:
    made = fresh_checkout.lacking("ablations_align_mlm")
    assert {"rows/align_mlm.ablations.csv", "tables/align_mlm_table2.csv", "metrics.csv", "costs.csv"} <= made
    assert {file for file in made if re.search(r"joint_align\b|xlm_align|mbert_align|laser", file)} == set()
    planned = fresh_checkout.planned("ablations_align_mlm")
    assert planned["write_rows"] == 2
    assert "train_duong" not in planned
    assert "train_duong" in fresh_checkout.planned("ablations_joint_align")


def test_a_misspelt_target_is_told_what_is_meant(fresh_checkout: Checkout) -> None:
    output = fresh_checkout.run("--dry-run", "ablations_align_mml", ok=False)
    assert "ablations_align_mml: no target; there are " in output
    assert "did you mean 'ablations_align_mlm'" in output
    output = fresh_checkout.run("--dry-run", "ablations_joint_align", scale="small", ok=False)
    assert "ablations_joint_align: not of this configuration" in output


def test_ablations_beside_a_paper_or_the_whole_take_nothing_from_it(fresh_checkout: Checkout) -> None:
    ablations = fresh_checkout.lacking("ablations")
    for target in ("all", "joint_align"):
        both = fresh_checkout.lacking(target, "ablations")
        assert both == fresh_checkout.lacking(target) | ablations


def test_every_other_target_resolves(fresh_checkout: Checkout) -> None:
    planned = fresh_checkout.planned("bli", "aer", "claims", "report", "data", "align_mlm")
    assert planned["write_rows"] == 3
    fetched = fresh_checkout.planned("fetch", "fetch_data", scale="small")
    assert set(fetched) == {"fetch", "fetch_data", "fetch_file"}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("word_embeddings={'dims': 3}", "unknown key word_embeddings.dims"),
        ("seeds=none", "seeds: 'none' has the wrong type; allowed: a list [a, b]"),
        ("pairs=[ana-xyz]", "'xyz' is not defined under the text of languages"),
        ("papers=[joint_alin]", "did you mean 'joint_align'?"),
        ("scale=small", "scale: 'small' was given by --config, but "),
    ],
)
def test_a_bad_configuration_stops_before_any_job(
    repository: Path, tmp_path: Path, config: str, message: str
) -> None:
    checkout = copy_checkout(repository, tmp_path)
    shutil.rmtree(tmp_path / "results", ignore_errors=True)  # tracked references
    output = checkout.run("--config", config, ok=False)
    assert len([line for line in output.splitlines() if message in line]) == 1
    assert "Traceback" not in output
    assert not (tmp_path / "results").exists()


def test_the_demo_is_not_made_in_the_folder_of_another_scale(fresh_checkout: Checkout) -> None:
    output = fresh_checkout.run("--dry-run", "--config", "scale=small", scale="demo", ok=False)
    assert "scale: 'small' was given by --config, but config.yaml says 'demo'" in output
    assert "Traceback" not in output


def test_seeds_can_be_given_on_the_command_line(fresh_checkout: Checkout) -> None:
    planned = fresh_checkout.planned("joint_align", "--config", "seeds=[1]")
    assert planned["train_joint"] == 1
    assert fresh_checkout.planned("joint_align")["train_joint"] == 2


@pytest.mark.parametrize(("arguments", "free"), [((), sys.maxsize), (("--max-jobs-per-timespan", "7/2s"), 7)])
def test_jobs_start_at_any_rate_unless_somebody_limits_it(
    repository: Path, tmp_path: Path, arguments: tuple[str, ...], free: int
) -> None:
    target = f"{RESULTS}/corpora/dictionaries/ana-ber.world/train.txt"
    output = copy_checkout(repository, tmp_path).run("--verbose", *arguments, "--", target)
    after = re.search(r"Resources after job selection: .*'_job_count': (\d+)", output)
    assert after
    assert int(after[1]) == free


@pytest.mark.parametrize(
    ("gpus", "expected"),
    [
        (0, r"python scripts/pretrain.py .*device=cpu"),
        (1, r"python scripts/pretrain.py .*device=cuda"),
        (4, r"torchrun --standalone --nproc-per-node 4 scripts/pretrain.py .*device=cuda"),
    ],
)
def test_encoders_train_where_gpus_says(
    fresh_checkout: Checkout, tmp_path: Path, gpus: int, expected: str
) -> None:
    changed = tmp_path / "gpus.yaml"
    changed.write_text(f"encoders: {{gpus: {gpus}}}\n")
    files, target = ("scales/tiny.yaml", str(changed)), f"{RESULTS}/encoders/mlm.trans/seed1"
    output = fresh_checkout.run(
        "--dry-run", "--printshellcmds", "--configfile", *files, "--", target, scale="demo"
    )
    (command,) = [line for line in commands(output) if "scripts/pretrain.py" in line]
    assert re.search(expected, command)


def test_threads_that_results_depend_on_are_told_whatever_the_cores(fresh_checkout: Checkout) -> None:
    for line in commands(everything(fresh_checkout, "tiny")):
        if re.search(r"scripts/(pretrain|finetune|train_laser)\.py", line):
            assert "--threads=1 " in line


def test_articles_are_split_into_sentences(fresh_checkout: Checkout) -> None:
    target = "results/small/corpora/text_cased/eng.wiki.txt"
    output = fresh_checkout.run("--dry-run", "--printshellcmds", "--", target, scale="small")
    assert "--split-sentences" in next(line for line in commands(output) if "prepare_text.py" in line)


def test_a_configuration_that_is_not_there_is_named(fresh_checkout: Checkout) -> None:
    """After a traceback of Snakemake's own, which has read it before it reads the Snakefile; `make run` is one line."""
    said = fresh_checkout.run("--dry-run", "--configfile", "nosuch.yaml", scale="demo", ok=False)
    assert "FileNotFoundError: [Errno 2] No such file or directory: 'nosuch.yaml'" in said.splitlines()
