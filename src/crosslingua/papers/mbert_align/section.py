"""The section of the configuration, typed."""

from typing import Annotated

from crosslingua.settings import Count, Share
from crosslingua.workflow.sections import Name, Section, Seeds, SetsOfPairs, settings_of

Tagger = settings_of("tagger.bilstm_crf")


class MbertAlignSection(Section):
    """Table 3 and figure 2 (docs/papers/mbert_align.md)."""

    encoder: Annotated[Name, "a member of encoders.multilingual.members"]
    seeds: Annotated[Seeds | None, "seeds of taggers; null: `seeds`"]
    transfer: Annotated[
        dict[Name, dict[str, SetsOfPairs] | None],
        "{task: {training set: test sets}} for tasks that label words; null leaves a task out. `pairs` gives test "
        "sets of the training set's name (with `slots_as`: of the new name), or of universal tags if the training "
        "set has these. null takes all of them, a number the first ones, and neither takes any if the training set "
        "is missing. `{source}` stands for the source language of the first of `pairs`",
    ]
    share: Annotated[Share, "share of the training and validation sentences; published: 1"]
    sentences: Annotated[Count, "sentence pairs that alignments learn from; published: 30,000"]
    finetune: Annotated[settings_of("encoder_alignment"), "settings of align_encoder.py, except direction"]
    tagger: Annotated[Tagger, "settings of train_tagger.py"]
    tagger_of: Annotated[dict[Name, Tagger] | None, "{target language: settings that override `tagger`}"]


SECTION = MbertAlignSection
