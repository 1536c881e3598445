"""The column layouts of the published sets, by the name that the registry of data sets gives their format."""

from __future__ import annotations

from crosslingua.corpora.labelled.columns import ColumnFormat
from crosslingua.corpora.labelled.entity_types import conll_type, germeval

LATIN1 = ("utf-8", "latin-1")

COLUMN_FORMATS: dict[str, ColumnFormat] = {
    # CoNLL-2003 English: token POS chunk NER. The shared task's files mark entities in IOB1, common copies in
    # BIO2; reading IOB1 leaves BIO2 as it is.
    "conll2003": ColumnFormat(0, (4,), ner=3, pos=1, separator=None, scheme="iob1", relabel=conll_type),
    # CoNLL-2003 German: token lemma POS chunk NER, IOB1, Latin-1 as distributed.
    "conll2003_german": ColumnFormat(
        0, (5,), ner=4, pos=2, separator=None, scheme="iob1", encodings=LATIN1, relabel=conll_type
    ),
    # CoNLL-2002: token POS NER, BIO2; Latin-1 as distributed, UTF-8 in copies.
    "conll2002": ColumnFormat(0, (3,), ner=2, pos=1, separator=None, encodings=LATIN1, relabel=conll_type),
    # The shared task's own Spanish files, which have no parts of speech.
    "conll2002_no_pos": ColumnFormat(0, (2,), ner=1, separator=None, encodings=LATIN1, relabel=conll_type),
    # GermEval 2014: index token outer inner; nested entities of the inner layer are left out.
    "germeval2014": ColumnFormat(1, (4,), ner=2, comment="#", relabel=germeval),
    # Universal NER: index token tag - annotator.
    "uner": ColumnFormat(1, (5,), ner=2, comment="#", relabel=conll_type),
    # PioNER: token _ _ NER.
    "pioner": ColumnFormat(0, (4,), ner=3, separator=None, relabel=conll_type),
    # WikiANN as divided by Rahimi et al. (2019): `en:token` tag.
    "wikiann": ColumnFormat(0, (2,), ner=1, prefix=True, relabel=conll_type),
    # PAN-X as XTREME writes it: token tag.
    "panx": ColumnFormat(0, (2,), ner=1, relabel=conll_type),
    # Parts of speech as XTREME writes them: token UPOS.
    "udpos": ColumnFormat(0, (2,), pos=1),
    # WikiNEuRal: index token tag.
    "wikineural": ColumnFormat(1, (3,), ner=2, relabel=conll_type),
    # EIEC (Alegria et al. 2004): token tag.
    "eiec": ColumnFormat(0, (2,), ner=1, separator=None, scheme="iob1", encodings=LATIN1, relabel=conll_type),
    # Szeged business news (Szarvas et al. 2006): token tag, I- only, `0` for O, Latin-2.
    "szeged": ColumnFormat(
        0, (2,), ner=1, scheme="iob1", outside="0", encodings=("utf-8", "iso-8859-2"), relabel=conll_type
    ),
    # xSID: index token intent slot, with comments; the intent is taken from them.
    "xsid": ColumnFormat(1, (4,), slots=3, comment="#"),
    # The suite's own contract, so that anyone's data can be brought in.
    "conll": ColumnFormat(0, (2,), ner=1, pos=1, slots=1, comment="#"),
}
