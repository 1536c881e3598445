"""`laser_top`: the last layer of LASER (laser_taggers, 'LASER-top', equation 2)."""

from collections.abc import Sequence
from dataclasses import dataclass

from crosslingua.embedders.laser_pieces import LaserStates


@dataclass(frozen=True)
class LaserTop(LaserStates):
    """A word's vector is the maximum over its pieces of the last layer, times a learnt γ.

    - `encoder`: LASER's folder; it stays as it is
    """

    member = "laser_top"

    def layers(self, total: int) -> Sequence[int]:
        """Return the last one."""
        return [total - 1]
