"""Precision and coverage against hand-worked cases and a naive implementation of the documented conventions."""

from argparse import Namespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import bli
from crosslingua.lexicon_induction.bli import predict, score


def vectors(words: str, *rows) -> WordVectors:
    return WordVectors(words.split(), np.array(rows, dtype=np.float32))


SOURCE = vectors("house cat dog bird cow", [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1])
TARGET = vectors("haus katze hund kater kuh", [1, 0, 0], [0, 1, 0.1], [0, 0, 1], [0, 1, 0.2], [0.1, 0, 1])
PAIRS = [
    ("house", "haus"),  # found
    ("cat", "kater"),  # second, behind katze
    ("cat", "mieze"),  # target out of vocabulary
    ("dog", "köter"),  # only translation out of vocabulary
    ("bird", "bird"), ("bird", "vogel"),  # neither translation has a vector, the word itself is one of them
    ("cow", "cow"), ("cow", "kuh"),  # the same word and one with a vector, which is not the nearest
    ("taxi", "taxi"),  # source out of vocabulary, same word in the other language
    ("bus", "omnibus"),  # source out of vocabulary, other word
    ("radio", "radio"), ("radio", "funk"),  # source out of vocabulary, itself among the translations
]  # fmt: skip


def test_the_papers_rule_by_hand():
    found = score(predict(SOURCE, TARGET, PAIRS, "nn"), PAIRS, "paper")
    hits = {"house": 1, "cat": 2, "dog": 0, "bird": 1, "cow": 2, "taxi": 1, "bus": 0, "radio": 1}
    assert found["ranks"] == hits
    assert found["p_at_1"] == pytest.approx(100 * 4 / 8)
    assert found["p_at_5"] == found["p_at_10"] == pytest.approx(100 * 6 / 8)
    assert found["coverage"] == pytest.approx(100 * 3 / 8)
    assert found["spelled_alike"] == pytest.approx(100 * 4 / 8)  # bird, cow, taxi, radio
    assert (found["n_queries"], found["n_pairs"]) == (8, 12)
    assert (found["source_oov"], found["target_oov"]) == (3, 9)
    assert found["signature"] == "nn|vocab=200000|oov=paper|identical=kept"


def test_the_letter_of_footnote_6_by_hand():
    """A word with a vector does not retrieve itself: bird, and nothing else, differs from the authors' program."""
    predictions = predict(SOURCE, TARGET, PAIRS, "nn")
    papers, found = (score(predictions, PAIRS, rule) for rule in ("paper", "footnote6"))
    assert found["ranks"] == papers["ranks"] | {"bird": 0}
    assert found["p_at_1"] == pytest.approx(100 * 3 / 8)
    assert (found["coverage"], found["n_queries"]) == (papers["coverage"], papers["n_queries"])
    assert found["signature"] == "nn|vocab=200000|oov=footnote6|identical=kept"


def test_muses_rule_by_hand():
    found = score(predict(SOURCE, TARGET, PAIRS, "csls", neighbours=1), PAIRS, "muse")
    assert found["ranks"].keys() == {"house", "cat", "cow"}
    assert (found["p_at_5"], found["coverage"], found["n_queries"]) == (100, pytest.approx(100 * 3 / 8), 3)
    assert found["spelled_alike"] == 0  # the target "cow" has no vector, and its pair does not count
    assert found["signature"] == "csls|k=1|vocab=200000|oov=muse|identical=kept"


def test_without_pairs_of_the_same_surface_form():
    found = score(predict(SOURCE, TARGET, PAIRS, "nn"), PAIRS, "paper", drop_identical=True)
    assert found["ranks"] == {"house": 1, "cat": 2, "dog": 0, "bird": 0, "cow": 2, "bus": 0, "radio": 0}
    assert found["signature"].endswith("identical=dropped")
    with pytest.raises(ConfigError, match="no pairs of different words"):
        bli.gold_translations([("taxi", "taxi")], drop_identical=True)


def test_the_vocabulary_limit_cuts_both_sides():
    found = predict(SOURCE, TARGET, PAIRS, "nn", max_vocabulary=2)
    assert "dog" in found.unknown_sources
    assert [word for word, _ in found.translations["cat"]] == ["katze", "haus"]
    assert found.convention == "nn|vocab=2"


def naive(source, target, pairs, oov, drop_identical):
    """Score straight from the conventions, one query after the other."""
    if drop_identical:
        pairs = [pair for pair in pairs if pair[0] != pair[1]]
    if oov == "muse":
        pairs = [(s, t) for s, t in pairs if s in source.words and t in target.words]
    hits = {1: 0, 5: 0, 10: 0}
    queries = {s for s, _ in pairs}
    for query in queries:
        golds = [t for s, t in pairs if s == query]
        if query in source.words and (oov != "paper" or any(t in target.words for t in golds)):
            x = source[query].astype(float)
            cosines = [float(x @ y / np.sqrt((x @ x) * (y @ y))) for y in target.matrix.astype(float)]
            order = sorted(range(len(cosines)), key=lambda i: (-round(cosines[i], 6), i))
            answers = [target.words[i] for i in order]
        else:
            answers = [query]
        for k in hits:
            hits[k] += any(answer in golds for answer in answers[:k])
    return {f"p_at_{k}": 100 * n / len(queries) for k, n in hits.items()} if queries else None


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32), oov=st.sampled_from(["paper", "footnote6", "muse"]), drop=st.booleans())
def test_random_dictionaries_with_ties(seed, oov, drop):
    rng = np.random.default_rng(seed)
    words = [f"w{i}" for i in range(30)]

    def side(n):
        matrix = rng.integers(-1, 2, (n, 3)).astype(np.float32)  # few directions: many ties
        matrix[:, 0] = 1
        return WordVectors([str(word) for word in rng.permutation(words)[:n]], matrix)

    source, target = side(12), side(20)
    pairs = [(str(s), str(t)) for s, t in rng.choice(words, (40, 2))] + [(source.words[0], target.words[0])]
    expected = naive(source, target, pairs, oov, drop)
    try:
        found = score(predict(source, target, pairs, "nn"), pairs, oov, drop_identical=drop)
    except ConfigError:  # nothing covered once identical pairs are gone
        kept = [p for p in pairs if p[0] != p[1] and p[0] in source.words and p[1] in target.words]
        assert drop
        assert not kept
        return
    assert {key: found[key] for key in expected} == pytest.approx(expected)


def test_perfect_input_scores_perfectly_and_shuffled_input_near_chance():
    rng = np.random.default_rng(5)
    matrix = rng.normal(size=(300, 20)).astype(np.float32)
    words = [f"w{i}" for i in range(300)]
    source, target = WordVectors(words, matrix), WordVectors(["t" + word for word in words], matrix)
    pairs = [(word, "t" + word) for word in words]
    for retrieval in ("nn", "csls"):
        assert score(predict(source, target, pairs, retrieval), pairs)["p_at_1"] == 100
    shuffled = WordVectors(target.words, rng.permutation(matrix))
    assert score(predict(source, shuffled, pairs, "nn"), pairs)["p_at_1"] < 3


def test_an_empty_intersection_is_refused():
    with pytest.raises(ConfigError, match=r"no pair of the dictionary .*casing right, .*minCount"):
        predict(SOURCE, TARGET, [("dog", "köter"), ("taxi", "haus")])
    with pytest.raises(ConfigError, match="no pairs"):
        predict(SOURCE, TARGET, [])
    with pytest.raises(ConfigError, match="nothing to score"):
        score(bli.Predictions("nn", {}, {"taxi"}, {"taxi"}), [("taxi", "taxi")])
    with pytest.raises(ConfigError, match=r"'dog'.*another dictionary"):
        score(predict(SOURCE, TARGET, [("house", "haus")]), [("dog", "hund"), ("house", "haus")])
    with pytest.raises(ConfigError, match="paper, footnote6, muse"):
        score(predict(SOURCE, TARGET, PAIRS), PAIRS, "skip")


def test_predictions_written_and_read_score_the_same(tmp_path):
    found = [predict(SOURCE, TARGET, PAIRS, name) for name in ("csls", "nn")]
    bli.write_predictions(tmp_path / "p.tsv", found)
    back = bli.read_predictions(tmp_path / "p.tsv")
    assert back == found
    rules = {"oov": ["paper", "footnote6", "muse"], "identical": ["kept", "dropped"]}
    args = Namespace(**rules, bootstrap_samples=1000, seed=0)
    assert bli.scored(back, PAIRS, args, "test") == bli.scored(found, PAIRS, args, "test")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source\ttarget\n", ":1: not a predictions file"),
        ("{header}\na\t1\tb\n", ":2: not a row"),
        ("{header}\na\t1\tb\t0.5\tnn\na\t3\tc\t0.4\tnn\n", ":3: .*rank 3 of 'a' follows rank 1"),
        ("{header}\n", "no predictions"),
    ],
)
def test_broken_prediction_files(tmp_path, text, message):
    header = "source\trank\ttarget\tscore\tconvention"
    (tmp_path / "p.tsv").write_text(text.format(header=header))
    with pytest.raises(InputError, match=message):
        bli.read_predictions(tmp_path / "p.tsv")


def test_bootstrap_of_hits_follows_the_binomial_and_its_seed():
    # Resampling n hits and misses with share p draws Binomial(n, p) / n exactly.
    hits = np.array([1] * 300 + [0] * 700)
    low, high = bli.bootstrap_interval(hits, samples=40_000, seed=1)
    exact = stats.binom(1000, 0.3)
    assert low == pytest.approx(exact.ppf(0.025) / 1000, abs=0.0011)
    assert high == pytest.approx(exact.ppf(0.975) / 1000, abs=0.0011)
    assert bli.bootstrap_interval(np.ones(5)) == (1, 1)
    assert bli.bootstrap_interval(hits, seed=3) == bli.bootstrap_interval(hits, seed=3)
    with pytest.raises(ConfigError, match="0 queries"):
        bli.bootstrap_interval(np.array([]))
