"""`laser_top`: the last layer of LASER (laser_taggers, 'LASER-top', equation 2)."""

from collections.abc import Sequence

from crosslingua.embedders.laser_pieces import LaserStates
from crosslingua.settings import settings


@settings
class LaserTop(LaserStates):
    """A word's vector is the maximum over its pieces of the last layer, times a learnt γ."""

    member = "laser_top"

    def layers(self, total: int) -> Sequence[int]:
        """Return the last one."""
        return [total - 1]
