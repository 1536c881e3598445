"""Settings of fine-tuning alignment."""

from typing import Annotated, Literal

from crosslingua.settings import Count, Dropout, NotNegative, Positive, Share, settings


@settings
class FineTuneSettings:
    """mbert_align, section 3. Where the paper is silent: the program of Cao et al. 2020, who propose the method."""

    direction: Annotated[
        Literal["src_to_tgt", "tgt_to_src"],
        "src_to_tgt moves the source's vectors and keeps the target's near where they were (Eq. 10), tgt_to_src the "
        "other way round (Eq. 8)",
    ] = "src_to_tgt"
    distance: Annotated[
        Literal["norm", "squared"],
        "distance of two vectors in the loss: norm (Eq. 7), or squared (Cao et al. 2020)",
    ] = "norm"
    regularisation: Annotated[NotNegative, "weight of the second term of Eq. 9"] = 1.0
    epochs: Annotated[Count, "passes over the sentence pairs"] = 1
    batch_size: Annotated[Count, "sentence pairs of an update"] = 32
    lr: Annotated[Positive, "rate of Adam after warm-up, constant"] = 5e-5
    warmup: Annotated[Share, "share of the updates over which the rate rises linearly"] = 0.1
    adam_beta1: Annotated[Dropout, "of Adam (Vaswani et al. 2017)"] = 0.9
    adam_beta2: Annotated[Dropout, "of Adam"] = 0.98
    adam_epsilon: Annotated[Positive, "of Adam"] = 1e-9
    clip_norm: Annotated[NotNegative, "largest norm of the gradient; 0: any"] = 0.0
    precision: Annotated[Literal["fp32", "bf16"], "of an encoder's layers"] = "fp32"
    checkpoint_every: Annotated[Count, "updates between two checkpoints"] = 500
