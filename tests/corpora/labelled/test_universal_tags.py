"""Universal parts of speech: UD's 17 tags, EAGLES look-up, what the published maps lack."""

import pytest

from crosslingua.corpora.labelled.columns import UNIVERSAL, UPOS, from_upos, read_tag_map, tagger
from crosslingua.corpora.labelled.source import Source
from crosslingua.errors import ConfigError, InputError


def test_the_17_tags_of_ud_become_the_12():
    assert len(UPOS) == len(set(UPOS)) == 17
    assert {from_upos(tag) for tag in UPOS} == set(UNIVERSAL)
    assert [from_upos(tag) for tag in ("AUX", "PROPN", "SCONJ", "PART", "PUNCT", "SYM", "INTJ", "ADP")] == [
        "VERB", "NOUN", "CONJ", "PRT", ".", "X", "X", "ADP",
    ]  # fmt: skip
    with pytest.raises(KeyError):
        from_upos("NN")


def test_eagles_tags_are_looked_up_by_two_letters():
    universal = tagger("es-cast3lb", {"vm": "VERB", "Fp": ".", "p0": "PRON", "z": "NUM", "Y": "X"})
    assert [universal(tag) for tag in ("VMI", "VMIP3S0", "Fpa", "P0", "Z", "Y")] == [
        "VERB", "VERB", ".", "PRON", "NUM", "X",
    ]  # fmt: skip
    with pytest.raises(KeyError):
        universal("QQ")


def test_maps_are_read_with_what_they_lack(tmp_path):
    path = tmp_path / "en-ptb.map"
    path.write_text("NN\tNOUN\n.\t.\n", encoding="utf-8")
    assert read_tag_map(Source(str(path)), "en-ptb") == {"NN": "NOUN", ".": ".", '"': "."}
    path.write_text("NN\tNOUNS\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"en-ptb.map:1: 'NN\\tNOUNS' is not"):
        read_tag_map(Source(str(path)), "en-ptb")
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="an empty map"):
        read_tag_map(Source(str(path)), "x")


def test_a_tag_set_with_a_map_needs_it():
    with pytest.raises(ConfigError, match="needs its published map"):
        tagger("en-ptb")
