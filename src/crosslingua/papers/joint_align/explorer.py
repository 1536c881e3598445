"""Word vectors that a reader of the results page can search: frequent words of both languages in figure 1's stages."""

from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.io.bitext import read_dictionary
from crosslingua.io.decode import decoded_lines
from crosslingua.io.vectors import WordVectors, read_vectors
from crosslingua.lexicon_induction.bli import gold_translations
from crosslingua.report.pca import Panel
from crosslingua.report.similarity import STAGES

SHOWN, CANDIDATES = 300, 2000  # words of a language that can be searched, and that can be neighbours
NEIGHBOURS = 5  # of a word


def explorer(inputs: Mapping[str, list[str]], settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return `languages`, `known` (words) and `stages`; None unless all vectors are there. Inputs are figure 1's.

    A stage has a `name`, `words` and `neighbours`. `words` are (word, language or `shared`, x, y) with the two
    principal components of the first stage's vectors of length 1. `neighbours` maps word -> its language -> for each
    language [word, cosine, mark], nearest first. The mark of a word of the other language is `right` if the test
    dictionary has it as a translation, `wrong` if it has others alone, and empty if it has none.
    """
    from sklearn.decomposition import PCA

    paths = [Path(path) for side in ("source", "target", "shared") for path in inputs[side]]
    if not all(path.is_file() for path in paths):
        return None
    languages = list(settings["languages"])
    pairs = read_dictionary(inputs["dictionary"][0])
    golds = [gold_translations(pairs), gold_translations([(target, source) for source, target in pairs])]
    model, stages = None, []
    files = zip(STAGES.values(), inputs["source"], inputs["target"], inputs["shared"], strict=True)
    for name, source, target, shared in files:
        sides = [_of_length_one(read_vectors(path, CANDIDATES)) for path in (source, target)]
        panel = Panel(name, sides[0], sides[1], frozenset(decoded_lines(shared)))
        groups = panel.groups(SHOWN)
        points = np.stack([vector for words in groups.values() for _, vector in words])
        model = model or PCA(n_components=2, svd_solver="full").fit(points)
        owners = [(word, kind) for kind, words in groups.items() for word, _ in words]
        names = {"source": languages[0], "target": languages[1], "shared": "shared"}
        words = [
            {"word": word, "language": names[kind], "x": round(float(x), 3), "y": round(float(y), 3)}
            for (word, kind), (x, y) in zip(owners, model.transform(points), strict=True)
        ]
        stages.append({"name": name, "words": words, "neighbours": _neighbours(sides, languages, golds)})
    return {"languages": languages, "known": list(stages[0]["neighbours"]), "stages": stages}


def _of_length_one(vectors: WordVectors) -> WordVectors:
    lengths = np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    return WordVectors(vectors.words, vectors.matrix / np.maximum(lengths, np.finfo(np.float32).tiny))


def _neighbours(
    sides: list[WordVectors], languages: list[str], golds: list[dict[str, set[str]]]
) -> dict[str, dict[str, list[list[list[Any]]]]]:
    found: dict[str, dict[str, list[list[list[Any]]]]] = {}
    for language, asked, translations in zip(languages, sides, golds, strict=True):
        for word, vector in zip(asked.words[:SHOWN], asked.matrix, strict=False):
            found.setdefault(word, {})[language] = [
                _nearest(vector, side, word) if side is asked
                else _marked(_nearest(vector, side), translations.get(word, set()))
                for side in sides
            ]  # fmt: skip
    return found


def _nearest(vector: np.ndarray, candidates: WordVectors, but: str | None = None) -> list[list[Any]]:
    cosines = candidates.matrix @ vector
    order = np.argsort(-cosines, kind="stable")[: NEIGHBOURS + 1]
    found = [[candidates.words[place], round(float(cosines[place]), 3), ""] for place in order]
    return [each for each in found if each[0] != but][:NEIGHBOURS]


def _marked(neighbours: list[list[Any]], translations: Set[str]) -> list[list[Any]]:
    marks = {True: "right", False: "wrong"} if translations else {}
    return [[word, cosine, marks.get(word in translations, "")] for word, cosine, _ in neighbours]
