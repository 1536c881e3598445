"""Splits of mirrored sets, each read once for all tests."""

from functools import cache

from crosslingua.corpora.labelled.prepare import read_split


@cache
def split(mirror, name, task, language, part):
    return read_split(name, task, language, part, mirror)
