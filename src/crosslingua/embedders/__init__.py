"""Embedders: sentences of words become one vector a word. The protocol is that of `encoder.WordEncoder`."""

from crosslingua.registry import Registry

EMBEDDERS = Registry("embedder", {"encoder": "crosslingua.embedders.encoder:WordEncoder"})
