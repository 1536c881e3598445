"""Encoder alignment: the vectors of two languages are brought together after the encoder's training (mbert_align).

A member is a class with `align(signal, out)`: it reads a `signal.Signal` and writes an encoder's folder `out`
(docs/methods/encoders.md).
"""

from crosslingua.registry import Member, Registry

DICTIONARY, PARALLEL = "dictionary", "parallel"  # what says which words translate each other

# `needs`: the possible supervision of a member.
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
