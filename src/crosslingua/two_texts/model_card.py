"""The model card of an answer's vectors: README.md in the form of Hugging Face, with YAML at its head."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader

from crosslingua.atlas.cards import BOTH
from crosslingua.io.atomic import atomic_open
from crosslingua.io.bitext import read_dictionary
from crosslingua.io.decode import base_language
from crosslingua.provenance import code_version, sha256
from crosslingua.two_texts.codes import CODES
from crosslingua.two_texts.competitors import DESCRIBED, ENCODER, OWN, PREFIXES, UNMAPPED, Competitor
from crosslingua.two_texts.cost import MIN_COUNT
from crosslingua.two_texts.question import PairToAsk

CARD = "README.md"
TAGS = ("crosslingua", "cross-lingual", "word-embeddings", "bilingual-lexicon-induction")
ALWAYS = (
    "P@1 holds for words such as those of the dictionary, not for rarer ones.",
    "A word has one vector, whatever its meanings, and sentences have none.",
    "The vectors repeat what their data say of people and groups, prejudices included.",
)


def write_card(
    question: PairToAsk,
    system: str,
    files: tuple[Path, Path],
    shapes: Sequence[tuple[int, int]],
    competitor: Competitor | None,
    judged: Mapping[str, Mapping[str, Any]],
    limits: Sequence[str],
) -> Path:
    """Write the card of a system's mapped `files`, whose matrices have `shapes` (words, dimensions); return its file.

    `judged` are the conditions of the answer by their test words. The system is a `competitor`, or of the workflow.
    """
    found = [
        (words, kind, one, condition)
        for words, condition in judged.items()
        for kind, one in condition["strategies"].items()
        if one["system"] == system
    ]
    strategy = competitor.strategy if competitor else found[0][1] if found else BOTH
    paths = [Path(os.path.relpath(path, question.folder)).as_posix() for path in files]
    rarer = [f"Words that the texts have fewer than {MIN_COUNT} times have no vector."] * (strategy != OWN)
    shown = {
        "head": yaml.safe_dump(_head(question.languages), sort_keys=False),
        "languages": question.languages,
        "version": code_version(),
        "vectors": [
            (language, _code(path), f"{words:,}", dimensions)
            for language, path, (words, dimensions) in zip(question.languages, paths, shapes, strict=True)
        ],
        "data": _data(question, strategy),
        "training": _training(question, strategy, system),
        "quality": [
            (words, f"{one['value']:.1f} [{one['low']:.1f}, {one['high']:.1f}]", condition["test_words"],
             condition["seeds"])
            for words, _, one, condition in found
        ],
        "limits": [*limits, *rarer, *ALWAYS],
        "loaded": ", ".join(f"cl.as_vectors({path!r})" for path in paths),
    }  # fmt: skip
    environment = Environment(loader=PackageLoader("crosslingua.two_texts", "."), keep_trailing_newline=True)
    with atomic_open(question.folder / CARD) as stream:
        stream.write(environment.get_template("model_card.md.jinja").render(shown))
    return question.folder / CARD


def _head(languages: Sequence[str]) -> dict[str, list[str]]:
    """Return the metadata: codes that are none of ISO 639, such as of a constructed language, are left out."""
    codes = [code.replace("_", "-") for code in languages if base_language(code) in CODES]
    return {**({"language": codes} if codes else {}), "tags": [*TAGS]}


def _data(question: PairToAsk, strategy: str) -> list[tuple[str, ...]]:
    """Return what the vectors come from: kind, file, size and checksum of each."""
    rows = []
    if strategy != OWN:
        rows += [
            (f"text, {language}", _code(path.name), f"{words:,} words", _code(sha256(path)))
            for language, path, words in zip(question.languages, question.texts, question.words, strict=True)
        ]
    if strategy == OWN and question.vectors:
        rows += [
            (f"vectors, {language}", _code(path.name), "", _code(sha256(path)))
            for language, path in zip(question.languages, question.vectors, strict=True)
        ]
    if strategy == ENCODER:
        rows.append(("encoder", _code(Path(question.encoder).name), "", ""))
    if question.dictionary:
        trained, held = (len(read_dictionary(path)) for path in question.given)
        size = f"{trained + held:,} entries, of which {held:,} test"
        rows.append(("dictionary", _code(question.dictionary.name), size, _code(sha256(question.dictionary))))
    return rows


def _training(question: PairToAsk, strategy: str, system: str) -> list[str]:
    """Say how the vectors were made."""
    if strategy in (OWN, ENCODER):
        mapper = system.removeprefix(f"{PREFIXES[strategy]}_")
        maps = (
            "Nothing maps"
            if mapper == UNMAPPED
            else f"The training part of the dictionary and `{mapper}` map"
        )
        made = "The vectors come from elsewhere" if strategy == OWN else "The encoder reads each word alone"
        return [f"{made}. {maps} them into one space."]
    several = f"Of {question.seeds} runs, these vectors are the first's."
    return [
        f"System `{system}`. {DESCRIBED[strategy]}",
        f"Skip-gram with subwords reads the texts {question.epochs} times. "
        + ("There is one run." if question.seeds == 1 else several),
        "Settings: `ask.yaml` in this folder, over the defaults of Crosslingua's `scales/own.yaml` and `config.yaml`.",
    ]


def _code(text: str) -> str:
    """Return text as code in a cell of a table."""
    return "`" + text.replace("|", "\\|") + "`"
