import collections

import pytest

from crosslingua.errors import ConfigError
from crosslingua.registry import Member, Registry

BROKEN = Member("no_such_module:member", needs=("luck",))
FAMILY = Registry("container", {"ordered": "collections:OrderedDict", "broken": BROKEN})


def test_a_name_gives_the_member_which_is_imported_only_then() -> None:
    assert FAMILY["ordered"] is collections.OrderedDict
    assert list(FAMILY) == ["ordered", "broken"]
    assert FAMILY.module("broken") == "no_such_module"
    assert (FAMILY.needs("ordered"), FAMILY.needs("broken")) == ((), ("luck",))
    with pytest.raises(ModuleNotFoundError):
        FAMILY["broken"]


def test_an_unknown_name_lists_the_legal_ones_and_the_closest() -> None:
    message = r"unknown container 'orderd'.*ordered, broken.*did you mean 'ordered'"
    with pytest.raises(ConfigError, match=message):
        FAMILY["orderd"]
