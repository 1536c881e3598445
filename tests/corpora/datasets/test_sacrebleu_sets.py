"""WMT test sets through the real sacrebleu, whose cache is filled beforehand: no network."""

import pytest

from crosslingua.corpora.datasets.fetch import fetch, write_side
from crosslingua.corpora.datasets.registry import SacrebleuSource, load_registry
from crosslingua.errors import InputError

FIELDS = ("src", "ref", "docid", "genre", "origlang")


@pytest.mark.parametrize(
    ("name", "test_set", "pair"), [("wmt14-en-fr", "wmt14/full", "en-fr"), ("wmt16-en-de", "wmt16", "en-de")]
)
def test_both_sides_arrive_as_files(tmp_path, name, test_set, pair):
    cache = tmp_path / ".sacrebleu" / test_set
    cache.mkdir(parents=True)
    for field in FIELDS:
        text = f"{field} ü one\n{field} two\n"
        (cache / f"{test_set.replace('/', '_')}.{pair}.{field}").write_text(text, encoding="utf-8")
    row = load_registry()[name]
    source, target = (fetch(row, file, tmp_path) for file in row.files)
    assert source.read_text(encoding="utf-8") == "src ü one\nsrc two\n"
    assert target.read_text(encoding="utf-8") == "ref ü one\nref two\n"
    assert source.with_name("test.en.sha256").exists()


def test_an_unknown_test_set_is_an_error(tmp_path):
    with pytest.raises(InputError, match="sacrebleu --test-set wmt99"):
        write_side(SacrebleuSource("wmt99", "en-de", "src"), tmp_path / "test.en", tmp_path)
    assert not (tmp_path / "test.en").exists()


def test_the_names_are_known_to_sacrebleu():
    from sacrebleu.dataset import DATASETS

    for row in load_registry().values():
        for file in row.files.values():
            if file.sacrebleu:
                assert file.sacrebleu.pair in DATASETS[file.sacrebleu.test_set].langpairs
