import numpy as np
import pytest

from crosslingua.errors import ConfigError
from crosslingua.io.vectors import WordVectors
from crosslingua.lexicon_induction.degenerate import is_degenerate
from crosslingua.mappers.procrustes import Procrustes
from crosslingua.mappers.refinement import index_pairs, refine
from mappers.worlds import rotated


@pytest.fixture(scope="module")
def world():
    return rotated()


def spaces(world, shared=0):
    """Source words s0.., target words t0.. where t<i> translates s<i>; before them `shared` words of both."""
    number = len(world.source)
    names = {int(row): f"t{i}" for i, row in enumerate(world.permutation)}
    source = WordVectors([f"s{i}" for i in range(number)], world.source.copy())
    target = WordVectors([names[row] for row in range(number)], world.target.copy())
    common = np.random.default_rng(5).standard_normal((shared, world.source.shape[1])).astype(np.float32)
    words = [f"both{i}" for i in range(shared)]
    both = (WordVectors([*words, *v.words], np.vstack([common, v.matrix])) for v in (source, target))
    return (*both, words)


DICTIONARY = [(f"s{i}", f"t{i}") for i in range(100)]


def test_without_shared_words_all_move(world):
    source, target, _ = spaces(world)
    aligned = refine(Procrustes(), source, target, [*DICTIONARY, ("s0", "absent"), ("absent", "absent")])
    for i in (0, 150, 399):
        np.testing.assert_allclose(aligned.source[f"s{i}"], aligned.target[f"t{i}"], atol=1e-5)
    assert aligned.source.words == source.words
    assert aligned.details["dictionary"] == {
        "pairs": 102, "used": 100, "source_out_of_vocabulary": 1, "target_out_of_vocabulary": 2,
    }  # fmt: skip


def test_shared_words_and_the_target_stay_to_the_bit(world):
    source, target, words = spaces(world, shared=30)
    # The first pair is of shared words, which the fit must not see.
    aligned = refine(Procrustes(), source, target, [("both0", "t3"), *DICTIONARY], shared=words)
    assert aligned.target.matrix.tobytes() == target.matrix.tobytes()
    assert aligned.source.matrix[:30].tobytes() == source.matrix[:30].tobytes()
    np.testing.assert_allclose(aligned.source["s333"], target["t333"], atol=1e-5)
    assert aligned.details["dictionary"]["used"] == 100
    assert aligned.details["dictionary"]["source_out_of_vocabulary"] == 1
    assert aligned.details["shared_words"] == 30


def test_no_usable_pair(world):
    source, target, words = spaces(world, shared=5)
    message = r"none of the 2 dictionary pairs .*\(400 source and 400 target words; 2 source"
    with pytest.raises(ConfigError, match=message):
        refine(Procrustes(), source, target, [("S0", "t0"), ("both1", "T1")], shared=words)


def test_a_dictionary_of_shared_words_teaches_no_map_and_is_called_so(world):
    source, target, words = spaces(world, shared=5)
    aligned = refine(Procrustes(), source, target, [("S0", "t0"), ("both1", "t1")], shared=words)
    assert aligned.source.matrix is source.matrix
    assert aligned.target.matrix is target.matrix
    assert is_degenerate(aligned.details)
    assert aligned.details["dictionary"] == {"pairs": 2, "used": 0}


def test_no_dictionary_and_wrong_shared_words_are_refused(world):
    source, target, _ = spaces(world)
    with pytest.raises(ConfigError, match="--dictionary"):
        refine(Procrustes(), source, target)
    with pytest.raises(ConfigError, match="1 shared words have no target vector"):
        refine(Procrustes(), source, target, DICTIONARY, shared=["s4"])
    with pytest.raises(ConfigError, match="nothing to align"):
        refine(Procrustes(), source, source, DICTIONARY, shared=source.words)


def test_a_dictionary_the_wrong_way_round_is_named(world):
    source, target, _ = spaces(world, shared=5)
    turned = [*((t, s) for s, t in DICTIONARY), *((f"both{i}", f"both{i}") for i in range(5))]
    with pytest.raises(ConfigError, match=r"wrong way round: 5 of its 105 pairs .*, but 10[0-9] with target"):
        refine(Procrustes(), source, target, turned)


def test_index_pairs_by_hand():
    rows, counts = index_pairs([("a", "x"), ("a", "y"), ("b", "z")], {"a": 0, "b": 1}, {"y": 4, "x": 2})
    assert rows.tolist() == [[0, 2], [0, 4]]
    assert counts == {"pairs": 3, "used": 2, "source_out_of_vocabulary": 0, "target_out_of_vocabulary": 1}
