"""Van der Heijden et al. 2020: word embeddings from the sentence encoder LASER, for tagging across languages."""

TITLE = "Contextualized multilingual word embeddings"
AUTHORS = "van der Heijden et al. 2020"
