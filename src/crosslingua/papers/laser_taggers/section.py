"""The section of the configuration, typed."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from crosslingua.embedders import EMBEDDERS
from crosslingua.settings import Share
from crosslingua.workflow.sections import (
    Distinct,
    Given,
    Map,
    Member,
    Name,
    NameOfSource,
    Names,
    Refers,
    Section,
    Seeds,
    SetsOfPairs,
    SystemOfVectors,
    TaskOfTags,
    settings_of,
)

Embedder = Annotated[Name, Refers("the embedders", EMBEDDERS)]
Tagger = Annotated[Map | None, settings_of("tagger.transformer_crf")]


class TaskSets(Section):
    """The data of a task."""

    source: Annotated[
        NameOfSource,
        "set of training in the zero-shot setting; `{source}`: of the source of the first of `pairs`",
    ]
    targets: Annotated[
        SetsOfPairs,
        "target sets; sets with training data also train, alone and jointly. `pairs` gives sets of the source's "
        "name, or of universal tags if the source has these, in languages that are distant in no task",
    ]
    distant: Annotated[
        Given[Names],
        "sets of distant languages: tested, and trained on by themselves where `distant_alone` says so and they have "
        "training data",
    ] = None


class TaggedSystem(Section):
    """What makes word vectors: an embedder, vectors of joint_align, or an encoder that is tuned whole."""

    embedder: Annotated[Given[Embedder], "of the registry of embedders"] = None
    recipe: Annotated[Literal["baseline", "laser"], "training recipe; default: baseline"] = "baseline"
    vectors: Annotated[
        Given[SystemOfVectors], "a system of joint_align, trained by the baselines' recipe"
    ] = None
    encoder: Annotated[Given[Member], "of encoders.multilingual.members"] = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set & {"embedder", "vectors", "encoder"}:
            raise ValueError("the key 'embedder' is missing, or 'vectors', or 'encoder'")
        return self


class Recipes(Section):
    """Settings other than the published."""

    baseline: Annotated[Tagger, "of train_tagger.py"] = None
    laser: Annotated[Tagger, "of train_tagger.py"] = None
    transformer: Annotated[Map | None, settings_of("fine_tuning"), "of finetune.py"] = None


class LaserTaggersSection(Section):
    """Tables 2 and 3, figures 3 to 5 (docs/papers/laser_taggers.md)."""

    seeds: Annotated[
        Seeds | None,
        "seeds of taggers and fine-tuned encoders; runs use vectors, LASERs and encoders in turn; null: `seeds`",
    ]
    share: Annotated[Share, "of every training and validation set; published: 1"]
    tasks: Annotated[
        dict[TaskOfTags, TaskSets | None],
        Field(min_length=1),
        "by name; null: not at this scale",
    ]
    distant_alone: Annotated[bool, "train on distant languages by themselves, too; published: false"]
    joint: Annotated[
        Distinct[Annotated[Name, Refers("laser_taggers.tasks")]] | None,
        "tasks of the joint training (table 3); null: all",
    ]
    systems: Annotated[
        dict[Name, TaggedSystem | None],
        "by name: {embedder, recipe}, {vectors: a system of joint_align} or {encoder: a member of "
        "encoders.multilingual}; null: not at this scale",
    ]
    equal_recipe: Annotated[
        Distinct[Annotated[Name, Refers("laser_taggers.systems", taken_out=True)]],
        "baselines of `systems` that are also trained by LASER's recipe (zero-shot), a control of the recipe",
    ]
    tagger: Annotated[Tagger, "settings of train_tagger.py other than the published, for all taggers"]
    recipes: Annotated[Recipes, "settings other than the published, by recipe"]


SECTION = LaserTaggersSection
