"""Encoder alignment: an encoder's vectors of two languages are brought together after it was trained (mbert_align).

A member is a class with `align(signal, out)`: it reads a `signal.Signal` (an encoder, and what says which words
translate each other) and writes `out`, a folder that loads wherever the encoder's own does (docs/encoder_alignment.md).
"""

from crosslingua.registry import Member, Registry

DICTIONARY, PARALLEL = "dictionary", "parallel"  # what says which words translate each other

# `needs`: what a member can be supervised by.
ENCODER_ALIGNMENTS = Registry(
    "encoder alignment",
    {
        "rotate": Member("crosslingua.encoder_alignment.rotate:Rotate", needs=(DICTIONARY, PARALLEL)),
        "norm_rotate": Member(
            "crosslingua.encoder_alignment.rotate:NormRotate", needs=(DICTIONARY, PARALLEL)
        ),
        "finetune": Member("crosslingua.encoder_alignment.finetune:FineTune", needs=(PARALLEL,)),
    },
)
