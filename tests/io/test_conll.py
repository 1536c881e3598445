"""Tagged data and CoNLL-U: the conllu library on treebanks, round trips, malformations with their line."""

import gzip
import re
import unicodedata
from collections import Counter

import conllu
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import get_entities

from crosslingua.errors import InputError
from crosslingua.io import conll
from crosslingua.io.conll import Span, TaggedSentence, read_conll, write_conll
from crosslingua.io.conllu_trees import Tree, read_conllu, read_conllu_tags, write_conllu
from texts import written

CHARACTERS = st.characters(
    exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff"
)  # control: a binary file
WORDS = st.text(CHARACTERS, min_size=1).filter(str.strip)
KEYS, VALUES = st.sampled_from(["intent", "id", "newpar"]), st.sampled_from(["a/b", "x = y", "4"])
SENTENCES = st.builds(
    lambda rows, comments: TaggedSentence(*zip(*rows, strict=True), comments),
    st.lists(st.tuples(WORDS, st.sampled_from(["NOUN", "O", "#", "."])), min_size=1, max_size=4),
    st.dictionaries(KEYS, VALUES),
)
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


@settings(max_examples=60)
@given(sentences=st.lists(SENTENCES, min_size=1, max_size=4))
def test_what_is_written_is_read_again_in_nfc(tmp_path_factory, sentences):
    path = tmp_path_factory.mktemp("conll") / "a.conll"
    assert write_conll(path, sentences) == len(sentences)
    again = list(read_conll(path, scheme="plain"))
    for before, after in zip(sentences, again, strict=True):
        assert after.tokens == tuple(unicodedata.normalize("NFC", token) for token in before.tokens)
        assert (after.labels, after.comments) == (before.labels, before.comments)


def test_bom_line_ends_gz_blank_lines_and_spaces_after_labels_make_no_difference(tmp_path):
    text = "\ufeff# intent = x\r\n#\tO\r\nAda\tB-PER \r\r\n\r\n\r\nruns\tO\u00a0"
    path = written(tmp_path / "a.conll.gz", gzip.compress(text.encode()))
    assert list(read_conll(path)) == [
        TaggedSentence(("#", "Ada"), ("O", "B-PER"), {"intent": "x"}),
        TaggedSentence(("runs",), ("O",)),
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("Ada\tB-PER\nsleeps\n", 2, "1 columns where token<TAB>label is expected"),
        ("Ada\tNN\tB-PER\n", 1, "3 columns"),
        ("Ada\tB-PER\n# not = here\n", 2, "1 columns"),
        ("\tO\n", 1, "empty token"),
        ("Ada\t\n", 1, "empty label"),
        ("\nAda\tO\nL\tI-PER\n", 3, "'I-PER' does not follow B-PER or I-PER"),
        ("Ada\tB-PER\nL\tE-PER\n", 2, "'E-PER' is no BIO2 tag"),
        ("Ada\tO\n\n# id = 2\n", 3, "comments without a sentence"),
    ],
)
def test_malformations_are_named_with_their_line(tmp_path, text, line, message):
    with pytest.raises(InputError, match=rf"^{tmp_path}/data\.conll:{line}: .*{message}"):
        list(read_conll(written(tmp_path / "data.conll", text)))


def test_empty_files_and_a_token_without_its_label_are_refused(tmp_path):
    with pytest.raises(InputError, match="no sentences"):
        list(read_conll(written(tmp_path / "data.conll", "\n\n")))
    with pytest.raises(InputError, match="no sentences to write"):
        write_conll(tmp_path / "b.conll", [])
    assert not (tmp_path / "b.conll").exists()
    with pytest.raises(ValueError, match="2 tokens with 1 labels"):
        TaggedSentence(("a", "b"), ("O",))


def test_repairs_are_made_on_demand_and_counted_and_hide_no_tags_of_another_scheme():
    repairs = Counter()
    assert conll.check_bio2("a", 1, ["I-PER", "I-PER"], repairs) == ["B-PER", "I-PER"]
    assert conll.check_bio2("a", 4, ["B-LOC", "I-ORG"], repairs) == ["B-LOC", "B-ORG"]
    assert repairs == {"i_without_b": 2}
    with pytest.raises(InputError, match=r":2: 'S-PER' is no BIO2 tag"):
        conll.check_bio2("a", 1, ["I-PER", "S-PER"], Counter())


@pytest.mark.parametrize(
    "sentence",
    [
        *(TaggedSentence((token,), ("O",)) for token in ("a\tb", "a\n", " ")),
        *(TaggedSentence(("a",), ("O",), comments) for comments in ({"k": "1\n2"}, {"k=l": "1"})),
    ],
)
def test_what_the_format_cannot_hold_is_refused(tmp_path, sentence):
    with pytest.raises(ValueError, match="cannot be written"):
        write_conll(tmp_path / "a.conll", [sentence])
    assert not list(tmp_path.iterdir())


TAGS = st.lists(st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"]), max_size=12)


@given(TAGS)
def test_repaired_tags_are_valid_and_are_what_seqeval_reads(tags):
    fixed, turned = conll.repair(tags)
    assert conll.first_error(fixed) is None
    assert (turned == 0) == (conll.first_error(tags) is None) == (fixed == tags)
    assert [(kind, start, end - 1) for kind, start, end in conll.spans(fixed)] == get_entities(tags)
    assert conll.from_spans(len(fixed), conll.spans(fixed)) == fixed


@pytest.mark.parametrize(
    ("tags", "index", "message"),
    [
        (["O", "I-A"], 1, "'I-A' does not follow B-A or I-A"),
        (["B-A", "I-B"], 1, "'I-B' does not follow"),
        (["B-A", "E-A"], 1, "'E-A' is no BIO2 tag"),
        (["B-"], 0, "'B-' is no BIO2 tag"),
        (["0"], 0, "'0' is no BIO2 tag"),
    ],
)
def test_first_error(tags, index, message):
    found = conll.first_error(tags)
    assert found[0] == index
    assert found[1].startswith(message)
    with pytest.raises(ValueError, match=f"tag {index}"):
        conll.spans(tags)


def test_spans_that_overlap_or_lie_outside_are_refused():
    with pytest.raises(ValueError, match="overlaps"):
        conll.from_spans(4, [Span("A", 0, 2), Span("B", 1, 3)])
    with pytest.raises(ValueError, match="does not lie in 4 tokens"):
        conll.from_spans(4, [Span("A", 3, 5)])


def test_ranges_and_empty_nodes_are_skipped(tmp_path):
    path = written(tmp_path / "a.conllu", SENTENCE + "\n\n" + SENTENCE)
    assert list(read_conllu(path)) == [TREE, TREE]
    assert list(read_conllu_tags(path)) == [(TREE.forms, TREE.upos, TREE.comments)] * 2


def test_a_contraction_is_one_token_with_the_tag_of_its_first_word_where_asked(tmp_path):
    contraction = "2-3\tzum" + 8 * "\t_"
    rows = [row(1, 0, form="bis"), contraction, row(2, 1, upos="ADP", form="zu"), row(3, 1, upos="DET", form="dem"),
            row(4, 1, form="Haus")]  # fmt: skip
    path = written(tmp_path / "a.conllu", "\n".join(rows) + "\n")
    assert list(read_conllu_tags(path, written=True)) == [
        (("bis", "zum", "Haus"), ("NOUN", "ADP", "NOUN"), {})
    ]
    (tree,) = read_conllu(path)
    assert tree.forms == ("bis", "zu", "dem", "Haus")


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
    trees, text = list(read_conllu(mirror / file)), (mirror / file).read_text(encoding="utf-8")
    found_tags = {tag for tree in trees for tag in tree.upos}
    assert (len(trees), sum(len(tree.forms) for tree in trees), len(found_tags)) == (sentences, words, tags)
    assert len(re.findall(r"^\d+-", text, re.MULTILINE)) == ranges
    for tree, other in zip(trees, conllu.parse("\n\n".join(text.split("\n\n")[:150])), strict=False):
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
        ([row("1-2", "_", form=" "), row(1, 0), row(2, 1)], 1, "empty form"),
        ([row(1, "_")], 1, "word 1 has no head"),
        ([row(1, 0), row(2, "a")], 2, "head: "),
        ([row(1, 0), row(2, 5)], 2, "word 2: head 5 is outside 0 to 2"),
        ([row(1, 2), row(2, 1)], 1, "word 1: its heads form a cycle"),
        ([row(1, 0), row(2, 3), row(3, 2)], 2, "word 2: its heads form a cycle"),
        (["# text = nothing"], 1, "a block without words"),
    ],
)
def test_malformed_trees_are_named_with_their_line(tmp_path, rows, line, message):
    with pytest.raises(InputError, match=rf"^{tmp_path}/a\.conllu:{line}: {message}"):
        list(read_conllu(written(tmp_path / "a.conllu", "\n".join(rows) + "\n")))


def test_trees_without_heads_can_be_read_for_their_tags_but_no_empty_file(tmp_path):
    path = written(tmp_path / "a.conllu", row(1, "_") + "\n")
    assert list(read_conllu_tags(path)) == [(("x",), ("NOUN",), {})]
    with pytest.raises(InputError, match="no sentences"):
        list(read_conllu(written(path, "\n")))
    with pytest.raises(InputError, match="no sentences to write"):
        write_conllu(tmp_path / "c.conllu", [])


def test_a_treebank_without_its_text_is_refused(tmp_path):
    path = written(tmp_path / "a.conllu", f"{row(1, 0, form='_')}\n{row(2, 1, form='_')}\n")
    for read in (read_conllu, read_conllu_tags):
        with pytest.raises(InputError, match="every word is `_`: the file comes without its text"):
            list(read(path))
    written(path, f"{row(1, 0, form='_')}\n{row(2, 1)}\n")
    assert [tree.forms for tree in read_conllu(path)] == [("_", "x")]
