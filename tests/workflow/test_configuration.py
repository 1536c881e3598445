"""Configurations: every scale, every key, text from the command line, and results that must not mix."""

import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from configurations import Opener
from crosslingua import paper_folders
from crosslingua.cells import Cell
from crosslingua.corpora.datasets.registry import dataset
from crosslingua.errors import ConfigError
from crosslingua.io.json import read_json, read_yaml, write_json
from crosslingua.workflow import configuration, locks
from crosslingua.workflow.configuration import check_scale, from_text, open_workflow, whole_type
from crosslingua.workflow.paper import Paper
from crosslingua.workflow.results import TableRequest
from crosslingua.workflow.sections import Section, is_section, map_of
from crosslingua.workflow.sources import read_sheet
from crosslingua.workflow.vectors import all_systems
from texts import written

SCALES = ("", "atlas", "full", "own", "paper", "real", "tiny")


def test_every_scale_is_a_scale(repository: Path) -> None:
    found = {path.stem: read_yaml(path).get("scale") for path in (repository / "scales").glob("*.yaml")}
    assert {*filter(None, SCALES)} == set(found)
    assert all(name == scale for name, scale in found.items())


@pytest.mark.parametrize("scale", SCALES)
def test_a_scale_opens_and_is_called_as_its_file(opened: Opener, scale: str) -> None:
    w = opened(scale)
    results = f"results/{scale or 'demo'}"
    assert (w.results, w.corpora, w.data) == (results, f"{results}/corpora", "data")
    assert w.files == ("config.yaml", *([f"scales/{scale}.yaml"] if scale else []))
    every = ["joint_align", "xlm_align", "align_mlm", "mbert_align", "laser_taggers"]
    assert w.config.papers == (["joint_align"] if scale in ("own", "atlas") else every)


def test_seeds_and_pairs_are_those_of_the_scale(opened: Opener) -> None:
    demo, real = opened(), opened("real")
    assert (demo.seeds, demo.encoder_seeds, real.encoder_seeds) == ([1, 2, 3], [1], [1, 2, 3])
    assert opened(change={"encoders": {"seeds": [3, 4]}}).tagged_encoder_seeds == [3]
    for scale in ("full", "own", "paper", "real"):
        assert opened(scale, {"encoders": {"seeds": [5, 6, 7, 8]}}).tagged_encoder_seeds == [5, 6, 7, 8]
    assert demo.pairs == [("ana", "ber"), ("ana", "cor"), ("ana", "dax")]
    names = [f"en-{target}.muse_full" for target in ("de", "fr", "es")]
    assert list(real.lexicon_pairs) == [*names, "en-nl.none"]
    assert real.lexicon_pairs["en-fr.muse_full"].dictionary == "muse_full"


def test_config_yaml_holds_every_key(repository: Path) -> None:
    def missing(section: dict, kind: type[Section], path: str = "") -> list[str]:
        found = []
        for name, inner in kind.model_fields.items():
            if name not in section:
                found.append(path + name)
            elif section[name] is not None and is_section(own := map_of(inner.annotation)[0]):
                found += missing(section[name], own, f"{path}{name}.")
        return found

    assert missing(read_yaml(repository / "config.yaml"), whole_type()) == []
    assert set(paper_folders.names()) <= set(whole_type().model_fields)


def test_settings_may_be_text_a_grid_or_null(opened: Opener) -> None:
    tasks = {"ner": {"epochs": None, "freeze_embeddings": [False, True]}}
    w = opened(change={
        "seeds": ["7"], "word_embeddings": {"dim": "20"},
        "mappers": {"rcsls": {"lr": "1e-3", "niter": "20"}, "iterative_norm": {"inner.lr": 2}},
        "encoders": {"settings": {"language_ids": False, "lr": None}},
        "align_mlm": {"vocabulary_size": "9", "tasks": tasks}, "joint_align": {"translation": {"settings": None}},
    })  # fmt: skip
    assert w.config.mappers["rcsls"] == {"lr": 1e-3, "niter": 20}
    sizes = (w.config.word_embeddings["dim"], w.section("align_mlm").vocabulary_size)
    assert (w.seeds, sizes) == ([7], (20, 9))


def test_another_programs_name_of_a_setting_is_read_with_a_hint(opened: Opener, caplog) -> None:
    given = {"mbert_align": {"tagger": {"learning_rate": 0.5}}}
    assert opened("", given).section("mbert_align").tagger["lr"] == 0.5
    assert "learning_rate is read as lr" in caplog.text


def test_all_that_is_wrong_is_told_at_once(opened: Opener) -> None:
    with pytest.raises(ConfigError) as told:
        opened(change={"sedes": [1], "scale": "A b", "text": {"max_tokens": 0}})
    assert all(name in str(told.value) for name in ("sedes", "scale: 'A b'", "text.max_tokens: 0"))


def test_a_data_set_is_used_by_papers_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    row = dataset("xling-eval")
    read = configuration._registry.__wrapped__  # not what another test had it remember
    rows = {row.name: replace(row, used_by=("joint_align table1", "align_mlm"))}
    monkeypatch.setattr(configuration, "load_registry", lambda: rows)
    assert read() == rows
    rows[row.name] = replace(row, used_by=("align_mlm", "jont_align table1"))
    message = r"registry\.yaml: xling-eval\.used_by: 'jont_align' .*did you mean 'joint_align'"
    with pytest.raises(ConfigError, match=message):
        read()


def test_a_listed_paper_has_its_section(opened: Opener) -> None:
    config = opened.merged()
    del config["align_mlm"]
    with pytest.raises(ConfigError, match=r"papers: align_mlm: the key 'align_mlm' is missing"):
        open_workflow(config)
    config["papers"] = ["joint_align", "xlm_align"]
    assert all_systems(open_workflow(config))


class Plain(Paper[Section]):
    """A paper without a section."""

    name = "plain"

    def check(self) -> None:
        assert not self.section.model_fields_set

    def cells(self, group: str) -> list[Cell]:
        return []

    def tables(self) -> dict[str, TableRequest]:
        return {}


def test_a_paper_may_have_no_section_and_none_must_be_given(opened: Opener, tmp_path, monkeypatch) -> None:
    plain = tmp_path / "plain.py"
    plain.write_text("TITLE = AUTHORS = ''\n")
    papers, load = paper_folders.names(), paper_folders.load

    def load_plain(paper: str, *part: str) -> object:
        if paper != "plain":
            return load(paper, *part)
        return None if "section" in part else SimpleNamespace(__file__=str(plain), PAPER=Plain)

    monkeypatch.setattr(paper_folders, "names", lambda: ("plain", *papers))
    monkeypatch.setattr(paper_folders, "load", load_plain)
    config = opened.merged(change={"papers": ["plain"]})
    for paper in ("xlm_align", "align_mlm", "mbert_align", "laser_taggers"):
        del config[paper]
    assert open_workflow(config).config.papers == ["plain"]
    with pytest.raises(ConfigError, match="unknown key plain"):
        open_workflow(config | {"plain": {}})


@pytest.mark.parametrize(("given", "key", "expected"), [
    ({"seeds": ["1", "2"]}, "seeds", [1, 2]), ({"seeds": "[3, 4]"}, "seeds", [3, 4]),
    ({"seeds": ["one"]}, "seeds", ["one"]), ({"scale": "123"}, "scale", "123"),
    ({"papers": "[joint_align]"}, "papers", ["joint_align"]),
    ({"text": {"lowercase": "false", "max_tokens": "50"}}, "text", {"lowercase": False, "max_tokens": 50}),
    ({"word_embeddings": {"lr": "0.1"}}, "word_embeddings", {"lr": 0.1}), ({"world": "null"}, "world", None),
    ({"data": {"mirror": "null"}}, "data", {"mirror": "null"}),
    ({"encoders": {"multilingual": {"languages": "[ana]"}}}, "encoders", {"multilingual": {"languages": ["ana"]}}),
    ({"text": {"max_tokens": "{"}}, "text", {"max_tokens": "{"}),
])  # fmt: skip
def test_text_of_the_command_line_becomes_what_it_spells(given: dict, key, expected) -> None:
    before = yaml.safe_dump(given)
    assert from_text(given, whole_type())[key] == expected
    assert yaml.safe_dump(given) == before


def files_named(folder: Path, *scales: str) -> list[Path]:
    """Configuration files; "" is one that names no scale."""
    texts = [f"scale: {scale}\n" if scale else "seeds: [1]\n" for scale in scales]
    return [written(folder / f"{i}.yaml", text) for i, text in enumerate(texts)]


def refused(scale: str, files: list[Path], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        check_scale({"scale": scale}, files)


@pytest.mark.parametrize(("scales", "scale"), [
    (["demo"], "demo"), (["demo", "mine"], "mine"), (["demo", "a", ""], "a"), (["demo", "a", "b"], "b"),
])  # fmt: skip
def test_the_last_file_that_names_a_scale_names_the_results(tmp_path: Path, scales: list, scale: str) -> None:
    files = files_named(tmp_path, *scales)
    check_scale({"scale": scale}, files)
    for other in {"elsewhere", *scales} - {scale, ""}:
        refused(other, files, f"{files[-1].name} says '{scale}'")


@pytest.mark.parametrize(("scales", "given", "message"), [
    (["demo", ""], "demo", r"1\.yaml: the key 'scale' is missing: it names the folder of results"),
    (["demo", ""], "mine", "the key 'scale' is missing"),
    (["demo"], "mine", r"scale: --config says 'mine', but .* says"),
    (["demo", "real"], "mine", r"scale: --config says 'mine', but .* says"),
])  # fmt: skip
def test_a_scale_is_named_in_a_file_of_your_own(tmp_path: Path, scales: list, given: str, message) -> None:
    refused(given, files_named(tmp_path, *scales), message)


def test_a_scale_of_the_project_is_its_files(tmp_path: Path) -> None:
    defaults, mine, more = files_named(tmp_path, "demo", "real", "")
    real, own = (written(tmp_path / f"scales/{x}.yaml", f"scale: {x}\n") for x in ("real", "own"))
    check_scale({"scale": "real"}, [defaults, real, mine])
    refused("real", [defaults, mine], r"1.yaml: scale 'real' is a scale of the project")
    mine.write_text("scale: demo\n")
    refused("demo", [defaults, mine], r"1.yaml: scale 'demo' is a scale of the project")
    check_scale({"scale": "own"}, [defaults, own])
    refused("own", [defaults, own, more], r"2.yaml: the key 'scale' is missing: .* share one folder")
    mine.write_text("scale: mine\n")
    first = r'the template stands last .*: name it first, as in CONFIG=".*own.yaml .*1.yaml"'
    refused("own", [defaults, mine, own], first)
    check_scale({"scale": "mine"}, [defaults, own, mine])


def test_scales_are_checked_when_a_configuration_is_opened(opened: Opener) -> None:
    with pytest.raises(ConfigError, match="scale: --config says 'mine'"):
        opened(change={"scale": "mine"})
    assert open_workflow(opened.merged(change={"scale": "mine"})).results == "results/mine"


def test_an_overridden_member_keeps_its_place_and_a_new_one_comes_last(opened: Opener) -> None:
    own, defaults = {"b": {"y": 1, "x": 1}, "new": 3, "a": 1}, {"a": 0, "b": {"x": 0, "y": 0}, "gone": 0}
    ordered = configuration.in_order(own, defaults)
    assert (list(ordered), list(ordered["b"]), ordered) == (["a", "b", "new"], ["x", "y"], own)
    systems = {"zz": {"embeddings": "joint", "mapper": "muse"}, "muse": None}
    change = {"papers": ["joint_align"], "joint_align": {"systems": systems}}
    found = list(all_systems(opened("real", change)))
    assert (found[:2], found[-1]) == (["procrustes", "iterative_norm"], "zz")


def test_a_plan_is_written_once_and_again_only_when_it_differs(opened: Opener) -> None:
    w = opened("tiny")
    lines = [
        {"out": "a b.txt", "layer": [1, 2], "languages": ["x y", "-z"], "flag": True, "no": False, "n": 0},
        {"out": "c", "more": None, "other": "only here"},
    ]
    path = Path(w.plan("some/cells", lines))
    assert path == Path("results/tiny/plans/some/cells.csv")
    columns = "out,layer,languages,flag,no,n,more,other"
    assert path.read_text() == f"{columns}\na b.txt,1 2,'x y' ./-z,true,,0,,\nc,,,,,,,only here\n"
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
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        assert w.plan("cells", lines) == str(path)
        told = rf"cells\.csv: .*process {process.pid}\).* planned otherwise.* another `scale`"
        with pytest.raises(ConfigError, match=told):
            w.plan("cells", [{"seed": 2}])
        assert path.read_text() == "seed\n1\n"
        w.plan("of a target that it was not asked for", lines)
        note = {"host": socket.gethostname(), "executor": "local", "scales": {process.pid: "tiny"}}
        write_json(locks.NOTE, note)
        with pytest.raises(ConfigError, match="planned otherwise"):
            w.plan("cells", [{"seed": 2}])
        write_json(locks.NOTE, note | {"scales": {process.pid: "demo"}})
        w.plan("cells", [{"seed": 3}])
        locks.note_run("local", "tiny")
        assert set(read_json(locks.NOTE)["scales"].values()) == {"demo", "tiny"}
        process.kill()
    w.plan("cells", [{"seed": 2}])
    assert path.read_text() == "seed\n2\n"


def test_paths_are_relative_to_their_file_or_of_the_suite(opened: Opener, tmp_path: Path) -> None:
    """Those of --config are relative to where the user stands, and so is the folder of downloads."""
    for name in ("text/sw.txt", "text/en.txt", "world.yaml", "enc/config.json", "sets/yy.txt"):
        written(tmp_path / "their/mine" / name, "two\nlines\n")
    sheet = "task\tset\tfrom\ttrain\tvalid\ttest\toptions\ntext\tyy\tfile\tyy.txt\n"
    written(tmp_path / "their/mine/sets/own.tsv", sheet)
    mine = {
        "scale": "mine",
        "data": {"folder": "d", "mirror": "m", "user_supplied": {"x": "u"},
                 "sheets": ["sets/own.tsv", "scales/real.tsv"]},
        "languages": {"sw": {"path": "text/sw.txt"}, "en": {"path": "/absolute/en.txt"}},
        "dictionaries": {"train": "text/{source}.txt", "test": "../up.txt"},
        "encoders": {"multilingual": {"members": {"a": {"pretrained": "enc"}, "b": {"pretrained": "owner/name"}}}},
    }  # fmt: skip
    path = written(tmp_path / "their/mine/mine.yaml", yaml.safe_dump(mine))
    config = opened.merged("own", mine)
    config["languages"]["de"] = {"path": "text/de.txt"}
    placed = configuration.at_their_place(config, ["config.yaml", "scales/own.yaml", path])
    folder = tmp_path / "their/mine"
    data, members = placed["data"], placed["encoders"]["multilingual"]["members"]
    assert (data["folder"], data["mirror"], data["user_supplied"]) == (
        "d",
        f"{folder}/m",
        {"x": f"{folder}/u"},
    )
    assert data["sheets"] == [f"{folder}/sets/own.tsv", "scales/real.tsv"]
    assert placed["languages"] == {
        "sw": {"path": f"{folder}/text/sw.txt"},
        "en": {"path": "/absolute/en.txt"},
        "de": {"path": "text/de.txt"},
    }
    dictionaries = placed["dictionaries"]
    assert [dictionaries["train"], dictionaries["test"]] == [
        f"{folder}/text/{{source}}.txt",
        f"{tmp_path}/their/up.txt",
    ]
    assert (members["a"]["pretrained"], members["b"]["pretrained"]) == (f"{folder}/enc", "owner/name")
    (line,) = read_sheet(data["sheets"][0])
    assert line.splits == {"train": (f"{folder}/sets/yy.txt",)}


def test_results_go_to_the_folder_that_is_asked_for(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSLINGUA_RESULTS", "/scratch/out")
    assert opened("tiny").corpora == "/scratch/out/tiny/corpora"


def test_a_mistake_beside_a_path_of_another_folder_has_its_line(opened: Opener, tmp_path: Path) -> None:
    path = written(
        tmp_path / "mine/mine.yaml", "scale: mine\nlanguages:\n  sw: {path: sw.txt, tokeniser: none_such}\n"
    )
    config = opened.merged("own", read_yaml(path))
    with pytest.raises(ConfigError, match=r"mine/mine.yaml:3: languages.sw.tokeniser"):
        open_workflow(config, ["config.yaml", "scales/own.yaml", path])
