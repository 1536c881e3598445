"""Taggers: the vectors of a sentence's words become labels. The protocol is that of `linear.LinearTagger`."""

from crosslingua.registry import Registry

TAGGERS = Registry("tagger", {"linear": "crosslingua.taggers.linear:LinearTagger"})
