"""Taggers: the vectors of a sentence's words become labels; `linear.LinearTagger` shows the protocol."""
