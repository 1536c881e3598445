"""Bilingual lexicon induction: retrieve translations between two vector spaces, and score them."""

from crosslingua.registry import Registry

RETRIEVALS = Registry(
    "retrieval",
    {
        "csls": "crosslingua.lexicon_induction.retrieval:csls",
        "nn": "crosslingua.lexicon_induction.retrieval:nearest",
    },
)
