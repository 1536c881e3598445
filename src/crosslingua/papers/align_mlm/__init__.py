"""Tang et al. 2022: zero-shot transfer to derived languages, by pre-training objective."""

TITLE = "ALIGN-MLM: word embedding alignment in pre-training"
AUTHORS = "Tang et al. 2022"
