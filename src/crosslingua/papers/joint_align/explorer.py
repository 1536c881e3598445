"""Word vectors that a reader of the results page can search: frequent words of both languages in figure 1's stages."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.io.bitext import read_dictionary
from crosslingua.io.decode import decoded_lines
from crosslingua.io.vectors import WordVectors, read_vectors
from crosslingua.lexicon_induction.bli import gold_translations
from crosslingua.lexicon_induction.retrieval import nearest
from crosslingua.report.pca import Panel
from crosslingua.report.similarity import STAGES

SHOWN, CANDIDATES = 300, 10_000  # words of a language on the map, and those that can be neighbours
NEIGHBOURS = 5  # of a word
# Words of a language that can be searched: its most frequent ones, and the most frequent of the test dictionary.
FREQUENT, TESTED = 150, 150


def explorer(inputs: Mapping[str, list[str]], settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return `languages`, `known` (words) and `stages`; None unless all files are there. Inputs are figure 1's.

    A stage has a `name`, `words` and `neighbours`. `words` are (word, language or `shared`, x, y) with the two
    principal components of the first stage's vectors of length 1. `neighbours` maps word -> its language -> for each
    language [word, cosine, mark], nearest first. The mark of a word of the other language is `right` if the test
    dictionary has it as a translation, `wrong` if it has others alone, and empty if it has none.
    """
    from sklearn.decomposition import PCA

    if not all(Path(path).is_file() for files in inputs.values() for path in files):
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
    for language, asked, gold in zip(languages, sides, golds, strict=True):
        tested = [word for word in asked.words if word in gold][:TESTED]
        words = list(dict.fromkeys([*asked.words[:FREQUENT], *tested]))
        rows = np.array([asked.index[word] for word in words])
        for side in sides:
            near = nearest(asked.matrix, side.matrix, rows, k=NEIGHBOURS + 1)
            for word, places, cosines in zip(words, *near, strict=True):
                others = [
                    [side.words[place], round(float(cosine), 3), ""]
                    for place, cosine in zip(places, cosines, strict=True)
                ]
                if side is asked:
                    others = [other for other in others if other[0] != word]
                elif word in gold:
                    others = [
                        [*other[:2], "right" if other[0] in gold[word] else "wrong"] for other in others
                    ]
                found.setdefault(word, {}).setdefault(language, []).append(others[:NEIGHBOURS])
    return found
