"""The command `crosslingua`: verbs, completion, and how runs are handed to Snakemake."""

import os
import re
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from crosslingua import cli, command, places
from texts import written

SUITE = Path(command.__file__).parents[2]


def test_every_verb_has_a_sentence_and_those_of_people_stand_first() -> None:
    lines = command.help_text().splitlines()
    verbs = [line.split()[0] for line in lines[2:]]
    assert verbs[:6] == ["run", "demo", "tiny", "real", "atlas", "full"]
    assert verbs[6:12] == ["ask", "doctor", "estimate", "trace", "compare", "judge"]
    assert {"align-vectors", "induce-lexicon", "word-align", "pretrain"} <= set(verbs)
    assert not {"call", "keep-reference"} & set(verbs)
    assert all(len(line.split()) > 1 for line in lines[2:])


def test_a_verb_runs_its_script_and_a_wrong_one_is_named(monkeypatch, capsys) -> None:
    monkeypatch.setattr(cli, "program", None)
    with pytest.raises(SystemExit, match=r"^0$"):
        command.main(["align_vectors", "--help"])
    told = capsys.readouterr().out
    assert told.startswith("usage: crosslingua align-vectors [-h]")
    assert "--mapper MAPPER" in told
    assert "--cells" not in told.partition("\n\n")[0]  # of the workflow, not of people
    assert command.main(["aling-vectors"]) == 2
    assert "did you mean 'align-vectors'?" in capsys.readouterr().err


def test_examples_keep_their_line_breaks() -> None:
    lines = command.page().splitlines()
    assert any(line.endswith(" \\") for line in lines)
    assert [line for line in lines if re.search(r"\S {6,}-", line)] == []


LOGGER, ALL = ["--logger", "crosslingua"], ["--cores", "all"]
SNAKEFILE = ["--snakefile", str(SUITE / "Snakefile")]
MIRROR = ["--config", 'data={"mirror": "a \\"b"}']


@pytest.mark.parametrize(
    ("given", "called"),
    [
        (["run", "--cores", "2"], [*LOGGER, *SNAKEFILE, "--cores", "2"]),
        (["demo", "--", "x"], [*LOGGER, *ALL, *SNAKEFILE, "--", "x"]),
        (
            ["run", "bli", "--config", "a", "b", "seeds=[1]", "-n"],
            ["--configfile", "{here}/a", "{here}/b", *LOGGER, "--config", "seeds=[1]", *ALL, *SNAKEFILE, "bli", "-n"],
        ),
        (
            ["run", "--configfile", "scales/own.yaml", "a", "--config", "x=y"],
            ["--configfile", f"{SUITE}/scales/own.yaml", "{here}/a", *LOGGER, *ALL, *SNAKEFILE],
        ),
        (["tiny"], ["--configfile", f"{SUITE}/scales/tiny.yaml", *LOGGER, *ALL, *SNAKEFILE]),
        (["demo", "--mirror", 'a "b'], [*LOGGER, *MIRROR, *ALL, *SNAKEFILE]),
        (["demo", '--mirror=a "b', "--config", "seeds=[1]"], [*LOGGER, *MIRROR, "seeds=[1]", *ALL, *SNAKEFILE]),
    ],
)  # fmt: skip
def test_run_hands_configurations_to_snakemake(monkeypatch, tmp_path: Path, given, called) -> None:
    heard = []
    monkeypatch.setattr(command, "_ended", lambda words: heard.extend(words[3:]) or 3)
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "x=y"):
        written(tmp_path / name, "scale: mine\n")
    assert command.main(given) == 3
    expected = [word.format(here=tmp_path) if word.startswith("{here}") else word for word in called]
    if "x=y" in given:  # a file, though its name could be a setting
        expected.insert(expected.index(f"{tmp_path}/a") + 1, f"{tmp_path}/x=y")
    assert heard == expected


def test_scales_say_where_their_results_are(monkeypatch, tmp_path: Path, capsys) -> None:
    monkeypatch.setattr(command, "_ended", lambda words: 0)
    monkeypatch.delenv(places.RESULTS, raising=False)
    monkeypatch.chdir(tmp_path)
    assert command.main(["demo", "--dry-run"]) == 0
    assert capsys.readouterr().out == ""
    assert command.main(["demo"]) == 0
    assert capsys.readouterr().out.startswith(
        "Results: results/demo/report.html, tables in results/demo/tables/"
    )
    with mock.patch.dict(os.environ):
        assert command.main(["atlas", "--results", "/scratch/out/"]) == 0
    assert capsys.readouterr().out.startswith("Atlas: /scratch/out/atlas/atlas/atlas.html")
    assert command.main(["demo", "--results", "my results"]) == 1
    assert "--results: 'my results': write a folder without blanks" in capsys.readouterr().err


@pytest.mark.parametrize(("line", "words"), [
    ("crosslingua align", {"align-encoder", "align-vectors"}), ("crosslingua dem", {"demo"}),
    ("crosslingua score --sm", {"--smallest"}), ("crosslingua demo --re", {"--results"}),
    ("crosslingua score f", set()), ("crosslingua --v", {"--version"}),
])  # fmt: skip
def test_the_tab_key_completes_verbs_and_options(repository: Path, line: str, words: set[str]) -> None:
    asked = f"""
        crosslingua() {{ "{sys.executable}" -c 'from crosslingua.command import main; main()' "$@"; }}
        eval "$(crosslingua --completion)"
        COMP_WORDS=({line}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
        _crosslingua
        echo "${{COMPREPLY[@]}}"
    """
    environment = os.environ | {"PYTHONPATH": str(repository / "src")}
    done = subprocess.run(["bash", "-c", asked], env=environment, capture_output=True, text=True, check=True)
    assert {*done.stdout.split()} == words


def test_version_and_the_usage_of_runs(capsys) -> None:
    assert command.main(["--version"]) == 0
    assert re.fullmatch(r"crosslingua 0\.[\w.+]+\n", capsys.readouterr().out)
    assert command.main(["tiny", "--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: crosslingua tiny [TARGET ...] [OPTIONS]")


def test_run_reads_configurations_before_snakemake(monkeypatch, tmp_path: Path, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "_ended", lambda words: pytest.fail("Snakemake was started"))
    written(Path("empty.yaml"), "")
    written(Path("tab.yaml"), "seeds:\n\t- 1\n")
    for name, message in (
        ("none.yaml", "error: --config none.yaml is no file"),
        ("empty.yaml", "error: --config empty.yaml is empty: write scale, pairs, languages"),
        ("tab.yaml", "error: tab.yaml:2: not YAML: "),
    ):
        assert command.main(["run", "--config", name]) == 1
        assert capsys.readouterr().err.startswith(message)


@pytest.mark.parametrize("cores", [["--cores", "0"], ["--cores=0"], ["-c0"], ["--jobs", "-1"]])
def test_run_refuses_cores_that_would_wait_for_ever(monkeypatch, capsys, cores: list[str]) -> None:
    monkeypatch.setattr(command, "_ended", lambda words: pytest.fail("Snakemake was started"))
    assert command.main(["run", "bli", *cores]) == 1
    assert "write a whole number from 1, or all" in capsys.readouterr().err


def test_run_removes_the_lock_of_a_killed_run(monkeypatch, tmp_path: Path, capsys) -> None:
    lock = written(tmp_path / ".snakemake/locks/0.output.lock", "")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "_ended", lambda words: 0)
    assert command.run([]) == 0
    assert not lock.exists()
    assert "killed" in capsys.readouterr().out
