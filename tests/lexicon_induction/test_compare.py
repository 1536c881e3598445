"""Which queries count while settings are chosen: all, those that every candidate covers, or none."""

import numpy as np

from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction.choice import Answers, answered, compare


def test_answers_are_by_the_papers_rule_and_say_which_queries_have_vectors() -> None:
    # of both languages: a word finds itself
    vectors = WordVectors(["a", "b", "c"], np.eye(3, dtype=np.float32))
    found = answered(vectors, vectors, [("a", "a"), ("b", "c"), ("w", "w"), ("x", "y")])
    assert found == Answers({"a": 1.0, "b": 0.0, "w": 1.0, "x": 0.0}, frozenset("ab"))


def answers(covered: range, right: set[int], of: int = 30) -> list[Answers]:
    """One space; of `of` queries some are covered, some are answered right."""
    return [Answers({str(n): float(n in right) for n in range(of)}, frozenset(map(str, covered)))]


def test_from_eighty_percent_on_all_queries_count() -> None:
    # Covered by both: 3 to 26, 24 of 30, which is 80 %.
    found = compare({"a": answers(range(27), {28}), "b": answers(range(3, 30), {0, 28, 29})})
    assert found.values == {name: [float(n in right) for n in range(30)]
                            for name, right in (("a", {28}), ("b", {0, 28, 29}))}  # fmt: skip
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
