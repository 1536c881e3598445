"""Parallel text of a question: whether texts are parallel, the formats of a bitext, and the lexicon of its links."""

import random
from pathlib import Path

import numpy as np
import pytest

from crosslingua.errors import InputError
from crosslingua.lexicon_induction.bli import score
from crosslingua.two_texts import parallel
from texts import written

WORDS = 60


def sentences(number: int = 400, seed: int = 1) -> list[list[int]]:
    """Sentences of one to eight word numbers, of which low ones are frequent."""
    draw = random.Random(seed)
    return [[int(WORDS * draw.random() ** 2) for _ in range(draw.randint(1, 8))] for _ in range(number)]


def text(numbers: list[list[int]], letter: str) -> str:
    return "".join(" ".join(f"{letter}{n}" for n in line) + "\n" for line in numbers)


def texts(folder: Path, source: list[list[int]], target: list[list[int]]) -> tuple[Path, Path]:
    return written(folder / "a.txt", text(source, "s")), written(folder / "b.txt", text(target, "t"))


def test_texts_are_parallel_whose_equal_lines_agree_better_than_shuffled_ones(tmp_path: Path) -> None:
    source = sentences()
    turned = [line[::-1] for line in source]
    others = sentences(seed=2)
    for target, expected in (
        (turned, True),
        (others, False),
        (turned[1:] + turned[:1], False),
        (turned[:-1], False),
        (turned[:50] + others[50:], False),
    ):
        pair = texts(tmp_path, source, target)
        assert parallel.are_parallel(pair, ("none", "other")) is expected
    few = texts(tmp_path, source[:99], turned[:99])
    assert not parallel.are_parallel(few, ("none", "other"))


def test_agreement_is_by_the_phi_coefficients_of_the_lines_that_are_not_tested() -> None:
    """Against numpy's correlation of columns: of six tested lines, each compared with the line before."""
    source = sentences(30)
    target = [line[::-1] for line in source[:20]] + sentences(10, seed=3)
    x, y = (
        np.array([[word in line for word in range(WORDS)] for line in side], float)
        for side in (source, target)
    )
    tested = np.arange(30) % 5 == 4
    phi = np.zeros((WORDS, WORDS))
    for i in range(WORDS):
        for j in range(WORDS):
            first, second = x[~tested, i], y[~tested, j]
            if (first * second).any() and first.std() and second.std():
                phi[i, j] = np.corrcoef(first, second)[0, 1]
    scores = x[tested] @ phi @ y[tested].T
    own, other = np.diag(scores), np.array([scores[n, n - 1] for n in range(6)])
    expected = np.mean((own > other + 1e-12) + 0.5 * np.isclose(own, other))
    as_text = [[[str(n) for n in line] for line in side] for side in (source, target)]
    assert parallel.agreement(*as_text) == pytest.approx(expected)


TMX = """<?xml version="1.0"?><tmx version="1.4"><header/><body>
<tu><tuv xml:lang="de"><seg>Das Haus!</seg></tuv><tuv xml:lang="en"><seg>The house!</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>A cat.</seg></tuv><tuv xml:lang="de"><seg>Eine Katze.</seg></tuv></tu></body></tmx>"""


@pytest.mark.parametrize(
    "files",
    [
        {"a.de": "Das Haus!\nEine Katze.\n", "a.en": "The house!\nA cat.\n"},
        {"a.tsv": "Das Haus!\tThe house!\nEine Katze.\tA cat.\tTatoeba\n"},
        {"a.txt": "Das Haus! ||| The house!\nEine Katze. ||| A cat.\n"},
        {"a.tmx": TMX},
    ],
)
def test_a_bitext_of_each_format_becomes_tokens_in_lower_case(tmp_path: Path, files) -> None:
    given = [written(tmp_path / name, content) for name, content in files.items()]
    made = parallel.prepare(given, ("de", "en"), tmp_path / "bitext")
    assert [path.read_text(encoding="utf-8") for path in made] == [
        "das haus !\neine katze .\n",
        "the house !\na cat .\n",
    ]


def test_a_line_without_a_translation_is_named(tmp_path: Path) -> None:
    given = written(tmp_path / "a.txt", "Das Haus!\tThe house!\nEine Katze.\n")
    with pytest.raises(InputError, match=r"a\.txt:2: a line of bitext without a tab"):
        parallel.prepare([given], ("de", "en"), tmp_path / "bitext")


def test_the_lexicon_of_linked_words_is_that_of_the_translation(tmp_path: Path) -> None:
    source = sentences()
    files = texts(tmp_path, source, [line[::-1] for line in source])
    aligned = parallel.align(files)
    assert (tmp_path / "links.pharaoh").read_text().count("\n") == len(source)
    lexicon = parallel.lexicon_of(aligned.ranked)
    right = [best[1:] == word[1:] for word, best in zip(lexicon.words, lexicon.best, strict=True)]
    assert np.mean(right) > 0.9
    assert lexicon.features.shape == (len(lexicon.words), 5)
    assert aligned.number == len(source)
    for (word, other), example in aligned.examples.items():
        assert example in zip(*(path.read_text().splitlines() for path in files), strict=True)
        assert (word in example[0].split(), other in example[1].split()) == (True, True)
    assert {*zip(lexicon.words, lexicon.best, strict=True)} <= {*aligned.examples}
    found = aligned.predictions({"s0": {"t0"}, "s999": {"t1", "t999"}})
    assert found.translations["s0"][0][0] == "t0"
    assert (found.unknown_sources, found.unknown_targets) == ({"s999"}, {"t999"})


def test_features_of_links_are_those_by_hand() -> None:
    """`b` is the best of `x` by 0.8; `a` is linked to `x` too, and more often."""
    ranked = {"a": [("y", 0.9, 9), ("x", 0.5, 4)], "b": [("x", 0.8, 6)]}
    lexicon = parallel.lexicon_of(ranked)
    assert (lexicon.words, lexicon.best, lexicon.second) == (["a", "b"], ["y", "x"], ["x", ""])
    expected = [[0.9, 0.4, 1, np.log(10), 0], [0.8, 0.8, 1, np.log(7), np.log(2)]]
    np.testing.assert_allclose(lexicon.features, expected)
    assert parallel.lexicon_of({"a": [("x", 0.5, 1)], "b": [("x", 0.8, 1)]}).features[0, 2] == 0


def test_a_word_without_a_link_is_wrong_and_not_unknown() -> None:
    text = parallel.AlignedText({"a": [("x", 0.5, 1)]}, frozenset("ab"), frozenset("xy"), 3, {})
    gold = {"a": {"x"}, "b": {"y"}, "c": {"z"}}
    found = text.predictions(gold)
    assert found.translations == {"a": [("x", 0.5)], "b": []}
    assert (found.unknown_sources, found.unknown_targets) == ({"c"}, {"z"})
    pairs = [(word, other) for word, others in gold.items() for other in others]
    assert score(found, pairs, "muse")["ranks"] == {"a": 1, "b": 0}


def test_a_text_without_links_has_an_empty_lexicon() -> None:
    assert parallel.lexicon_of({}).features.shape == (0, 5)
