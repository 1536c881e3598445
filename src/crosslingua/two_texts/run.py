"""From two texts to an answer: check the question, run the workflow, conclude."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from crosslingua import command, places
from crosslingua.errors import CrosslinguaError, InputError
from crosslingua.io.decode import once_more
from crosslingua.two_texts.conclusion import Answer, conclude
from crosslingua.two_texts.cost import write_costs
from crosslingua.two_texts.question import (
    PairToAsk,
    check,
    check_languages,
    configure,
    language_of,
    set_earlier_aside,
)

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
) -> Answer:
    """Return the answer for two texts, and write it to `ask_SOURCE_TARGET` in the folder of results.

    `languages` are two codes, by default the ends of the texts' names. Raises InputError for a file that is none, and
    as `check`, and CrosslinguaError where the run fails.
    """
    for path in filter(None, (source, target, dictionary)):
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
        question = PairToAsk((first, second), texts, dictionary and dictionary.resolve(), folder, seeds)
        check(question)
        set_earlier_aside(question)
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
