"""fastText vectors of one corpus (independent training) or of several concatenated (joint training: joint_align,
section 2.2), where words of both languages are the only anchors.
"""

import tempfile
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from crosslingua.corpora.counting import count_words
from crosslingua.errors import ConfigError, InputError
from crosslingua.io import content
from crosslingua.io.atomic import named
from crosslingua.io.decode import decoded_lines, once_more
from crosslingua.io.vectors import WordVectors, write_vectors
from crosslingua.settings import Count, Positive, Size, Whole, settings

FRESH = 2**24  # floats (64 MiB) from which an allocation is fresh, zeroed memory on every platform
LONG = 20_000_000  # bytes of text read in all passes, from which fastText shows its progress
END_OF_SENTENCE = "</s>"  # fastText counts line ends as a word
MOST_PASSES = 15  # with more, translations of words in help pages of 100,000 words get fewer


@settings
class FastText:
    """Hyperparameters under fastText's own names; defaults are fastText's, with 300 dimensions (section 4.2)."""

    model: Annotated[Literal["skipgram", "cbow"], "objective"] = "skipgram"
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
        if self.maxn and self.bucket * self.dim < FRESH:
            raise ConfigError(
                f"bucket {self.bucket}: subwords of {self.dim} dimensions need at least {-(-FRESH // self.dim)}: "
                f"say --bucket {-(-FRESH // self.dim)}, or more dimensions, or no subwords by --maxn 0"
            )
        for text in texts:
            once_more(text)
        with tempfile.TemporaryDirectory() as folder:
            start, corpus = Path(folder) / "start.vec", Path(folder) / "corpus.txt"
            counts = sum((count_words(text) for text in texts), Counter[str]())
            write_vectors(start, self._start(texts, counts, seed))
            if len(texts) == 1 and _is_plain(Path(texts[0])):
                corpus = Path(texts[0])
            else:
                with named(corpus), corpus.open("w", encoding="utf-8", newline="\n") as stream:
                    stream.writelines(f"{line}\n" for text in texts for line in decoded_lines(text))
            # Texts of two languages are read as often together as each alone.
            words, matrix = self._fit(corpus, start, seed, self.passes(counts.total() / len(texts)))
        keep = [i for i, word in enumerate(words) if word != END_OF_SENTENCE][:max_vocabulary]
        return WordVectors([words[i] for i in keep], matrix[keep])

    def passes(self, words: float) -> int:
        """Return the passes over a text of so many words."""
        return max(self.epoch, min(MOST_PASSES, round(self.words_read / words)))

    def _start(self, texts: Sequence[str | Path], counts: Counter[str], seed: int) -> WordVectors:
        """Draw every word's initial vector from U(-1/dim, 1/dim), and pass them as pretrained vectors.

        fastText 0.9.3 with one thread draws only a tenth of the matrix (DenseMatrix::uniform); the rest is
        uninitialised memory ("Encountered NaN"). Subwords cannot be passed; the rest of their matrix is zeros.
        """
        words = [END_OF_SENTENCE, *sorted(word for word, count in counts.items() if count >= self.minCount)]
        if len(words) == 1:
            names = ", ".join(map(str, texts))
            raise InputError(names, f"no word occurs {self.minCount} times", remedy="lower minCount")
        size = (len(words), self.dim)
        drawn = np.random.default_rng(seed).uniform(-1 / self.dim, 1 / self.dim, size)
        return WordVectors(words, drawn.astype(np.float32))

    def _fit(self, corpus: Path, start: Path, seed: int, passes: int) -> tuple[list[str], np.ndarray]:
        from fasttext import FastText as library

        # `train_unsupervised` ignores `seed`; these are its other lines.
        arguments = library.unsupervised_default | asdict(self) | {"epoch": passes}
        del arguments["words_read"]
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


def _is_plain(path: Path) -> bool:
    r"""Whether fastText can read a text itself: uncompressed, each line ended by `\n`, without byte-order marks."""
    if not content.is_plain(path):
        return False
    with path.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as held:
        return held[-1:] == b"\n" and held.find(b"\r") < 0 and held.find(BOM_UTF8) < 0
