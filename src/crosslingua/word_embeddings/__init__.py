"""Word embeddings: text in, fastText `.vec` out (joint_align, section 2)."""

from collections.abc import Mapping
from typing import Any

# Among which settings held-out translations choose where a dictionary is seen in training. The first of each is as
# published. `duong`: the strength of the tie, and the choice among a word's vectors (Duong et al. 2016).
# `joint_replace`: how often a word is replaced; joint_align does not say, Gouws and Søgaard (2015) take one half.
GRIDS: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "duong": {"delta": (0.01, 0.1, 1.0), "combine": ("output", "input", "interpolation", "concatenation")},
    "joint_replace": {"probability": (0.5, 0.25, 1.0)},
}
