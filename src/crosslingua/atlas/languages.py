"""Facts of languages (`languages.yaml`): name, family, branch and script, and how far two are apart by descent."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from crosslingua.errors import ConfigError, did_you_mean
from crosslingua.io.json import read_yaml

TABLE = Path(__file__).with_name("languages.yaml")


@cache
def languages() -> Mapping[str, Mapping[str, str]]:
    """Return the facts of all languages of the table, by code."""
    return read_yaml(TABLE)


def facts(code: str) -> Mapping[str, str]:
    """Return `name`, `family`, `branch` and `script` of a language by ISO 639-1 code. Raises
    ConfigError for a code that the table lacks.
    """
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
    if one["family"] != other["family"]:
        return 2
    return int(one["branch"] != other["branch"])
