"""Where files are: `suite` says it of the suite's (rules, scales, scripts, published numbers, committed results), and
`results` of the user's.
"""

import os
import re
from pathlib import Path

from crosslingua import imports
from crosslingua.errors import ConfigError

PACKED = "crosslingua/suite"  # beside the code of an installed package, where pyproject.toml puts the suite's files
RESULTS = "CROSSLINGUA_RESULTS"  # the variable by which jobs learn of --results


def is_packed() -> bool:
    """Whether the suite is an installed package, and no checkout of its repository."""
    return (imports.SOURCE_ROOT / PACKED).is_dir()


def suite(name: str) -> str:
    """Return the path of a file or folder of the suite, in the checkout or in the installed package; suite("") is what
    all of these begin with.
    """
    root = imports.SOURCE_ROOT / PACKED if is_packed() else imports.SOURCE_ROOT.parent
    return from_here(f"{root}/{name}")


def code(name: str) -> str:
    """Return the path of a file of the package's code, or of a folder, whose name ends in a slash."""
    return from_here(f"{imports.SOURCE_ROOT}/{name}")


def results() -> str:
    """Return the folder of all results: `results` where the user stands, or what --results names."""
    return os.environ.get(RESULTS) or "results"


def choose_results(folder: str) -> None:
    """Let this process and those that it starts write results to a folder. Raises ConfigError for a name that the
    command lines of jobs could not hold.
    """
    if not re.fullmatch(r"[\w./+,@-]+", folder) or folder.startswith("-"):
        raise ConfigError(f"--results: {folder!r}: write a folder without blanks, braces and quotation marks")
    os.environ[RESULTS] = folder.rstrip("/") or "/"


def from_here(path: str | Path) -> str:
    """Return a path relative to this folder if it lies below, as rules name files; else as it is."""
    return str(path).removeprefix(f"{Path.cwd()}/")
