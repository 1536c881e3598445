"""Jobs that end in numbers and pictures, and the targets of a run."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from configurations import Opener, job, jobs
from crosslingua import imports, paper_folders
from crosslingua.cells import read_cells
from crosslingua.errors import ConfigError
from crosslingua.io.json import read_yaml
from crosslingua.papers.joint_align.experiments import JointAlign
from crosslingua.workflow import planning, results
from crosslingua.workflow.configuration import open_workflow
from crosslingua.workflow.jobs import In, Jobs
from crosslingua.workflow.results import Target, noted, wanted
from crosslingua.workflow.runs import Laser, tokenisers
from crosslingua.workflow.workflow import Workflow
from texts import written

PAPERS = ["joint_align", "xlm_align", "align_mlm", "mbert_align", "laser_taggers"]
ABLATIONS = {f"ablations_{paper}" for paper in ("joint_align", "xlm_align", "align_mlm")}
BESIDES = {"bli", "translation", "aer", "xtreme"} | ABLATIONS


@pytest.mark.parametrize("scale", ["", "tiny", "full", "real", "paper", "own"])
def test_what_a_paper_asks_for_is_what_it_can_make(opened: Opener, scale: str) -> None:
    w = opened(scale)
    for paper in w.config.papers:
        assert set(w.paper(paper).tables()) <= set(paper_folders.load(paper, "tables").TABLES)
        kinds = {drawing.kind for drawing in w.paper(paper).drawings().values()}
        assert kinds <= set(paper_folders.load(paper, "figures").FIGURES)
        for group in w.paper(paper).groups():
            cells = w.paper(paper).cells(group)
            assert cells
            assert {cell.paper for cell in cells} == {paper}
            for file in {path for cell in cells for path in (cell.score, cell.less) if path}:
                assert file == file.made_by[0] or file.startswith(f"{file.made_by[0]}/"), file
        target = results.targets(w).get(f"ablations_{paper}")
        assert (target == Target(paper, "ablations")) == ("ablations" in w.paper(paper).groups())


def test_the_cells_of_a_group_are_the_plan_of_its_rows(opened: Opener) -> None:
    w = opened("tiny")
    rows = job(w, "cells/joint_align.main")
    rows.write_plan(w)
    path = Path(rows.inputs(w)["cells"])
    assert path.as_posix() == "results/tiny/plans/cells/joint_align.main.csv"
    planned = [replace(cell, config_hash="") for cell in read_cells(path)]
    assert planned == w.paper("joint_align").cells("main")


def test_the_page_is_told_what_this_configuration_makes(opened: Opener) -> None:
    """The folder may hold tables and figures of an earlier one."""
    page = job(opened("own"), "page")
    shown, place = page.brief["joint_align"], "crosslingua.papers.joint_align"
    assert {"answer", "table1", "figure1"} <= {*shown["tables"], *shown["figures"]}
    assert not {"table3", "figure2"} & {*shown["tables"], *shown["figures"]}
    assert {*page.members} == {place, *(f"{place}.{part}" for part in ("tables", "figures", "page"))}
    assert results.members_of("align_mlm", "page") == ["crosslingua.papers.align_mlm"]
    data = {each["name"]: each for each in job(opened("real"), "page").brief["data"]}
    assert data["multi30k-task1"]["licence"] == "unstated"
    assert data["multi30k-task1"]["citation"].startswith("Elliott et al. 2016")


def test_a_cell_of_what_no_job_makes_is_named(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    w = opened("tiny")
    cell = replace(JointAlign(w).cells("main")[0], score=In("results/tiny/none.json"))
    monkeypatch.setattr(JointAlign, "cells", lambda self, group: [cell])
    with pytest.raises(
        ConfigError, match=r"joint_align: table\w+, \w+, \w+-\w+: no job makes results/tiny/none\.json"
    ):
        planning.stated(w)


def test_what_a_table_is_told_and_that_one_of_ablations_shows_the_main_rows_too(opened: Opener) -> None:
    w = opened("full")
    rows = "results/full/rows/align_mlm"
    assert job(w, "tables/align_mlm_table3").named["rows"] == [f"{rows}.main.csv"]
    assert job(w, "tables/align_mlm_table7").named["rows"] == [f"{rows}.main.csv", f"{rows}.ablations.csv"]
    with pytest.raises(ConfigError, match="did you mean 'align_mlm_table3'"):
        job(w, "tables/align_mlm_tabel3")
    plain = job(w, "tables/joint_align_table1")
    assert (plain.named["published"], plain.brief["note"]) == ([], "")
    made_by = job(opened(), "tables/joint_align_table1").brief["made_by"]
    assert made_by.startswith("Made by `snakemake joint_align`; ")
    table = job(w, "tables/align_mlm_table2")
    assert table.named["published"] == [f"{opened.repository}/reference/align_mlm_table2.csv"]
    trained = "mlm, xlm, align_mlm: trained here (2 layers of 128 dimensions, 2,000 steps of "
    assert table.brief["note"].startswith(trained)
    command, traced = table.brief["made_by"].split("; how a number came about: ")
    assert command == "Made by `snakemake ablations_align_mlm --configfile scales/full.yaml`"
    assert traced == "`crosslingua trace results/full/tables/align_mlm_table2.csv`."


def test_files_of_a_configuration_are_quoted_in_the_command(opened: Opener) -> None:
    own = written(opened.folder / "my scale.yaml", "scale: mine\n").absolute()
    w = open_workflow(opened.merged(change={"scale": "mine"}), ["config.yaml", own])
    assert "--configfile 'my scale.yaml'`" in results.made_by(w, "joint_align", "table1")


def test_a_figure_is_told_files_and_settings_and_its_aligner(opened: Opener) -> None:
    w = opened("tiny")
    drawing = w.paper("align_mlm").drawings()["figure2"]
    figure = job(w, "figures/align_mlm_figure2")
    figure.write_plan(w)
    plan = figure.inputs(w)["plan"]
    assert plan == "results/tiny/plans/figures/align_mlm_figure2.json"
    assert json.loads(Path(plan).read_text()) == {"inputs": drawing.inputs, "settings": drawing.settings}
    published = f"{opened.repository}/reference/align_mlm_table3.csv"
    assert figure.files() == ["results/tiny/rows/align_mlm.main.csv", published]
    module = "crosslingua.papers.xlm_align"
    assert job(w, "figures/xlm_align_figure2").members == [module, f"{module}.figures"]
    aligner = job(w, "figures/xlm_align_grid_ana-ber").members[-1]
    assert aligner == "crosslingua.word_aligners.optimal_transport"


def test_claims_are_tested_on_the_cells_and_other_evidence(opened: Opener) -> None:
    w = opened("tiny")
    judged = results.claims_job(w, jobs(w), "joint_align", ["main"])
    assert judged.brief["cells"] == ["results/tiny/plans/cells/joint_align.main.csv"]
    assert {path for paths in judged.brief["inputs"].values() for path in paths} <= set(judged.files())
    assert set(job(w, "cells/joint_align.main").files()) <= set(judged.files())
    assert len(results.claims_job(w, jobs(w), "align_mlm", ["main", "ablations"]).brief["cells"]) == 2
    assert judged.brief["settings"] == {"scale": "tiny", "text": "generated"}
    real = results.claims_job(opened("real"), Jobs([]), "joint_align", []).brief["settings"]
    assert real == {"scale": "real", "text": "real"}
    assert results.claims_file(w, "align_mlm", "json") == ["results/tiny/claims/align_mlm.json"]
    assert results.all_claims(w) == [f"results/tiny/claims/{paper}.csv" for paper in PAPERS]


def test_claims_are_told_which_seeds_read_one_encoder(opened: Opener) -> None:
    def runs(paper: str, scale: str = "", change: dict | None = None) -> dict[int, int]:
        return results.claims_job(opened(scale, change), Jobs([]), paper, []).brief["runs"]

    three = {"laser_taggers": {"seeds": None}, "mbert_align": {"seeds": None}}
    for paper in ("laser_taggers", "mbert_align", "joint_align"):
        assert runs(paper, change=three) == {1: 1, 2: 1, 3: 1}  # three taggers, one encoder
        two = three | {"encoders": {"seeds": [1, 2], "tagged": None}}
        assert runs(paper, change=two) == {1: 1, 2: 2, 3: 1}  # the two in turn
        assert runs(paper, "paper") == {}  # published encoders: one of each
    assert runs("xlm_align", "full") == {seed: seed for seed in (1, 2, 3, 4, 5)}
    assert runs("align_mlm", "full") == {}  # its own encoders, one a seed


def test_what_has_no_reference_is_left_out(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    w = opened("tiny")
    monkeypatch.setattr(imports, "SOURCE_ROOT", opened.folder / "src")
    (opened.folder / "reference").unlink()
    assert results.published("align_mlm", "table3") == []
    assert results.claims_file(w, "align_mlm") == results.all_claims(w) == []


def test_the_configuration_beside_the_results_opens_again_and_hides_where_files_are(opened: Opener) -> None:
    w = opened("real", {"data": {"mirror": "/my/mirror", "user_supplied": {"multiun": "/secret"}}})
    path = results.configuration(w)
    assert path == "results/real/config.yaml"
    told = read_yaml(path)
    assert told["data"] == dict(w.written["data"]) | {"mirror": None, "user_supplied": {}}
    assert told == dict(w.written) | {"data": told["data"]}
    again = open_workflow(told)
    assert (again.sources.languages, again.lexicon_pairs) == (w.sources.languages, w.lexicon_pairs)


def test_papers_name_targets_besides_themselves(opened: Opener) -> None:
    found = results.targets(opened("tiny"))
    assert found["aer"] == Target("xlm_align", "main")
    assert found["xtreme"] == Target("xlm_align", "xtreme", ("results/tiny/xtreme",))
    assert set(results.targets(opened("tiny", {"papers": ["align_mlm"]}))) == {"ablations_align_mlm"}
    assert "ablations_joint_align" not in results.targets(opened("real"))  # which has no curve
    assert "translation" not in results.targets(opened("tiny", {"joint_align": {"translation": None}}))


def planned_tasks(w: Workflow, paper: str) -> set[tuple[str, str]]:
    """Return the tasks and targets of a paper's plans."""
    plans = [w.paper(paper).cells(group) for group in w.paper(paper).groups()]
    return {(cell.task, cell.target) for cells in plans for cell in cells}


def added(before: Workflow, after: Workflow, language: str) -> dict[str, set[str]]:
    """Return the tasks of a language that papers' plans have after and not before; nothing else is new, or gone."""
    found = {}
    for paper in PAPERS:
        old, new = (planned_tasks(w, paper) for w in (before, after))
        assert old <= new
        assert {target.partition("_")[0] for _, target in new - old} <= {language}
        found[paper] = {task for task, _ in new - old}
    return {paper: tasks for paper, tasks in found.items() if tasks}


def with_pair(opened: Opener, scale: str, pair: str, data: Mapping[str, Any] | None = None) -> list[Workflow]:
    """Return a scale with `data` before and after one pair more under `pairs`, which is all that differs."""
    change = data or {}
    pairs = opened.merged(scale, change)["pairs"]
    return [opened(scale, {**change, "pairs": some}) for some in (pairs, [*pairs, pair])]


XTREME = {"ner", "pos", "xnli", "pawsx", "xquad", "mlqa", "tydiqa"}


def test_a_language_pair_in_one_place_reaches_every_paper_of_pairs(opened: Opener) -> None:
    """align_mlm has none: it compares a language with one that is made of it."""
    before, after = with_pair(opened, "full", "ana-eno")
    assert added(before, after, "eno") == {
        "joint_align": {"bli", "ner"}, "xlm_align": {"word_alignment", *XTREME},
        "mbert_align": {"ner", "slots"}, "laser_taggers": {"ner", "pos", "bli"},
    }  # fmt: skip
    pairs = ["ana-ber", "ana-cor", "ana-dax"]
    for w, tested in ((before, pairs), (after, [*pairs, "ana-eno"])):
        assert (w.stage(Laser).bitext, w.stage(Laser).test) == ([*tested, "ber-cor"], tested)
    assert tokenisers(after)["laser"].languages == ("ana", "ber", "cor", "dax", "eno")
    assert "eno" in tokenisers(after)["multilingual"].languages


def test_in_the_demo_it_reaches_what_is_not_limited_to_save_time(opened: Opener) -> None:
    before, after = with_pair(opened, "", "ana-eno")
    assert added(before, after, "eno") == {
        "joint_align": {"bli", "ner"}, "xlm_align": {"word_alignment", "ner", "pos"},
        "mbert_align": {"ner"},
    }  # fmt: skip
    assert after.stage(Laser).bitext == before.stage(Laser).bitext == ["ana-ber", "ana-cor", "ber-cor"]
    others = opened(change={"pairs": ["ana-eno", "ana-fyr", "ana-ber"]})  # the first, whatever it is
    tagged = planned_tasks(others, "laser_taggers")
    assert {target for task, target in tagged if task == "pos"} == {"ana", "eno"}


def test_a_pair_of_published_data_reaches_every_paper_that_has_data_for_it(opened: Opener) -> None:
    """Scale real's sheet has Turkish in dictionaries, bitext and some of XTREME's tasks, but no text.

    Gold alignments of a sheet need no pair: those of Turkish are there before.
    """
    tested = {"xtreme": {"languages": ["pairs", "hi"]}}  # Hindi besides, which no pair has
    data = {"languages": {"tr": {"path": "tr.txt"}}, "xlm_align": tested}
    before, after = with_pair(opened, "real", "en-tr", data)
    xtreme = {"ner", "pos", "xnli"}
    assert added(before, after, "tr") == {"joint_align": {"bli"}, "xlm_align": xtreme}
    assert after.stage(Laser).bitext == [*before.stage(Laser).bitext, "tr-en.tatoeba"]
    sheet = opened.sheet(
        "gold_alignment\ten-tr\tfile\t\t\tgold.tar.gz",
        "ner\ttr\tfile\t\t\ttr.test\tformat=conll2003",
        "pos\ttr_own\tfile\t\t\ttr.test\tformat=conll2003 language=tr universal=true",
        "slots\ttr_facebook\tfile\t\t\ttr.test\tformat=conll language=tr",
    )
    data["data"] = {"sheets": ["scales/real.tsv", sheet]}
    before, after = with_pair(opened, "real", "en-tr", data)
    assert added(before, after, "tr") == {
        "joint_align": {"bli", "ner"}, "xlm_align": xtreme,
        "mbert_align": {"ner", "slots"}, "laser_taggers": {"ner", "pos", "bli"},
    }  # fmt: skip
    assert after.stage(Laser).test == [*before.stage(Laser).test, "en-tr"]
    assert {("word_alignment", "tr"), ("xnli", "hi")} <= planned_tasks(before, "xlm_align")


def test_a_second_pair_of_your_own_reaches_every_paper_of_pairs(opened: Opener) -> None:
    files = "a\tb\tc"
    sheet = opened.sheet(
        *(f"bitext\tsw-{other}\tfile\ta b" for other in ("en", "fr")),
        "gold_alignment\tsw-en\tfile\t\t\tc.tar.gz",
        *(f"ner\t{language}\tfile\t{files}\tformat=conll2003" for language in ("sw", "en", "fr")),
        "derived\tsw_trans_inv\tsw\t\t\t\ttransform=trans_inv",
    )
    data = {"papers": PAPERS, "data": {"sheets": [sheet]}, "languages": {"fr": {"path": "fr.txt"}}}
    assert added(*with_pair(opened, "own", "sw-fr", data), "fr") == {
        "joint_align": {"bli", "ner"}, "xlm_align": {"ner"},
        "mbert_align": {"ner"}, "laser_taggers": {"ner", "bli"},
    }  # fmt: skip


def test_what_a_paper_does_not_define_says_nothing(opened: Opener) -> None:
    w = opened("tiny")
    assert w.paper("xlm_align").evidence("main") == {}
    with pytest.raises(ConfigError, match="did you mean 'xlm_align'"):
        w.paper("xlm_alig").tables()


def rows(*names: str) -> list[str]:
    return [f"results/full/rows/{name}.csv" for name in names]


def make(*files: str) -> None:
    for file in files:
        written(Path(file), "")


JOINT = ["joint_align.main", "joint_align.ner", "joint_align.translation"]
XLM_ALIGN = ["xlm_align.main", "xlm_align.xtreme"]
MAIN = [*JOINT, *XLM_ALIGN, "align_mlm.main", "mbert_align.main", "laser_taggers.main"]
ABLATED = [*JOINT, "joint_align.ablations", *XLM_ALIGN, "xlm_align.ablations"]
ABLATED += ["align_mlm.main", "align_mlm.ablations"]


def test_a_run_makes_the_papers_that_are_asked_for(opened: Opener) -> None:
    expected = {
        (): MAIN, ("all",): MAIN, ("all", "joint_align"): MAIN, ("bli", "all"): MAIN,
        ("results/full/report.html",): MAIN, ("joint_align",): JOINT, ("bli", "joint_align"): JOINT,
        ("align_mlm", "xlm_align"): [*XLM_ALIGN, "align_mlm.main"],
        ("ablations",): ABLATED, ("ablations", "joint_align"): ABLATED,
        ("ablations", "mbert_align"): [*ABLATED, "mbert_align.main"],
        ("ablations_align_mlm",): ["align_mlm.main", "align_mlm.ablations"],
        ("ablations_joint_align", "mbert_align"): [*JOINT, "joint_align.ablations", "mbert_align.main"],
        ("bli",): ["joint_align.main"], ("translation",): ["joint_align.translation"],
        ("aer", "xtreme"): XLM_ALIGN, ("aer", "translation"): ["joint_align.translation", "xlm_align.main"],
        ("bli", "align_mlm"): ["joint_align.main", "align_mlm.main"],
        ("bli", "ablations_joint_align"): [*JOINT, "joint_align.ablations"],
    }  # fmt: skip
    w = opened("full")
    for targets, names in expected.items():
        assert wanted(w, targets).rows() == rows(*names), targets


def test_ablations_that_were_made_are_kept_up_to_date(opened: Opener) -> None:
    w = opened("full")
    make(*rows("align_mlm.ablations"))
    request = wanted(w, ())
    assert request.rows() == rows(*JOINT, *XLM_ALIGN, "align_mlm.main", "align_mlm.ablations", *MAIN[-2:])
    assert "results/full/tables/align_mlm_table7.md" in request.every_product()
    assert results.all_rows(w) == rows(*ABLATED, *MAIN[-2:])


def test_a_target_of_one_group_leaves_those_made_before_as_they_are(opened: Opener) -> None:
    w = opened("full")
    make(*rows("joint_align.main", "joint_align.ablations"))
    request = wanted(w, ["translation"])
    assert request.rows() == rows("joint_align.translation")
    assert [request.before(paper) for paper in ("joint_align", "xlm_align")] == [["main", "ablations"], []]
    whole, groups = wanted(w, ["joint_align", "translation"]), ["main", "ner", "translation", "ablations"]
    assert (whole.groups("joint_align"), whole.before("joint_align")) == (groups, [])


def test_what_a_run_makes_stays_as_noted_while_rows_are_made(opened: Opener) -> None:
    w = opened("full")
    request = wanted(w, ["bli"])
    request.note()
    make(*rows("align_mlm.ablations"))
    assert noted(w) == request != wanted(w, ["bli"])


def test_the_page_is_written_after_each_part_first_of_all_lexicon_induction(opened: Opener) -> None:
    w = opened()
    assert wanted(w, ()).parts() == ["joint_align.main", *PAPERS]
    assert wanted(w, ["joint_align"]).parts() == ["joint_align.main"]  # the whole is what the last page shows
    assert wanted(w, ["bli"]).parts() == []
    early = [file.removeprefix("results/demo/") for file in wanted(w, ()).products("joint_align.main")]
    shown = ("tables/joint_align_table2.csv", "plots/joint_align_figure1.png", "claims/joint_align.main.csv")
    assert {*shown} <= {*early}
    assert "claims/joint_align.csv" not in early
    assert not [file for file in early if "table3" in file or "fig2" in file]


def test_a_target_of_one_group_makes_what_shows_it(opened: Opener) -> None:
    w = opened("full")
    shown = {
        "translation": {"tables/joint_align_fig2.csv", "plots/joint_align_figure2.svg", "claims/joint_align.csv"},
        "bli": {"tables/joint_align_table2.csv", "plots/joint_align_figure1.svg", "claims/joint_align.csv"},
        "aer": {"tables/xlm_align_table2.csv", "plots/xlm_align_figure2.svg", "claims/xlm_align.csv"},
        "xtreme": {"tables/xlm_align_table1.csv", "plots/xlm_align_xtreme.svg", "claims/xlm_align.csv", "xtreme"},
    }  # fmt: skip
    for target, files in shown.items():
        made = {file.removeprefix("results/full/") for file in wanted(w, [target]).every_product()}
        assert files <= made
        others = set.union(*(files for name, files in shown.items() if name != target)) - files
        assert not others & made
    assert "results/full/xtreme" not in wanted(w, ["xlm_align"]).every_product()


def test_claims_on_one_group_wait_for_no_other(opened: Opener) -> None:
    w = opened("full")
    for name in ("joint_align.translation", "xlm_align.xtreme", "joint_align.ablations"):
        paper, group = name.split(".")
        judged = results.claims_job(w, jobs(w), paper, [group])
        assert judged.files() == job(w, f"cells/{name}").files()
        assert judged.brief["cells"] == [f"results/full/plans/cells/{name}.csv"]
        assert not any(judged.brief["inputs"].values())


def test_claims_are_tested_on_what_there_is_of_groups_made_before(opened: Opener) -> None:
    w = opened("full")
    scored, *_ = w.paper("joint_align").cells("main")
    division, *_ = w.paper("joint_align").evidence("main")["divisions"]
    make(scored.score, division)
    told = results.claims_job(w, jobs(w), "joint_align", ["translation"], ["main"]).brief
    translated, before = told["cells"][0], read_cells(told["cells"][1])
    assert translated == "results/full/plans/cells/joint_align.translation.csv"
    assert replace(scored, config_hash=before[0].config_hash) in before
    assert {cell.score for cell in before} == {scored.score}
    assert told["inputs"] == {"divisions": [division], "similarities": []}


def test_products_of_a_paper_are_its_tables_figures_and_verdicts(opened: Opener) -> None:
    request = wanted(opened("full"), ["align_mlm"])
    tables, plots = "results/full/tables/align_mlm", "results/full/plots/align_mlm"
    formats = ("csv", "md", "tex", "html")
    shown = [f"{tables}_{name}.{suffix}" for name in ("table3", "table8") for suffix in formats]
    drawn = ("figure2", "figure3", "loss")
    shown += [f"{plots}_{name}.{suffix}" for name in drawn for suffix in ("png", "svg")]
    judged = [f"results/full/claims/align_mlm.{suffix}" for suffix in ("csv", "json")]
    assert request.every_product() == [*shown, *judged]
    more = wanted(opened("full"), ["ablations"]).products("align_mlm")
    assert {f"{tables}_{name}.csv" for name in ("table1", "table2", "table7")} <= set(more)


def test_what_papers_may_name_as_targets_is_known_where_they_are_left_out(opened: Opener) -> None:
    assert set(results.targets(opened("full"))) == BESIDES
    left_out = {*PAPERS, *BESIDES} - {"joint_align", "bli"}
    for w, absent in ((opened("full"), set()), (opened("own"), left_out)):
        found = results.named_targets(w, ["summary"], lambda w=w: wanted(w, ()))
        assert set(found) == {*w.config.papers, *results.targets(w), *absent}
        for name in ("bli", "joint_align"):
            assert found[name](None)[0] == "summary"
        for name in absent:
            with pytest.raises(ConfigError, match=f"{name}: not of this configuration"):
                found[name](None)
