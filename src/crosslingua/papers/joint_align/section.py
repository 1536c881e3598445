"""The section of the configuration, typed."""

from typing import Annotated

from pydantic import Field

from crosslingua.settings import Count, Share
from crosslingua.workflow.sections import (
    Name,
    PairNames,
    Section,
    Seeds,
    SystemSection,
    TranslationSection,
    settings_of,
)

Tagger = settings_of("tagger.bilstm_crf")


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


class JointAlignSection(Section):
    """Tables 1 to 3, figures 1 and 2, the dictionary curve."""

    systems: Annotated[
        dict[Name, SystemSection | None], Field(min_length=1), "by name; null: not at this scale"
    ]
    induced: Annotated[PairNames | None, "pairs of tables 1 and 2; null: all of `pairs`"]
    table3: Annotated[Table3 | None, "null: no table"] = None
    search: Annotated[
        dict[str, settings_of("search.{key}")],
        "values that are chosen among on validation translations, by mapper, duong or joint_replace; null: none",
    ]
    published_training: Annotated[bool, "true: also train duong and joint_replace with published settings"]
    controls: Annotated[Count | None, "runs of each control of unsupervised mappers; null: none"]
    figure1: Annotated[Figure1 | None, "null: no picture"]
    translation: Annotated[TranslationSection | None, "figure 2; null: no translation"] = None


SECTION = JointAlignSection
