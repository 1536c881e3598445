"""The command `crosslingua`: `crosslingua VERB ...` runs scripts/VERB.py of the suite; `run`, `demo` and other scales
run the workflow. Everything is read and written where the user stands.
"""

import ast
import json
import re
import runpy
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from crosslingua import cli, places
from crosslingua.config import check_files
from crosslingua.errors import OF_EXTRAS, CrosslinguaError, did_you_mean, not_installed, visible
from crosslingua.provenance import code_version
from crosslingua.workflow.locks import unlock

SCALES = {
    "demo": "Run every paper on generated text; no download; 20 to 30 minutes on two cores",
    "tiny": "Run every step in minutes; its numbers mean nothing",
    "real": "Run on public data sets, which are downloaded first; hours",
    "atlas": "Compare the strategies on 43 real language pairs, on public text; hours",
    "full": "Run every system and ablation on generated text with five seeds; hours a paper",
}
RUNS = {"run": "Run your own configuration: --config mine.yaml"} | SCALES
FIRST = ("ask", "doctor", "estimate", "trace", "compare", "judge", "score")
INTERNAL = ("call", "keep_reference", "read_configuration")  # of the Makefile
USAGE = "usage: crosslingua VERB [OPTIONS]      crosslingua VERB --help      crosslingua --version"
USAGE_OF_RUN = """usage: crosslingua {verb} [TARGET ...] [OPTIONS]

{what}. A target is a paper, a part such as bli, or a file; without one, everything is made. Results go to results/ in
this folder, downloads to data/.

  --config FILE ...       configurations; each changes those before. Paths in a file are relative to the file. Files of
                          the suite have their names: scales/own.yaml
  --config KEY=VALUE ...  change a key: seeds=[1]
  --results FOLDER        where results go, in place of results/
  --mirror FOLDER         a folder or URL prefix from which data sets are taken first: FOLDER/DATASET/FILE
  --cores NUMBER          cores to use; default: all
  -n                      say what would run
  Other options are Snakemake's: snakemake --help"""


PAGE = """# Command line

The command `crosslingua` runs the workflow or one step by hand, in any folder. This page lists its verbs. `make docs`
makes this page from the programs in `scripts/`.

```sh
source .venv/bin/activate        # once a shell, after make setup
crosslingua demo                 # as make demo
crosslingua run joint_align --config scales/own.yaml mine.yaml
crosslingua trace results/demo/tables/joint_align_table1.csv
crosslingua align-vectors --help
eval "$(crosslingua --completion)"    # the tab key completes verbs and options, in bash
```

In a checkout, `crosslingua VERB` and `python scripts/VERB.py` are the same program. Every program has `--help`, which
explains its options, their units and their defaults.

| verb | what it does |
|---|---|
"""


# Of bash, and of zsh after `autoload -U bashcompinit && bashcompinit`. Options are those of a verb's help.
COMPLETION = """_crosslingua() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} among="{words}"
    if [ "$COMP_CWORD" != 1 ]; then
        among=
        if [ "${{word:0:1}}" = - ]; then
            among=$("${{COMP_WORDS[0]}}" "${{COMP_WORDS[1]}}" --help 2> /dev/null | grep -oE -e '--[a-z][a-z0-9-]*')
        fi
    fi
    COMPREPLY=($(compgen -W "$among" -- "$word"))
}}
complete -o default -F _crosslingua crosslingua"""


def verbs() -> dict[str, Path]:
    """Return the scripts of the suite by verb (`align-vectors`), those that people ask for first."""
    scripts = Path(places.suite("scripts"))
    names = [path.stem for path in sorted(scripts.glob("*.py")) if path.stem not in INTERNAL]
    names.sort(key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    return {name.replace("_", "-"): scripts / f"{name}.py" for name in names}


def summary(script: Path) -> str:
    """Return the first sentence of a script's docstring."""
    text = " ".join(_docstring(script).split("\n\n")[0].split())
    first = re.split(r": |(?<!\bal)\. ", text)[0].rstrip(".")
    return re.sub(r" \((?:[^()]*; )?docs/[^()]*\)", "", first)


def help_text() -> str:
    """Return the verbs with a sentence each."""
    known = RUNS | {verb: summary(script) for verb, script in verbs().items()}
    width = max(map(len, known))
    return "\n".join([USAGE, "", *(f"  {verb:<{width}}   {what}" for verb, what in known.items())])


def page() -> str:
    """Return the page of the command line: the verbs, and each program's examples and files."""
    known = verbs()
    runs = [f"| `{verb}` | {what} |\n" for verb, what in RUNS.items()]
    rows = [f"| [`{verb}`](#{verb}) | {summary(script)} |\n" for verb, script in known.items()]
    parts = [f"\n## {verb}\n\n```text\n{_docstring(script)}\n```\n" for verb, script in known.items()]
    usage = f"\n## run\n\n```text\n{USAGE_OF_RUN.format(verb='run', what=RUNS['run'])}\n```\n"
    return PAGE + "".join([*runs, *rows, usage, *parts])


def _docstring(script: Path) -> str:
    return ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""


def run(arguments: Sequence[str], scale: str = "") -> int:
    """Run Snakemake on a scale, or on the configurations that `--config` names, where the user stands; return its exit
    status. The lock of a killed run is removed first. Raises KeyboardInterrupt where Ctrl-C ended the run.
    """
    try:
        files, settings, rest = _divided(arguments)
        files = [*([places.suite(f"scales/{scale}.yaml")] if scale not in ("", "demo") else []), *files]
        check_files(files, "--config ")
    except CrosslinguaError as error:
        return _failed(str(error), 1)
    limited = any(word.startswith(("--cores", "-c", "--jobs", "-j")) for word in rest)
    for word, after in zip(rest, [*rest[1:], ""], strict=False):
        option = re.fullmatch("(--cores|-c|--jobs|-j)=?(.*)", word)
        if option and re.fullmatch("-.*|0+", number := option[2] or after):  # Snakemake would wait for ever
            return _failed(f"{option[1]} {number}: write a whole number from 1, or all", 1)
    if done := unlock(Path.cwd()):
        print(done)
    chosen = ["--config", *settings] if settings else []
    options = ["--logger", "crosslingua", *chosen, *([] if limited else ["--cores", "all"])]
    return _ended(snakemake(files, options, rest))


def snakemake(files: Sequence[str], options: Sequence[str], rest: Sequence[str]) -> list[str]:
    """Return a command of Snakemake with configurations, further options, and what may begin with targets."""
    configured = ["--configfile", *(str(Path(file).resolve()) for file in files)] if files else []
    own = ["--snakefile", places.suite("Snakefile")]  # one value: before targets
    return [sys.executable, "-m", "snakemake", *configured, *options, *own, *rest]


def _divided(arguments: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the files and the settings that options of `run` name, and the other words; set the folder of results."""
    files: list[str] = []
    settings: list[str] = []
    rest, waiting = list[str](), list(arguments)
    while waiting:
        word, equals, value = (given := waiting.pop(0)).partition("=")
        if word in ("--config", "--configfile", "--configfiles") and not equals:
            while waiting and not waiting[0].startswith("-"):
                named = waiting.pop(0)
                is_setting = re.match(r"\w+=", named) and not Path(named).is_file()
                (settings if is_setting else files).append(named if is_setting else _of_suite(named))
        elif word in ("--results", "--mirror"):
            value = value if equals else waiting.pop(0) if waiting else ""
            if word == "--results":
                places.choose_results(value)
            elif value:
                settings.append(f"data={json.dumps({'mirror': value})}")
        else:
            rest.append(given)
    return files, settings, rest


def _of_suite(file: str) -> str:
    own = places.suite(file)
    return own if not Path(file).is_file() and Path(own).is_file() else file


ENDING = 20  # seconds in which an interrupted Snakemake ends its jobs


def _ended(command: Sequence[str]) -> int:
    """Run a command; return its status. An interrupted one ends its jobs before this raises."""
    with subprocess.Popen(command) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:  # which the terminal sent to the command too
            with suppress(subprocess.TimeoutExpired):
                process.wait(ENDING)
            process.terminate()  # if it is still there
            raise


def _failed(error: str, status: int) -> int:
    print(visible(f"error: {error}"), file=sys.stderr)
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a verb and return the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help", "help"):
        print(help_text())
        return 0
    if given[0] == "--version":
        print(f"crosslingua {code_version()}")
        return 0
    if given[0] == "--completion":
        print(COMPLETION.format(words=" ".join([*RUNS, *verbs(), "--help", "--version"])))
        return 0
    verb, rest = given[0].replace("_", "-"), given[1:]
    try:
        return _run(verb, rest)
    except KeyboardInterrupt:
        return cli.interrupted()
    except ModuleNotFoundError as error:
        if error.name not in OF_EXTRAS:
            raise
        return _failed(f"crosslingua {verb}: {not_installed(error.name)}", 1)


def _run_scale(verb: str, rest: Sequence[str]) -> int:
    if {"-h", "--help"} & {*rest}:
        print(USAGE_OF_RUN.format(verb=verb, what=RUNS[verb]))
        return 0
    import_module("snakemake")  # of an extra
    status = run(rest, verb if verb in SCALES else "")
    if verb in SCALES and not status and not {"-n", "--dry-run"} & {*rest}:
        made = f"{places.results()}/{verb}"
        if verb == "atlas":
            print(f"Atlas: {made}/atlas/atlas.html; cards of pairs in {made}/atlas/cards/")
        print(f"Results: {made}/report.html, tables in {made}/tables/, numbers in {made}/metrics.csv")
    return status


def _run(verb: str, rest: Sequence[str]) -> int:
    if verb in RUNS:
        return _run_scale(verb, rest)
    known = verbs()
    if (script := known.get(verb)) is None:
        return _failed(
            f"{verb}: no verb{did_you_mean(verb, [*RUNS, *known])}; crosslingua --help lists them", 2
        )
    sys.argv = [str(script), *rest]
    cli.program = f"crosslingua {verb}"
    sys.path.insert(0, str(script.parent))
    runpy.run_path(str(script), run_name="__main__")
    return 0
