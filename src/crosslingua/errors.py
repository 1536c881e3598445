"""Errors for the user: they name the place and the remedy, and scripts print them without a traceback."""

from os import PathLike


class CrosslinguaError(Exception):
    """Base of every error that the user can correct."""


class ConfigError(CrosslinguaError):
    """A configuration key or command-line value is unknown, ill-typed or out of range."""


class InputError(CrosslinguaError):
    """A malformed file: `path` and `line` (1-based) are the place, `message` the fault, `remedy` the correction."""

    def __init__(
        self, path: str | PathLike[str], message: str, *, line: int | None = None, remedy: str | None = None
    ):
        place = f"{path}:{line}" if line is not None else f"{path}"
        super().__init__(f"{place}: {message}" + (f" ({remedy})" if remedy else ""))
        self.path, self.line = str(path), line
