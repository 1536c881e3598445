"""The command `crosslingua`: `crosslingua VERB ...` runs scripts/VERB.py of the checkout, and `run` a configuration."""

import ast
import re
import runpy
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from crosslingua import cli
from crosslingua.config import check_files
from crosslingua.errors import CrosslinguaError, did_you_mean, visible
from crosslingua.workflow.locks import unlock

ROOT = Path(__file__).parents[2]
FIRST = ("run", "ask", "trace", "compare", "judge", "estimate")
INTERNAL = ("call", "keep_reference", "lay_out_reference", "read_configuration", "unlock")  # of the Makefile
USAGE = """usage: crosslingua VERB [OPTIONS]      crosslingua VERB --help

  run [TARGET ...] [--config FILE ...]   run a configuration, the demo by default; further options are Snakemake's"""


PAGE = """# Command line

The command `crosslingua` runs a configuration or one step by hand. This page lists its verbs for those who use single
steps. `make docs` makes this page from the programs in `scripts/`.

```sh
source .venv/bin/activate        # once a shell, after make setup
crosslingua run                  # the demo, as make demo
crosslingua run joint_align --config scales/own.yaml mine.yaml
crosslingua trace results/demo/tables/joint_align_table1.csv
crosslingua align-vectors --help
```

`crosslingua VERB` and `python scripts/VERB.py` are the same program. Every program has `--help`, which explains its
options, their units and their defaults.

| verb | what it does |
|---|---|
"""


def verbs() -> dict[str, Path]:
    """Return the scripts of the checkout by verb (`align-vectors`), those that people ask for first."""
    names = [path.stem for path in sorted((ROOT / "scripts").glob("*.py")) if path.stem not in INTERNAL]
    names.sort(key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    return {name.replace("_", "-"): ROOT / "scripts" / f"{name}.py" for name in names}


def summary(script: Path) -> str:
    """Return the first sentence of a script's docstring."""
    text = " ".join(_docstring(script).split("\n\n")[0].split())
    first = re.split(r": |(?<!\bal)\. ", text)[0].rstrip(".")
    return re.sub(r" \((?:[^()]*; )?docs/[^()]*\)", "", first)


def help_text() -> str:
    """Return the verbs with a sentence each."""
    known = verbs()
    width = max(map(len, known), default=0)
    return "\n".join([USAGE, *(f"  {verb:<{width}}   {summary(script)}" for verb, script in known.items())])


def page() -> str:
    """Return the page of the command line: the verbs, and each program's examples and files."""
    known = verbs()
    rows = [f"| [`{verb}`](#{verb}) | {summary(script)} |\n" for verb, script in known.items()]
    parts = [f"\n## {verb}\n\n```text\n{_docstring(script)}\n```\n" for verb, script in known.items()]
    return PAGE + "| `run` | Run a configuration by Snakemake |\n" + "".join(rows + parts)


def _docstring(script: Path) -> str:
    return ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""


def run(arguments: Sequence[str]) -> int:
    """Run Snakemake on the configurations that `--config` names, and return its exit status. The lock of a killed run
    is removed first. Raises KeyboardInterrupt where Ctrl-C ended the run.
    """
    files, rest = [], list(arguments)
    if "--config" in rest:
        place = rest.index("--config")
        rest, given = rest[:place], rest[place + 1 :]
        while given and not given[0].startswith("-"):
            files.append(given.pop(0))
        rest += given
    limited = any(word.startswith(("--cores", "-c", "--jobs", "-j")) for word in rest)
    cores = [] if limited else ["--cores", "all"]
    for word, after in zip(rest, [*rest[1:], ""], strict=False):
        option = re.fullmatch("(--cores|-c|--jobs|-j)=?(.*)", word)
        if option and re.fullmatch("-.*|0+", number := option[2] or after):  # Snakemake would wait for ever
            return _failed(f"{option[1]} {number}: write a whole number from 1, or all", 1)
    try:
        check_files(files, "--config ")
    except CrosslinguaError as error:
        return _failed(str(error), 1)
    chosen = ["--configfile", *(str(Path(file).resolve()) for file in files)] if files else []
    command = [sys.executable, "-m", "snakemake", *cores, *rest, *chosen, "--logger", "crosslingua"]
    if done := unlock(ROOT):
        print(done)
    return _ended(command)


ENDING = 20  # seconds in which an interrupted Snakemake ends its jobs


def _ended(command: Sequence[str]) -> int:
    """Run a command in the checkout; return its status. An interrupted one ends its jobs before this raises."""
    with subprocess.Popen(command, cwd=ROOT) as process:
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
    if not (ROOT / "scripts").is_dir():
        return _failed("crosslingua runs in a checkout of its repository: git clone it, then make setup", 1)
    if not given or given[0] in ("-h", "--help", "help"):
        print(help_text())
        return 0
    verb, rest = given[0].replace("_", "-"), given[1:]
    try:
        return _run(verb, rest)
    except KeyboardInterrupt:
        return cli.interrupted()


def _run(verb: str, rest: Sequence[str]) -> int:
    if verb == "run":
        return run(rest)
    known = verbs()
    if (script := known.get(verb)) is None:
        return _failed(f"{verb}: no verb{did_you_mean(verb, known)}; crosslingua --help lists them", 2)
    sys.argv = [str(script), *rest]
    cli.program = f"crosslingua {verb}"
    sys.path.insert(0, str(script.parent))
    runpy.run_path(str(script), run_name="__main__")
    return 0
