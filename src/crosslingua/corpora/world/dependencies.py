"""Dependency trees read off the parts of a sentence, and the treebanks and tagged data made of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from crosslingua.corpora.world.bitext import Quota, in_split, join_lines, told_words
from crosslingua.corpora.world.concepts import ENTITY_TYPES
from crosslingua.corpora.world.events import Columns, Knowledge
from crosslingua.corpora.world.lexicon import capitalise
from crosslingua.corpora.world.realise import CHUNK, SentenceEvents, Told, World, chance, sample_sentences
from crosslingua.corpora.world.syntax import COORDINATED, SURFACE_ROLES, surface_roles

RELATIONS = {
    "article": "det", "adposition": "case", "numeral": "nummod", "adjective": "amod", "modifier": "compound",
    "second": "flat", "owner": "nmod", "owner_adposition": "case", "auxiliary": "aux", "passive": "aux:pass",
    "copula": "cop", "negation": "advmod", "adverb": "advmod",
    "subject": "nsubj", "object": "obj", "recipient": "iobj", "agent": "obl:agent", "conjunction": "cc",
    "mark": "mark", "end": "punct", "polite": "discourse",
}  # fmt: skip


# Tokens in reading order, [tokens] each: "row", the number of the sentence, and "word", "lemma", "pos", "head" and
# "relation" of CoNLL-U. Heads count the words of a sentence from 1; 0 is the root's head.
Parsed = Columns


@dataclass
class Trees:
    """Where the trees of a data set's sentences are written beside it: `write` takes text, `name` begins ids."""

    write: Callable[[str], object]
    name: str
    number: int = 1  # of the next sentence

    def add(self, world: World, code: str, *pieces: Parsed) -> None:
        """Write sentences in the order of `row`; ties go to the earlier piece."""
        parsed = Parsed({name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]})
        number = np.repeat(np.arange(len(pieces)), [piece.size for piece in pieces])
        parsed["row"] = parsed["row"] * len(pieces) + number
        parsed = parsed.take(np.argsort(parsed["row"], kind="stable"))
        if parsed.size:
            self.write(conllu(parsed, f"{self.name}-", self.number, spaces=world.family[code].spaces))
            self.number += len(starts_of(parsed))


def alone(clauses: Columns) -> SentenceEvents:
    """Return sentences of one clause each."""
    return SentenceEvents(clauses, clauses, np.zeros(clauses.size, np.int8))


def parse(
    world: World,
    code: str,
    told: Told,
    sentences: SentenceEvents,
    rows: np.ndarray | None = None,
    words: np.ndarray | None = None,
) -> Parsed:
    """Return the trees of `told`, the form of `sentences` in the language `code`.

    `rows`: [n] their numbers, default 0, 1, 2 ...; `words`: [tokens] spellings, if not the language's.
    """
    row, slot = told.tokens()
    concept = told.concept[row, slot]
    written = told_words(world, code, told)
    lemma = np.array(world.lexicon(code).words, dtype=object)[concept]
    heads, relations = dependencies(told, sentences)
    return Parsed(
        row=row if rows is None else rows[row],
        word=written if words is None else words,
        lemma=lemma if words is None else np.where(words == written, lemma, words),
        pos=np.array(world.concepts.pos, dtype=object)[concept],
        head=heads,
        relation=relations,
    )


def starts_of(parsed: Parsed) -> np.ndarray:
    """Return the first token of each sentence."""
    return np.flatnonzero(np.diff(parsed["row"], prepend=-1))


def dependencies(told: Told, drawn: SentenceEvents) -> tuple[np.ndarray, np.ndarray]:
    """Return every token's head (position, 1-based; 0: root) and relation, in reading order."""
    place = told.positions()
    nothing = np.full(len(drawn), -1)
    roots = {clause: _root(place, clause, nothing) for clause in "ab"}
    coordinated = drawn.link == COORDINATED
    head = np.zeros(told.form.shape, np.int32)
    relation = np.full(told.form.shape, "", dtype=object)
    for slot, key in enumerate(told.keys):
        heads, name = _attach(key, place, roots, nothing)
        head[:, slot] = np.where(heads == place[key], -1, heads) + 1  # a phrase may be all that is said
        relation[:, slot] = name
        clause, _, part = key.partition(".")
        if clause == "b" and part in ("verb", "predicate"):
            relation[:, slot] = np.where(coordinated, "conj", "ccomp")
        if part == "subject.head":
            passive = (drawn.a if clause == "a" else drawn.b)["passive"]
            relation[:, slot] = np.where(passive, "nsubj:pass", "nsubj")
    relation[head == 0] = "root"
    row, slot = told.tokens()
    return head[row, slot], relation[row, slot]


def _root(place: dict[str, np.ndarray], clause: str, nothing: np.ndarray) -> np.ndarray:
    """Return the position of each clause's verb or predicate; for bare words, of the named thing."""
    heads = [f"{role}.head" for role in ("object", *SURFACE_ROLES)]
    root = nothing
    for part in ("verb", "predicate", *heads):
        root = np.where(root >= 0, root, place.get(f"{clause}.{part}", nothing))
    return root


def _attach(
    key: str, place: dict[str, np.ndarray], roots: dict[str, np.ndarray], nothing: np.ndarray
) -> tuple[np.ndarray, str]:
    """Return the head's position (0-based, -1 for the root) and the relation of the part `key`."""
    clause, _, rest = key.partition(".")
    role, _, part = rest.partition(".")
    if clause in ("end", "polite"):
        return roots["a"], RELATIONS[clause]
    if not rest:  # conjunction, mark
        return roots["b"], RELATIONS[clause]
    if not part:  # verb, predicate, auxiliaries, adverb, negation
        main = role in ("verb", "predicate")
        host = (nothing if clause == "a" else roots["a"]) if main else roots[clause]
        return host, RELATIONS.get(role, "root")
    if part == "head":
        return roots[clause], RELATIONS.get(role, "obl")
    named = place.get(f"{clause}.{role}.{'owner' if part == 'owner_adposition' else 'head'}", nothing)
    return np.where(named >= 0, named, roots[clause]), RELATIONS[part]


def conllu(parsed: Parsed, name: str, first: int, *, spaces: bool) -> str:
    """Return sentences as CoNLL-U, their ids `name` and a number from `first` on."""
    starts = starts_of(parsed)
    ends = np.append(starts[1:], parsed.size)
    lengths = ends - starts
    texts = join_lines(parsed["word"], lengths, raw_spaces=spaces).splitlines()
    comments = np.full(parsed.size, "", dtype=object)
    comments[starts] = [f"# sent_id = {name}{i}\n# text = {text}\n" for i, text in enumerate(texts, first)]
    misc = np.full(parsed.size, "_" if spaces else "SpaceAfter=No", dtype=object)
    misc[ends - 2] = "SpaceAfter=No"
    misc[ends - 1] = "_\n"
    numbers = 1 + np.arange(parsed.size) - np.repeat(starts, lengths)
    columns = [comments, numbers, *map(parsed.get, ("word", "lemma", "pos", "head", "relation")), misc]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return "".join(
        [
            f"{comment}{number}\t{word}\t{lemma}\t{pos}\t_\t_\t{head}\t{relation}\t_\t{after}\n"
            for comment, number, word, lemma, pos, head, relation, after in rows
        ]
    )


def knowledge_of_split(world: World, split: str, groups: tuple[str, ...], seen: float) -> Knowledge:
    """Return the world's knowledge with the vocabulary of a split.

    Concepts whose group begins with a member of `groups` lie at a fixed random place in [0, 1). Training has places
    below `seen`; validation and test have places from 1 - `seen`.
    """
    place = world.stream("withheld", *groups).random(len(world.concepts))
    bound = np.array([group.startswith(groups) for group in world.concepts.group])
    admitted = (place < seen) if split == "train" else (place >= 1 - seen)
    return world.knowledge_of(lambda concepts: admitted[concepts] | ~bound[concepts])


def labelled_sentences(
    world: World, code: str, kind: str, split: str, sentences: int, knowledge: Knowledge
) -> Iterator[tuple[SentenceEvents, Told]]:
    """Yield chunks of `sentences` sentences in all, each sentence's words deciding that it is of `split`."""
    language, shares = world.language(code), world.topics_of(code)
    quota = Quota(sentences, f"{kind} {code} {split}")
    for number in quota:
        rng = world.stream(kind, code, split, number)
        drawn = sample_sentences(knowledge, rng, shares, CHUNK)
        told = drawn.tell(language)
        rows = quota.take(np.flatnonzero(in_split(told, language, split)))
        yield drawn.take(rows), told.take(rows)


SEEN_WORDS = 0.65  # of nouns, verbs and adjectives


def treebank_blocks(world: World, code: str, split: str, sentences: int) -> Iterator[str]:
    """Yield blocks of `sentences` sentences in all, CoNLL-U."""
    knowledge = knowledge_of_split(world, split, ("noun", "verb", "adjective"), SEEN_WORDS)
    number, spaces = 1, world.family[code].spaces
    for drawn, told in labelled_sentences(world, code, "pos", split, sentences, knowledge):
        if len(drawn):
            yield conllu(parse(world, code, told, drawn), f"{code}-{split}-", number, spaces=spaces)
        number += len(drawn)


def bio(kind: np.ndarray, span: np.ndarray, row: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """Return BIO2 labels ([tokens] strings): one begins where the sentence `row`, the `span` or the `kind` changes.

    `kind`: number of the label in `names`, plus one, 0 outside.
    """
    inside = np.zeros(len(kind), bool)
    same = (kind[1:] == kind[:-1]) & (span[1:] == span[:-1]) & (row[1:] == row[:-1])
    inside[1:] = same & (kind[1:] > 0)
    begins = np.array(["O", *(f"B-{name}" for name in names)], dtype=object)
    continues = np.array(["O", *(f"I-{name}" for name in names)], dtype=object)
    return np.where(inside, continues[kind], begins[kind])


def conll(
    words: np.ndarray, labels: np.ndarray, lengths: np.ndarray, comments: Sequence[str] | None = None
) -> str:
    """Return sentences of `lengths` tokens in CoNLL format, with one `# comment` line before each."""
    lines = np.array([f"{word}\t{label}\n" for word, label in zip(words, labels, strict=True)], dtype=object)
    ends = np.cumsum(lengths)
    lines[ends - 1] += "\n"
    if comments is not None:
        headings = np.array([f"# {comment}\n" for comment in comments], dtype=object)
        lines[ends - lengths] = headings + lines[ends - lengths]
    return "".join(lines)


# A name's type follows from its sentence, seldom from its spelling: pools overlap, and some names are common nouns. In
# headlines nouns, verbs, adjectives and adverbs are capitalised as names are, so no capital tells a name there.
SEEN_NAMES = 0.6  # of the names
P_HEADLINE = 0.9  # of sentences, where the script has capitals


def ner_blocks(
    world: World, code: str, split: str, sentences: int, *, trees: Trees | None = None
) -> Iterator[str]:
    """Yield blocks of `sentences` labelled sentences in all, two-column CoNLL; write their trees if asked."""
    knowledge = knowledge_of_split(world, split, ("name",), SEEN_NAMES)
    for drawn, told in labelled_sentences(world, code, "ner", split, sentences, knowledge):
        words = _headlines(world, code, drawn, told)
        if trees:
            trees.add(world, code, parse(world, code, told, drawn, words=words))
        clauses = {"a": surface_roles(drawn.a, world.concepts), "b": surface_roles(drawn.b, world.concepts)}
        kinds = np.zeros(told.form.shape, np.int8)  # [n, slots]: entity type plus one, 0 for no name
        for slot, key in enumerate(told.keys):
            clause, _, place = key.partition(".")
            role, _, part = place.partition(".")
            if part in ("head", "second", "owner"):
                kinds[:, slot] = clauses[clause][f"{role}.owner_kind" if part == "owner" else f"{role}.kind"]
        names = [key.replace(".second", ".head") for key in told.keys]
        span = np.array([names.index(name) for name in names])  # the same for the slots of one name
        row, slot = told.tokens()
        labels = bio(kinds[row, slot], span[slot], row, ENTITY_TYPES)
        yield conll(words, labels, told.lengths)


def _headlines(world: World, code: str, drawn: SentenceEvents, told: Told) -> np.ndarray:
    """Return the written tokens ([tokens] strings), those of a share P_HEADLINE of the sentences as in headlines."""
    words, (row, slot) = told_words(world, code, told), told.tokens()
    content = np.array([group not in ("function", "punctuation") for group in world.concepts.group])
    chosen = (chance(drawn.a["variety"], "headline") < P_HEADLINE)[row] & content[told.concept[row, slot]]
    script = world.family[code].script
    words[chosen] = [capitalise(word, script) for word in words[chosen]]
    return words
