"""A matcher of regular expressions that counts its steps, each a comparison of one character.

Python's own matcher tells no steps, and seconds depend on the machine. This one walks the pattern as Python parses it,
and tries what Python tries. What it finds is compared with what Python finds.
"""

import re
from collections import Counter
from collections.abc import Iterator
from re import _compiler, _parser
from typing import Any


class CountedPattern:
    """A compiled pattern that adds the steps of each use to `steps`, and answers as the pattern does."""

    def __init__(self, pattern: re.Pattern[str], steps: Counter[str]):
        self.pattern, self.steps = pattern, steps
        self.tree = _parser.parse(pattern.pattern, pattern.flags)
        self.single: dict[int, re.Pattern[str]] = {}

    def subn(self, replacement: Any, text: str) -> tuple[str, int]:
        at = 0
        while (found := self.search(text, at)) is not None:
            at = max(found.end(), found.start() + 1)
        return self.pattern.subn(replacement, text)

    def sub(self, replacement: Any, text: str) -> str:
        return self.subn(replacement, text)[0]

    def match(self, text: str) -> re.Match[str] | None:
        return self._checked(self.pattern.match(text), text, [0])

    def search(self, text: str, at: int = 0) -> re.Match[str] | None:
        return self._checked(self.pattern.search(text, at), text, range(at, len(text) + 1))

    def _checked(self, known: re.Match[str] | None, text: str, starts: Any) -> re.Match[str] | None:
        tried = ((start, next(self._ends(list(self.tree), text, start), None)) for start in starts)
        found = next((span for span in tried if span[1] is not None), None)
        assert found == (known and known.span())
        return known

    def _ends(self, items: list[Any], text: str, at: int) -> Iterator[int]:
        """Yield where a match of the items may end, in the order in which they are tried."""
        if not items:
            yield at
            return
        for end in self._ends_of_one(*items[0], text, at):
            yield from self._ends(items[1:], text, end)

    def _ends_of_one(self, operator: Any, argument: Any, text: str, at: int) -> Iterator[int]:
        match str(operator):
            case "SUBPATTERN":
                yield from self._ends(list(argument[-1]), text, at)
            case "BRANCH":
                for branch in argument[1]:
                    yield from self._ends(list(branch), text, at)
            case "MAX_REPEAT" | "POSSESSIVE_REPEAT":
                low, high, inner = argument
                ends = [at]
                while len(ends) <= high and (end := next(self._ends(list(inner), text, ends[-1]), None)):
                    ends.append(end)
                given_back = ends[low:][::-1]
                yield from given_back[: 1 if str(operator) == "POSSESSIVE_REPEAT" else None]
            case "ASSERT" | "ASSERT_NOT":
                direction, inner = argument
                start = at if direction > 0 else at - inner.getwidth()[0]
                holds = start >= 0 and next(self._ends(list(inner), text, start), None) is not None
                if holds == (str(operator) == "ASSERT"):
                    yield at
            case _:  # a character, a set of them, or a place such as the beginning
                self.steps["steps"] += 1
                if id(argument) not in self.single:
                    one = _parser.SubPattern(self.tree.state, [(operator, argument)])
                    self.single[id(argument)] = _compiler.compile(one, self.pattern.flags)
                if found := self.single[id(argument)].match(text, at):
                    yield found.end()
