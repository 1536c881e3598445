"""Settings of the objectives that have some."""

from typing import Annotated, Literal

from crosslingua.settings import Count, NotNegative, Positive, Share, Size, SomeShare, Whole, settings


@settings
class NoSettings:
    """Of an objective that has none."""


@settings
class AlignMLMSettings:
    """ALIGN-MLM."""

    align_alpha: Annotated[NotNegative, "weight of the alignment loss (section 3, App. G.5)"] = 10.0


@settings
class DictMLMSettings:
    """Chaudhary et al. 2020."""

    dict_probability: Annotated[Share, "share of the tokens to predict that are translated (App. G.4)"] = 0.5


@settings
class DWASettings:
    """Denoising word alignment (xlm_align, table 11)."""

    dwa_labelling_layer: Annotated[Whole, "whose states are aligned; 0: layer 10 of 12, or as deep"] = 0
    dwa_query_layer: Annotated[Whole, "whose hidden states the pointer network reads; 0: the last"] = 0
    dwa_mu: Annotated[Positive, "weight of the plan's entropy"] = 1.0
    dwa_sinkhorn_iterations: Annotated[Count, "normalisations of rows and columns"] = 2
    dwa_epsilon: Annotated[Positive, "least similarity (Eq. 1; the paper gives none)"] = 1e-6
    dwa_filter: Annotated[bool, "filter alignments (Eq. 8, 9); false: the union (section 5.4)"] = True
    dwa_filter_iterations: Annotated[Count, "rounds of filtering"] = 2
    dwa_filter_alpha: Annotated[Share, "factor of the filtering"] = 0.9
    dwa_discount_linked: Annotated[bool, "Eq. 9 to the letter, see `filter_links`"] = False
    dwa_queries: Annotated[
        Literal["masked", "unmasked", "all_aligned", "none"], "tokens that point (section 5.5)"
    ] = "masked"


@settings
class SpanCorruptionSettings:
    """An encoder and a decoder of `layers` each (mT5: Xue et al. 2021)."""

    span_density: Annotated[SomeShare, "share of the tokens that are left out"] = 0.15
    span_length: Annotated[Positive, "tokens of a span, in the mean"] = 3.0
    span_sentinels: Annotated[Size, "pieces `<extra_id_0>`, ... for spans, added to the tokeniser's"] = 100
    span_roll: Annotated[
        bool,
        "true: the pattern of spans starts at a random place of the row, an option of the authors' program; false: "
        "each row ends in a span, so a short row always loses its end",
    ] = True
