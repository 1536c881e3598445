"""Among which settings held-out translations choose where a dictionary is seen in training.

`duong`: Duong et al. 2016 tune the tie `delta`, and describe the four vectors that a word may get (section 3.3); the first
of each is as published. `joint_replace`: joint_align does not say how often a word is replaced; one half is that of
Gouws and Søgaard (2015).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

GRIDS: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "duong": {
        "delta": (0.01, 0.1, 1.0),
        "combine": ("output", "input", "interpolation", "concatenation"),
    },
    "joint_replace": {"probability": (0.5, 0.25, 1.0)},
}
