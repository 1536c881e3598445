"""A further part of the results page: sentences that static vectors label wrong and LASER-top right."""

from html import escape
from pathlib import Path

from crosslingua.io.json import read_json

HEAD = """<h3>Errors of static vectors that contextual ones do not make</h3>
<p>NER, trained on the first language alone: sentences that LASER-top has right, and in which the tagger on static
vectors took words of entities for none; these stand in capitals, with the tag that they were given (O: no entity). Up
to {number} a language, the first of the test set, of the first run; in parentheses the number of the sentence.</p>
"""
STATIC = "muse"
EXAMPLES = 5


def section(results: Path) -> str:
    """Return the list of such sentences in the comparisons under `results`; nothing without any."""
    runs = results.glob(f"comparisons/laser_taggers/{STATIC}/seed*")
    first = min(runs, key=lambda path: int(path.name.removeprefix("seed")), default=None)
    found = ""
    for path in sorted(first.glob("ner.*.json")) if first else ():
        if examples := read_json(path).get("examples", [])[:EXAMPLES]:
            shown = (f"{escape(each['text'])} <small>({each['sentence']})</small>" for each in examples)
            items = "".join(f"<li>{text}</li>" for text in shown)
            found += f"<p>{escape(path.name.split('.')[1])}</p><ul>{items}</ul>\n"
    return HEAD.format(number=EXAMPLES) + found if found else ""
