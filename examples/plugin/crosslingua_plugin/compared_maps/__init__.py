"""A paper that compares mappers by the lexicons that they induce."""

TITLE = "Compared maps"
AUTHORS = "Your name"
