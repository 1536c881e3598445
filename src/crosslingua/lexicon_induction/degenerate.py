"""A map that failed is a failure, not a number: scores under it say so in their signature, `map=degenerate`."""

from collections.abc import Mapping
from typing import Any

MARK = "map=degenerate"


def is_degenerate(report: Mapping[str, Any]) -> bool:
    """Whether the report of a mapping (JSON of align_vectors.py) says that the map is no better than a random one."""
    return bool(report.get("mapper", {}).get("degenerate", False))


def mark_degenerate(scores: Any) -> Any:
    """Return a result, or a list of them, with the mark at the end of the signature."""
    if isinstance(scores, list):
        return [mark_degenerate(one) for one in scores]
    return dict(scores) | {"signature": f"{scores['signature']}|{MARK}"}


def is_marked(signature: str) -> bool:
    """Whether scores with this signature come from a degenerate map."""
    return MARK in signature.split("|")
