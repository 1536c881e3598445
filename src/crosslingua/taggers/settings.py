"""Settings of the taggers."""

from typing import Annotated

from crosslingua.errors import ConfigError
from crosslingua.settings import Dropout, NotNegative, Size, settings


@settings
class BiLstmSettings:
    """Two layers, as over frozen encoders; sizes and dropout as in Lample et al. 2016, who have one layer."""

    hidden: Annotated[Size, "units of a direction"] = 100
    layers: Annotated[Size, "of LSTMs"] = 2
    dropout: Annotated[Dropout, "after each layer"] = 0.5
    constrained: Annotated[bool, "decode legal BIO2 only"] = False


@settings
class TransformerSettings:
    """As published: two layers of two heads; 300 dimensions for queries, keys, values and the feed-forward network."""

    hidden: Annotated[Size, "dimensions; a multiple of twice the heads"] = 300
    layers: Annotated[Size, "of attention"] = 2
    heads: Annotated[Size, "of attention"] = 2
    dropout: Annotated[Dropout, "within the tagger; published for the baselines: 0.15"] = 0.15
    constrained: Annotated[bool, "decode legal BIO2 only"] = False

    def __post_init__(self) -> None:
        if self.hidden % (2 * self.heads):
            raise ConfigError(f"hidden={self.hidden}: must be a multiple of twice heads={self.heads}")


@settings
class LinearSettings:
    """As in BERT's code."""

    dropout: Annotated[Dropout, "of the vectors"] = 0.1
    deviation: Annotated[NotNegative, "standard deviation of the first weights"] = 0.02


@settings
class MajoritySettings:
    """It has no settings."""
