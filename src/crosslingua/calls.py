"""What `import crosslingua` offers: a call each to ask about two texts, align words, map vectors, induce a lexicon,
score alignments, and judge two systems.

Arguments are what people have at hand. Sentences are text or lists of words. Vectors are a file, words with a matrix,
or a model of gensim or model2vec. A dictionary is a file or pairs of words. Results are those of the commands.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from crosslingua.arrays import check_whole
from crosslingua.errors import ConfigError, InputError, optional
from crosslingua.io.vectors import WordVectors, read_vectors

if TYPE_CHECKING:
    import pandas as pd

    from crosslingua.claims.two_systems import Runs, TwoSystems
    from crosslingua.mappers.refinement import Aligned
    from crosslingua.two_texts.conclusion import Answer

Link = tuple[int, int]  # word of the source, word of the target, from 0
Sentences = Iterable[str | Sequence[str]]
Pairs = str | Path | Iterable[tuple[str, str]]
FASTTEXT = ".bin"


def ask(
    source: str | Path,
    target: str | Path,
    dictionary: str | Path | None = None,
    *,
    languages: tuple[str, str] | None = None,
    seeds: int = 3,
    cores: int | None = None,
    results: str | Path | None = None,
    vectors: tuple[str | Path, str | Path] | None = None,
    bitext: Sequence[str | Path] = (),
    encoder: str | Path = "",
) -> "Answer":
    """Say for two texts whether to align, to train jointly, or both: what the command `crosslingua ask` does.

    Texts are files, UTF-8, a sentence a line; the dictionary has `source target` a line. `languages` are two codes, by
    default the ends of the files' names. `vectors` are two `.vec` files that the dictionary maps. `bitext` is two
    parallel files, TMX, or lines with a tab. `encoder` is a Hugging Face folder or name. All compete, and so does the
    word alignment of texts that are parallel.

    The run takes minutes, goes on where an earlier one stopped, and writes to `ask_SOURCE_TARGET` in `results`, by
    default `results` in this folder. Raises InputError for texts and dictionaries that cannot be meant, and
    CrosslinguaError where the run fails.
    """
    run = optional("crosslingua.two_texts.run", "all", "ask")
    check_whole(seeds, "seeds", 1)
    if cores is not None:
        check_whole(cores, "cores", 1)
    return run.ask(
        Path(source),
        Path(target),
        None if dictionary is None else Path(dictionary),
        languages=languages,
        seeds=seeds,
        cores="all" if cores is None else str(cores),
        results=None if results is None else str(results),
        vectors=None if vectors is None else (Path(vectors[0]), Path(vectors[1])),
        bitext=[Path(path) for path in bitext],
        encoder=str(encoder),
    )


def word_align(
    source: Sentences,
    target: Sentences,
    method: str = "gibbs",
    *,
    encoder: str | None = None,
    layer: int = 8,
    vectors: tuple[Any, Any] | None = None,
    device: str = "cpu",
    **settings: Any,
) -> list[set[Link]]:
    """Return the links of each sentence pair: (word of the source, word of the target), from 0.

    A sentence is a list of words, or text whose words stand between spaces. `gibbs` and `fast_align` learn from these
    sentences, and `diagonal`, a control, reads no word. The other methods need an `encoder` (a folder or a name on the
    Hub) and its `layer`, or `vectors` of both languages in one space (`as_vectors`). `settings` are the method's own.
    Raises ConfigError for unequal numbers of sentences, and as `word_aligners.options.build`.
    """
    from crosslingua.word_aligners.options import build, needs_vectors

    sides = [[_words(sentence) for sentence in side] for side in (source, target)]
    if len(sides[0]) != len(sides[1]):
        raise ConfigError(
            f"{len(sides[0])} source sentences and {len(sides[1])} target sentences do not pair"
        )
    embedding = None
    if needs_vectors(method):
        if (encoder is None) == (vectors is None):
            raise ConfigError(
                f"{method} needs an encoder, or the vectors of both languages: give one of the two"
            )
        embedding = _embedding(encoder, layer, vectors, device)
    elif encoder is not None or vectors is not None:
        raise ConfigError(f"{method} reads the sentences alone: leave encoder and vectors out")
    aligner = build(method, settings, embedding)
    return [set(links) for links in aligner.align(zip(*sides, strict=True))]


def map_vectors(
    source: Any,
    target: Any,
    pairs: Pairs | None = None,
    mapper: str = "rcsls",
    *,
    shared: Collection[str] | None = None,
    seed: int = 0,
    device: str = "cpu",
    **settings: Any,
) -> "Aligned":
    """Return both languages' vectors in one space: `source`, `target` and `details` of the result.

    Vectors are as of `as_vectors`, the most frequent words first. `pairs` are translations, a file or pairs of words,
    which `muse` and `vecmap` do not need. `shared` words do not move. `settings` are the mapper's own. Errors as
    `mappers.build` and `refine`.
    """
    from crosslingua.mappers.mapper import build
    from crosslingua.mappers.refinement import refine

    made = build(mapper, settings)
    known = None if pairs is None or not made.uses_pairs else _pairs(pairs)
    sides = as_vectors(source), as_vectors(target)
    return refine(made, *sides, known, shared=shared, seed=seed, device=device)


def induce_lexicon(source: Any, target: Any, known: Pairs | None = None) -> "pd.DataFrame":
    """Return the translation of each word between two vector files of one space, by CSLS: columns `source`, `target`,
    `second`, the next candidate, and with `known` pairs `confidence`, the probability that a translation is right.

    `known` are translations that trained nothing, 50 or more that are right and as many that are wrong. Raises
    ConfigError for fewer, and as `retrieval.csls`.
    """
    import pandas as pd

    from crosslingua.lexicon_induction import confidence
    from crosslingua.lexicon_induction.bli import gold_translations

    lexicon = confidence.induce([(as_vectors(source), as_vectors(target))])
    columns = {"source": lexicon.words, "target": lexicon.best, "second": lexicon.second}
    if known is not None:
        columns["confidence"] = confidence.calibrate(lexicon, gold_translations(_pairs(known))).confidence
    return pd.DataFrame(columns)


def score_alignment(
    links: Iterable[Iterable[Link]],
    sure: Iterable[Iterable[Link]],
    possible: Iterable[Iterable[Link]] | None = None,
) -> dict[str, Any]:
    """Return `aer`, `precision`, `recall` and `f1` of links in percent, with 95 % intervals over sentence pairs.

    `sure` and `possible` are gold links of the same sentence pairs; sure links are possible too. Raises ConfigError for
    other numbers of sentence pairs, and for gold without a sure link.
    """
    from crosslingua.io.pharaoh import Links
    from crosslingua.word_aligners.scoring import METRICS, score

    chosen, gold = ([set(each) for each in given] for given in (links, sure))
    more = [set() for _ in gold] if possible is None else [set(each) for each in possible]
    if not len(chosen) == len(gold) == len(more):
        raise ConfigError(
            f"links of {len(chosen)} sentence pairs and gold of {len(gold)} and {len(more)} do not pair"
        )
    found = score([Links.of(a, b) for a, b in zip(gold, more, strict=True)], chosen)
    return {name: found[name] for name in (*METRICS, "intervals")}


def judge(first: "Runs", second: "Runs", smallest: float = 0.0) -> "TwoSystems":
    """Return whether the first of two systems is better, by how much, and how surely.

    Values are {seed: {item: value}}, or an array (seeds, items); higher is better. The interval of 95 % covers the
    seeds and items that both have. A difference surely below `smallest` is negligible. Fewer than three seeds give no
    verdict. Raises ConfigError for values that are no numbers, and where nothing is in common.
    """
    from crosslingua.claims.two_systems import judge_two

    return judge_two(first, second, smallest)


def as_vectors(given: Any) -> WordVectors:
    """Return word vectors of a `.vec` or fastText `.bin` file, of (words, matrix), of a mapping from words to vectors,
    or of a model of gensim (`KeyedVectors`) or model2vec (`StaticModel`). Raises ConfigError for anything else.
    """
    if isinstance(given, WordVectors):
        return given
    if isinstance(given, (str, Path)):
        return _of_fasttext(Path(given)) if Path(given).suffix == FASTTEXT else read_vectors(given)
    if hasattr(given, "index_to_key"):  # gensim
        return _named(given.index_to_key, given.vectors)
    if hasattr(given, "tokens") and hasattr(given, "embedding"):  # model2vec
        return _named(given.tokens, given.embedding)
    if isinstance(given, Mapping) and given:
        return _named(given, [*given.values()])
    if isinstance(given, tuple) and len(given) == 2:
        return _named(*given)
    raise ConfigError(
        f"{type(given).__name__} is not understood as word vectors: give a file, (words, matrix), a mapping from words"
        " to vectors, or a model of gensim or model2vec"
    )


def _named(words: Iterable[str], matrix: Any) -> WordVectors:
    words, numbers = [*words], np.asarray(matrix, dtype=np.float32)
    if numbers.ndim != 2 or len(words) != len(numbers):
        raise ConfigError(f"{len(words)} words cannot name the rows of a matrix of shape {numbers.shape}")
    used = numbers.any(axis=1)  # models have rows without a vector, for padding
    return WordVectors([word for word, use in zip(words, used, strict=True) if use], numbers[used])


def _of_fasttext(path: Path) -> WordVectors:
    fasttext = optional("fasttext", "fasttext", f"{path}")
    try:
        model = fasttext.load_model(str(path))
    except ValueError as error:
        raise InputError(
            path, f"fastText cannot read this model: {error}", remedy="give a .bin of fastText"
        ) from None
    words = model.get_words(on_unicode_error="replace")
    return _named(words, [model.get_word_vector(word) for word in words])


def _words(sentence: str | Sequence[str]) -> list[str]:
    from crosslingua.io.decode import tokens_of

    return tokens_of(sentence) if isinstance(sentence, str) else [*sentence]


def _pairs(given: Pairs) -> list[tuple[str, str]]:
    from crosslingua.io.bitext import read_dictionary

    return (
        read_dictionary(given)
        if isinstance(given, (str, Path))
        else [(source, target) for source, target in given]
    )


def _embedding(encoder: str | None, layer: int, vectors: tuple[Any, Any] | None, device: str) -> Any:
    from crosslingua.word_aligners.encoding import EncoderEmbedding, StaticEmbedding

    if encoder is not None:
        return EncoderEmbedding.load(encoder, [layer], device)
    return StaticEmbedding(*map(as_vectors, vectors or ()))
