"""The section of the configuration, typed."""

from typing import Annotated, Literal

from crosslingua.settings import Count, Whole
from crosslingua.workflow.sections import (
    GOLD_ALIGNMENTS,
    MEMBERS,
    Bitext,
    Distinct,
    Given,
    Map,
    Member,
    Name,
    NameOfSource,
    Names,
    OneOrMore,
    PairName,
    Refers,
    Section,
    Seeds,
    SystemOfVectors,
    Text,
    matching,
    settings_of,
)

TuningGrid = Annotated[Map | None, settings_of("fine_tuning.grid")]


class EncoderLayersShown(Section):
    """Which layers of an encoder are aligned by."""

    member: Annotated[Given[Member], "of encoders.multilingual.members; default: the member of this name"] = (
        None
    )
    layer: Annotated[Whole, "whose hidden vectors table 2 uses; 0: embeddings"]
    layers: Annotated[Distinct[Whole], "drawn in figure 2"]


class XtremeTaskSection(Section):
    """A task of XTREME."""

    train: Annotated[
        NameOfSource,
        "set with training and validation data; `{source}`: of the source of the first of `pairs`",
    ]
    sets: Annotated[
        str,
        matching("^[a-z0-9_]*[{]language[}][a-z0-9_]*$"),
        "sets that are tested, {language} in place of the language",
    ]
    settings: Annotated[
        TuningGrid,
        "settings of finetune.py; defaults are the published values; validation data choose from lists",
    ] = None
    models: Annotated[
        dict[Annotated[Name, Refers(MEMBERS, taken_out=True)], TuningGrid] | None,
        "{encoder: settings that override the task's}",
    ] = None
    only: Annotated[
        Distinct[Annotated[Name, Refers("xlm_align.xtreme.models")]] | None,
        "of xtreme.models; null: all of them; []: the task is left out",
    ] = None


class XtremeSection(Section):
    """Tables 1, 3 to 7 and 13 to 19: fine-tuned in one language, tested in all (docs/papers/xlm_align.md)."""

    models: Annotated[OneOrMore[Member], "encoders of table 1"]
    seeds: Annotated[Seeds | None, "of fine-tunings; encoders take turns; null: encoders.seeds"]
    base: Annotated[Member, "the XLM-Align that tables 3 to 7 vary"]
    ablations: Annotated[
        Distinct[Literal["table3", "table4", "table5", "table6", "table7"]], "tables of the target ablations"
    ]
    languages: Annotated[Names | None, "test languages, or `pairs` for theirs; null: all of the encoders"]
    stand_ins: Annotated[Text, "note in the tables about data that replace others"]
    tasks: Annotated[
        dict[Literal["pos", "ner", "xquad", "mlqa", "tydiqa", "xnli", "pawsx"], XtremeTaskSection | None],
        "by name; null: not at this scale",
    ]


class XlmAlignSection(Section):
    """Tables 1 to 7 and 13 to 19, figure 2."""

    gold: Annotated[
        Distinct[Annotated[PairName, Refers(GOLD_ALIGNMENTS)]] | None,
        "gold alignments; null: all of the data sheets and of `pairs`",
    ]
    training: Annotated[
        dict[str, Bitext],
        "{gold alignment: further bitext for aligners that read text}; default: all of the pair",
    ]
    vectors: Annotated[
        Distinct[SystemOfVectors], "static vectors: systems of joint_align, by the first dictionary of a pair"
    ]
    encoders: Annotated[dict[Name, EncoderLayersShown | None], "encoders by name; null: not at this scale"]
    figure2: Annotated[Name, "aligner of figure 2"]
    example: Annotated[Count, "line of each gold set that is drawn"]
    xtreme: Annotated[XtremeSection | None, "null: not at this scale"]


SECTION = XlmAlignSection
