"""Parallel text inside labelled sets: counts of mirrored sets, order of languages, and text that is not parallel."""

import pytest

from crosslingua.corpora.datasets.readers import BITEXT_READERS
from crosslingua.corpora.labelled.parallel import read_questions, read_treebank, read_xnli
from crosslingua.errors import ConfigError, InputError


@pytest.mark.parametrize(
    ("layout", "files", "languages", "size"),
    [
        ("conllu", ["ud-pud/tr_pud-ud-test.conllu"], ("en", "tr"), 1000),
        ("xnli", ["esxnli/esxnli.tsv"], ("en", "es"), 3320),
        ("sick", ["sick-nl/SICK_NL.txt"], ("nl", "en"), None),
        ("squad", ["xquad/xquad.en.json", "xquad/xquad.de.json"], ("en", "de"), 1190),
    ],
)
def test_mirrored_sets(mirror, layout, files, languages, size):
    sources = [str(mirror / file) for file in files]
    pairs = list(BITEXT_READERS[layout](sources, languages))
    assert size in (None, len(pairs))
    assert all(one and other for one, other in pairs)
    other_way = list(BITEXT_READERS[layout](sources[::-1], languages[::-1]))
    assert [pair[::-1] for pair in other_way] == pairs or {pair[::-1] for pair in other_way} == set(pairs)
    english = " ".join(pair[languages.index("en")] for pair in pairs).lower().split()
    assert english.count("the") + english.count("a") > 0.02 * len(english)


def test_what_is_not_parallel_is_refused(tmp_path):
    path = tmp_path / "a.tsv"
    header = "language\tgold_label\tsentence1\tsentence2\tpromptID\n"
    path.write_text(header + "en\tneutral\tA\tB\t1\nen\tneutral\tC\tD\t2\nes\tneutral\tE\tF\t1\n")
    with pytest.raises(InputError, match="4 and 2 sentences in en and es"):
        list(read_xnli([str(path)], ("en", "es")))
    path.write_text(header + "en\tneutral\tA\tB\t1\nes\tneutral\tA1\tB1\t1\n" * 2)
    assert list(read_xnli([str(path)], ("es", "en"))) == [("A1", "A"), ("B1", "B")]
    with pytest.raises(ConfigError, match="squad takes two files"):
        list(read_questions(["a"], ("en", "de")))
    path.write_text("# text = a\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n")
    with pytest.raises(InputError, match=r"sentence \? has no text or no text_en"):
        list(read_treebank([str(path)], ("en", "de")))
    with pytest.raises(ConfigError, match="en must be one of de, tr"):
        list(read_treebank([str(path)], ("de", "tr")))
