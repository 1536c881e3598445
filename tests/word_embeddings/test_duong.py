"""One step against finite differences of the stated loss; sampling against its distribution; planted translations."""

from dataclasses import replace

import numpy as np
import pytest

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.vectors import read_vectors
from crosslingua.lexicon_induction.bli import predict, score
from crosslingua.word_embeddings import duong
from crosslingua.word_embeddings.duong import learn
from crosslingua.word_embeddings.settings import Duong

ALPHA, DELTA = 0.3, 0.05


def stated_loss(u, v, word, context, translation, negatives):
    """The loss of `duong`'s docstring, written down once more."""

    log_sigma = lambda x: -np.log1p(np.exp(-x))  # noqa: E731
    h = v[context].mean(axis=0)
    share = ALPHA if translation >= 0 else 1
    loss = -share * log_sigma(u[word] @ h) + DELTA * ((u[word] - v[word]) ** 2).sum()
    if translation >= 0:
        loss -= (1 - ALPHA) * log_sigma(u[translation] @ h)
        loss += DELTA * ((u[translation] - v[translation]) ** 2).sum()
    return loss - sum(log_sigma(-u[n] @ h) for n in negatives)


@pytest.mark.parametrize("translation", [7, -1])
def test_one_step_follows_the_gradient_of_the_stated_loss(translation):
    rng = np.random.default_rng(0)
    u, v = (rng.normal(size=(12, 5)) for _ in range(2))
    word, context = 3, np.array([1, 2, 3, 10])  # the word stands in its context too
    negatives = np.array([0, 4, 5])
    arguments = word, context, translation, negatives

    def numeric(matrix):
        gradient, small = np.zeros_like(matrix), 1e-6
        for place in np.ndindex(matrix.shape):
            kept = matrix[place]
            for shift in (small, -small):
                matrix[place] = kept + shift
                gradient[place] += stated_loss(u, v, *arguments) / (2 * shift)
            matrix[place] = kept
        return gradient

    gradient_u, gradient_v = numeric(u), numeric(v)
    tie = np.zeros_like(v)
    for tied in {word, translation} - {-1}:
        tie[tied] = -2 * DELTA * (u[tied] - v[tied])
    # As in word2vec, the step of v leaves out the mean's 1 / |context|: four times the gradient but for the tie.
    expected_v = 4 * (gradient_v - tie) + tie
    rate, new_u, new_v = 1e-2, u.astype(np.float32), v.astype(np.float32)
    hidden, error = np.empty(5, np.float32), np.empty(5, np.float32)
    duong.mean_of(new_v, context, 4, hidden)
    new = hidden, error, new_u, new_v
    loss = duong.step(word, context, 4, translation, negatives, ALPHA, DELTA, rate, *new)
    assert loss == pytest.approx(stated_loss(u, v, *arguments), rel=1e-5)
    np.testing.assert_allclose((u - new_u) / rate, gradient_u, atol=2e-5)
    np.testing.assert_allclose((v - new_v) / rate, expected_v, atol=5e-5)


def test_the_translation_chosen_is_the_nearest_to_word_plus_context():
    rng = np.random.default_rng(1)
    v = rng.normal(size=(40, 6)).astype(np.float32) * rng.uniform(0.1, 9, (40, 1)).astype(np.float32)
    starts = np.concatenate([[0], np.cumsum(np.arange(40) % 5)])
    translations = rng.integers(0, 40, starts[-1])
    for word in range(40):
        h = rng.normal(size=6).astype(np.float32)
        candidates = translations[starts[word] : starts[word + 1]]
        chosen = duong.choose(word, h, v, starts, translations)
        if not len(candidates):
            assert chosen == -1
            continue
        query = v[word] + h
        cosines = [v[c] @ query / np.linalg.norm(v[c]) / np.linalg.norm(query) for c in candidates]
        assert chosen == candidates[int(np.argmax(cosines))]


def test_texts_become_numbers(tmp_path):
    (tmp_path / "a").write_text("b a  a\nrare\na b\n")
    (tmp_path / "b").write_text("x a x\n\nx a\n")
    text = duong.read_bilingual(tmp_path / "a", tmp_path / "b", 2, None)
    assert (text.source_words, text.target_words) == (["a", "b"], ["x", "a"])
    assert text.counts.tolist() == [3, 2, 3, 2]
    assert text.tokens.tolist() == [1, 0, 0, 0, 1, 2, 3, 2, 2, 3]
    assert text.sentences.tolist() == [0, 3, 5, 8, 10]
    assert duong.read_bilingual(tmp_path / "a", tmp_path / "b", 1, 2).target_words == ["x", "a"]
    with pytest.raises(InputError, match="no word occurs 9 times"):
        duong.read_bilingual(tmp_path / "a", tmp_path / "b", 9, None)
    pairs = [("a", "x"), ("a", "a"), ("a", "x"), ("b", "a"), ("c", "x")]
    starts, translations = duong.translation_table(text, pairs)
    lists = [translations[starts[i] : starts[i + 1]].tolist() for i in range(4)]
    assert lists == [[2, 3], [3], [0], [0, 1]]
    with pytest.raises(ConfigError, match="no pair of the dictionary"):
        duong.translation_table(text, [("x", "a")])


OPTIONS = Duong(dim=24, window=5, negative=5, epoch=10, lr=0.05, sample=1e-2, delta=0.1)


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Texts of 120 words on one circle of meanings, where neighbours occur together; a dictionary; pairs held out."""
    folder, rng = tmp_path_factory.mktemp("planted"), np.random.default_rng(2)
    for name in "ab":
        numbers = rng.integers(0, 120, (3000, 1)) + np.rint(3 * rng.normal(size=(3000, 12))).astype(int)
        lines = (" ".join(f"{name}{i}" for i in row) + "\n" for row in numbers % 120)
        (folder / name).write_text("".join(lines))
    pairs = [(f"a{i}", f"b{i}") for i in np.random.default_rng(3).permutation(120)]
    return folder / "a", folder / "b", pairs[:60], pairs[60:]


def test_too_little_text_is_told_as_such(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"{name}one {name}two\n" * 3)
    sparse = Duong(dim=4, epoch=1, min_count=1, sample=1e-9)
    message = r"no sentence of 12 words in all .*give more text, or raise `sample` \(now 1e-09\)"
    with pytest.raises(InputError, match=message):
        learn(tmp_path / "a", tmp_path / "b", [("aone", "bone")], sparse, seed=1)


@pytest.mark.parametrize("combine", ["output", "input", "interpolation", "concatenation"])
def test_translations_outside_the_dictionary_become_neighbours(planted, combine):
    source, target, seed, held_out = planted
    options = replace(OPTIONS, combine=combine)
    a, b = learn(source, target, seed, options, seed=1).vectors(options)
    assert a.dimension == (48 if combine == "concatenation" else 24)
    assert score(predict(a, b, seed), seed)["p_at_5"] > 90
    assert score(predict(a, b, held_out), held_out)["p_at_10"] > 60  # chance: 10 of 120


def test_the_tie_carries_the_alignment_from_input_to_output_vectors(planted):
    # As negative samples, words without translations lose the other language's contexts in u; v keeps them.
    source, target, seed, held_out = planted
    precision = {}
    for delta in (0, 0.1):
        options = replace(OPTIONS, delta=delta)
        found = predict(*learn(source, target, seed, options, seed=1).vectors(options), held_out)
        precision[delta] = score(found, held_out)["p_at_10"]
    assert precision[0.1] > precision[0] + 40


def test_the_dictionary_is_what_aligns(planted):
    source, target, seed, held_out = planted
    wrong = [(word, f"b{(int(word[1:]) * 7 + 5) % 120}") for word, _ in seed]
    vectors = learn(source, target, wrong, OPTIONS, seed=1).vectors(OPTIONS)
    assert score(predict(*vectors, held_out), held_out)["p_at_10"] < 30


def test_same_seed_same_bits(planted):
    short = replace(OPTIONS, epoch=1)
    found = (learn(*planted[:3], short, seed=seed).vectors(short)[1] for seed in (1, 1, 2))
    one, same, other = (vectors.matrix.tobytes() for vectors in found)
    assert one == same != other


@pytest.mark.parametrize("wrong", ["dim=0", "alpha=2", "lr=0", "delta=-1", "combine=sum"])
def test_senseless_options_are_refused(wrong):
    name, value = wrong.split("=")
    with pytest.raises(ConfigError, match=name):
        Duong(**{name: value if name == "combine" else int(value)})


def test_the_script(planted, tmp_path, script):
    source, target, seed, _ = planted
    (tmp_path / "d.txt").write_text("".join(f"{a} {b}\n" for a, b in seed))
    named = {"dim": 24, "window": 5, "negative": 5, "epoch": 2, "lr": 0.05, "sample": 1e-2, "delta": 0.1}
    options = [f"--{name}={value}" for name, value in named.items()]
    files = ("--text", source, target, "--dictionary", "d.txt", "--out", "a.vec", "b.vec")
    assert "epoch 2 of 2" in script("train_duong.py", *files, *options, "--seed", 1).stderr
    short = replace(OPTIONS, epoch=2)
    expected = learn(source, target, seed, short, seed=1).vectors(short)
    for name, vectors in zip("ab", expected, strict=True):
        back = read_vectors(tmp_path / f"{name}.vec")
        assert back.words == vectors.words
        assert back.matrix.tobytes() == vectors.matrix.tobytes()
