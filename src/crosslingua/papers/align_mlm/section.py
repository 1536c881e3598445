"""The section of the configuration, typed."""

from typing import Annotated

from pydantic import Field

from crosslingua.settings import Count, NotNegative, Share
from crosslingua.workflow.sections import (
    TEXT,
    TEXT_OR_DERIVED,
    Distinct,
    Map,
    Member,
    Name,
    NameOfSource,
    Objective,
    OneOrMore,
    Refers,
    Section,
    Seeds,
    Settings,
    Task,
    settings_of,
)

COLUMNS = "align_mlm.transformations"
System = Annotated[Name, Refers("align_mlm.systems")]
Column = Annotated[Name, Refers(COLUMNS, taken_out=True)]
Transformation = Annotated[Name, Refers(COLUMNS)]


class PretrainedSystem(Section):
    """An encoder that is trained on the natural and the derived language."""

    objective: Objective
    settings: Annotated[Settings, "of pretrain.py, over align_mlm.settings"] = None


class OfOne(Section):
    """An ablation of one encoder of table 3."""

    system: System
    transformation: Transformation

    @property
    def places(self) -> tuple[list[str], list[str]]:
        """Its systems, each on its transformations."""
        return [self.system], [self.transformation]


class OfSeveral(Section):
    """An ablation of several encoders of table 3."""

    systems: Distinct[System]
    transformations: Distinct[Transformation]

    @property
    def places(self) -> tuple[list[str], list[str]]:
        """Its systems, each on its transformations."""
        return self.systems, self.transformations


class Parallel(OfOne):
    """Sentence pairs (table 1)."""

    shares: Annotated[list[Share], "sentence pairs for each sentence of text"]


class DictionaryShares(OfSeveral):
    """Sizes of the dictionary (tables 2, 4, 5)."""

    shares: Annotated[list[Share], "tokens in the dictionary"]


class Overlap(OfOne):
    """Shared vocabulary (table 7)."""

    languages: Annotated[
        Distinct[Annotated[Name, Refers(TEXT_OR_DERIVED)]],
        "derived languages that keep a share of the vocabulary",
    ]


class Length(OfSeveral):
    """Longer pre-training; not in the paper."""

    steps: Annotated[OneOrMore[Count], "further numbers of updates, beside table 3's"]


class Alpha(OfOne):
    """The weight of the alignment loss (appendix G.5)."""

    alphas: Annotated[list[NotNegative], "further weights, beside table 3's"]


Ablation = Parallel | DictionaryShares | Overlap | Length | Alpha


class Ablations(Section):
    """The ablations; null: not at this scale."""

    parallel: Parallel | None
    dictionary: DictionaryShares | None
    overlap: Overlap | None
    length: Length | None
    alpha: Alpha | None


class AlignMlmSection(Section):
    """Table 3, figures 2 and 3, table 8, and the ablations."""

    natural: Annotated[
        Annotated[NameOfSource, Refers(TEXT)],
        "the language, of `languages` and of the sources of every task; `{source}`: the source of the first of `pairs`",
    ]
    transformations: Annotated[
        dict[Name, Annotated[str, Refers(TEXT_OR_DERIVED)] | None],
        "columns of the tables: {name: derived language}; `{source}` as above; null leaves a column out. Every task "
        "needs data of the language",
    ]
    seeds: Annotated[
        Seeds | Annotated[dict[Column, Seeds], Field(min_length=1)] | None,
        "seeds of the encoders: a list, or {transformation: list}; null: encoders.seeds",
    ]
    init: Annotated[
        Member | None,
        "encoder with a Unigram tokeniser, of encoders.multilingual.members, that all systems begin with, of a trained "
        "one the first; its pieces get copies with new vectors. null: encoders are trained from scratch",
    ]
    vocabulary_size: Annotated[Count, "subwords of the natural language; the derived language has as many"]
    settings: Annotated[Settings, "of pretrain.py, over encoders.settings"]
    systems: Annotated[dict[Name, PretrainedSystem | None], "by name; null: not at this scale"]
    tasks: Annotated[
        dict[Task, Annotated[Map | None, settings_of("fine_tuning.grid")]],
        Field(min_length=1),
        "tasks of fine-tuning: {task: settings of finetune.py}; validation data of the natural language choose "
        "from lists",
    ]
    ablations: Ablations


SECTION = AlignMlmSection
