"""The section of the configuration, typed."""

from typing import Annotated

from crosslingua.settings import Share
from crosslingua.workflow.sections import (
    Distinct,
    Map,
    Member,
    Name,
    PairName,
    Refers,
    Section,
    Seeds,
    Text,
    VectorsSection,
    settings_of,
)

Tagger = Annotated[Map | None, settings_of("tagger.bilstm_crf")]


class Table3(Section):
    """Named entities, learnt in a pair's source language (docs/papers/joint_align.md)."""

    seeds: Annotated[
        Seeds | None,
        "seeds of taggers and fine-tuned encoders; runs use vectors and encoders in turn; null: `seeds`",
    ]
    vectors: Annotated[
        dict[Name, Annotated[str, Refers("joint_align.systems", taken_out=True)] | None],
        "{name in the table: system whose vectors the tagger reads}",
    ]
    frozen: Annotated[bool, "true: also read these vectors without tuning; a control of vector_rate"]
    features: Annotated[Member | None, "a member of encoders.multilingual.members, read frozen"]
    fine_tuned: Annotated[
        dict[Name, Member | None] | None, "name in the table: the encoder that is tuned whole"
    ]
    share: Annotated[Share, "share of the training and validation sentences; published: 1"]
    tagger: Annotated[Tagger, "settings of train_tagger.py"]
    static_tagger: Annotated[Tagger, "over these, for static vectors and controls"]
    fine_tuning: Annotated[Map | None, settings_of("fine_tuning"), "settings of finetune.py"]


class AtlasSection(Section):
    """A card for each pair with a dictionary, and one page of all (docs/atlas.md)."""

    domains: Annotated[
        dict[Text, Text], "what texts are: {name: pattern of pairs}; the first that matches counts"
    ]
    curves: Annotated[
        dict[Text, Text], "points of learning curves: {pair of the curve: pattern of its points}"
    ]


class JointAlignSection(VectorsSection):
    """Tables 1 to 3, figures 1 and 2, the dictionary curve, the atlas."""

    induced: Annotated[
        Distinct[Annotated[PairName, Refers("pairs")]] | None, "pairs of tables 1 and 2; null: all of `pairs`"
    ]
    table3: Annotated[Table3 | None, "null: no table"] = None
    atlas: Annotated[AtlasSection | None, "null: no atlas"] = None


SECTION = JointAlignSection
