"""Embedders: sentences of words become one vector a word; `encoder.WordEncoder` shows the protocol."""
