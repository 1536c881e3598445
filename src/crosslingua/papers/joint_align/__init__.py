"""Wang et al. 2020: lexicon induction, named entities and translation by joint training, alignment, or both."""

TITLE = "Cross-lingual alignment vs joint training"
AUTHORS = "Wang et al. 2020"
