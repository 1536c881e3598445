"""`laser_elmo`: all layers of LASER, weighted (laser_taggers, 'LASER-elmo', equation 3)."""

from collections.abc import Sequence

from crosslingua.embedders.laser_pieces import LaserStates
from crosslingua.settings import settings


@settings
class LaserElmo(LaserStates):
    """A word's vector is the maximum over its pieces of all layers' weighted sum, weights and scale γ learnt."""

    member = "laser_elmo"

    def layers(self, total: int) -> Sequence[int]:
        """Return all."""
        return range(total)
