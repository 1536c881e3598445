"""Settings of the aligners that work on vectors."""

from typing import Annotated

from pydantic import Field

from crosslingua.settings import Count, Positive, Share, SomeShare, Whole, settings

EPSILON = 1e-6  # the paper names no value


@settings
class VectorSettings:
    """What every aligner on vectors has."""

    joint_encoding: Annotated[bool, "encode both sentences as one sequence, or each by itself"] = False
    batch_tokens: Annotated[Count, "units (subwords or words) in a batch, padding included"] = 1024


@settings
class SimAlignSettings(VectorSettings):
    """What the methods of SimAlign share."""

    distortion: Annotated[Share, "loss of words far from the diagonal; 0.5 in the paper's extension"] = 0.0
    null_percentile: Annotated[
        float,
        Field(ge=0, le=100),
        "links whose entropy is above this percentile are taken out; 100: none are",
    ] = 100.0


@settings
class ItermaxSettings(SimAlignSettings):
    """Of Itermax (section 2.2)."""

    alpha: Annotated[SomeShare, "factor for pairs of units of which one is linked"] = 0.9
    iterations: Annotated[Count, "rounds of argmax"] = 2


@settings
class TransportSettings(VectorSettings):
    """Of optimal transport; defaults are table 11's."""

    joint_encoding: Annotated[bool, "encode both sentences as one sequence, or each by itself"] = True
    cosine: Annotated[bool, "compare by cosine; false: by inner product, as in Eq. 1"] = False
    epsilon: Annotated[Positive, "least similarity: Eq. 1 takes the logarithm of max(epsilon, .)"] = EPSILON
    mu: Annotated[Positive, "weight of the plan's entropy"] = 1.0
    sinkhorn_iterations: Annotated[Whole, "normalisations of rows and columns"] = 2
    filter_iterations: Annotated[Count, "rounds of filtering; 1: the mutual best only"] = 2
    alpha: Annotated[SomeShare, "factor of the filtering for pairs of units of which one is linked"] = 0.9
    discount_linked: Annotated[bool, "keep pairs of which both are linked, as Eq. 9 to the letter"] = False
