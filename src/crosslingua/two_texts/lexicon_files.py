"""Forms of a dictionary.tsv for other programs: a table of pandas, TMX for translation memories, and Parquet."""

import csv
import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from crosslingua import __version__
from crosslingua.io.atomic import atomic_open, atomic_path
from crosslingua.lexicon_induction.confidence import EXAMPLE

if TYPE_CHECKING:
    import pandas as pd

NUMBERS = ("confidence", "frequency")
PARQUET_PACKAGE = "pyarrow"
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
REPLACEMENT = "\ufffd"


def read_lexicon(path: Path) -> "pd.DataFrame":
    """Return the columns of a file of `confidence.write`. Confidence and frequency are NaN where none is known."""
    import pandas as pd

    # Words such as "null" and a quotation mark are words.
    found = pd.read_csv(path, sep="\t", quoting=csv.QUOTE_NONE, keep_default_na=False, dtype=str)
    for name in NUMBERS:
        found[name] = pd.to_numeric(found[name], errors="coerce")
    return found


def write_tmx(path: Path, lexicon: "pd.DataFrame", languages: tuple[str, str]) -> None:
    """Write entries of `read_lexicon` as units of TMX 1.4, in which they stand with confidence, origin, frequency and
    example as properties. Characters that XML cannot hold become U+FFFD.
    """
    codes = [code.replace("_", "-") for code in languages]
    header = {
        "creationtool": "crosslingua", "creationtoolversion": __version__, "segtype": "phrase", "o-tmf": "tsv",
        "adminlang": "en", "srclang": codes[0], "datatype": "plaintext",
    }  # fmt: skip
    with atomic_open(path) as stream:
        stream.write('<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n<header')
        stream.writelines(f" {name}={quoteattr(value)}" for name, value in header.items())
        stream.write("/>\n<body>\n")
        for entry in lexicon.to_dict("records"):
            told = {"confidence": f"{entry['confidence']:.3f}", "frequency": f"{entry['frequency']:.0f}"}
            stream.write("<tu>" + _property("origin", entry["origin"]))
            stream.writelines(_property(name, text) for name, text in told.items() if text != "nan")
            for code, word, example in zip(codes, ("source", "target"), EXAMPLE, strict=True):
                stream.write(f"<tuv xml:lang={quoteattr(code)}>")
                if entry.get(example):
                    stream.write(_property("example", entry[example]))
                stream.write(f"<seg>{_text(entry[word])}</seg></tuv>")
            stream.write("</tu>\n")
        stream.write("</body>\n</tmx>\n")


def write_parquet(path: Path, lexicon: "pd.DataFrame") -> bool:
    """Write entries of `read_lexicon` as Parquet where pyarrow is installed; return whether."""
    if find_spec(PARQUET_PACKAGE) is None:
        return False
    with atomic_path(path) as temporary:
        lexicon.to_parquet(temporary, engine=PARQUET_PACKAGE, index=False)
    return True


def _property(name: str, text: str) -> str:
    return f'<prop type="x-{name}">{_text(text)}</prop>'


def _text(text: str) -> str:
    return escape(NOT_XML.sub(REPLACEMENT, text))
