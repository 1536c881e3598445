"""Bilingual lexicon induction: retrieve translations between two vector spaces, and score them."""

from crosslingua.registry import Registry

RETRIEVALS = Registry(
    "retrieval",
    {
        "csls": "crosslingua.lexicon_induction.retrieval:csls",
        "nn": "crosslingua.lexicon_induction.retrieval:nearest",
    },
)
# Percent of a dictionary's queries with vectors. With fewer the rule of joint_align's program would score spelling, so
# that MUSE's rule leads in tables and chooses settings.
COVERED = 80.0
