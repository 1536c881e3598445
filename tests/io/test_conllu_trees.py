"""CoNLL-U: against the conllu library on real treebanks, round trips, malformations with their line."""

import conllu
import pytest

from crosslingua.errors import InputError
from crosslingua.io.conllu_trees import Tree, read_conllu, read_conllu_tags, write_conllu
from texts import written

SENTENCE = """# sent_id = 1
# text = Ada's dog runs.
1-2	Ada's	_	_	_	_	_	_	_	_
1	Ada	Ada	PROPN	NNP	_	3	nmod:poss	_	_
2	's	's	PART	POS	_	1	case	_	_
3	dog	dog	NOUN	NN	Number=Sing	4	nsubj	_	_
4	runs	run	VERB	VBZ	_	0	root	_	SpaceAfter=No
4.1	quickly	_	ADV	_	_	_	_	4:advmod	_
5	.	.	PUNCT	.	_	4	punct	_	_
"""
TREE = Tree(
    forms=("Ada", "'s", "dog", "runs", "."),
    upos=("PROPN", "PART", "NOUN", "VERB", "PUNCT"),
    heads=(3, 1, 4, 0, 4),
    relations=("nmod:poss", "case", "nsubj", "root", "punct"),
    xpos=("NNP", "POS", "NN", "VBZ", "."),
    comments={"sent_id": "1", "text": "Ada's dog runs."},
)


def test_ranges_and_empty_nodes_are_skipped(tmp_path):
    path = written(tmp_path / "a.conllu", SENTENCE + "\n\n" + SENTENCE)
    assert list(read_conllu(path)) == [TREE, TREE]
    assert list(read_conllu_tags(path)) == [(TREE.forms, TREE.upos, TREE.comments)] * 2


def test_what_is_written_is_read_again_and_a_form_may_hold_spaces_but_no_tab(tmp_path):
    path = tmp_path / "b.conllu"
    spaced = Tree(("10  000",), ("NUM",), (0,), ("root",), ("_",))
    assert write_conllu(path, [TREE, spaced]) == 2
    assert list(read_conllu(path)) == [TREE, spaced]
    assert len(conllu.parse(path.read_text(encoding="utf-8"))) == 2
    with pytest.raises(ValueError, match="cannot be written"):
        write_conllu(path, [Tree(("a\tb",), ("NUM",), (0,), ("root",))])


@pytest.mark.parametrize(
    ("file", "sentences", "words", "tags", "ranges"),
    [
        ("ud-english-partut/en_partut-ud-train.conllu", 1781, 43504, 17, 400),
        ("ud-pud/de_pud-ud-test.conllu", 1000, 21332, 16, 331),
        ("ud-pud/tr_pud-ud-test.conllu", 1000, 16881, 16, 346),
    ],
)
def test_real_treebanks(mirror, file, sentences, words, tags, ranges):
    trees = list(read_conllu(mirror / file))
    assert len(trees) == sentences
    assert sum(len(tree.forms) for tree in trees) == words
    assert len({tag for tree in trees for tag in tree.upos}) == tags
    with (mirror / file).open(encoding="utf-8") as stream:
        assert sum(1 for line in stream if "-" in line.split("\t")[0] and line[0].isdigit()) == ranges
    text = (mirror / file).read_text(encoding="utf-8").split("\n\n")[:150]
    for tree, other in zip(trees, conllu.parse("\n\n".join(text)), strict=False):
        tokens = [token for token in other if isinstance(token["id"], int)]
        assert tree.forms == tuple(token["form"] for token in tokens)
        assert tree.heads == tuple(token["head"] for token in tokens)
        assert tree.relations == tuple(token["deprel"] for token in tokens)


def row(number, head, columns=10, upos="NOUN", form="x"):
    return "\t".join([str(number), form, "_", upos, "_", "_", str(head), "dep", "_", "_"][:columns])


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        ([row(1, 0), row(2, 1, columns=9)], 2, "9 columns where CoNLL-U has 10"),
        ([row(1, 0), row(3, 1)], 2, "word 3 where 2 is expected"),
        ([row(1, 0), row("x", 1)], 2, "'x' is not a valid ID"),
        ([row(1, 0, upos="_")], 1, "word 1 has no UPOS"),
        ([row(1, 0, form=" ")], 1, "empty form"),
        ([row(1, "_")], 1, "word 1 has no head"),
        ([row(1, 0), row(2, "a")], 2, "head: "),
        ([row(1, 0), row(2, 5)], 2, "word 2: head 5 is outside 0 to 2"),
        ([row(1, 2), row(2, 1)], 1, "word 1: its heads form a cycle"),
        ([row(1, 0), row(2, 3), row(3, 2)], 2, "word 2: its heads form a cycle"),
        (["# text = nothing"], 1, "a block without words"),
    ],
)
def test_malformations_are_named_with_their_line(tmp_path, rows, line, message):
    with pytest.raises(InputError, match=rf"^{tmp_path}/a\.conllu:{line}: {message}"):
        list(read_conllu(written(tmp_path / "a.conllu", "\n".join(rows) + "\n")))


def test_trees_without_heads_can_be_read_for_their_tags(tmp_path):
    path = written(tmp_path / "a.conllu", row(1, "_") + "\n")
    assert list(read_conllu_tags(path)) == [(("x",), ("NOUN",), {})]


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="no sentences"):
        list(read_conllu(written(tmp_path / "a.conllu", "\n")))
    with pytest.raises(InputError, match="no sentences to write"):
        write_conllu(tmp_path / "c.conllu", [])


def test_a_treebank_without_its_text_is_refused(tmp_path):
    path = written(tmp_path / "a.conllu", row(1, 0, form="_") + "\n" + row(2, 1, form="_") + "\n")
    for read in (read_conllu, read_conllu_tags):
        with pytest.raises(InputError, match="every word is `_`: the treebank comes without its text"):
            list(read(path))
    path = written(tmp_path / "a.conllu", row(1, 0, form="_") + "\n" + row(2, 1, form="x") + "\n")
    assert [tree.forms for tree in read_conllu(path)] == [("_", "x")]
