"""The section of the configuration, typed."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, WithJsonSchema

from crosslingua.mappers import MAPPERS
from crosslingua.settings import Count, Share
from crosslingua.workflow.sections import (
    SETTINGS,
    Name,
    PairNames,
    Section,
    Seeds,
    by_member,
    settings_of,
)

Tagger = settings_of("tagger.bilstm_crf")


class LexiconSystem(Section):
    """Word embeddings, and how they are mapped."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=by_member("mapper", MAPPERS, "mapper"))
    embeddings: Literal["independent", "joint", "joint_vr", "joint_vr_unsupervised", "joint_replace", "duong"]
    mapper: Annotated[str | None, "a mapper of the registry, or null: no mapping"]
    settings: Annotated[dict[str, Any] | None, "of the mapper in this system, over those under mappers"] = (
        None
    )


class Table3(Section):
    """Named entities, learnt in a pair's source language (docs/papers/joint_align.md)."""

    seeds: Annotated[
        Seeds | None,
        "of taggers and of fine-tuned encoders; vectors and encoders take turns; null: those of all runs",
    ]
    vectors: Annotated[dict[Name, str | None], "name in the table: the system whose vectors it reads"]
    frozen: Annotated[bool, "read these vectors frozen besides: a control of vector_rate, which tunes them"]
    features: Annotated[str | None, "an encoder of encoders.multilingual.members; its last layers frozen"]
    fine_tuned: Annotated[dict[Name, str | None] | None, "name in the table: the encoder that is tuned whole"]
    share: Annotated[Share, "of a training set, and of its validation set, that is used; published: 1"]
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

    pairs: Annotated[PairNames | Count | None, "of `pairs`: names, or how many of the first; null: all"]
    seeds: Annotated[Seeds | Count, "of `seeds`: which, or how many of the first"]
    systems: Annotated[
        dict[Name, Name | None],
        Field(min_length=1),
        "whose vectors each begins with: of joint_align.systems; null takes one out",
    ]
    supervised: Annotated[Name | None, "whose vectors the upper line begins with; null: none"]
    supervised_seeds: Annotated[Count, "how many of the seeds the upper line is trained with"]
    text: Annotated[
        Literal["halves", "alternating", "texts"],
        "halves of the pair's bitext, without a pair in common: the first and the second, or its source sentences in "
        "turn; or the languages' texts",
    ]
    train: Annotated[dict[str, str], "{pair: bitext}; else the pair's first bitext for training"]
    test: Annotated[dict[str, str], "{pair: bitext}; else the first for tests, or its gold alignment"]
    beam: Annotated[Count, "hypotheses of the search for the table"]
    samples: Annotated[Count, "sentences of the test set on the results page"]
    settings: Annotated[
        settings_of("translation"), "of train_translation.py; what is not named is as published"
    ]


class JointAlignSection(Section):
    """Tables 1 to 3, figures 1 and 2, the dictionary curve."""

    systems: Annotated[
        dict[Name, LexiconSystem | None], Field(min_length=1), "by name; null: not at this scale"
    ]
    induced: Annotated[PairNames | None, "those of `pairs` that tables 1 and 2 are about; null: all"]
    table3: Annotated[Table3 | None, "null: none of it"] = None
    search: Annotated[
        dict[str, Any],
        WithJsonSchema({SETTINGS: "search"}),
        "values that are chosen among on validation translations, by mapper, duong or joint_replace; null: none",
    ]
    published_training: Annotated[bool, "train duong and joint_replace as published besides"]
    controls: Annotated[Count | None, "runs of each control of unsupervised mappers; null: none"]
    figure1: Annotated[Figure1 | None, "null: none of its pictures"]
    translation: Annotated[TranslationSection | None, "figure 2; null: none of it"] = None


SECTION = JointAlignSection
