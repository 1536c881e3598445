"""Facts of languages (`languages.yaml`): name, family, branch and script, and how far two are apart by descent."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from crosslingua.errors import ConfigError, did_you_mean
from crosslingua.io.json import read_yaml

TABLE = Path(__file__).with_name("languages.yaml")


class Language(NamedTuple):
    """A language: its English name, its family, a branch of the family, and the script it is written in."""

    name: str
    family: str
    branch: str
    script: str


@cache
def languages() -> dict[str, Language]:
    """Return all languages of the table, by code."""
    return {code: Language(**row) for code, row in read_yaml(TABLE).items()}


def facts(code: str) -> Language:
    """Return the facts of a language by ISO 639-1 code. Raises ConfigError for a code that the table lacks."""
    known = languages()
    if code not in known:
        raise ConfigError(
            f"no facts of the language {code!r} are known{did_you_mean(code, known)}: "
            f"add its name, family, branch and script to {TABLE.name} beside {Path(__file__).name}"
        )
    return known[code]


def distance(a: str, b: str) -> int:
    """Return 0 for codes of languages of one branch, 1 for one family, 2 for two families. Errors as `facts`."""
    one, other = facts(a), facts(b)
    return (one.family != other.family) + ((one.family, one.branch) != (other.family, other.branch))
