"""The diagonal, worked by hand."""

import pytest

from crosslingua.errors import ConfigError
from crosslingua.word_aligners import ALIGNERS


def test_each_target_word_has_the_source_word_at_the_same_share_of_the_sentence() -> None:
    """The middle of target word j of m is (j + 1/2) / m of the sentence: of three words over two 1/6, 3/6 and 5/6."""
    pairs = [(["a", "b"], ["x", "y", "z"]), (["a", "b", "c"], ["x"]), ([], ["x"]), (["a"], [])]
    links = [{(0, 0), (1, 1), (1, 2)}, {(1, 0)}, set(), set()]
    assert list(ALIGNERS["diagonal"]().align(pairs)) == links
    with pytest.raises(ConfigError, match="give two lists of words"):
        list(ALIGNERS["diagonal"]().align([("a b", "x")]))
