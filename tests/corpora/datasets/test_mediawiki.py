"""Hostile Wikipedia markup: time grows with the length of an article, whatever stands in it."""

import re
from collections import Counter

import pytest

from corpora.datasets.counted_pattern import CountedPattern
from crosslingua.corpora.datasets.readers import mediawiki
from crosslingua.corpora.datasets.readers.mediawiki import paragraphs

HOSTILE = {
    "comments that never end": "<!--", "references that never end": "<ref>a", "an end with blanks": "</ref ",
    "tags that never end": "<br ", "headings": "=", "outer links with words": "[http://a a ",
    "words of one link": ("a", " b"),
    "addresses": "[//", "blanks": " ", "templates": "{{a|", "tables": "{|a", "ends of tables": "|}", "brackets": "[[",
    "underlines": "__A", "quotes": "'", "redirects": "a ", "digits": "9",
    "nested": ("{{a", "}}"), "links": ("[[a|", "]]"),
    "nested tables": ("{|", "|}"), "references": ("<ref>", "</ref>"), "comments": ("<!--a", "-->"),
}  # fmt: skip
HEADS = {"words of one link": "[http:", "redirects": "#a", "digits": "&#", "headings": "=", "blanks": "#a"}


@pytest.mark.parametrize("kind", HOSTILE)
def test_time_for_wikipedia_markup_grows_with_its_length(monkeypatch, kind):
    """Twice the text takes at most 2.2 times the steps; a pattern that is quadratic takes four times as many."""
    steps = Counter()
    for name, pattern in vars(mediawiki).copy().items():
        if isinstance(pattern, re.Pattern):
            monkeypatch.setattr(mediawiki, name, CountedPattern(pattern, steps))
    ends = {name: CountedPattern(pattern, steps) for name, pattern in mediawiki.ENDS.items()}
    monkeypatch.setattr(mediawiki, "ENDS", ends)
    monkeypatch.setattr(mediawiki, "DEPTH", 5)
    taken = []
    for times in (100, 200):
        parts = HOSTILE[kind] if isinstance(HOSTILE[kind], tuple) else (HOSTILE[kind],)
        text = HEADS.get(kind, "") + "".join(part * times for part in parts) + "\nx"
        steps.clear()
        mediawiki.MAGIC.match(text)
        assert list(paragraphs(text)) is not None
        taken.append(steps.total())
    assert taken[1] < 2.2 * taken[0], taken


def test_wikipedia_markup_is_taken_off_to_a_depth():
    depth = mediawiki.DEPTH
    assert list(paragraphs("a" + "{{" * depth + "}}" * depth + "b")) == ["ab"]
    assert list(paragraphs("a" + "{{" * (depth + 1) + "}}" * (depth + 1) + "b")) == ["a{{}}b"]


def test_a_character_of_wikipedia_with_more_digits_than_a_number_has():
    assert list(paragraphs("a&#" + "9" * 5000 + ";b &#65;")) == ["a\ufffdb A"]
