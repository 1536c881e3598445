"""Where data come from by scale, data sheets, code that a script runs, and values through a shell."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from configurations import XLING_EVAL, Opener, jobs
from crosslingua import paper_folders
from crosslingua.errors import ConfigError, InputError
from crosslingua.imports import SOURCE_ROOT, project_files
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow.configuration import open_workflow
from crosslingua.workflow.jobs import files_of
from crosslingua.workflow.sections import WorldSection
from crosslingua.workflow.sources import COLUMNS, dictionaries_of, dictionary_files, family, read_sheet
from crosslingua.workflow.workflow import options, settings_words
from texts import written

WORLD = ["ana", "ber", "cor", "dax", "eno", "fyr"]
HEADER = "\t".join(COLUMNS) + "\n"
TELL = "import json, sys; print(json.dumps(sys.argv[1:]))"
HOSTILE = ["two words", "it's", 'a "quoted" word', "$(touch ran)", "`touch ran`", "$HOME", "a;touch ran"]
HOSTILE += ["a&b|c>ran", "*", "\\", "~", "line\nbreak", "#no comment", "{input}", "日本語 кот"]


def test_the_world_tells_every_kind_of_data_in_every_language(opened: Opener) -> None:
    sources = opened().sources
    assert sources.named_from("text", "world") == WORLD
    assert sources.languages["eno"] == {"from": "world", "sentences": 8000}
    for task in KINDS:
        assert [name for name in sources.named_from(task, "world") if "_" not in name] == WORLD, task
    assert sources.sets["ner"]["ber"] == {"from": "world", "train": 1500, "valid": 300, "test": 600}
    assert sources.sets["slots"]["ber_translated"]["variant"] == "translated"
    assert sources.language("slots", "ber_translated") == "ber"
    assert sources.sets["bitext"]["fyr-ana"] == {"from": "world", "sentences": 10000}
    assert sources.sets["gold_alignment"]["ana-fyr"]["split"] == "test"
    assert len(sources.sets["bitext"]) == 6 * 5


def test_null_takes_a_language_a_kind_a_derived_language_and_one_of_your_own_out(opened: Opener) -> None:
    world = {"text": {"fyr": None}, "tasks": {"qa": None}, "derived": {"ana_trans": None}}
    sources = opened(change={"world": world, "align_mlm": {"transformations": {"trans": None}}}).sources
    assert not {"fyr", "ana_trans"} & set(sources.languages)
    assert sources.sets["qa"] == {}
    assert "ana_trans" not in sources.sets["nli"]
    (opened.folder / "mine.yaml").write_text("scale: mine\nlanguages: {en: {path: en.txt}}\n")
    languages = {"sw": {"path": "sw.txt"}, "en": None, "tr": {"path": "tr.txt"}}
    config = opened.merged("own", {"scale": "mine", "languages": languages, "pairs": ["sw-tr"]})
    w = open_workflow(config, ["config.yaml", "scales/own.yaml", "mine.yaml"])
    assert w.sources.named_from("text", "file") == ["sw", "tr"]


def test_a_derived_language_has_the_labelled_sets_that_its_parent_has_whole(opened: Opener) -> None:
    demo = opened().sources
    assert demo.root("ner", "ana_trans") == demo.root("text", "ana_trans") == "ana"
    assert demo.origin("ner", "ana_trans") == "derived"
    derived = {"derived_from": "ana", "transform": "trans_inv", "overlap": 0.25}
    assert demo.sets["nli"]["ana_trans_inv_25"] == derived
    real = opened("real").sources
    assert {task for task in KINDS if "eng_trans" in real.sets[task]} == {"ner", "pos", "nli"}
    assert real.splits("ner", "eng_trans") == ["train", "valid", "test"]
    assert real.splits("ner", "de") == ["test"]


@pytest.mark.parametrize(("scale", "languages", "dictionaries"), [
    ("real", ["en", "de", "fr", "es", "nl", "eng"], ["muse_full"]),
    ("paper", ["en", "es", "fr", "de", "it", "ru", "zh", "nl", "eng"], ["muse"]),
])  # fmt: skip
def test_a_scale_without_the_world_has_what_its_sheet_has(
    opened: Opener, scale: str, languages: list[str], dictionaries: list[str]
) -> None:
    sources = opened(scale).sources
    own = {name: entry for name, entry in sources.languages.items() if "." not in name}
    assert {name for name, entry in own.items() if "derived_from" not in entry} == set(languages)
    assert list(sources.dictionaries) == dictionaries
    assert sources.named_from("text", "world") == sources.named_from("bitext", "world") == []
    assert sources.place("text", "en") == f"scales/{scale}.tsv:4: text en"
    assert sources.languages["eng.wiki" if scale == "real" else "eng"]["member"].startswith("wikitext-")
    everything = sum(map(len, (*sources.sets.values(), sources.languages, dictionaries)))
    derived = len(sources.named_from("text", "derived"))
    text = Path(f"scales/{scale}.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert everything - derived * 3 == len(lines) - 1  # of the derived: ner, pos and nli


def test_a_sheet_and_your_own_files_stand_beside_the_world(opened: Opener) -> None:
    sheet = opened.sheet(
        "text\tsv\tfile\tsvenska.txt",
        "bitext\tsv-en.mine\tfile\ta.sv a.en",
        "bitext\tsv-en.dev\tfile\t\tb.sv b.en",
        "ner\tsv\tfile\ttrain.conll\tvalid.conll\ttest.conll\tformat=conll",
        "dictionary\tmine\tfile\t{source}.{target}.train\t\t{source}.{target}.test",
    )
    own = {"sw": {"path": "swahili.txt", "tokeniser": "whitespace"}}
    pairs = {"train": "{source}-{target}.train", "test": "x-{source}-{target}"}
    w = opened(change={"data": {"sheets": [sheet]}, "languages": own, "dictionaries": pairs})
    sources = w.sources
    assert sources.languages["sw"] == {"from": "file", "path": "swahili.txt", "tokeniser": "whitespace"}
    assert sources.languages["sv"] == {"from": "file", "path": "svenska.txt"}
    assert sources.named_from("text", "file") == ["sv", "sw"]
    assert sources.sets["bitext"]["sv-en.mine"] == {"from": "file", "files": ["a.sv", "a.en"], "use": "train"}
    assert sources.sets["bitext"]["sv-en.dev"]["use"] == "valid"
    assert sources.sets["ner"]["sv"]["test"] == "test.conll"
    assert list(sources.dictionaries) == ["world", "world_published", "world_30", "world_55", "mine", "own"]
    assert dictionaries_of(sources, ("ana", "ber"), w.datasets) == list(sources.dictionaries)
    assert dictionaries_of(sources, ("sw", "sv"), w.datasets) == ["mine", "own"]


def test_a_pair_has_the_dictionaries_whose_both_files_are_published(opened: Opener) -> None:
    w = opened("real", {"data": {"sheets": ["scales/real.tsv", opened.sheet(XLING_EVAL)]}})
    found = {pair: dictionaries_of(w.sources, pair, w.datasets) for pair in (("en", "de"), ("en", "fi"))}
    assert found == {("en", "de"): ["muse_full", "xling_eval"], ("en", "fi"): ["xling_eval"]}
    assert dictionaries_of(w.sources, ("en", "xx"), w.datasets) == []


def test_a_dictionary_serves_the_pairs_that_its_line_names_in_the_languages_of_its_texts(
    opened: Opener,
) -> None:
    w = opened("atlas")
    found = {
        pair: dictionaries_of(w.sources, tuple(pair.split("-")), w.datasets)
        for pair in ("en-de", "en_a-de_b", "en_a-hu_b", "eu_a-hu_b", "eu-hu", "ca_a-ru_b", "en_a-es_b")
    }
    linked = {"en_a-de_b": "xling", "en_a-hu_b": "freedict"}
    for pair, name in linked.items():
        assert found[pair][1:] == [f"help_{share}_{name}" for share in (1, 10, 100)]
        found[pair] = found[pair][:1]
    assert found == {
        "en-de": ["xling_halves"], "en_a-de_b": ["xling_halves"], "en_a-hu_b": ["freedict_hu"], "eu_a-hu_b": ["panlex"],
        "eu-hu": [], "ca_a-ru_b": [], "en_a-es_b": ["muse"],
    }  # fmt: skip
    member = "eu-l2.zip::eu-hu/eu-hu.train.5000.cc.trans"
    assert dictionary_files(w.sources.dictionaries["panlex"], "train", ("eu_a", "hu_b"))[0] == member
    numbers = {"_".join(pair): len(dictionaries_of(w.sources, pair, w.datasets)) for pair in w.pairs}
    curves = {"en_a_de_b", "en_a_hu_b", "en_a_tr_b", "fi_a_hu_b"}
    assert {pair for pair, number in numbers.items() if number != 1} == curves | {
        p for p in numbers if "_n3_" in p
    }


def test_the_family_is_that_of_the_file_which_is_named_where_it_is_none(opened: Opener) -> None:
    assert family(WorldSection.from_values({"languages": "world.yaml"})) == WORLD
    spelled = "{word_order: SVO, syllables: {onsets: [b], nuclei: [a], codas: [n]}}"
    (opened.folder / "two.yaml").write_text(f"languages: {{uno: {spelled}, due: {spelled}}}\n")
    assert family(WorldSection.from_values({"languages": "two.yaml"})) == ["uno", "due"]
    (opened.folder / "mine.yaml").write_text("langages: {ana: {}}\n")
    with pytest.raises(ConfigError, match=r"mine\.yaml: .*\n.*langages.*did you mean 'languages'"):
        opened(change={"world": {"languages": "mine.yaml"}})


def test_a_line_names_files_of_splits_and_typed_options_and_there_may_be_none(tmp_path: Path) -> None:
    path = written(
        tmp_path / "data.tsv",
        "# what this is\n\n" + HEADER + "# text\n"
        "text\ten\tfile\t'my text.txt' more.txt\n"
        "derived\ten_trans\ten\t\t\t\ttransform=trans overlap=0.5 trees=t.conllu\n"
        "pos\tes\tconll2002\ttrain\t\ttest\tuniversal=true language=es format='a b'\n"
        "bitext\ten-de.x\teuroparl\tde-en.tgz\t\t\ttake=30\n",
    )
    text, derived, pos, bitext = read_sheet(path)
    assert (text.place, text.task, text.name, text.origin) == (f"{path}:5: text en", "text", "en", "file")
    assert (text.splits, text.options) == ({"train": (f"{tmp_path}/my text.txt", f"{tmp_path}/more.txt")}, {})
    assert derived.options == {"transform": "trans", "overlap": 0.5, "trees": f"{tmp_path}/t.conllu"}
    assert pos.splits == {"train": ("train",), "test": ("test",)}
    assert pos.options == {"universal": True, "language": "es", "format": "a b"}
    assert bitext.options == {"take": 30}
    assert read_sheet(written(tmp_path / "data.tsv", HEADER)) == []


@pytest.mark.parametrize(("line", "message"), [
    ("text\ten", "task, set and from must be given"),
    ("text\ten\tx\ta\tb\tc\t\t", "8 columns instead of 7"),
    ("ner\ten\tconll2003\ttrain\t\t\tlanguage", "'language' is no option; they are name=value with"),
    ("ner\ten\tconll2003\ttrain\t\t\tlangage=en", "did you mean 'language'"),
    ("pos\tes\tconll2002\ttrain\t\t\tuniversal=yes", "'universal=yes' must be true or false"),
    ("bitext\ta-b\tx\tf\t\t\ttake=many", "'take=many' must be a number"),
    ("bitext\ta-b\tx\tf\t\t\ttake=2147483648", "'take=2147483648' must be a whole number from 0 to 2147483647"),
    ("bitext\ta-b\tx\tf\t\t\ttake=-1", "'take=-1' must be a whole number from 0 to 2147483647"),
    ("derived\ta\tb\t\t\t\toverlap=half", "'overlap=half' must be a number"),
    ("text\t../x\tfile\ta", r"the set '\.\./x' is called otherwise than names can be \(write lower-case"),
    ("text\ten\tx\t'open", "No closing quotation"),
    ("ner\ten\tx\ttrain\t\t\tlanguage='en", "No closing quotation"),
])  # fmt: skip
def test_a_wrong_line_is_told(tmp_path: Path, line: str, message: str) -> None:
    path = written(tmp_path / "data.tsv", f"{HEADER}\n{line}\n")
    with pytest.raises(InputError, match=rf"data\.tsv:3: .*{message}"):
        read_sheet(path)


@pytest.mark.parametrize(("text", "message"), [
    (HEADER.replace("task\tset", "set\ttask"), "1: the columns must be task, set, from,"),
    ("text\ten\tx\ta\n", "1: the columns must be task, set, from,"),
    (f"{HEADER}text\ten\tx\ta\nner\ten\tx\ttrain\ntext\ten\ty\tb\n", "4: a second line for text en"),
    (HEADER.encode() + b"text\t\xff\tx\ta\n", "2: invalid UTF-8"),
])  # fmt: skip
def test_another_header_a_set_twice_and_what_is_not_utf8_are_told(tmp_path: Path, text, message: str) -> None:
    with pytest.raises(InputError, match=rf"data\.tsv:{message}"):
        read_sheet(written(tmp_path / "data.tsv", text))


def loaded_by_running(statement: str) -> set[Path]:
    """The project files that Python itself loads for an import statement."""
    files = "m.__file__ for n, m in sys.modules.items() if n.split('.')[0] == 'crosslingua'"
    command = [sys.executable, "-c", f"{statement}\nimport sys\nprint(*({files}), sep='\\n')"]
    environment = {"PYTHONPATH": str(SOURCE_ROOT), "PATH": "/usr/bin"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return {Path(line) for line in done.stdout.split()}


@pytest.mark.parametrize("module", ["mappers.procrustes", "metrics", "io.vectors"])
def test_the_analysis_finds_what_python_loads(module: str) -> None:
    found = set(project_files(members=[f"crosslingua.{module}"]))
    assert loaded_by_running(f"import crosslingua.{module}") <= found


def test_a_script_depends_on_its_imports_and_not_on_registry_members(repository: Path) -> None:
    files = project_files(repository / "scripts/align_vectors.py")
    names = {path.relative_to(SOURCE_ROOT).as_posix() for path in files}
    assert {"crosslingua/cli.py", "crosslingua/io/vectors.py", "crosslingua/mappers/__init__.py"} <= names
    assert "crosslingua/mappers/rcsls.py" not in names
    assert not {name for name in names if name.startswith("crosslingua/report/")}


@pytest.mark.parametrize("said", ["", "    from here import the words.\n"])
def test_imports_over_several_lines_and_in_functions_count(tmp_path: Path, said: str) -> None:
    """A line of text that begins as an import does (and is none) makes the whole file be read."""
    script = tmp_path / "script.py"
    script.write_text(
        f'"""Say:\n\n{said}"""\nfrom crosslingua.io import (  # both (of them)\n    json,\n    pairs,\n)\n'
        "import os; import crosslingua.errors\n"
        "def main():\n    from crosslingua.io import conll\n    return conll\n"
    )
    found = {path.relative_to(SOURCE_ROOT / "crosslingua").as_posix() for path in project_files(script)}
    assert {"io/json.py", "io/pairs.py", "errors.py", "io/conll.py"} <= found
    assert "mappers/rcsls.py" not in found


def test_what_a_rule_depends_on(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    plain = files_of("align_vectors.py")
    assert plain[0] == "scripts/align_vectors.py"
    assert all(Path(file).is_file() and not Path(file).is_absolute() for file in plain)
    told = files_of("align_vectors.py", "crosslingua.mappers.rcsls", None)
    assert "src/crosslingua/mappers/rcsls.py" in set(told) - set(plain)
    with pytest.raises(ConfigError, match=r"crosslingua\.mappers\.nothing"):
        project_files(members=["crosslingua.mappers.nothing"])


@pytest.mark.parametrize("part", ["tables", "figures", "claims", "page"])
def test_what_runs_in_jobs_never_depends_on_the_configurations_reader(repository: Path, part: str) -> None:
    members = [name for paper in paper_folders.names() if (name := paper_folders.module_name(paper, part))]
    files = {path.relative_to(SOURCE_ROOT).as_posix() for path in project_files(members=members)}
    assert not [file for file in files if file.startswith("crosslingua/workflow/")]
    assert not [file for file in files if file.endswith("/experiments.py")]


def arrived(command_line: str, folder: Path) -> list[str]:
    """The arguments that a program gets of a command line."""
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(TELL)} {command_line}"
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_what_a_shell_would_act_on_arrives_as_it_is(tmp_path: Path) -> None:
    values = {f"value_{i}": text for i, text in enumerate(HOSTILE)}
    assert arrived(options(values), tmp_path) == [f"--value-{i}={text}" for i, text in enumerate(HOSTILE)]
    assert arrived(options({"all": HOSTILE}), tmp_path) == ["--all", *HOSTILE]
    told = options({"set": settings_words({"note": "$(touch ran) x"})})
    assert arrived(told, tmp_path) == ["--set", "note=$(touch ran) x"]
    assert list(tmp_path.iterdir()) == []


def test_kinds_of_values_and_settings() -> None:
    values = {"dim": 64, "lr": 1e-3, "zero": 0, "is_flag": True, "no": False, "none": None, "empty": []}
    assert options(values) == "--dim=64 --lr=0.001 --zero=0 --is-flag"
    assert options({"pair": ("a", "b c"), "text": ""}) == "--pair a 'b c' --text="
    assert options({}) == options({"set": settings_words(None)}) == ""
    settings = {"steps": 20, "pack": False, "preset": "xlm align", "rate": None}
    assert settings_words(settings) == ["steps=20", "pack=false", "preset=xlm align"]
    assert settings_words(None) == []


@pytest.mark.parametrize("scale", ["", "full", "real", "paper"])
def test_no_options_are_longer_than_a_command_line_may_be(opened: Opener, scale: str) -> None:
    told = [job.options for job in jobs(opened(scale)).values()]
    assert max(len(options(each)) for each in told) < 1700  # 2,000 with script, inputs, outputs and log
