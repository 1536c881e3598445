"""Readers of published text, bitext and dictionaries: one file a format; the registry's rows name the format."""

from crosslingua.registry import Registry

_HERE = "crosslingua.corpora.datasets.readers"

TEXT_READERS = Registry(
    "text format",
    {
        "lines": "crosslingua.io.decode:text_lines",
        "wikitext_csv": f"{_HERE}.wikitext_csv:read",
        "wikitext_csv_joined": f"{_HERE}.wikitext_csv:read_joined",
        "mediawiki": f"{_HERE}.mediawiki:read",
        "tei": f"{_HERE}.tei:read",
        "brown": f"{_HERE}.brown:read",
        "gnad": f"{_HERE}.gnad:read",
        "help_pages": f"{_HERE}.help_pages:read",
        "help_pages_first_half": f"{_HERE}.help_pages:read_first_half",
        "help_pages_second_half": f"{_HERE}.help_pages:read_second_half",
        "wikineural": "crosslingua.corpora.labelled.parallel:read_wikineural",
        "conll2003": "crosslingua.corpora.labelled.parallel:read_conll2003",
    },
    group="crosslingua.text_readers",
)
# Formats whose reader yields more than a line at a time: what makes lines of it, run by the worker processes.
EXPANDERS = Registry("text format", {"mediawiki": f"{_HERE}.mediawiki:paragraphs"})
BITEXT_READERS = Registry(
    "bitext format",
    {
        "parallel_lines": f"{_HERE}.parallel_lines:read",
        "moses_archive": f"{_HERE}.moses_archive:read",
        "wikimatrix": f"{_HERE}.wikimatrix:read",
        "tab_pairs": f"{_HERE}.tab_pairs:read",
        "tmx": f"{_HERE}.tmx:read",
        "help_pages": f"{_HERE}.help_pages:read_pairs",
        # Parallel text inside labelled sets, by the name of their format.
        "conllu": "crosslingua.corpora.labelled.parallel:read_treebank",
        "xnli": "crosslingua.corpora.labelled.parallel:read_xnli",
        "sick": "crosslingua.corpora.labelled.parallel:read_sick",
        "squad": "crosslingua.corpora.labelled.parallel:read_questions",
    },
    group="crosslingua.bitext_readers",
)
# Formats of markup, whose readers decode entities: what looks like one in their lines is text about markup.
MARKED_UP = ("mediawiki", "tei", "help_pages", "help_pages_first_half", "help_pages_second_half", "tmx")
# Full dictionaries, most frequent source words first, which MUSE divides by rank.
RANKED = ("muse_by_rank", "muse_full")
DICTIONARY_READERS = Registry(
    "dictionary format",
    {
        "muse": "crosslingua.io.bitext:read_dictionary",
        "muse_by_rank": "crosslingua.io.bitext:read_dictionary",
        "xling_eval": f"{_HERE}.xling_eval:read",
        "muse_full": f"{_HERE}.muse_full:read",
        "muse_annotated": f"{_HERE}.muse_annotated:read",
        "dictd": f"{_HERE}.dictd:read",
    },
    group="crosslingua.dictionary_readers",
)
