"""A mapper and a paper for Crosslingua."""
