"""Configurations: every scale, the schema, text from the command line, and results that must not mix."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from configurations import SCHEMA, Opener
from crosslingua import paper_folders
from crosslingua.config import check
from crosslingua.corpora.datasets.registry import dataset
from crosslingua.errors import ConfigError
from crosslingua.io.json import read_json, read_yaml
from crosslingua.workflow import configuration
from crosslingua.workflow.configuration import check_scale, from_text, open_workflow, whole_schema
from crosslingua.workflow.schema import page
from crosslingua.workflow.schema import whole_schema as whole
from crosslingua.workflow.workflow import pair_languages

SCALES = ("", "full", "own", "paper", "small", "tiny")
ON_TOP = ("gpu",)  # given after another scale, which they are on top of


@pytest.fixture(scope="module")
def schema(repository: Path) -> dict:
    return whole_schema(repository / SCHEMA)


def test_every_scale_is_a_scale(repository: Path) -> None:
    found = {path.stem: read_yaml(path).get("scale") for path in (repository / "scales").glob("*.yaml")}
    assert {*filter(None, SCALES), *ON_TOP} == set(found)
    assert all(name == scale for name, scale in found.items())


def test_scale_small_quickly_made_is_small_with_fewer_systems(repository: Path, opened: Opener) -> None:
    """What a note in scales/small.yaml says to save as a file of its own."""
    note = re.search(
        r"^# +(seeds:.*\n(?:#  .*\n)+)", (repository / "scales/small.yaml").read_text(), re.MULTILINE
    )
    assert note
    change = yaml.safe_load(re.sub(r"^# {0,3}", "", note[0], flags=re.MULTILINE))
    small, quick = opened("small"), opened("small", change)
    assert (quick.results, quick.seeds) == (small.results, [1])
    assert set(small.systems) - set(quick.systems) == {
        "muse", "vecmap", "joint_replace", "joint_align_muse", "joint_ar_muse",
    }  # fmt: skip


@pytest.mark.parametrize("scale", SCALES)
def test_a_scale_opens_and_is_called_as_its_file(opened: Opener, scale: str) -> None:
    w = opened(scale)
    name = scale or "demo"
    assert (w.results, w.corpora) == (f"results/{name}", f"results/{name}/corpora")
    assert w.files == ("config.yaml", *([f"scales/{scale}.yaml"] if scale else []))
    every = ["joint_align", "xlm_align", "align_mlm", "mbert_align", "laser_taggers"]
    papers = ["joint_align"] if scale == "own" else every
    assert (w.data, w.config["papers"]) == ("data", papers)


def test_scale_gpu_is_small_with_other_encoders(opened: Opener) -> None:
    small, gpu = opened("small"), opened("small gpu")
    assert (gpu.results, gpu.pairs, gpu.encoder_seeds) == ("results/gpu", small.pairs, small.encoder_seeds)
    assert gpu.config["papers"] == ["xlm_align", "mbert_align"]
    given = gpu.config["encoders"]["settings"]
    assert (given["norm"], given["precision"], gpu.config["encoders"]["gpus"]) == ("pre", "bf16", 1)


def test_seeds_and_pairs_are_those_of_the_scale(opened: Opener) -> None:
    demo, small = opened(), opened("small")
    assert (demo.seeds, demo.encoder_seeds, small.encoder_seeds) == ([1, 2, 3], [1, 2], [1])
    assert demo.tagged_encoder_seeds == [1]
    for scale in ("full", "own", "paper", "small"):
        w = opened(scale, {"encoders": {"seeds": [5, 6, 7, 8]}})
        assert w.tagged_encoder_seeds == [5, 6, 7, 8]
    assert demo.pairs == [("ana", "ber"), ("ana", "cor"), ("ana", "dax")]
    names = [f"en-{target}.muse_full" for target in ("de", "fr", "es")]
    assert list(small.lexicon_pairs) == [*names, "en-nl.none"]
    assert small.lexicon_pairs["en-fr.muse_full"].dictionary == "muse_full"


def test_config_yaml_holds_every_key_of_the_schema(repository: Path, schema: dict) -> None:
    def missing(section: dict, properties: dict, path: str = "") -> list[str]:
        found = []
        for name, inner in properties.items():
            if name not in section:
                found.append(path + name)
            elif "properties" in inner:
                found += missing(section[name], inner["properties"], f"{path}{name}.")
        return found

    assert missing(read_yaml(repository / "config.yaml"), schema["properties"]) == []
    assert set(paper_folders.names()) <= set(schema["properties"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sedes": [1]}, r"unknown key sedes; allowed here: .*did you mean 'seeds'"),
        ({"seeds": "one"}, r"seeds: 'one' has the wrong type; allowed: a list \[a, b\]"),
        ({"seeds": [1, 1]}, r"seeds: .*non-unique"),
        ({"pairs": ["ana"]}, r"pairs\.0: 'ana': write source-target, or source-target.what$"),
        (
            {"languages": {"pt-br": {"path": "x"}}},
            "languages: 'pt-br': write lower-case letters, digits and _, for example pt_br$",
        ),
        ({"word_embeddings": {"dim": 0}}, r"word_embeddings\.dim: 0 is less than the minimum of 1"),
        ({"word_embeddings": {"dims": 3}}, r"unknown key word_embeddings\.dims; .*did you mean 'dim'"),
        (
            {"word_embeddings": {"model": "glove"}},
            r"word_embeddings\.model: 'glove' is not allowed; choose one of 'skipgram'",
        ),
        ({"vocabulary_reallocation": {"gamma": [1.0]}}, r"vocabulary_reallocation\.gamma\.0"),
        (
            {"joint_align": {"pairs": []}},
            r"unknown key joint_align\.pairs; allowed here: controls, figure1, .*systems",
        ),
        ({"joint_align": {"systems": {"a": {"mapper": "muse"}}}}, r"a: the key 'embeddings' is missing"),
        ({"xlm_align": {"encoders": {"xlmr": {"layer": -1}}}}, r"xlm_align\.encoders\.xlmr\.layer: -1"),
        (
            {"align_mlm": {"tasks": {"quiz": {}}}},
            r"align_mlm\.tasks: 'quiz' is not defined under the kinds of task",
        ),
        (
            {"laser_taggers": {"tasks": {"nli": {"source": "ana", "targets": []}}}},
            r"laser_taggers\.tasks: 'nli' .*tagged",
        ),
        ({"world": {"tasks": {"ner": [1, 2]}}}, r"world\.tasks\.ner"),
        (
            {"encoders": {"multilingual": {"members": {"new": {"init": "xlmr"}}}}},
            r"members\.new: the key '(objective|pretrained)' is missing",
        ),
        ({"languages": {"sw": {"file": "x"}}}, r"languages\.sw: the key 'path' is missing"),
        ({"languages": {"sw": {"path": "x", "tokeniser": "mosses"}}}, r"languages\.sw\.tokeniser: 'mosses'"),
        ({"seeds": [-1]}, r"seeds\.0: -1 is less than the minimum of 0"),
        ({"seeds": [2**32]}, r"seeds\.0: 4294967296 is greater than or equal to"),
        ({"seeds": list(range(10**6))}, r"seeds: a list of 1,000,000 entries; 1,000 are the most"),
        ({"word_embeddings": {"lr": float("nan")}}, r"word_embeddings\.lr: nan is no number"),
        ({"duong": {"delta": float("inf")}}, r"duong\.delta: inf is no number"),
    ],
)
def test_a_bad_key_is_named_with_what_is_allowed(opened: Opener, change: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        opened(change=change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mappers": {"rcsls": {"nitre": 5}}}, r"key mappers\.rcsls\.nitre; .*did you mean 'niter'"),
        ({"mappers": {"rcsls": {"niter": 0}}}, r"mappers\.rcsls\.niter: 0 is less than the minimum of 1"),
        (
            {"mappers": {"muse": {"lr": "fast"}}},
            r"mappers\.muse\.lr: 'fast' has the wrong type; allowed: a num",
        ),
        (
            {"mappers": {"muse": {"normalise": "unt"}}},
            r"mappers\.muse\.normalise: 'unt': write none, or steps such as unit,centre,unit",
        ),
        (
            {"mappers": {"iterative_norm": {"inner.niter": 0}}},
            r"iterative_norm\.inner\.niter: 0 is less than",
        ),
        (
            {"mappers": {"iterative_norm": {"inner.nitre": 1}}},
            r"norm\.inner\.nitre; .*did you mean 'inner\.niter'",
        ),
        ({"mappers": {"rscls": {}}}, r"mappers\.rscls: 'rscls' is not defined under .*did you mean 'rcsls'"),
        ({"encoders": {"settings": {"stpes": 100}}}, r"encoders\.settings\.stpes; .*did you mean 'steps'"),
        ({"encoders": {"settings": {"schedule": "cosine"}}}, r"encoders\.settings\.schedule: 'cosine'"),
        ({"encoders": {"laser": {"settings": {"dropout": 1}}}}, r"encoders\.laser\.settings\.dropout: 1 is"),
        (
            {"encoders": {"multilingual": {"members": {"mbert": {"settings": {"dwa_mue": 1}}}}}},
            r"encoders\.multilingual\.members\.mbert\.settings\.dwa_mue; .*did you mean 'dwa_mu'",
        ),
        ({"align_mlm": {"settings": {"layer": 2}}}, r"align_mlm\.settings\.layer; .*did you mean 'layers'"),
        ({"align_mlm": {"tasks": {"ner": {"epochs": "many"}}}}, r"align_mlm\.tasks\.ner\.epochs: 'many' has"),
        (
            {"align_mlm": {"tasks": {"ner": {"epochs": [1, 0]}}}},
            r"align_mlm\.tasks\.ner\.epochs\.1: 0 is less",
        ),
        ({"mbert_align": {"tagger": {"epoch": 1}}}, r"mbert_align\.tagger\.epoch; .*did you mean 'epochs'"),
        ({"mbert_align": {"tagger": {"tagger.hiden": 1}}}, r"tagger\.hiden; .*did you mean 'tagger\.hidden'"),
        ({"mbert_align": {"tagger_of": {"dax": {"lr": 1}}}}, r"unknown key mbert_align\.tagger_of\.dax\.lr"),
        (
            {"mbert_align": {"finetune": {"direction": "src_to_tgt"}}},
            r"unknown key mbert_align\.finetune\.dir",
        ),
        ({"laser_taggers": {"recipes": {"laser": {"l2": -1}}}}, r"laser_taggers\.recipes\.laser\.l2: -1 is"),
        ({"joint_align": {"search": {"rcsls": {"lr": [0]}}}}, r"joint_align\.search\.rcsls\.lr\.0: 0 is"),
        ({"joint_align": {"search": {"duong": {"dela": [1]}}}}, r"search\.duong\.dela; .*mean 'delta'"),
        (
            {"joint_align": {"systems": {"geomm": {"settings": {"lr": 1}}}}},
            r"unknown key joint_align\.systems\.geomm\.settings\.lr; allowed here: l2_reg",
        ),
        ({"joint_align": {"table3": {"fine_tuning": {"epochs": [1, 2]}}}}, r"fine_tuning\.epochs: \[1, 2\]"),
        ({"joint_align": {"translation": {"settings": {"drop": 1}}}}, r"translation\.settings\.drop: 1 is"),
        (
            {"word_alignment": {"aligners": {"fast_align": {"settings": {"iteration": 5}}}}},
            r"word_alignment\.aligners\.fast_align\.settings\.iteration; .*did you mean 'iterations'",
        ),
        ({"word_alignment": {"aligners": {"fast_align": None, "optimal_transport": {"settings": {}}}}}, None),
        (
            {"word_alignment": {"bitext": {"settings": {"symmetrisation": "intersection"}}}},
            r"word_alignment\.bitext\.settings\.symmetrisation: 'intersection' is not allowed",
        ),
        (
            {"xlm_align": {"xtreme": {"tasks": {"pos": {"models": {"mt5": {"shares": 1}}}}}}},
            r"xlm_align\.xtreme\.tasks\.pos\.models\.mt5\.shares; .*did you mean 'share'",
        ),
        ({"duong": {"alpha": 2}}, r"duong\.alpha: 2 is greater than the maximum of 1"),
    ],
)
def test_settings_of_every_family_are_checked_before_any_job(
    opened: Opener, schema: dict, change: dict, message: str | None
) -> None:
    config = opened.merged(change=change)
    if message is None:
        check(config, schema)
        return
    with pytest.raises(ConfigError, match=message):
        open_workflow(config, opened.folder / SCHEMA)


def test_settings_may_be_text_a_grid_or_null(opened: Opener) -> None:
    change = {
        "mappers": {"rcsls": {"lr": "1e-3", "niter": "20", "sgd": "true"}, "iterative_norm": {"inner.lr": 2}},
        "encoders": {"settings": {"language_ids": False, "lr": None}},
        "align_mlm": {"tasks": {"ner": {"epochs": None, "freeze_embeddings": [False, True]}}},
    }
    w = opened(change=change)
    assert w.config["mappers"]["rcsls"] == {"lr": 1e-3, "niter": 20, "sgd": True}


def test_the_schema_and_the_page_are_current(repository: Path) -> None:
    made = whole()
    assert read_json(repository / SCHEMA) == made, "make schemas"
    assert (repository / "docs/configuration.md").read_text(encoding="utf-8") == page(made), "make schemas"


def test_all_that_is_wrong_is_told_at_once(opened: Opener) -> None:
    with pytest.raises(ConfigError) as told:
        opened(change={"sedes": [1], "scale": "A b", "text": {"max_tokens": 0}})
    assert all(name in str(told.value) for name in ("sedes", "scale: 'A b'", "text.max_tokens: 0"))


def test_an_unknown_paper_is_named(opened: Opener) -> None:
    with pytest.raises(ConfigError, match=r"papers: 'xlm_aling' is not defined .*did you mean 'xlm_align'"):
        opened(change={"papers": ["xlm_aling"]})


def test_a_data_set_is_used_by_papers_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    row = dataset("xling-eval")
    read = configuration._registry.__wrapped__  # not what another test had it remember
    rows = {row.name: replace(row, used_by=("joint_align table1", "align_mlm"))}
    monkeypatch.setattr(configuration, "load_registry", lambda: rows)
    assert read() == rows
    rows[row.name] = replace(row, used_by=("align_mlm", "jont_align table1"))
    with pytest.raises(
        ConfigError, match=r"registry\.yaml: xling-eval\.used_by: 'jont_align' .*did you mean 'joint_align'"
    ):
        read()


def test_a_listed_paper_has_its_section(opened: Opener) -> None:
    config = opened.merged()
    del config["align_mlm"]
    with pytest.raises(ConfigError, match=r"papers: align_mlm: the key 'align_mlm' is missing"):
        open_workflow(config, SCHEMA)
    config["papers"] = ["joint_align", "xlm_align"]
    assert open_workflow(config, SCHEMA).systems


def test_a_paper_may_have_no_section_and_none_must_be_given(opened: Opener, tmp_path, monkeypatch) -> None:
    plain = tmp_path / "plain.py"
    plain.write_text("TITLE = AUTHORS = ''\ndef check(w): pass\n")
    papers, load = paper_folders.names(), paper_folders.load

    class Plain:
        __file__ = str(plain)
        check = staticmethod(lambda w: None)

    monkeypatch.setattr(paper_folders, "names", lambda: ("plain", *papers))
    monkeypatch.setattr(
        paper_folders,
        "load",
        lambda paper, *part: (
            (None if "section" in part else Plain) if paper == "plain" else load(paper, *part)
        ),
    )
    config = opened.merged(change={"papers": ["plain"]})
    for paper in ("xlm_align", "align_mlm", "mbert_align", "laser_taggers"):
        del config[paper]
    assert open_workflow(config, SCHEMA).config["papers"] == ["plain"]
    with pytest.raises(ConfigError, match="unknown key plain"):
        open_workflow(config | {"plain": {}}, SCHEMA)


@pytest.mark.parametrize(
    ("given", "key", "expected"),
    [
        ({"seeds": ["1", "2"]}, "seeds", [1, 2]),
        ({"seeds": "[3, 4]"}, "seeds", [3, 4]),
        ({"seeds": ["one"]}, "seeds", ["one"]),
        ({"scale": "123"}, "scale", "123"),
        ({"papers": "[joint_align]"}, "papers", ["joint_align"]),
        ({"text": {"lowercase": "false", "max_tokens": "50"}}, "text", {"lowercase": False, "max_tokens": 50}),
        ({"word_embeddings": {"lr": "0.1"}}, "word_embeddings", {"lr": 0.1}),
        ({"world": "null"}, "world", None),
        ({"data": {"mirror": "null"}}, "data", {"mirror": "null"}),
        ({"encoders": {"multilingual": {"languages": "[ana]"}}}, "encoders", {"multilingual": {"languages": ["ana"]}}),
        ({"text": {"max_tokens": "{"}}, "text", {"max_tokens": "{"}),
    ],
)  # fmt: skip
def test_text_of_the_command_line_becomes_what_it_spells(
    schema: dict, given: dict, key: str, expected: object
) -> None:
    before = yaml.safe_dump(given)
    assert from_text(given, schema)[key] == expected
    assert yaml.safe_dump(given) == before


def test_an_opened_configuration_holds_numbers_where_text_was_given(opened: Opener) -> None:
    w = opened(
        change={"seeds": ["7"], "word_embeddings": {"dim": "20"}, "align_mlm": {"vocabulary_size": "9"}}
    )
    assert (w.seeds, w.config["word_embeddings"]["dim"]) == ([7], 20)
    assert w.config["align_mlm"]["vocabulary_size"] == 9


def files_named(folder: Path, *scales: str) -> list[Path]:
    """Configuration files; "" is one that names no scale."""
    paths = []
    for i, scale in enumerate(scales):
        paths.append(folder / f"{i}.yaml")
        paths[-1].write_text(f"scale: {scale}\n" if scale else "seeds: [1]\n")
    return paths


@pytest.mark.parametrize(
    ("scales", "scale"),
    [(["demo"], "demo"), (["demo", "mine"], "mine"), (["demo", "a", ""], "a"), (["demo", "a", "b"], "b")],
)
def test_the_last_file_that_names_a_scale_names_the_results(tmp_path: Path, scales: list, scale: str) -> None:
    files = files_named(tmp_path, *scales)
    check_scale({"scale": scale}, files)
    for other in {"elsewhere", *scales} - {scale, ""}:
        with pytest.raises(ConfigError, match=f"{files[-1].name} says '{scale}'"):
            check_scale({"scale": other}, files)


def test_a_file_of_your_own_must_name_its_scale(tmp_path: Path) -> None:
    files = files_named(tmp_path, "demo", "")
    with pytest.raises(
        ConfigError, match=r"1\.yaml: the key 'scale' is missing: it names the folder of results"
    ):
        check_scale({"scale": "demo"}, files)
    with pytest.raises(ConfigError, match="the key 'scale' is missing"):
        check_scale({"scale": "mine"}, files)


@pytest.mark.parametrize("scales", [["demo"], ["demo", "small"]])
def test_a_scale_that_only_the_command_line_names_is_refused(tmp_path: Path, scales: list) -> None:
    with pytest.raises(ConfigError, match=r"scale: 'mine' was given by --config, but .* says"):
        check_scale({"scale": "mine"}, files_named(tmp_path, *scales))


def test_a_scale_of_the_project_is_its_files(tmp_path: Path) -> None:
    defaults, mine, more = files_named(tmp_path, "demo", "small", "")
    (tmp_path / "scales").mkdir()
    small, own = (tmp_path / f"scales/{name}.yaml" for name in ("small", "own"))
    for path in (small, own):
        path.write_text(f"scale: {path.stem}\n")
    check_scale({"scale": "small"}, [defaults, small, mine])
    with pytest.raises(ConfigError, match=r"1.yaml: scale 'small' is one of the project's"):
        check_scale({"scale": "small"}, [defaults, mine])
    mine.write_text("scale: demo\n")
    with pytest.raises(ConfigError, match=r"1.yaml: scale 'demo' is one of the project's"):
        check_scale({"scale": "demo"}, [defaults, mine])
    check_scale({"scale": "own"}, [defaults, own])
    with pytest.raises(ConfigError, match=r"2.yaml: the key 'scale' is missing: .* in one folder"):
        check_scale({"scale": "own"}, [defaults, own, more])


def test_scales_are_checked_when_a_configuration_is_opened(opened: Opener) -> None:
    with pytest.raises(ConfigError, match="scale: 'mine' was given by --config"):
        opened(change={"scale": "mine"})
    assert (
        configuration.open_workflow(opened.merged(change={"scale": "mine"}), SCHEMA).results == "results/mine"
    )


def test_an_overridden_member_keeps_its_place_and_a_new_one_comes_last(opened: Opener) -> None:
    own, defaults = {"b": {"y": 1, "x": 1}, "new": 3, "a": 1}, {"a": 0, "b": {"x": 0, "y": 0}, "gone": 0}
    ordered = configuration.in_order(own, defaults)
    assert (list(ordered), list(ordered["b"]), ordered) == (["a", "b", "new"], ["x", "y"], own)
    systems = {"zz": {"embeddings": "joint", "mapper": "muse"}, "muse": None}
    change = {"papers": ["joint_align"], "joint_align": {"systems": systems}}
    found = list(opened("small", change).systems)
    assert (found[:2], found[-1]) == (["procrustes", "vecmap"], "zz")


def test_names_of_pairs() -> None:
    assert pair_languages("en-de") == ("en", "de")
    assert pair_languages("en-de.test2016") == ("en", "de")


def test_a_plan_is_written_once_and_again_only_when_it_differs(opened: Opener) -> None:
    w = opened("tiny")
    lines = [
        {"out": "a b.txt", "layer": [1, 2], "languages": ["x y", "-z"], "flag": True, "no": False, "n": 0},
        {"out": "c", "more": None, "other": "only here"},
    ]
    path = Path(w.plan("some/cells", lines))
    assert path == Path("results/tiny/plans/some/cells.csv")
    assert path.read_text().splitlines() == [
        "out,layer,languages,flag,no,n,more,other",
        "a b.txt,1 2,'x y' ./-z,true,,0,,",
        "c,,,,,,,only here",
    ]
    before = path.stat().st_mtime_ns
    assert (Path(w.plan("some/cells", lines)), path.stat().st_mtime_ns) == (path, before)
    w.plan("some/cells", lines[:1])
    assert len(path.read_text().splitlines()) == 2
    assert Path(w.brief("b", {"é": [1]})).read_text() == '{\n "é": [\n  1\n ]\n}\n'


def test_the_plans_of_a_run_at_work_are_not_changed(opened: Opener) -> None:
    w, lines = opened("tiny"), [{"seed": 1}]
    path = Path(w.plan("cells", lines))
    Path("snakemake").write_text("print('started', flush=True)\ninput()\n")
    command = [sys.executable, "snakemake"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        process.stdout.readline()
        assert w.plan("cells", lines) == str(path)
        with pytest.raises(
            ConfigError, match=rf"cells\.csv: a run .*process {process.pid}\).* another `scale`"
        ):
            w.plan("cells", [{"seed": 2}])
        assert path.read_text() == "seed\n1\n"
        w.plan("of a target that it was not asked for", lines)
        process.kill()
    w.plan("cells", [{"seed": 2}])
    assert path.read_text() == "seed\n2\n"
