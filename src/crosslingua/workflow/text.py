"""Jobs of text and dictionaries: the files that they read, and how."""

from typing import Any

from crosslingua.corpora.datasets.readers import DICTIONARY_READERS, TEXT_READERS
from crosslingua.workflow.labelled import fetched, held_out
from crosslingua.workflow.sources import PARTS, WORLD, data_files, dictionary_name
from crosslingua.workflow.workflow import Workflow

OWN = (
    "deduplicate",
    "column",
    "part",
    "min_tokens",
    "max_tokens",
)  # a text's own, over what `text` says of all


def text_of(w: Workflow, language: str, *, cased: bool = False) -> str:
    """Return the prepared text of a language; with its case for encoders, whose task data have theirs."""
    return f"{w.corpora}/text{'_cased' if cased else ''}/{language}.txt"


def text_settings(w: Workflow, cased: str) -> dict[str, Any]:
    """Return how text is normalised: as configured, but for the case where it is kept (`cased` is not "")."""
    return w.config["text"] | ({"lowercase": False} if cased else {})


def raw_text(w: Workflow, language: str, cased: str = "") -> list[str]:
    """Return the files that a language's text is made of; where it has parts, these, prepared (`cased`: with case)."""
    entry = w.sources.languages[language]
    if entry["from"] == WORLD:
        return [f"{w.corpora}/world/{language}.txt"]
    if entry["from"] == PARTS:
        return [text_of(w, part, cased=bool(cased)) for part in entry["parts"]]
    if entry["from"] == "file":
        return [entry["path"]]
    return fetched(w, data_files(entry))


def text_plan(w: Workflow, language: str, cased: str) -> str:
    """Write which files a language's text is made of, and which are left out of it; return the plan.

    There are many of a corpus of novels, or of a language with many pairs.
    """
    files = {"input": raw_text(w, language, cased), "without": leave_out(w, language)}
    return w.plan(f"prepare_text/{language}{cased}", [files])


def leave_out(w: Workflow, language: str) -> list[str]:
    """Return the texts whose sentences are left out of a language's: held-out ones. Its parts are without them."""
    return [] if w.sources.origin("text", language) in (WORLD, PARTS, "derived") else held_out(w, language)


def parts_of(w: Workflow, language: str) -> list[str]:
    """Return the texts that a language's text is made of: itself where it has no parts."""
    return list(w.sources.languages[language].get("parts", [language]))


def text_source(w: Workflow, language: str) -> dict[str, Any]:
    """Return how a language's text is to be read: its format, a tokeniser if not the language's usual one, and
    what it has of OWN."""
    entry = w.sources.languages[language]
    if entry["from"] == WORLD:
        return {"tokeniser": "none"}
    own = {key: entry[key] for key in OWN if key in entry}
    if entry["from"] == PARTS:
        return {"tokeniser": "none", **own}
    row = w.datasets.get(entry["from"])
    # One side of bitext is text.
    text_format = "lines" if row is None or row.format in ("parallel_lines", "tab_pairs") else row.format
    return {
        "format": entry.get("format", text_format),
        "split_sentences": bool(row and row.paragraphs),
        "member": entry.get("member"),
        "tokeniser": entry.get("tokeniser"),
        **own,
    }


def text_reader(w: Workflow, language: str) -> str:
    """Return the module of the reader that a language's text needs; tokenisers are all of one module."""
    return TEXT_READERS.module(text_source(w, language).get("format", "lines"))


def dictionary_folder(w: Workflow, pair: str) -> str:
    """Return the folder of a pair's dictionary; pairs are `source-target.dictionary`."""
    return f"{w.corpora}/dictionaries/{pair}"


def dictionary_file(w: Workflow, dictionary: str, split: str, source: str, target: str) -> str:
    """Return the file that a split of a dictionary is read from."""
    entry = w.sources.dictionaries[dictionary]
    name = dictionary_name(entry, split, (source, target))
    return name if entry["from"] == "file" else f"{w.data}/{entry['from']}/{name}"


def dictionary_format(w: Workflow, dictionary: str) -> str:
    """Return the reader of a dictionary."""
    origin = w.sources.dictionaries[dictionary]["from"]
    return "muse" if origin == "file" else w.datasets[origin].format


def dictionary_options(w: Workflow, dictionary: str) -> dict[str, Any]:
    """Return the options of prepare_dictionary.py but for languages and files."""
    return {
        "format": dictionary_format(w, dictionary),
        "lowercase": w.config["text"]["lowercase"],
        "validation_share": w.config["dictionaries"]["validation_share"],
    }


def world_dictionary_options(w: Workflow, dictionary: str) -> dict[str, Any]:
    """Return the options by which the world tells a dictionary."""
    share = w.sources.dictionaries[dictionary]["share"]
    shares = {"share": share, "trainable": w.world["trainable"]}
    return {"seed": w.world["seed"], "lowercase": w.config["text"]["lowercase"], **shares}


def dictionary_reader(w: Workflow, dictionary: str) -> str:
    """Return the module of the reader of a dictionary."""
    return DICTIONARY_READERS.module(dictionary_format(w, dictionary))


def fetching_options(w: Workflow, dataset: str) -> dict[str, Any]:
    """Return where files of a data set go, and where yours lie if you bring them."""
    return {"data_dir": w.data, "supplied": w.config["data"]["user_supplied"].get(dataset)}


def fetched_text(w: Workflow) -> list[str]:
    """Return the files to download for the language pairs: text and dictionaries."""
    named = [w.sources.root("text", language) for pair in w.pairs for language in pair]
    languages = dict.fromkeys(part for language in named for part in parts_of(w, language))
    files = [file for language in languages for file in raw_text(w, language)]
    for pair in w.lexicon_pairs.values():
        if pair.dictionary and w.sources.dictionaries[pair.dictionary]["from"] != WORLD:
            place = (pair.source, pair.target)
            files += [dictionary_file(w, pair.dictionary, split, *place) for split in ("train", "test")]
    return sorted({file for file in files if file.startswith(f"{w.data}/")})
