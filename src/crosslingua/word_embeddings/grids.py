"""Settings that held-out translations choose among, for training with a dictionary.

`duong`: the strength of the tie, and the kind of vectors, as Duong et al. 2016 discuss; the first of each is published.
`joint_replace`: the probability of replacement, which joint_align does not state; one half is that of Gouws and Søgaard
(2015).
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
