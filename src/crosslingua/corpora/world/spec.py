"""The parameters of the world and of its languages, read from a YAML file that users edit (world.yaml)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crosslingua.config import check, load_schema
from crosslingua.errors import ConfigError
from crosslingua.io.json import read_yaml

SCHEMA = Path(__file__).with_name("languages.schema.yaml")
NAME_POOLS = {"given": 70, "family": 100, "place": 100, "organisation": 80, "work": 60}
ROLES = ("recipient", "source", "goal", "place", "companion", "time", "agent", "genitive")


@dataclass(frozen=True)
class WorldSpec:
    """Sizes and shape of the language-independent world. Shares lie in [0, 1]."""

    topics: int = 20
    nouns: int = 300
    verbs: int = 120
    adjectives: int = 90
    adverbs: int = 36
    names: Mapping[str, int] = field(default_factory=lambda: dict(NAME_POOLS))
    ambiguous_names: float = 0.25  # of each pool: names that another entity type bears too
    common_names: float = 0.1  # of all names: spelled like a common noun of the first language
    zipf: float = 0.8  # exponent of the rank-frequency law within a class
    selectivity: float = 0.04  # gamma shape of verb-noun preferences: smaller is choosier
    topicality: float = 0.25  # share of arguments chosen by topic instead of by the verb


@dataclass(frozen=True)
class Relation:
    """How a lexicon derives from the lexicon of an earlier language. Shares are of all lexical concepts."""

    to: str
    cognates: float = 0.0
    identical: float = 0.0  # of the cognates: spelled exactly alike
    false_friends: float = 0.0  # spelled as a word of `to` that means something else
    sound_changes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Syllables:
    """The syllables that words are spelled from, in the letters a-z; `closed`: share with a coda."""

    onsets: tuple[str, ...]
    nuclei: tuple[str, ...]
    codas: tuple[str, ...] = ("n",)
    closed: float = 0.3


@dataclass(frozen=True)
class Morphology:
    """Meanings of suffixes, and meanings of separate words."""

    fusion: str = "agglutinating"
    number: bool = True
    agreement: bool = False  # verbs mark a singular subject in the present tense
    adjective_agreement: bool = False
    syncretism: bool = False  # the agreement suffix sounds like the plural
    future: str = "auxiliary"
    negation: str = "particle"
    passive: str = "auxiliary"
    object: str = "none"
    recipient: str = "adposition"
    source: str = "adposition"
    goal: str = "adposition"
    place: str = "adposition"
    companion: str = "adposition"
    time: str = "adposition"
    agent: str = "adposition"
    genitive: str = "adposition"

    def has_case(self, role: str) -> bool:
        """Whether nouns in `role` bear a case suffix."""
        return getattr(self, role, "none") in ("case", "both")

    def has_adposition(self, role: str) -> bool:
        """Whether `role` is marked by an adposition."""
        return getattr(self, role, "none") in ("adposition", "both")


@dataclass(frozen=True)
class LanguageSpec:
    """One language of the family. See world.yaml for what each parameter does."""

    code: str
    word_order: str
    syllables: Syllables
    name: str = ""
    script: str = "latin"
    orthography: Mapping[str, str] = field(default_factory=dict)
    spaces: bool = True
    resource: float = 1.0
    adjectives: str = "before"
    numerals: str = "before"
    genitives: str = "after"
    adpositions: str = "before"
    auxiliaries: str = "before"
    articles: str = "both"
    question_words: str = "first"
    fronting: float = 0.2
    # Share of clauses of pairs and bitext in which agent and patient change places; without object case, of passives.
    free_order: float = 0.0
    pro_drop: bool = False
    compounding: bool = False
    morphology: Morphology = field(default_factory=Morphology)
    synonyms: float = 0.0
    polysemy: float = 0.0
    homographs: float = 0.0
    relations: tuple[Relation, ...] = ()
    names: Mapping[str, float] = field(default_factory=lambda: {"identical": 0.7, "adapted": 0.3})
    domain_shift: float = 0.0
    code_switching: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


class Family(dict[str, LanguageSpec]):
    """The languages by code, in the order of the file, and their world."""

    def __init__(self, world: WorldSpec, languages: Mapping[str, LanguageSpec]):
        super().__init__(languages)
        self.world = world

    def __missing__(self, code: str) -> LanguageSpec:
        raise ConfigError(f"unknown language {code!r}: the world's languages are {', '.join(self)}")


def load_languages(path: str | Path) -> Family:
    """Read and validate a family of languages. InputError on bad YAML, ConfigError (with legal keys) on wrong ones."""
    if not Path(path).is_file():
        raise ConfigError(f"{path}: no such file; give the YAML file of the world's languages")
    content = read_yaml(path)
    try:
        check(content, load_schema(SCHEMA), [path])
        return build_family(content)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def build_family(content: Mapping[str, Any]) -> Family:
    """Turn a checked mapping into a Family. Raises ConfigError on references to missing languages."""
    world = dict(content.get("world") or {})
    world["names"] = NAME_POOLS | dict(world.get("names") or {})
    languages = {code: _language(code, entry) for code, entry in content["languages"].items()}
    family = Family(WorldSpec(**world), languages)
    _check_references(family)
    return family


def _language(code: str, entry: Mapping[str, Any]) -> LanguageSpec:
    entry = dict(entry)
    syllables = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.pop("syllables").items()}
    entry["relations"] = tuple(Relation(**relation) for relation in entry.get("relations", ()))
    entry["morphology"] = Morphology(**entry.get("morphology", {}))
    if "names" in entry:
        entry["names"] = {"identical": 0.0, "adapted": 0.0} | entry["names"]
    return LanguageSpec(code=code, syllables=Syllables(**syllables), **entry)


def _check_references(family: Family) -> None:
    for place, (code, language) in enumerate(family.items()):
        earlier = list(family)[:place]
        for relation in language.relations:
            if relation.to not in earlier:
                raise ConfigError(
                    f"languages.{code}.relations: {relation.to!r} must be a language above it in the file"
                    f" ({', '.join(earlier) or 'there is none'})"
                )
        shares = sum(relation.cognates + relation.false_friends for relation in language.relations)
        if shares > 1:
            raise ConfigError(
                f"languages.{code}.relations: cognates and false_friends sum to {shares:g}, over 1"
            )
        if sum(language.names.values()) > 1:
            raise ConfigError(f"languages.{code}.names: identical and adapted sum to more than 1")
        for other in language.code_switching:
            if other not in family or other == code:
                raise ConfigError(
                    f"languages.{code}.code_switching: {other!r} must be another language of the file"
                    f" ({', '.join(c for c in family if c != code)})"
                )
