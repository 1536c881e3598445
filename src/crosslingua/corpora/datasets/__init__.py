"""Public data sets: a table of all sets, a program that fetches them, a reader a format."""
