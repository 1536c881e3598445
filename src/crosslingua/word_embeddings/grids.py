"""Among which settings held-out translations choose where a dictionary is seen in training.

`duong`: the strength of the tie, and which of a word's vectors counts, as Duong et al. 2016 discuss; the first of each
is as published. `joint_replace`: joint_align does not say how often a word is replaced; one half is that of Gouws and
Søgaard (2015).
"""

from collections.abc import Mapping
from typing import Any

GRIDS: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "duong": {
        "delta": (0.01, 0.1, 1.0),
        "combine": ("output", "input", "interpolation", "concatenation"),
    },
    "joint_replace": {"probability": (0.5, 0.25, 1.0)},
}
