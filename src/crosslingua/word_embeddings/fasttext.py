"""Vectors as fastText trains them, of one corpus (independent training) or of several concatenated (joint training:
joint_align, section 2.2), where words of both languages are the only anchors.
"""

import tempfile
from array import array
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from crosslingua.corpora.counting import count_words
from crosslingua.errors import ConfigError, InputError, optional
from crosslingua.io import content
from crosslingua.io.atomic import named
from crosslingua.io.decode import decoded_lines, once_more, tokens_of
from crosslingua.io.vectors import WordVectors, write_vectors
from crosslingua.settings import Count, Positive, Size, Whole, settings

FRESH = 2**24  # floats (64 MiB) from which an allocation is fresh, zeroed memory on every platform
LONG = 20_000_000  # bytes of text read in all passes, from which fastText shows its progress
END_OF_SENTENCE = "</s>"  # fastText counts line ends as a word
MOST_PASSES = 15  # with more, translations of words in help pages of 100,000 words get fewer


@settings
class FastText:
    """Hyperparameters under fastText's own names; defaults are fastText's, with 300 dimensions (section 4.2)."""

    program: Annotated[
        Literal["crosslingua", "fasttext"],
        "our kernel, which takes a fraction of the time, or fastText itself",
    ] = "crosslingua"
    model: Annotated[Literal["skipgram", "cbow"], "objective; cbow needs program fasttext"] = "skipgram"
    dim: Annotated[Size, "dimensions"] = 300
    epoch: Annotated[Count, "passes over the corpus"] = 5
    lr: Annotated[Positive, "initial learning rate"] = 0.05
    ws: Annotated[Count, "window: words on either side"] = 5
    minCount: Annotated[Count, "least occurrences of a word"] = 5
    minn: Annotated[Whole, "characters of the smallest subword"] = 3
    maxn: Annotated[Whole, "characters of the largest subword; 0: no subwords"] = 6
    neg: Annotated[Count, "negative samples a word"] = 5
    bucket: Annotated[Count, "hash buckets of subwords"] = 2_000_000
    t: Annotated[Positive, "frequency from which words are thinned out"] = 1e-4
    words_read: Annotated[
        Whole, f"passes over a small text go on until so many words are read, {MOST_PASSES} times at most"
    ] = 0

    def train(
        self, texts: Sequence[str | Path], *, seed: int, max_vocabulary: int | None = None
    ) -> WordVectors:
        """Train on the concatenation of `texts` and return the vectors, most frequent words first.

        Subword n-grams are used when `maxn` > 0. One thread, since fastText's parallel updates race. Raises InputError
        for a text without words or with control characters in them, and when no word reaches `minCount`.
        """
        if seed < 0:
            raise ConfigError(f"seed {seed}: fastText takes seeds of 0 or more")
        if self.program == "crosslingua" and self.model != "skipgram":
            raise ConfigError(f"model {self.model}: our kernel trains skipgram; choose program fasttext")
        if self.program == "fasttext" and self.maxn and self.bucket * self.dim < FRESH:
            raise ConfigError(
                f"bucket {self.bucket}: subwords of {self.dim} dimensions need at least {-(-FRESH // self.dim)}: "
                f"say --bucket {-(-FRESH // self.dim)}, or more dimensions, or no subwords by --maxn 0"
            )
        for text in texts:
            once_more(text)
        counts = sum((count_words(text) for text in texts), Counter[str]())
        start = self._start(texts, counts, seed)
        # Texts of two languages are read as often together as each alone.
        passes = self.passes(counts.total() / len(texts))
        if self.program == "crosslingua":
            words, matrix = self._learn(texts, counts, start, seed, passes)
        else:
            words, matrix = self._fit(texts, start, seed, passes)
        keep = [i for i, word in enumerate(words) if word != END_OF_SENTENCE][:max_vocabulary]
        return WordVectors([words[i] for i in keep], matrix[keep])

    def passes(self, words: float) -> int:
        """Return the passes over a text of so many words."""
        return max(self.epoch, min(MOST_PASSES, round(self.words_read / words)))

    def _start(self, texts: Sequence[str | Path], counts: Counter[str], seed: int) -> WordVectors:
        """Draw every word's initial vector from U(-1/dim, 1/dim), which fastText takes as pretrained vectors.

        fastText 0.9.3 with one thread draws only a tenth of the matrix (DenseMatrix::uniform); the rest is
        uninitialised memory ("Encountered NaN"). fastText cannot be passed subwords; the rest of their matrix is zeros.
        """
        words = [END_OF_SENTENCE, *sorted(word for word, count in counts.items() if count >= self.minCount)]
        if len(words) == 1:
            raise InputError(_names(texts), f"no word occurs {self.minCount} times", remedy="lower minCount")
        size = (len(words), self.dim)
        drawn = np.random.default_rng(seed).uniform(-1 / self.dim, 1 / self.dim, size)
        return WordVectors(words, drawn.astype(np.float32))

    def _learn(
        self, texts: Sequence[str | Path], counts: Counter[str], start: WordVectors, seed: int, passes: int
    ) -> tuple[list[str], np.ndarray]:
        """Train by our own kernel, in a fraction of fastText's time."""
        from crosslingua.word_embeddings.skipgram import learn
        from crosslingua.word_embeddings.subwords import subwords_of

        number = dict.fromkeys(counts, -1) | {word: place for place, word in enumerate(start.words)}
        read, ends = array("i"), []
        for text in texts:
            for line in decoded_lines(text):
                read.extend(map(number.__getitem__, tokens_of(line)))
                read.append(number[END_OF_SENTENCE])
                ends.append(len(read))
        tokens = np.asarray(read, dtype=np.int32)
        known = tokens >= 0
        bounds, tokens = np.concatenate([[0], np.cumsum(known)[np.array(ends) - 1]]), tokens[known]
        occurrences = np.bincount(tokens)
        starts, rows, size = subwords_of(start.words, self.minn, self.maxn, self.bucket)
        more = np.random.default_rng([seed, 1]).uniform(-1, 1, (size - len(start.words), self.dim)) / self.dim
        vectors, _ = learn(
            tokens, bounds, occurrences, np.concatenate([start.matrix, more.astype(np.float32)]), (starts, rows),
            passes=passes, lr=self.lr, window=self.ws, negative=self.neg, sample=self.t, seed=seed,
        )  # fmt: skip
        if not np.isfinite(vectors).all():
            raise InputError(_names(texts), "skip-gram training diverged", remedy=f"lower lr (now {self.lr})")
        order = np.argsort(-occurrences, kind="stable")
        return [start.words[place] for place in order], vectors[order]

    def _fit(
        self, texts: Sequence[str | Path], start: WordVectors, seed: int, passes: int
    ) -> tuple[list[str], np.ndarray]:
        """Train by fastText on one file, which holds all texts."""
        with tempfile.TemporaryDirectory() as folder:
            initial, corpus = Path(folder) / "start.vec", Path(folder) / "corpus.txt"
            write_vectors(initial, start)
            if len(texts) == 1 and _is_plain(Path(texts[0])):
                corpus = Path(texts[0])
            else:
                with named(corpus), corpus.open("w", encoding="utf-8", newline="\n") as stream:
                    stream.writelines(f"{line}\n" for text in texts for line in decoded_lines(text))
            return self._run(corpus, initial, seed, passes)

    def _run(self, corpus: Path, start: Path, seed: int, passes: int) -> tuple[list[str], np.ndarray]:
        library = optional("fasttext.FastText", "fasttext", "program fasttext")
        # `train_unsupervised` ignores `seed`; these are its other lines.
        arguments = library.unsupervised_default | asdict(self) | {"epoch": passes}
        del arguments["words_read"], arguments["program"]
        arguments |= {"input": str(corpus), "thread": 1, "seed": seed}
        arguments["verbose"] = 2 if corpus.stat().st_size * passes > LONG else 0
        arguments |= {"pretrainedVectors": str(start), "bucket": self.bucket if self.maxn else 0}
        built = library._build_args(arguments, dict.fromkeys(arguments, True))
        model = library._FastText(args=built)
        try:
            library.fasttext.train(model.f, built)
        except RuntimeError as error:
            raise InputError(corpus, f"fastText: {error}", remedy=f"lower lr (now {self.lr})") from None
        model.set_args(model.f.getArgs())
        words = model.get_words(on_unicode_error="replace")
        return words, np.array([model.get_word_vector(word) for word in words], dtype=np.float32)


def _names(texts: Sequence[str | Path]) -> str:
    return ", ".join(map(str, texts))


def _is_plain(path: Path) -> bool:
    r"""Whether fastText can read a text itself: uncompressed, each line ended by `\n`, without byte-order marks."""
    if not content.is_plain(path):
        return False
    with path.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as held:
        return held[-1:] == b"\n" and held.find(b"\r") < 0 and held.find(BOM_UTF8) < 0
