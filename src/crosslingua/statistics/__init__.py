"""Intervals over seeds and test items, which judge statements of papers and hold systems against controls."""
