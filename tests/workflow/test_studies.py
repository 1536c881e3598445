"""The studies: files of a folder, and overlays that run what their pages report."""

import re
from collections import Counter
from pathlib import Path

import pytest

from configurations import SCRATCH, Opener
from crosslingua.papers.align_mlm.experiments import AlignMlm
from crosslingua.workflow.runs import published, runs, stand_ins
from crosslingua.workflow.workflow import Workflow

STUDIES = sorted(path.parent.name for path in Path(__file__).parents[2].glob("studies/*/overlay.yaml"))


def looks(w: Workflow) -> list[int]:
    return w.config.claims.planned_looks


def test_studies_are_few_and_all_of_the_same_shape(repository: Path) -> None:
    folders = [path for path in (repository / "studies").iterdir() if path.is_dir()]
    assert sorted(path.name for path in folders) == STUDIES
    assert 0 < len(STUDIES) <= 9
    for folder in folders:
        names = {path.name for path in folder.iterdir()}
        assert {"README.md", "overlay.yaml"} <= names <= {"README.md", "overlay.yaml", "tables", "bitext.tsv"}


@pytest.mark.parametrize("study", STUDIES)
def test_the_command_on_a_page_opens_its_overlay(opened: Opener, repository: Path, study: str) -> None:
    page = (repository / "studies" / study / "README.md").read_text()
    files = rf"scales/(\w+)\.yaml studies/{study}/overlay\.yaml"
    command = re.search(rf'CONFIG="{files}".*TARGETS="?([\w ]+)', page)
    assert command
    w = opened(f"{command[1]} studies/{study}")
    # repeatability trains more encoders for full's own results
    assert w.results == ("results/full" if study == "repeatability" else f"results/{study}")
    known = {*w.config.papers, "aer", "xtreme", "translation", "ablations_align_mlm"}
    assert set(command[2].split()) <= known


def test_tables_of_studies_name_their_configuration(repository: Path) -> None:
    tables = [*(repository / "studies").glob("*/tables/*.md")]
    assert tables
    for path in tables:
        named = re.findall(r"(?:scales|studies)/[\w/]+\.yaml", path.read_text())
        assert named
        assert all((repository / name).is_file() for name in named), path


def test_ten_seeds_are_fulls_where_five_leave_comparisons_open(opened: Opener) -> None:
    full, more = opened("full"), opened("full studies/repeatability")
    assert (more.results, more.seeds, len(more.encoder_seeds)) == (full.results, full.seeds, 10)
    assert (looks(full), looks(more)) == ([], [5, 10])
    read = Counter((c.target, c.seed in full.encoder_seeds) for c in AlignMlm(more).cells("main"))
    assert {at for at, known in read if not known} == {"trans_inv"}
    assert read["trans_inv", False] == read["trans_inv", True]


def test_forty_seeds_are_what_two_statements_read(opened: Opener) -> None:
    w = opened("full studies/more_seeds")
    read = {(c.system, c.target, c.task) for c in AlignMlm(w).cells("main")}
    systems, tasks = ("xlm", "align_mlm", "untrained"), ("pos", "embedding_alignment")
    assert read == {(system, "trans_inv", task) for system in systems for task in tasks}
    assert (len(w.encoder_seeds), looks(w)) == (40, [5, 10, 20, 40])
    assert set(AlignMlm(w).drawings()) == {"figure2", "loss"}  # two encoders have no correlation to draw
    assert {name for name, one in w.section("xlm_align").encoders.items() if one} == {"xlmr"}


def test_larger_dictionaries_are_align_mlms_beside_full(opened: Opener) -> None:
    w = opened("full studies/larger_dictionary")
    made = {c.system for group in ("main", "ablations") for c in AlignMlm(w).cells(group) if c.task == "pos"}
    assert made == {
        "xlm", "align_mlm", "untrained", "align_mlm_dictionary_50", "align_mlm_dictionary_95",
        "xlm_steps_24000", "align_mlm_steps_24000",
    }  # fmt: skip
    assert {c.target for c in AlignMlm(w).cells("ablations")} == {"trans_inv"}


def test_no_encoder_from_scratch_begins_with_a_published_one(opened: Opener) -> None:
    real, w = opened("real"), opened(SCRATCH)
    assert (w.device, w.encoder_seeds, w.pairs) == ("cuda", [1], real.pairs)
    assert [published(one) == {} for one in (real, w)] == [False, True]
    assert [stand_ins(one) for one in (real, w)] == [{"xlmr": "e5_small_q4", "xlmr_mlm": "mlm_alone"}, {}]
    hidden = {name: run.settings["hidden"] for name, run in runs(w).items()}
    assert {name for name, size in hidden.items() if size == 512} == {"mbert", "xlm", "xlmr", "xlm_align"}
    assert hidden["mlm.trans"] == 128  # of align_mlm


def test_language_ids_are_all_that_two_pairs_of_encoders_differ_by(opened: Opener) -> None:
    systems = opened("full studies/xlm_under_syntax").section("align_mlm").systems
    ids = {name: (given.settings or {}, given.objective) for name, given in systems.items() if given}
    assert ids.keys() == {"mlm", "xlm", "mlm_with_ids", "xlm_without_ids"}
    for plain, changed, said in (("mlm", "mlm_with_ids", "true"), ("xlm", "xlm_without_ids", "false")):
        assert ids[plain][1] == ids[changed][1]
        assert (ids[plain][0], ids[changed][0]) == ({}, {"language_ids": said})


def test_a_small_vocabulary_is_a_tenth_of_fulls_in_all_of_table_3(opened: Opener) -> None:
    full, w = opened("full"), opened("full studies/small_vocabulary")
    assert [scale.section("align_mlm").vocabulary_size for scale in (full, w)] == [3000, 300]
    read, whole = ({(c.system, c.target) for c in AlignMlm(scale).cells("main")} for scale in (w, full))
    assert read == whole


def test_more_words_are_asked_of_the_systems_that_open_statements_compare(opened: Opener) -> None:
    full, w = opened("full"), opened("full studies/more_words")
    assert (w.results, len(w.seeds), looks(w)) == ("results/more_words", 10, [5, 10])
    assert (w.config.world.trainable, full.config.world.trainable) == (0.25, 0.62)
    assert set(w.systems) < set(full.systems)
    assert {"joint", "duong", "joint_replace", "joint_ar_rcsls", "joint_ar_geomm", "rcsls"} <= set(w.systems)
    assert w.section("joint_align").search == full.section("joint_align").search
