"""The words of a language: sounds, word forms, and which word says which concept (cognates, false friends, names)."""

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Self

import numpy as np

from crosslingua.corpora.world.concepts import Concepts, stream
from crosslingua.corpora.world.spec import ROLES, LanguageSpec, Relation, Syllables, WorldSpec

LETTERS = "abcdefghijklmnopqrstuvwxyz"
VOWELS = "aeiou"
# One letter of each script for each of a-z, capitals and small letters distinct.
SCRIPTS = {
    "latin": LETTERS,
    "cyrillic": "абцдефгхијклмнопщрстувжчыз",
    "greek": "αβψδεφγηιξκλμνοπθρστυϝωχϳζ",
    "armenian": "աբցդեֆգհիջկլմնոպքրստւվխչըզ",
    "georgian": "აბცდეფგჰიჯკლმნოპქრსტუვწხყზ",
}
CASED = {"latin", "cyrillic", "greek", "armenian"}


def spell(sounds: str, language: LanguageSpec) -> str:
    """Write `sounds` (letters a-z) in the language's orthography and script, in NFC."""
    respelled = change_sounds(sounds, language.orthography)
    table = str.maketrans(LETTERS, SCRIPTS[language.script])
    return unicodedata.normalize("NFC", respelled.translate(table))


def capitalise(word: str, script: str) -> str:
    """Return `word` with a capital where the script has capitals."""
    return word[0].upper() + word[1:] if script in CASED else word


def _pick(rng: np.random.Generator, options: Sequence[str]) -> str:
    return options[int(rng.integers(len(options)))]


def new_word(syllables: Syllables, n: int, rng: np.random.Generator) -> str:
    """Return `n` random syllables."""
    word = ""
    for _ in range(n):
        word += _pick(rng, syllables.onsets) + _pick(rng, syllables.nuclei)
        if rng.random() < syllables.closed:
            word += _pick(rng, syllables.codas)
    return word


def new_suffix(syllables: Syllables, rng: np.random.Generator) -> str:
    """Return a short ending: a vowel with a coda, or a consonant with a vowel."""
    vowel = _pick(rng, syllables.nuclei)[:1]
    if rng.random() < 0.6:
        return vowel + _pick(rng, syllables.codas)[:1]
    return _pick(rng, [onset for onset in syllables.onsets if onset] or [""])[:1] + vowel


def change_sounds(sounds: str, changes: Mapping[str, str]) -> str:
    """Apply sound changes from left to right, the longest match first; each sound changes once."""
    result, i = "", 0
    while i < len(sounds):
        part = sounds[i : i + 2] if sounds[i : i + 2] in changes else sounds[i]
        result += changes.get(part, part)
        i += len(part)
    return result


def inherit(sounds: str, relation: Relation, rng: np.random.Generator) -> str:
    """Return the near-identical descendant of a word: sound changes, or else one changed vowel."""
    changed = change_sounds(sounds, relation.sound_changes)
    if changed != sounds and changed:
        return changed
    places = [i for i, letter in enumerate(sounds) if letter in VOWELS]
    if not places:
        return sounds + _pick(rng, VOWELS)
    place = places[int(rng.integers(len(places)))]
    return sounds[:place] + _pick(rng, VOWELS.replace(sounds[place], "")) + sounds[place + 1 :]


AFFIXES = (
    *("plural", "adjective_plural", "singular_verb", "past", "future", "negation", "passive", "object"),
    *ROLES,
)


class Lexicon:
    """The stems of a language, by concept.

    `words[c]` is the spelling of concept c, `sounds[c]` its sound (letters a-z), `second[c]` its synonym (or the same
    word). `origin[c]` is native, cognate, identical, false_friend, polyseme, homograph or verbatim; for names
    identical, adapted or native. `friend[c]` is a false friend's concept in the related language, else -1.
    """

    def __init__(
        self, spec: LanguageSpec, world: WorldSpec, concepts: Concepts, seed: int, others: Mapping[str, Self]
    ):
        self.spec, self.concepts, self._others, self._world = spec, concepts, others, world
        self._rng = stream(seed, "lexicon", spec.code)
        n = len(concepts)
        self.words, self.sounds, self.second = [""] * n, [""] * n, [""] * n
        self.origin, self.friend = [""] * n, np.full(n, -1, dtype=np.int32)
        self._taken: set[str] = set()
        # Words that a native word must not look like: shared spellings are parameters, not luck.
        self._foreign = {w.lower() for other in others.values() for w in (*other.words, *other.second)}
        verbatim = {concept: sign for sign, concept in concepts.punctuation.items()}
        verbatim |= {int(concept): str(1960 + i) for i, concept in enumerate(concepts.years)}
        for concept, word in verbatim.items():
            self._set(concept, word, "verbatim", word)
        self.affixes = self._make_affixes()
        lexical = [c for c in range(n) if c not in verbatim and concepts.group[c] != "name"]
        plan = self._plan(lexical)
        # Spellings kept for the identical cognates, so that no false friend takes them.
        self._reserved = {others[r.to].words[c] for c, (kind, r) in plan.items() if kind == "identical" and r}
        for concept in lexical:
            self._assign(concept, *plan[concept])
        self._share_words(lexical)
        self._borrow_names()
        self._add_synonyms(lexical)

    def _make_affixes(self) -> dict[str, str]:
        """Return the sound of each affix; related languages inherit theirs as they inherit words."""
        affixes: dict[str, str] = {}
        kin = next(iter(self.spec.relations), None)
        for name in AFFIXES:
            if kin and self._rng.random() < kin.cognates:
                inherited = inherit(self._others[kin.to].affixes[name], kin, self._rng)[:3]
                if inherited not in affixes.values():
                    affixes[name] = inherited
                    continue
            affix = new_suffix(self.spec.syllables, self._rng)
            while affix in affixes.values():
                affix += new_suffix(self.spec.syllables, self._rng)
            affixes[name] = affix
        if self.spec.morphology.syncretism:
            affixes["singular_verb"] = affixes["plural"]
        return affixes

    def _plan(self, lexical: list[int]) -> dict[int, tuple[str, Relation | None]]:
        """Decide by exact shares, spread over the frequency range, where each concept's word comes from."""
        quota: list[tuple[str, Relation | None]] = []
        for relation in self.spec.relations:
            cognates = round(len(lexical) * relation.cognates)
            identical = round(cognates * relation.identical)
            quota += [("identical", relation)] * identical + [("cognate", relation)] * (cognates - identical)
            quota += [("false_friend", relation)] * round(len(lexical) * relation.false_friends)
        quota += [("native", None)] * (len(lexical) - len(quota))
        order = self._rng.permutation(len(lexical))
        plan = {concept: quota[order[i]] for i, concept in enumerate(lexical)}
        # No function word is a false friend.
        closed = [c for c in plan if plan[c][0] == "false_friend" and self.concepts.group[c] == "function"]
        content = [c for c in plan if plan[c][0] == "native" and self.concepts.group[c] != "function"]
        for concept, other in zip(closed, self._rng.permutation(content), strict=False):
            plan[concept], plan[int(other)] = plan[int(other)], plan[concept]
        return plan

    def _assign(self, concept: int, kind: str, relation: Relation | None) -> None:
        other = self._others[relation.to] if relation else None
        friends = self._friends(concept, other) if kind == "false_friend" else []
        if kind == "identical":
            self._set(concept, other.sounds[concept], kind, other.words[concept])
        elif kind == "cognate":
            self._set(concept, self._unlike(inherit(other.sounds[concept], relation, self._rng)), kind)
        elif friends:
            friend = friends[int(self._rng.integers(len(friends)))]
            self._set(concept, other.sounds[friend], kind, other.words[friend])
            self.friend[concept] = friend
        else:
            self._set(concept, self._fresh(self._length(concept)), "native")

    def _friends(self, concept: int, other: Self) -> list[int]:
        """Return other concepts of its part of speech whose word in `other` is free to say `concept`."""
        pos = self.concepts.pos[concept]
        return [
            c for c in range(len(self.words))
            if self.concepts.pos[c] == pos and c != concept and self.concepts.group[c] != "name"
            and other.words[c] not in self._taken and other.words[c] not in self._reserved
            and other.words[c] != other.words[concept] and other.words.count(other.words[c]) == 1
        ]  # fmt: skip

    def _length(self, concept: int) -> int:
        """Syllables of a native word: function words are short."""
        if self.concepts.group[concept] == "function":
            return 1
        return int(self._rng.choice([1, 2, 3], p=[0.12, 0.63, 0.25]))

    def _fresh(self, n: int) -> str:
        for attempt in range(1000):
            sounds = new_word(self.spec.syllables, n + attempt // 10, self._rng)
            if len(sounds) > 1 and self._is_free(spell(sounds, self.spec)):
                return sounds
        raise RuntimeError("no free spelling after 1000 attempts")

    def _unlike(self, sounds: str) -> str:
        """Lengthen a word until no other has its spelling."""
        while not self._is_free(spell(sounds, self.spec)):
            sounds += new_suffix(self.spec.syllables, self._rng)
        return sounds

    def _is_free(self, word: str) -> bool:
        return word not in self._taken and word not in self._foreign

    def _set(self, concept: int, sounds: str, origin: str, word: str | None = None) -> None:
        """Give a concept its word, spelled as it sounds unless `word` is given."""
        word = spell(sounds, self.spec) if word is None else word
        self.words[concept], self.sounds[concept], self.second[concept] = word, sounds, word
        self.origin[concept] = origin
        self._taken.add(word)

    def _share_words(self, lexical: list[int]) -> None:
        """Give one word to two concepts: polysemes (one part of speech) and homographs (with a noun)."""
        by_pos: dict[str, list[int]] = defaultdict(list)
        for concept in lexical:
            if self.origin[concept] == "native" and self.concepts.group[concept] != "function":
                by_pos[self.concepts.pos[concept]].append(concept)
        for members in by_pos.values():
            shuffled = [members[i] for i in self._rng.permutation(len(members))]
            sharing = round(len(shuffled) * self.spec.polysemy / 2) * 2
            for first, other in zip(shuffled[:sharing:2], shuffled[1:sharing:2], strict=True):
                self._set(other, self.sounds[first], "polyseme", self.words[first])
        nouns = [c for c in by_pos["NOUN"] if self.origin[c] == "native"]
        others = [c for pos in ("VERB", "ADJ") for c in by_pos[pos] if self.origin[c] == "native"]
        chosen = self._rng.permutation(others)[: round(len(others) * self.spec.homographs)]
        for other, noun in zip(chosen, self._rng.permutation(nouns), strict=False):
            self._set(int(other), self.sounds[noun], "homograph", self.words[noun])

    def _borrow_names(self) -> None:
        """Names come from the first language of the file: unchanged, respelled, or replaced."""
        names = [c for c in range(len(self.words)) if self.concepts.group[c] == "name"]
        origin, kin = next(iter(self._others.values()), None), next(iter(self.spec.relations), None)
        if not origin:
            self._coin_names(names)
            return
        identical = round(len(names) * self.spec.names["identical"])
        adapted = round(len(names) * self.spec.names["adapted"])
        order = self._rng.permutation(len(names))
        for place, concept in zip(order, names, strict=True):
            if place < identical:
                self._set(concept, origin.sounds[concept], "identical", origin.words[concept])
            elif place < identical + adapted:
                sounds = origin.sounds[concept]
                sounds = self._unlike(inherit(sounds, kin, self._rng) if kin else sounds)
                self._set_name(concept, sounds, "adapted")
            else:
                self._set_name(concept, self._fresh(2), "native")

    def _coin_names(self, names: list[int]) -> None:
        """Make the names of the first language: a share of them are common nouns with a capital ("Rose")."""
        nouns = [c for c, group in enumerate(self.concepts.group) if group.startswith("noun:")]
        common = round(len(names) * self._world.common_names)
        chosen = dict(zip(self._rng.permutation(names)[:common], self._rng.permutation(nouns), strict=False))
        for name in names:
            noun = chosen.get(name)
            sounds = self._fresh(2) if noun is None else self.sounds[noun]
            self._set_name(name, sounds, "native" if noun is None else "common")

    def _set_name(self, concept: int, sounds: str, origin: str) -> None:
        self._set(concept, sounds, origin, capitalise(spell(sounds, self.spec), self.spec.script))

    def _add_synonyms(self, lexical: list[int]) -> None:
        content = [c for c in lexical if self.concepts.pos[c] in ("NOUN", "VERB", "ADJ", "ADV")]
        for concept in self._rng.permutation(content)[: round(len(content) * self.spec.synonyms)]:
            word = spell(self._fresh(self._length(concept)), self.spec)
            self._taken.add(word)
            self.second[concept] = word


CASES = ("", "object", *ROLES)  # "" is the citation case
CASE_ID = {role: i for i, role in enumerate(CASES)}
N_FEATURES = 24  # nouns: plural × case (20); verbs: tense × singular × passive × negated (24)


def noun_feature(plural: np.ndarray | int, case: int) -> np.ndarray | int:
    """Return the feature number of a noun form."""
    return plural * len(CASES) + case


def verb_feature(tense, singular, passive, negated):
    """Return the feature number of a verb form; tense is 0 present, 1 past, 2 future."""
    return ((tense * 2 + singular) * 2 + passive) * 2 + negated


class FormTable:
    """`form[variant, concept, feature]` numbers a written form in `surfaces`; variant 1 is the synonym, if any."""

    def __init__(self, spec: LanguageSpec, concepts: Concepts, lexicon: Lexicon):
        self._spec, self._lexicon = spec, lexicon
        self.surfaces: list[str] = []
        self._number: dict[str, int] = {}
        self.form = np.empty((2, len(concepts), N_FEATURES), dtype=np.int32)
        for variant, stems in enumerate((lexicon.words, lexicon.second)):
            for concept, stem in enumerate(stems):
                self.form[variant, concept] = [self._intern(w) for w in self._forms(stem, concepts, concept)]

    def _intern(self, word: str) -> int:
        if word not in self._number:
            self._number[word] = len(self.surfaces)
            self.surfaces.append(word)
        return self._number[word]

    def _forms(self, stem: str, concepts: Concepts, concept: int) -> list[str]:
        pos, group = concepts.pos[concept], concepts.group[concept]
        if group == "designator":
            stem = capitalise(stem, self._spec.script)
        if pos in ("NOUN", "PROPN"):
            return self._noun_forms(stem, number=pos == "NOUN" and group != "time")
        if pos == "PRON" and group == "function":
            return self._noun_forms(stem, number=False)
        if pos == "VERB" or concept == concepts.function["be"]:
            passive = (0, 1) if pos == "VERB" else (0, 0)  # "be" has none
            features = product(range(3), (0, 1), passive, (0, 1))
            return [stem + spell(self._verb_ending(*values), self._spec) for values in features]
        if pos == "ADJ" and self._spec.morphology.adjective_agreement:
            ending = spell(self._lexicon.affixes["adjective_plural"], self._spec)
            return [stem] * len(CASES) + [stem + ending] * len(CASES) + [stem] * (N_FEATURES - 2 * len(CASES))
        return [stem] * N_FEATURES

    def _noun_forms(self, stem: str, *, number: bool) -> list[str]:
        forms, affixes, rules = [], self._lexicon.affixes, self._spec.morphology
        for plural, case in product((False, True), CASES):
            marked = plural and number and rules.number
            suffix = affixes["plural"] if marked else ""
            ending = affixes[case] if rules.has_case(case) else ""
            if rules.fusion == "fusional" and suffix and ending:
                suffix, ending = suffix[:1], ending[::-1]  # one ending that says both, unlike either
            forms.append(stem + spell(suffix + ending, self._spec))
        return forms + [stem] * (N_FEATURES - len(forms))

    def _verb_ending(self, tense: int, singular: int, passive: int, negated: int) -> str:
        affixes, rules = self._lexicon.affixes, self._spec.morphology
        ending = affixes["passive"] if passive else ""
        if negated and rules.negation == "suffix":
            ending += affixes["negation"]
        if passive and rules.passive == "auxiliary":
            return ending  # a participle: tense and number are on the auxiliary
        if tense == 2:
            return ending + (affixes["future"] if rules.future == "suffix" else "")
        if tense == 1:
            return ending + affixes["past"]
        return ending + (affixes["singular_verb"] if singular and rules.agreement else "")

    def compound(self, modifier: int, head: int) -> int:
        """Return the number of the word that joins two written forms."""
        return self._intern(self.surfaces[modifier] + self.surfaces[head])
