"""Chi et al. 2021: pre-training by word alignments that the encoder labels itself."""

TITLE = "Self-labeled word alignment"
AUTHORS = "Chi et al. 2021"
