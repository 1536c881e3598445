"""From two texts to an answer: check the question, run the workflow, conclude."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from crosslingua import command, places
from crosslingua.errors import ConfigError, CrosslinguaError, InputError
from crosslingua.io.decode import once_more
from crosslingua.io.vectors import read_vectors
from crosslingua.two_texts import parallel
from crosslingua.two_texts.conclusion import Answer, conclude
from crosslingua.two_texts.cost import write_costs
from crosslingua.two_texts.encoder_words import write_encoder_words
from crosslingua.two_texts.question import (
    PairToAsk,
    check,
    check_different,
    check_languages,
    configure,
    language_of,
    set_earlier_aside,
)

FIRST_WORDS = 1000  # of a file of vectors
COSTS = "CROSSLINGUA_COSTS"  # the variable by which the progress of a run learns the expected costs


def ask(
    source: Path,
    target: Path,
    dictionary: Path | None = None,
    *,
    languages: Sequence[str] | None = None,
    seeds: int = 3,
    cores: str = "all",
    results: str | None = None,
    vectors: tuple[Path, Path] | None = None,
    bitext: Sequence[Path] = (),
    encoder: str = "",
) -> Answer:
    """Return the answer for two texts, and write it to `ask_SOURCE_TARGET` in the folder of results.

    `languages` are two codes, by default the ends of the texts' names. `vectors` of both languages, `bitext`, which is
    two files or one, and the word vectors of an `encoder` compete too (`competitors`). Texts that are parallel are a
    bitext themselves.

    Raises ConfigError for vectors without a dictionary, InputError for a file that is none, and as `check`, and
    CrosslinguaError where the run fails.
    """
    if (vectors or encoder) and not dictionary:
        raise ConfigError("vectors are compared by a dictionary: give one, --dictionary pairs.txt")
    if len(bitext) > 2:
        raise ConfigError(f"a bitext is two files, or one: {len(bitext)} are given")
    for path in filter(None, (source, target, dictionary, *(vectors or ()), *bitext)):
        if not path.is_file():
            once_more(path)
            raise InputError(path, "is a folder" if path.is_dir() else "no such file")
    texts = (source.resolve(), target.resolve())
    with _kept_environment(places.RESULTS, COSTS):
        if results:
            places.choose_results(results)
        first, second = languages or map(language_of, texts, ("source", "target"))
        check_languages((first, second))
        folder = Path(places.results()) / f"ask_{first}_{second}"
        codes, pairs = (first, second), dictionary and dictionary.resolve()
        question = PairToAsk(codes, texts, pairs, folder, seeds, vectors, tuple(bitext), encoder)
        check(question)
        if not languages:
            check_different(question)
        if not bitext and parallel.are_parallel(texts, codes):
            question = replace(question, bitext=texts)
        set_earlier_aside(question)
        if question.bitext:
            parallel.prepare(question.bitext, codes, question.aligned[0].parent)
        for path in vectors or ():
            read_vectors(path, FIRST_WORDS, drop_zero=True)  # what is none is told now, not after the run
        if encoder:
            write_encoder_words(question, encoder)
        own = configure(question)
        os.environ[COSTS] = str(write_costs(question).resolve())
        status = command.run(
            ["joint_align", "--cores", cores, "--config", places.suite("scales/own.yaml"), str(own)]
        )
    if status:
        raise CrosslinguaError(
            f"the run failed, see above, and there is no answer; the same command goes on from what is in {folder}"
        )
    return conclude(question)


@contextmanager
def _kept_environment(*names: str) -> Iterator[None]:
    """Set variables of the environment back at the end: a program may ask twice."""
    before = {name: os.environ.get(name) for name in names}
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
