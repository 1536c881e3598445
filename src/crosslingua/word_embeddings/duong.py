"""Dictionary-supervised joint training (Duong et al. 2016), the supervised joint baseline of joint_align table 1.

CBOW over sentences of both languages in mixed order: a context predicts the word and one of its translations. v are
input ("context") vectors, u output vectors, h the mean of v over the context of word w, t its chosen translation and n
sampled words. The loss of one position is

    - a log sigma(u_w h) - (1 - a) log sigma(u_t h) - sum_n log sigma(-u_n h) + d (|u_w - v_w|^2 + |u_t - v_t|^2)

and for a word without translations - log sigma(u_w h) - sum_n log sigma(-u_n h) + d |u_w - v_w|^2. The translation is
chosen at each occurrence, a hard EM: t = argmax over the dictionary of cos(v_t, v_w + h).

Published are both terms of the prediction, the choice by context and word, negatives from the unigrams of both corpora,
and the tie of u and v by d. Vectors are u, or u and v interpolated or concatenated. The authors' program has the
options below as defaults, and writes u. Reconstructed: a = 0.5; the choice compares input vectors; the tie pulls a word
at each prediction, so frequent words more often; weight 1 for words without translations. As in word2vec: random window
size, noise from counts^0.75, subsampling, linearly falling rate, initial values. The same spelling in both languages
has two vectors (joint_align, section 2.2).

A word without translations is only a negative sample in contexts of the other language. This drives its u, and by the
tie its v, away from its translation. The authors' dictionary covered most words; for a small one choose a larger
`delta`, or `concatenation`.
"""

import logging
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import njit

from crosslingua.corpora.counting import count_words
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.decode import decoded_lines, once_more, tokens_of
from crosslingua.io.vectors import WordVectors
from crosslingua.word_embeddings.draws import (
    FAST,
    below,
    keep_probability,
    keep_words,
    noise_table,
    random_state,
)
from crosslingua.word_embeddings.settings import Duong

log = logging.getLogger(__name__)

NOISE_POWER = 0.75  # word2vec
FINAL_RATE = 1e-4  # of the initial rate (word2vec)


COMBINATIONS = {
    "output": lambda v, u, gamma: u,
    "input": lambda v, u, gamma: v,
    "interpolation": lambda v, u, gamma: gamma * v + (1 - gamma) * u,
    "concatenation": lambda v, u, gamma: np.hstack([v, u]),
}


@dataclass(frozen=True)
class BilingualText:
    """Sentences of two languages, with word numbers that count the source vocabulary first.

    `tokens` (t,) int32 are all sentences, the source's first; sentence i is `tokens[sentences[i]:sentences[i + 1]]`;
    `counts` (n,) int64 are the words' occurrences.
    """

    source_words: list[str]
    target_words: list[str]
    counts: np.ndarray
    tokens: np.ndarray
    sentences: np.ndarray


def read_bilingual(
    source: str | Path, target: str | Path, min_count: int, max_vocabulary: int | None
) -> BilingualText:
    """Read two texts (words separated by spaces) and number their words, most frequent first.

    Words below `min_count`, or beyond the `max_vocabulary` most frequent of their language, are dropped, and then
    sentences of fewer than two words. Raises InputError when a text has no sentence left.
    """
    first, second = (_read(path, min_count, max_vocabulary) for path in (source, target))
    lengths = first[3] + second[3]
    return BilingualText(
        source_words=first[0],
        target_words=second[0],
        counts=np.array(first[1] + second[1], dtype=np.int64),
        tokens=np.concatenate([first[2], second[2] + len(first[0])]).astype(np.int32),
        sentences=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
    )


def _read(
    path: str | Path, min_count: int, max_vocabulary: int | None
) -> tuple[list[str], list[int], np.ndarray, list[int]]:
    """Return words, their counts, the numbers of all kept tokens, and the sentences' lengths."""
    once_more(path)
    ranked = sorted(count_words(path).items(), key=lambda item: (-item[1], item[0]))[:max_vocabulary]
    ranked = [(word, count) for word, count in ranked if count >= min_count]
    if not ranked:
        raise InputError(path, f"no word occurs {min_count} times or more", remedy="lower min_count")
    number = {word: place for place, (word, _) in enumerate(ranked)}.get
    tokens, lengths = [], []
    for line in decoded_lines(path):
        numbers = [place for word in tokens_of(line) if (place := number(word)) is not None]
        if len(numbers) > 1:
            tokens.append(np.array(numbers, dtype=np.int32))
            lengths.append(len(numbers))
    if not tokens:
        raise InputError(path, "no sentence has two frequent words", remedy="lower min_count")
    words, counts = map(list, zip(*ranked, strict=True))
    return words, counts, np.concatenate(tokens), lengths


@dataclass(frozen=True)
class Learnt:
    """Trained input and output vectors (n, dim) float32 of both languages' words, source first."""

    source_words: list[str]
    target_words: list[str]
    inputs: np.ndarray
    outputs: np.ndarray

    def vectors(self, options: Duong) -> tuple[WordVectors, WordVectors]:
        """Return each language's vectors, as `combine` and `gamma` say: twice as wide for `concatenation`."""
        combined = COMBINATIONS[options.combine](self.inputs, self.outputs, np.float32(options.gamma))
        matrix, split = np.asarray(combined, dtype=np.float32), len(self.source_words)
        return WordVectors(self.source_words, matrix[:split]), WordVectors(self.target_words, matrix[split:])


def learn(
    source_text: str | Path,
    target_text: str | Path,
    dictionary: Iterable[tuple[str, str]],
    options: Duong,
    *,
    seed: int,
) -> Learnt:
    """Train on two texts (a sentence a line, words separated by spaces), most frequent words first.

    `dictionary` pairs (source word, target word) serve both directions. One thread: the same seed gives the same bits.
    Raises InputError for texts without frequent words, ConfigError when no pair of the dictionary is in vocabulary.
    """
    text = read_bilingual(source_text, target_text, options.min_count, options.max_vocabulary)
    table, rng, size = translation_table(text, dictionary), np.random.default_rng(seed), len(text.counts)
    v = ((rng.random((size, options.dim), dtype=np.float32) - 0.5) / options.dim).astype(np.float32)
    u = np.zeros_like(v)
    keep, noise = keep_probability(text.counts, options.sample), noise_table(text.counts, NOISE_POWER)
    rates = np.array([options.lr, options.lr * FINAL_RATE, options.negative])
    state = random_state(rng)
    total = options.epoch * len(text.tokens)
    for number in range(options.epoch):
        order = rng.permutation(len(text.sentences) - 1)
        loss, trained = epoch(
            (text.tokens, text.sentences), order, number * len(text.tokens), total, u, v, table, keep, noise,
            options.window, options.alpha, options.delta, rates, state,
        )  # fmt: skip
        if not trained:
            raise InputError(
                "corpus",
                f"no sentence of {len(text.tokens)} words in all has two left after subsampling",
                remedy=f"give more text, or raise `sample` (now {options.sample:g}): it drops most of little text",
            )
        log.info("epoch %d of %d: loss %.4f a word", number + 1, options.epoch, loss / trained)
        if not np.isfinite(loss):
            raise ConfigError(f"duong: training diverged in epoch {number + 1}; lower lr (now {options.lr})")
    return Learnt(text.source_words, text.target_words, inputs=v, outputs=u)


def translation_table(
    text: BilingualText, dictionary: Iterable[tuple[str, str]]
) -> tuple[np.ndarray, np.ndarray]:
    """Return (starts (n + 1,), translations); word w has `translations[starts[w]:starts[w + 1]]`.

    They are in the dictionary's order, in both directions, without repeats and pairs out of vocabulary. Raises
    ConfigError when none is left.
    """
    source = {word: number for number, word in enumerate(text.source_words)}
    target = {word: number for number, word in enumerate(text.target_words, len(source))}
    found: list[dict[int, None]] = [{} for _ in range(len(source) + len(target))]
    for word, translation in dictionary:
        if word in source and translation in target:
            found[source[word]][target[translation]] = None
            found[target[translation]][source[word]] = None
    if not any(found):
        raise ConfigError(
            f"no pair of the dictionary has both words in the vocabularies ({len(source)} source, {len(target)} "
            "target words): are texts and dictionary in the same order of languages, in the same casing?"
        )
    sizes = [len(several) for several in found]
    flat = [translation for several in found for translation in several]
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), np.array(flat, dtype=np.int64)


@njit(cache=True, fastmath=FAST)
def mean_of(rows, context, size, out):
    """Write the mean of `rows[context[:size]]` to `out`."""
    out[:] = np.float32(0)
    for place in range(size):
        row = rows[context[place]]
        for i in range(out.size):
            out[i] += row[i]
    scale = np.float32(1 / size)
    for i in range(out.size):
        out[i] *= scale


@njit(cache=True, fastmath=FAST)
def choose(word, hidden, v, starts, translations):
    """Return the translation of `word` whose input vector is nearest, by cosine, to v_word + h; -1 without any."""
    first, last = starts[word], starts[word + 1]
    if first == last:
        return -1
    if last - first == 1:
        return translations[first]
    own, best, chosen = v[word], -math.inf, -1
    for place in range(first, last):
        row, dot, square = v[translations[place]], np.float32(0), np.float32(0)
        for i in range(row.size):
            dot += row[i] * (own[i] + hidden[i])
            square += row[i] * row[i]
        similarity = dot / math.sqrt(square) if square > 0 else np.float32(0)
        if similarity > best:
            best, chosen = similarity, translations[place]
    return chosen


@njit(cache=True, fastmath=FAST)
def _predict(word, label, weight, tie, rate, hidden, error, u, v):
    """Take one step on -weight log sigma(±u_word h) + tie |u_word - v_word|^2; return that loss. The gradient with
    respect to h is added to `error`; `tie` is 0 for negative samples.
    """
    out, own, score = u[word], v[word], np.float32(0)
    for i in range(out.size):
        score += out[i] * hidden[i]
    probability = 1 / (1 + math.exp(-min(max(score, -30.0), 30.0)))
    pull = np.float32(weight * (probability - label))  # d loss / d score
    rate, distance = np.float32(rate), np.float32(0)
    if tie == 0:
        for i in range(out.size):
            error[i] += pull * out[i]
            out[i] -= rate * pull * hidden[i]
    else:
        force = np.float32(2 * tie)
        for i in range(out.size):
            gap = out[i] - own[i]
            distance += gap * gap
            error[i] += pull * out[i]
            out[i] -= rate * (pull * hidden[i] + force * gap)
            own[i] += rate * force * gap
    return -weight * math.log(max(probability if label else 1 - probability, 1e-13)) + tie * distance


@njit(cache=True, fastmath=FAST)
def step(word, context, size, translation, negatives, alpha, delta, rate, hidden, error, u, v):
    """Take one gradient step on the loss of one position (module docstring); return that loss. `hidden` holds h of
    `context[:size]`; `negatives` are word numbers; `error` is working space.
    """
    error[:] = np.float32(0)
    share = alpha if translation >= 0 else 1.0
    loss = _predict(word, 1, share, delta, rate, hidden, error, u, v)
    if translation >= 0:
        loss += _predict(translation, 1, 1 - alpha, delta, rate, hidden, error, u, v)
    for negative in negatives:
        if negative != word and negative != translation:
            loss += _predict(negative, 0, 1.0, 0.0, rate, hidden, error, u, v)
    rate = np.float32(rate)  # word2vec leaves out the 1 / size of dh / dv, and so do we
    for place in range(size):
        row = v[context[place]]
        for i in range(error.size):
            row[i] -= rate * error[i]
    return loss


@njit(cache=True, nogil=True)
def epoch(text, order, done, total, u, v, table, keep, noise, window, alpha, delta, rates, state):
    """Train on every sentence once, in `order`; return the summed loss and the number of trained positions.

    `text` are tokens and the bounds (s + 1,) of their sentences; `table` comes from `translation_table`. `done` of
    `total` words precede: the rate falls linearly from rates[0] to rates[1]. `noise` is a table of word numbers for
    negatives; `keep` the probability of keeping a word; `state` the random state.
    """
    (tokens, sentences), (starts, translations) = text, table
    negatives = np.empty(int(rates[2]), dtype=np.int64)
    hidden, error = np.empty(u.shape[1], dtype=np.float32), np.empty(u.shape[1], dtype=np.float32)
    kept = np.empty(np.diff(sentences).max(), dtype=np.int64)
    context = np.empty(2 * window, dtype=np.int64)
    loss, trained = 0.0, 0
    for sentence in order:
        bounds = sentences[sentence], sentences[sentence + 1]
        rate = max(rates[0] * (1 - done / total), rates[1])
        done += bounds[1] - bounds[0]
        size = keep_words(tokens[bounds[0] : bounds[1]], keep, state, kept)
        for place in range(size):
            reach = 1 + below(state, window)
            width = 0
            for other in range(max(0, place - reach), min(size, place + reach + 1)):
                if other != place:
                    context[width] = kept[other]
                    width += 1
            if width == 0:
                continue
            word = kept[place]
            mean_of(v, context, width, hidden)
            translation = choose(word, hidden, v, starts, translations)
            for i in range(negatives.size):
                negatives[i] = noise[below(state, noise.size)]
            loss += step(
                word, context, width, translation, negatives, alpha, delta, rate, hidden, error, u, v
            )
            trained += 1
    return loss, trained
