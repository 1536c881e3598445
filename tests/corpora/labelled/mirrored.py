"""Splits of mirrored sets, each read once for all tests."""

from crosslingua.corpora.labelled.prepare import read_split

CACHE = {}


def split(mirror, name, task, language, part):
    key = (name, task, language, part)
    if key not in CACHE:
        CACHE[key] = read_split(name, task, language, part, mirror)
    return CACHE[key]
