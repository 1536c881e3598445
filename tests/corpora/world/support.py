"""Small worlds, and plain readers of what the world writes (others than the library's, on purpose)."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from crosslingua.config import check, load_schema
from crosslingua.corpora.world.bitext import bitext_blocks
from crosslingua.corpora.world.realise import World
from crosslingua.corpora.world.spec import SCHEMA, build_family

SMALL = {
    "topics": 3, "nouns": 100, "verbs": 60, "adjectives": 30, "adverbs": 5,
    "names": {"given": 12, "family": 16, "place": 16, "organisation": 12, "work": 12},
}  # fmt: skip
SYLLABLES = {
    "onsets": ["b", "d", "k", "l", "m", "n", "r", "t"], "nuclei": ["a", "e", "i", "o"], "codas": ["n", "s"],
}  # fmt: skip


class Word(NamedTuple):
    form: str
    upos: str
    head: int
    relation: str


def make_world(seed: int = 1, **languages: dict[str, Any]) -> World:
    """Return a small world with these languages; syllables and word order have defaults."""
    defaults = {"word_order": "SVO", "syllables": SYLLABLES}
    entries = {code: defaults | entry for code, entry in languages.items()}
    content = {"world": SMALL, "languages": entries}
    check(content, load_schema(SCHEMA))
    return World(build_family(content), seed)


def parse_conllu(text: str) -> list[list[Word]]:
    """Return the words of each sentence, ids checked."""
    sentences = []
    for block in text.strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        assert [row[0] for row in rows] == [str(i) for i in range(1, len(rows) + 1)]
        sentences.append([Word(row[1], row[3], int(row[6]), row[7]) for row in rows])
    return sentences


def parse_conll(text: str) -> list[list[tuple[str, str]]]:
    """Return (token, label) of each sentence, comments left out."""
    blocks = text.strip("\n").split("\n\n")
    lines = [[line for line in block.split("\n") if not line.startswith("# ")] for block in blocks]
    return [[tuple(line.split("\t")) for line in block] for block in lines]


def linked_pairs(world: World, source: str, target: str, n: int, **options):
    """Return (source tokens, target tokens, sure links, possible links) of each pair."""
    result = []
    for block in bitext_blocks(world, source, target, n, **options):
        for ours, theirs, links in zip(*(part.splitlines() for part in block), strict=True):
            found = {sign: set() for sign in "-p"}
            for link in links.split(" "):
                sign = "p" if "p" in link else "-"
                found[sign].add(tuple(map(int, link.split(sign))))
            result.append((ours.split(" "), theirs.split(" "), found["-"], found["p"]))
    return result


def sentences_of(tagged: Iterable[list[tuple[str, ...]]]) -> set[tuple[str, ...]]:
    """Return the set of token sequences."""
    return {tuple(row[0] for row in sentence) for sentence in tagged}


def memorise(train, test, unknown: str) -> list[list[str]]:
    """Tag every token with the label that it has most often in training: the memorising baseline."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in train:
        for token, label in sentence:
            seen[token][label] += 1
    best = {token: counts.most_common(1)[0][0] for token, counts in seen.items()}
    return [[best.get(token, unknown) for token, _ in sentence] for sentence in test]


def read_context(train, test) -> list[list[str]]:
    """Tag tokens by a linear model of their neighbours: the least that reads context."""
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.linear_model import SGDClassifier

    vectoriser = FeatureHasher(2**18, input_type="string", alternate_sign=False)

    def features(tagged):
        places = ((sentence, i) for sentence in tagged for i in range(len(sentence)))
        return vectoriser.transform([_features(*place) for place in places])

    model = SGDClassifier(loss="log_loss", alpha=1e-5, random_state=0)
    model.fit(features(train), [label for sentence in train for _, label in sentence])
    flat = iter(model.predict(features(test)))
    return [[next(flat) for _ in sentence] for sentence in test]


def _features(sentence, i: int) -> list[str]:
    words = {k: sentence[i + k][0] if 0 <= i + k < len(sentence) else "" for k in (-2, -1, 0, 1, 2)}
    features = {f"{k}={word}" for k, word in words.items()}
    features |= {f"{k} ends {word[-2:]}" for k, word in words.items()}
    features |= {f"{k} capital {word[:1].isupper()}" for k, word in words.items()}
    features |= {f"has {token}" for token, _ in sentence}
    features |= {f"{words[-2]} {words[-1]} _", f"_ {words[1]} {words[2]}"}
    return sorted(features)
