"""The hash table against a dictionary, beyond several growths."""

import numpy as np

from crosslingua.word_aligners.cooccurrence import count_cooccurrence


def test_entries_are_the_distinct_pairs_in_order_of_appearance():
    rng = np.random.default_rng(1)
    drawn = [(rng.integers(0, 400, rng.integers(0, 20)), rng.integers(0, 400, 9)) for _ in range(300)]
    pairs = [([f"s{k}" for k in one], [f"t{k}" for k in other]) for one, other in drawn]
    numbers, wanted = {}, []
    for source, target in pairs:
        wanted += [numbers.setdefault((left, right), len(numbers)) for left in source for right in target]
    found = count_cooccurrence(pairs)
    assert len(numbers) > 3 * 2**11  # the table grew more than once
    assert found.entries.tolist() == wanted
    assert found.starts.tolist() == np.cumsum([0, *(len(s) * len(t) for s, t in pairs)])[:-1].tolist()
    full = [pair for pair in pairs if all(pair)]
    assert len(full) < len(pairs)
    words = [list(dict.fromkeys(word for pair in full for word in pair[side])) for side in (0, 1)]
    assert [(words[0][s], words[1][t]) for s, t in found.types.T] == list(numbers)


def test_no_pairs():
    found = count_cooccurrence([])
    assert len(found) == 0
    assert found.entries.shape == (0,)
