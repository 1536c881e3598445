"""References of the suite and its papers, from CITATION.cff."""

import re
from collections.abc import Iterator, Mapping
from typing import Any


def bibliography(citation: Mapping[str, Any]) -> Iterator[str]:
    """Yield BibTeX of the software and of each paper that CITATION.cff names."""
    software = {
        "title": f"{{{citation['title']}}}",
        "author": "{The Crosslingua contributors}",
        "note": f"Version {citation['version']}",
    }
    yield _entry("misc", "crosslingua", software)
    for paper in citation["references"]:
        names = [
            f"{one.get('name-particle', '')} {one['family-names']}".strip() + f", {one['given-names']}"
            for one in paper["authors"]
        ]
        fields = {"title": f"{{{paper['title']}}}", "author": " and ".join(names), "year": paper["year"]}
        fields |= {"booktitle": paper["collection-title"]} if "collection-title" in paper else {}
        fields |= {"url": paper["url"]}
        kind = "inproceedings" if "booktitle" in fields else "misc"
        key = re.sub(r"\W", "", paper["authors"][0]["family-names"]).lower() + str(paper["year"])
        yield _entry(kind, key, fields)


def _entry(kind: str, key: str, fields: Mapping[str, Any]) -> str:
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}\n}}\n"
