"""What each transformation of align_mlm consists of: an order of words, and whether they change their script."""

from __future__ import annotations

TRANSFORMS: dict[str, tuple[str | None, bool]] = {
    "trans": (None, True),
    "inv": ("inversion", False),
    "syn": ("syntax", False),
    "trans_inv": ("inversion", True),
    "trans_syn": ("syntax", True),
}
