"""Files of text and dictionaries."""

from crosslingua.io.decode import SEPARATOR
from crosslingua.workflow.jobs import In
from crosslingua.workflow.labelled import fetched, held_out
from crosslingua.workflow.sources import PARTS, WORLD, data_files, dictionary_files, files_beside
from crosslingua.workflow.workflow import LexiconPair, Workflow


def text_of(w: Workflow, language: str, *, cased: bool = False) -> str:
    """Return the prepared text of a language: cased for encoders, whose task data are cased."""
    return f"{w.corpora}/text{'_cased' if cased else ''}/{language}.txt"


def parts_of(w: Workflow, language: str) -> list[str]:
    """Return the languages whose texts make up a language's text: itself where it has no parts."""
    return list(w.sources.languages[language].get("parts", [language]))


def raw_text(w: Workflow, language: str, cased: str = "") -> list[str]:
    """Return the files that a language's text is made of; prepared parts if it has any (`cased`: with case)."""
    entry = w.sources.languages[language]
    if entry["from"] == WORLD:
        return [f"{w.corpora}/world/{language}.txt"]
    if entry["from"] == PARTS:
        return [text_of(w, part, cased=bool(cased)) for part in entry["parts"]]
    if entry["from"] == "file":
        return [entry["path"]]
    return fetched(w, data_files(entry))


def leave_out(w: Workflow, language: str) -> list[str]:
    """Return the held-out texts whose sentences a language's text leaves out; parts are already without them."""
    return [] if w.sources.origin("text", language) in (WORLD, PARTS, "derived") else held_out(w, language)


def dictionary_folder(w: Workflow, pair: str) -> str:
    """Return the folder of a pair's dictionary; pairs are `source-target.dictionary`."""
    return f"{w.corpora}/dictionaries/{pair}"


def dictionary_inputs(w: Workflow, pair: LexiconPair, split: str) -> list[In]:
    """Return the source files of a split of a pair's dictionary."""
    entry = w.sources.dictionaries[pair.dictionary]
    names = dictionary_files(entry, split, (pair.source, pair.target))
    paths = names if entry["from"] == "file" else fetched(w, [(entry["from"], name) for name in names])
    return [In(path, path.partition(SEPARATOR)[0]) for path in paths]


def text_beside(w: Workflow, language: str) -> list[str]:
    """Return the files that the reader of a language's text needs beside `raw_text`."""
    return fetched(w, files_beside(w.sources.languages[language], w.datasets))


def fetched_text(w: Workflow) -> list[str]:
    """Return the files to download for the language pairs: text and dictionaries."""
    roots = [w.sources.root("text", language) for pair in w.pairs for language in pair]
    texts = dict.fromkeys(part for root in roots for part in parts_of(w, root))
    files = [path for one in texts for path in (*raw_text(w, one), *text_beside(w, one))]
    for pair in w.lexicon_pairs.values():
        if pair.dictionary and w.sources.dictionaries[pair.dictionary]["from"] != WORLD:
            read = [one for split in ("train", "test") for one in dictionary_inputs(w, pair, split)]
            files += [path for one in read for path in one.made_by]
    return sorted({file for file in files if file.startswith(f"{w.data}/")})
