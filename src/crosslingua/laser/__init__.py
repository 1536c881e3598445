"""LASER: one BiLSTM that embeds sentences of all languages (Artetxe and Schwenk 2019; docs/methods/encoders.md).

Here: the encoder, its subwords and its files; `encoders.laser` trains it, `embedders` read words from it.
"""
