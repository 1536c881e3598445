"""A data set of a scale as files, and where it comes from: what the workflow plans and the data card describes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FileSet:
    """One data set of a scale, paths relative to `results/<scale>/corpora/`.

    `split` is "" where a set has no splits; `files` are in the order of the contract (two texts and their links);
    `report` is the reader's report; `origin` says where it comes `from`, or what it is `derived_from`; `inputs` are
    (data set, file) pairs.
    """

    task: str
    name: str
    split: str
    languages: tuple[str, ...]
    files: tuple[str, ...]
    report: str | None
    origin: Mapping[str, Any]
    inputs: tuple[tuple[str, str], ...] = ()
