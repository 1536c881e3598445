"""LASER: one BiLSTM that embeds sentences of all languages (Artetxe and Schwenk 2019; docs/laser.md)."""
