"""Settings of a training of LASER, by default the published ones."""

from typing import Annotated, Literal

from crosslingua.settings import Count, Dropout, Positive, Size, settings


@settings
class LaserSettings:
    """Defaults follow Artetxe and Schwenk 2019 (section 3); where the paper is silent, the authors' program (*)."""

    embedding_size: Annotated[Size, "dimensions of the encoder's embeddings"] = 320
    hidden_size: Annotated[Size, "units of a direction of the encoder"] = 512
    layers: Annotated[Size, "of the encoder"] = 5
    decoder_embedding_size: Annotated[Size, "*"] = 320
    decoder_hidden_size: Annotated[Size, "units of the decoder"] = 2048
    decoder_output_size: Annotated[Size, "* between the decoder's state and the vocabulary"] = 512
    language_size: Annotated[Size, "dimensions of the decoder's embedding of the language"] = 32
    dropout: Annotated[Dropout, "* after each layer of the encoder (the paper says only 0.1)"] = 0.1
    lr: Annotated[Positive, "of Adam, constant"] = 0.001
    clip_norm: Annotated[Positive, "* largest norm of the gradient"] = 5.0
    epochs: Annotated[Count, "passes over all bitext in all directions"] = 17
    batch_tokens: Annotated[Count, "subwords of a batch, the longer side's, with padding"] = 4000
    accumulate: Annotated[Count, "batches of a step; as published 128,000 subwords in all"] = 32
    max_length: Annotated[Size, "* subwords with `</s>`; longer pairs are left out and counted"] = 1024
    checkpoint_every: Annotated[Count, "steps between two checkpoints"] = 1000
    log_every: Annotated[Count, "steps between two points of the loss curve"] = 10
    device: Annotated[Literal["cpu", "cuda"], "device of the training"] = "cpu"
