"""The section of the configuration, typed."""

from typing import Annotated, Literal

from crosslingua.settings import Count, Whole
from crosslingua.workflow.sections import (
    Name,
    Names,
    PairNames,
    Section,
    Seeds,
    Text,
    list_of,
    matching,
    settings_of,
)

TuningGrid = settings_of("fine_tuning.grid")


class EncoderLayersShown(Section):
    """Which layers of an encoder are aligned by."""

    member: Annotated[Name, "of encoders.multilingual.members; unless said, the one of this name"] = None
    layer: Annotated[Whole, "whose hidden vectors table 2 uses; 0: embeddings"]
    layers: Annotated[list_of(Whole), "drawn in figure 2"]


class XtremeTaskSection(Section):
    """A task of XTREME."""

    train: Annotated[Name, "set that it is tuned on, with training and validation data"]
    sets: Annotated[
        matching("^[a-z0-9_]*[{]language[}][a-z0-9_]*$"),
        "sets that are tested, {language} in place of the language",
    ]
    settings: Annotated[
        TuningGrid,
        "of finetune.py; what is not named is as published; a list is a grid, chosen on validation data",
    ] = None
    models: Annotated[
        dict[Name, TuningGrid] | None, "settings that one encoder has over those of the task, by its name"
    ] = None


class XtremeSection(Section):
    """Tables 1, 3 to 7 and 13 to 19: fine-tuned in one language, tested in all (docs/papers/xlm_align.md)."""

    models: Annotated[list_of(Name, least=1), "encoders of table 1, in its order"]
    seeds: Annotated[Seeds | None, "of fine-tunings; encoders take turns; null: encoders.seeds"]
    base: Annotated[Name, "XLM-Align as tables 3 to 7 vary it"]
    ablations: Annotated[
        list_of(Literal["table3", "table4", "table5", "table6", "table7"]), "tables of the target ablations"
    ]
    languages: Annotated[Names | None, "tested; null: those of the encoders; `pairs` stands for these"]
    stand_ins: Annotated[Text, "what tables say of data that stand in for others"]
    tasks: Annotated[
        dict[Literal["pos", "ner", "xquad", "mlqa", "tydiqa", "xnli", "pawsx"], XtremeTaskSection | None],
        "by name; null: not at this scale",
    ]


class XlmAlignSection(Section):
    """Tables 1 to 7 and 13 to 19, figure 2."""

    gold: Annotated[PairNames | None, "gold alignments; null: those of the data sheets and of `pairs`"]
    training: Annotated[
        dict[str, PairNames],
        "gold alignment: bitext that aligners on text train on besides its own text; unless said: all there is",
    ]
    vectors: Annotated[Names, "static vectors: systems of joint_align, by the first dictionary of a pair"]
    encoders: Annotated[dict[Name, EncoderLayersShown | None], "encoders by name; null: not at this scale"]
    figure2: Annotated[Name, "aligner of figure 2"]
    example: Annotated[Count, "line of each gold set that is drawn"]
    xtreme: Annotated[XtremeSection | None, "null: not at this scale"]


SECTION = XlmAlignSection
