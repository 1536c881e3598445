"""Precision and coverage by hand and by a naive version; which queries count; criteria without gold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction import bli
from crosslingua.lexicon_induction.bli import predict, score
from crosslingua.lexicon_induction.choice import Answers, answered, compare, one_standard_error
from crosslingua.lexicon_induction.unsupervised import induce
from crosslingua.mappers.muse import Muse
from texts import written


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
    shares = [found[name] for name in ("p_at_1", "p_at_5", "p_at_10", "coverage", "spelled_alike")]
    assert shares == pytest.approx([50, 75, 75, 37.5, 50])  # spelled alike: bird, cow, taxi, radio
    counts = [found[name] for name in ("n_queries", "n_pairs", "source_oov", "target_oov")]
    assert counts == [8, 12, 3, 9]
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


@settings(max_examples=80)
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
    assert bli.read_predictions(tmp_path / "p.tsv") == found


def test_broken_prediction_files(tmp_path):
    header = "source\trank\ttarget\tscore\tconvention\n"
    for text, message in (
        ("source\ttarget\n", ":1: not a predictions file"),
        (f"{header}a\t1\tb\n", ":2: not a row"),
        (f"{header}a\t1\tb\t0.5\tnn\na\t3\tc\t0.4\tnn\n", ":3: .*rank 3 of 'a' follows rank 1"),
        (header, "no predictions"),
    ):
        with pytest.raises(InputError, match=message):
            bli.read_predictions(written(tmp_path / "p.tsv", text))


def test_bootstrap_of_hits_follows_the_binomial_and_its_seed():
    # Resampling n hits and misses with share p draws Binomial(n, p) / n exactly.
    hits = np.array([1] * 300 + [0] * 700)
    interval = bli.bootstrap_interval(hits, samples=40_000, seed=1)
    assert interval == pytest.approx(stats.binom(1000, 0.3).ppf([0.025, 0.975]) / 1000, abs=0.0011)
    assert bli.bootstrap_interval(np.ones(5)) == (1, 1)
    assert bli.bootstrap_interval(hits, seed=3) == bli.bootstrap_interval(hits, seed=3)
    with pytest.raises(ConfigError, match="0 queries"):
        bli.bootstrap_interval(np.array([]))


def test_answers_are_by_the_papers_rule_and_say_which_queries_have_vectors() -> None:
    both = vectors("a b c", *np.eye(3))  # a word finds itself
    found = answered(both, both, [("a", "a"), ("b", "c"), ("w", "w"), ("x", "y")])
    assert found == Answers({"a": 1.0, "b": 0.0, "w": 1.0, "x": 0.0}, frozenset("ab"))


def right(*queries: int, of: int = 20) -> list[float]:
    return [float(query in queries) for query in range(of)]


def answers(covered: range, hits: set[int]) -> list[Answers]:
    """One space; of 30 queries some are covered, some are answered right."""
    return [Answers({str(n): float(n in hits) for n in range(30)}, frozenset(map(str, covered)))]


def test_from_eighty_percent_on_all_queries_count() -> None:
    # Covered by both: 3 to 26, 24 of 30, which is 80 %.
    found = compare({"a": answers(range(27), {28}), "b": answers(range(3, 30), {0, 28, 29})})
    assert found.values == {"a": right(28, of=30), "b": right(0, 28, 29, of=30)}
    assert (found.note, found.chooses) == ("", True)


def test_below_only_what_all_candidates_cover_counts() -> None:
    # `a` lacks vectors of 25 to 29, which are spelled alike and so right; `b` knows four words more of 5 to 24.
    spelled, known = set(range(25, 30)), {5, 6, 7, 8}
    found = compare({"a": answers(range(25), spelled), "b": answers(range(5, 30), known)})
    assert found.values == {"a": [0.0] * 20, "b": [1.0] * 4 + [0.0] * 16}
    assert found.best == "b"  # by the rule that counts all it is `a`
    assert found.note.startswith("20 of 30 queries")
    of_b = answers(range(5, 30), known) + answers(range(5, 30), {5})
    two = compare({"a": answers(range(25), spelled) * 2, "b": of_b})
    assert two.values["b"][:5] == [1.0, 0.5, 0.5, 0.5, 0.0]


def test_by_fewer_than_twenty_queries_nothing_is_chosen() -> None:
    found = compare({"a": answers(range(24), set()), "b": answers(range(5, 30), set(range(30)))})
    note = "19 of 30 queries have vectors under every candidate: fewer than 20, the first candidate stays"
    assert (found.best, found.chooses, found.note) == ("a", False, note)


def at(words: str, *degrees: float) -> WordVectors:
    return vectors(words, *([np.cos(angle), np.sin(angle)] for angle in np.radians(degrees)))


# a and b both choose x, which is 10 degrees from a and 20 from b; c chooses z, and is nearest to it.
PLACED, PLACED_NEAR = at("a b c", 0, 30, 200), at("x y z", 10, 90, 205)


def test_mean_cosine_and_mutual_by_hand() -> None:
    lexicon, found = induce(PLACED, PLACED_NEAR, "nn")
    assert found["mean_cosine"] == pytest.approx(np.cos(np.radians([10, 20, 5])).mean())
    assert found["mutual"] == pytest.approx(100 * 2 / 3)  # a and c; x does not retrieve b back
    assert (found["n_queries"], found["signature"]) == (3, "nn|vocab=200000")
    first = {word: ranked[0][0] for word, ranked in lexicon.translations.items()}
    assert first == {"a": "x", "b": "x", "c": "z"}


def test_queries_are_the_most_frequent_but_are_retrieved_back_among_all_words() -> None:
    source = at("b c a", 30, 200, 0)
    lexicon, found = induce(source, PLACED_NEAR, "nn", queries=1)
    assert list(lexicon.translations) == ["b"]
    assert (found["n_queries"], found["mutual"]) == (1, 0.0)  # x prefers a, which is no query
    _, cut = induce(source, PLACED_NEAR, "nn", queries=1, max_vocabulary=2)
    assert (cut["mutual"], cut["signature"]) == (100.0, "nn|vocab=2")  # a is cut off


def test_by_csls_it_is_the_criterion_of_muse() -> None:
    rng = np.random.default_rng(0)
    matrices = [rng.normal(size=(50, 8)).astype(np.float32) for _ in range(2)]
    words = [f"w{i}" for i in range(50)]
    _, found = induce(*(WordVectors(words, matrix) for matrix in matrices), "csls", queries=30)
    expected = Muse(criterion_words=30).criterion(*matrices, np.eye(8, dtype=np.float32))
    assert found["mean_cosine"] == pytest.approx(expected, abs=1e-6)


def test_no_query_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one query"):
        induce(PLACED, PLACED_NEAR, queries=0)


@pytest.mark.parametrize(
    ("first", "second", "chosen"),
    [
        ((), (1,), "first"),  # 1 of 20: mean 0.05, its standard error 0.05
        ((), (1, 2), "second"),  # 2 of 20, all one way: 0.1 against sqrt(0.1 * 0.9 / 19) = 0.069
        ((3,), (1, 2, 4), "first"),  # 3 against 1: 0.1 against sqrt((0.2 - 0.01) / 19) = 0.1
        ((1, 2), (), "first"),
        ((1, 2), (1, 2), "first"),
    ],
)
def test_the_first_candidate_stays_unless_the_best_is_surely_better(first, second, chosen) -> None:
    assert one_standard_error({"first": right(*first), "second": right(*second)}) == chosen


def test_order_is_preference_values_need_not_be_hits_and_one_item_has_no_error() -> None:
    assert one_standard_error({"a": right(), "b": right(*range(8)), "c": right(*range(9))}) == "b"
    assert one_standard_error({"a": [0.5], "b": [0.6]}) == "b"
    noise = np.random.default_rng(0).normal(size=1000)
    assert one_standard_error({"a": noise, "b": noise + 0.01}) == "b"
