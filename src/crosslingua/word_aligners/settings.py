"""Settings of the word aligners."""

from typing import Annotated, Literal

from pydantic import Field

from crosslingua.settings import Count, Dropout, NotNegative, Positive, Share, SomeShare, Whole, settings

ENOUGH = 40  # passes
SYMMETRISATIONS = ("grow_diag_final_and", "grow_diag", "intersect", "union", "forward", "backward")


@settings
class VectorSettings:
    """What every aligner on vectors has."""

    joint_encoding: Annotated[bool, "encode both sentences as one sequence, or each by itself"] = False
    batch_tokens: Annotated[Count, "units (subwords or words) in a batch, padding included"] = 1024


@settings
class SimAlignSettings(VectorSettings):
    """What the methods of SimAlign share: the paper's extensions, off by default as in its main results."""

    distortion: Annotated[Share, "loss of words far from the diagonal; 0.5 in the paper's extension"] = 0.0
    null_percentile: Annotated[
        float,
        Field(ge=0, le=100),
        "links whose entropy is above this percentile are taken out; 100: none are",
    ] = 100.0


@settings
class ArgmaxSettings(SimAlignSettings):
    """SimAlign's Argmax (section 2.2): links units that are each other's most similar one, by cosine."""


@settings
class ItermaxSettings(SimAlignSettings):
    """SimAlign's Itermax (section 2.2): Argmax, again and again on what is left."""

    alpha: Annotated[SomeShare, "factor for pairs of units of which one is linked"] = 0.9
    iterations: Annotated[Count, "rounds of argmax"] = 2


@settings
class TransportSettings(VectorSettings):
    """XLM-Align's optimal transport; defaults are table 11's.

    The authors' released aligner, unlike section 3.1, normalises columns before rows and stops after the first
    intersection; `filter_iterations=1` does the latter. `discount_linked` reads Eq. 9 to the letter.
    """

    joint_encoding: Annotated[bool, "encode both sentences as one sequence, or each by itself"] = True
    cosine: Annotated[bool, "compare by cosine; false: by inner product, as in Eq. 1"] = False
    epsilon: Annotated[
        Positive, "least similarity: Eq. 1 takes the logarithm of max(epsilon, .), and names no value"
    ] = 1e-6
    mu: Annotated[Positive, "weight of the plan's entropy"] = 1.0
    sinkhorn_iterations: Annotated[Whole, "normalisations of rows and columns"] = 2
    filter_iterations: Annotated[Count, "rounds of filtering; 1: the mutual best only"] = 2
    alpha: Annotated[SomeShare, "factor of the filtering for pairs of units of which one is linked"] = 0.9
    discount_linked: Annotated[bool, "keep pairs of which both are linked, as Eq. 9 to the letter"] = False


@settings
class TextSettings:
    """What every aligner on text has."""

    symmetrisation: Annotated[
        Literal[tuple(SYMMETRISATIONS)], "how the links of both directions become one set"
    ] = "grow_diag_final_and"
    max_cells: Annotated[Count, "source times target words; a pair with more is an error"] = 10_000_000


@settings
class FastAlignSettings(TextSettings):
    """fast_align; the same text and settings give the same links, whatever the number of threads."""

    iterations: Annotated[Count, "passes over the text; the last one decodes"] = 5
    optimise_tension: Annotated[bool, "the program's -o: the tension follows the text"] = True
    variational_bayes: Annotated[bool, "the program's -v"] = True
    tension: Annotated[NotNegative, "lambda at the start"] = 4.0
    null_probability: Annotated[Dropout, "p0; 0 leaves out the null word"] = 0.08
    alpha: Annotated[Positive, "of the Dirichlet prior"] = 0.01


@settings
class GibbsSettings(TextSettings):
    """Gibbs sampling; the same text, settings and machine give the same links, whatever the number of threads."""

    seed: Annotated[Whole, "of the samplers"] = 1
    passes: Annotated[
        Whole,
        f"over the text with the last model; 0: {ENOUGH}, more for tiny and fewer for large text. The models before "
        "have a quarter and half as many",
    ] = 0
    null_probability: Annotated[Dropout, "prior of a word without a link"] = 0.1
    alpha: Annotated[Positive, "Dirichlet prior of translations"] = 0.001
    jump_alpha: Annotated[Positive, "Dirichlet prior of jumps"] = 0.5
    fertility_alpha: Annotated[Positive, "Dirichlet prior of fertilities"] = 0.5
