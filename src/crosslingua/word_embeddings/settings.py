"""Settings of dictionary-supervised joint training."""

from typing import Annotated, Literal

from crosslingua.settings import Count, NotNegative, Positive, Share, Size, settings


@settings
class Duong:
    """Defaults are published; `dim` and `min_count` follow joint_align's section 4.2."""

    dim: Annotated[Size, "dimensions"] = 300
    window: Annotated[Count, "words on either side, at most"] = 48
    negative: Annotated[Count, "negative samples a word"] = 25
    epoch: Annotated[Count, "passes over both texts"] = 15
    lr: Annotated[Positive, "initial learning rate"] = 0.025
    sample: Annotated[Positive, "frequency from which words are thinned out"] = 1e-4
    min_count: Annotated[Count, "least occurrences of a word"] = 5
    max_vocabulary: Annotated[Count | None, "most frequent words of a language"] = 200_000
    alpha: Annotated[Share, "weight of the word against its translation"] = 0.5
    delta: Annotated[NotNegative, "strength of the tie of u and v"] = 0.01
    combine: Annotated[
        Literal["output", "input", "interpolation", "concatenation"],
        "a word's vector: output u (as the authors' program), input v, interpolation gamma v + (1 - gamma) u, or "
        "concatenation [v, u]",
    ] = "output"
    gamma: Annotated[Share, "weight of v in the interpolation"] = 0.5
