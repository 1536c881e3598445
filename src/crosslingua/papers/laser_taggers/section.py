"""The section of the configuration, typed."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from crosslingua.settings import Share
from crosslingua.workflow.sections import Name, Names, Section, Seeds, SetsOfPairs, settings_of

Tagger = settings_of("tagger.transformer_crf")


class TaskSets(Section):
    """The data of a task."""

    source: Annotated[Name, "set of training in the zero-shot setting"]
    targets: Annotated[
        SetsOfPairs,
        "sets that are trained on too, where they have training data: monolingual and joint; `pairs` give those of the "
        "source's name, or of universal tags where it has these, in languages that are distant in no task",
    ]
    distant: Annotated[
        Names,
        "sets of distant languages: tested, and trained on by themselves where `distant_alone` says so and they have "
        "training data",
    ] = None


class TaggedSystem(Section):
    """What makes word vectors: an embedder, vectors of joint_align, or an encoder that is tuned whole."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"minProperties": 1})
    embedder: Annotated[Name, "of the registry of embedders"] = None
    recipe: Annotated[Literal["baseline", "laser"], "how it is trained; unless said: baseline"] = None
    vectors: Annotated[Name, "a system of joint_align; its recipe is the baselines'"] = None
    encoder: Annotated[Name, "of encoders.multilingual.members"] = None


class Recipes(Section):
    """Settings other than the published."""

    baseline: Annotated[Tagger, "of train_tagger.py"] = None
    laser: Annotated[Tagger, "of train_tagger.py"] = None
    transformer: Annotated[settings_of("fine_tuning"), "of finetune.py"] = None


class LaserTaggersSection(Section):
    """Tables 2 and 3, figures 3 to 5 (docs/papers/laser_taggers.md)."""

    seeds: Annotated[
        Seeds | None,
        "of taggers and of fine-tuned encoders; vectors, LASER and encoders take turns; null: those of all runs",
    ]
    share: Annotated[Share, "of every training and validation set; published: 1"]
    tasks: Annotated[dict[Name, TaskSets | None], Field(min_length=1), "by name; null: not at this scale"]
    distant_alone: Annotated[bool, "train on distant languages by themselves, too; published: false"]
    joint: Annotated[Names | None, "tasks of the joint training (table 3); null: all"]
    systems: Annotated[
        dict[Name, TaggedSystem | None],
        "by name: {embedder, recipe}, {vectors: a system of joint_align} or {encoder: a member of "
        "encoders.multilingual}; null: not at this scale",
    ]
    equal_recipe: Annotated[
        Names,
        "baselines, of `systems`, that are trained by LASER's recipe too, in the zero-shot setting: is it LASER that "
        "leads, or its recipe?",
    ]
    tagger: Annotated[Tagger, "settings of train_tagger.py other than the published, for all taggers"]
    recipes: Annotated[Recipes, "settings other than the published, by recipe"]


SECTION = LaserTaggersSection
