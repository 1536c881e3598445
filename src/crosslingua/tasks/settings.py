"""Settings of fine-tuning."""

from typing import Annotated, Literal

from crosslingua.settings import Count, NotNegative, Positive, Share, Size, SomeShare, settings


@settings
class FineTuning:
    """How an encoder is fine-tuned: as in align_mlm (table 11), and where it is silent as in XTREME's code (*)."""

    share: Annotated[SomeShare, "of the training examples, drawn once for all; for small machines"] = 1.0
    lr: Annotated[Positive, "the highest"] = 2e-5
    max_length: Annotated[Size, "pieces of a sentence that are read at once"] = 128
    epochs: Annotated[Count, "passes over the data; published are 10, and 5 for nli and paraphrase"] = 10
    batch_size: Annotated[Count, "sentences or pairs"] = 32
    warmup: Annotated[Share, "share of steps of linear rise; then the rate falls linearly to zero"] = 0.1
    decay: Annotated[bool, "false: after the warm-up the rate stays (mT5: Xue et al. 2021)"] = True
    weight_decay: Annotated[NotNegative, "of AdamW, whose betas are 0.9 and 0.999"] = 0.0
    adam_epsilon: Annotated[Positive, "of AdamW"] = 1e-8
    clip_norm: Annotated[Positive, "largest norm of the gradient"] = 1.0
    precision: Annotated[
        Literal["fp32", "bf16"],
        "of an encoder's layers; bf16 takes half the time on processors with bf16 instructions, and is fp32 on others. "
        "Models that write text stay in fp32",
    ] = "fp32"
    language_ids: Annotated[
        bool,
        "true: give language ids to an encoder that has them (XLM); false: no ids, so any language can be read",
    ] = True
    freeze_embeddings: Annotated[bool, "leave the encoder's word embeddings as pre-training left them"] = (
        False
    )
    restart_positions: Annotated[
        bool,
        "of pairs: the second sentence's positions begin at 0 again, as TLM has them (Conneau and Lample 2019); models "
        "that write text do without",
    ] = False
    twins: Annotated[
        bool,
        "true: pairs with the same first sentence share a batch; without effect on models that write text",
    ] = False
    stride: Annotated[Count, "of questions: pieces from where a window of a passage begins to the next *"] = (
        128
    )
    question_length: Annotated[Count, "most pieces of a question *"] = 64
    answer_length: Annotated[Count, "most pieces of an answer *"] = 30
    n_best: Annotated[Count, "starts and ends of answers that are tried *"] = 20
