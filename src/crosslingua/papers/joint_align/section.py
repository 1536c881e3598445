"""The section of the configuration, typed."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, WithJsonSchema

from crosslingua.mappers import MAPPERS
from crosslingua.settings import Count, Share
from crosslingua.workflow.sections import SETTINGS, Name, PairNames, Section, Seeds, by_member, settings_of

Tagger = settings_of("tagger.bilstm_crf")


class LexiconSystem(Section):
    """Word embeddings, and how they are mapped."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=by_member("mapper", MAPPERS, "mapper"))
    embeddings: Literal["independent", "joint", "joint_vr", "joint_vr_unsupervised", "joint_replace", "duong"]
    mapper: Annotated[str | None, "a mapper of the registry, or null: no mapping"]
    settings: Annotated[dict[str, Any] | None, "settings of this system's mapper, over `mappers`"] = None


class Table3(Section):
    """Named entities, learnt in a pair's source language (docs/papers/joint_align.md)."""

    seeds: Annotated[
        Seeds | None,
        "seeds of taggers and fine-tuned encoders; runs use vectors and encoders in turn; null: `seeds`",
    ]
    vectors: Annotated[dict[Name, str | None], "{name in the table: system whose vectors the tagger reads}"]
    frozen: Annotated[bool, "true: also read these vectors without tuning; a control of vector_rate"]
    features: Annotated[str | None, "a member of encoders.multilingual.members, read frozen"]
    fine_tuned: Annotated[dict[Name, str | None] | None, "name in the table: the encoder that is tuned whole"]
    share: Annotated[Share, "share of the training and validation sentences; published: 1"]
    tagger: Annotated[Tagger, "settings of train_tagger.py"]
    static_tagger: Annotated[Tagger, "over these, for static vectors and controls"]
    fine_tuning: Annotated[settings_of("fine_tuning"), "settings of finetune.py"]


class Figure1(Section):
    """Spaces of words."""

    pair: Annotated[str | None, "source-target.dictionary; null: the first"]
    refined_by: Annotated[Name, "the system of panel (c)"]
    words_shown: Annotated[Count, "most frequent words of either language, drawn as dots"]
    labelled_pairs: Annotated[Count, "translations named in the plot"]


class TranslationSection(Section):
    """Figure 2 (docs/methods/translation.md)."""

    pairs: Annotated[PairNames | Count | None, "names of `pairs`, or a number for the first ones; null: all"]
    seeds: Annotated[Seeds | Count, "a list of `seeds`, or a number for the first ones"]
    systems: Annotated[
        dict[Name, Name | None],
        Field(min_length=1),
        "{system: the system of joint_align.systems whose vectors start it}; null removes a system",
    ]
    supervised: Annotated[Name | None, "system whose vectors start the upper bound; null: no upper bound"]
    supervised_seeds: Annotated[Count, "number of seeds of the upper bound, the first ones"]
    text: Annotated[
        Literal["halves", "alternating", "texts"],
        "halves: the first and the second half of the pair's bitext; alternating: source sentences in turn; texts: "
        "the languages' texts",
    ]
    train: Annotated[dict[str, str], "{pair: bitext}; default: the pair's first bitext for training"]
    test: Annotated[
        dict[str, str], "{pair: bitext}; default: the pair's first for tests, or its gold alignment"
    ]
    beam: Annotated[Count, "hypotheses of the search for the table"]
    samples: Annotated[Count, "sentences of the test set on the results page"]
    settings: Annotated[
        settings_of("translation"), "settings of train_translation.py; defaults are the published values"
    ]


class JointAlignSection(Section):
    """Tables 1 to 3, figures 1 and 2, the dictionary curve."""

    systems: Annotated[
        dict[Name, LexiconSystem | None], Field(min_length=1), "by name; null: not at this scale"
    ]
    induced: Annotated[PairNames | None, "pairs of tables 1 and 2; null: all of `pairs`"]
    table3: Annotated[Table3 | None, "null: no table"] = None
    search: Annotated[
        dict[str, Any],
        WithJsonSchema({SETTINGS: "search"}),
        "values that are chosen among on validation translations, by mapper, duong or joint_replace; null: none",
    ]
    published_training: Annotated[bool, "true: also train duong and joint_replace with published settings"]
    controls: Annotated[Count | None, "runs of each control of unsupervised mappers; null: none"]
    figure1: Annotated[Figure1 | None, "null: no picture"]
    translation: Annotated[TranslationSection | None, "figure 2; null: no translation"] = None


SECTION = JointAlignSection
