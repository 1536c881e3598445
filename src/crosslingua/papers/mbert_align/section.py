"""The section of the configuration, typed."""

from typing import Annotated

from crosslingua.settings import Count, Share
from crosslingua.workflow.sections import (
    Map,
    Member,
    Name,
    Section,
    Seeds,
    SetsOfPairs,
    TaskOfTags,
    settings_of,
)

Tagger = Annotated[Map | None, settings_of("tagger.bilstm_crf")]


class MbertAlignSection(Section):
    """Table 3 and figure 2 (docs/papers/mbert_align.md)."""

    encoder: Annotated[Member, "a member of encoders.multilingual.members"]
    seeds: Annotated[Seeds | None, "seeds of taggers; null: `seeds`"]
    transfer: Annotated[
        dict[TaskOfTags, dict[str, SetsOfPairs] | None],
        "{task: {training set: test sets}}, for tasks that label words. null in place of training sets leaves a task "
        "out. Test sets are a list, null for all that `pairs` gives, or a number for the first of these. A list may "
        "contain `pairs`. `pairs` gives one test set for each target language: the set with the training set's name, "
        "or with the name in `slots_as`. A training set with universal tags may also get another set with such tags. "
        "If the training set is missing, null and a number give no test sets. `{source}` is the source language of "
        "the first of `pairs`",
    ]
    share: Annotated[Share, "share of the training and validation sentences; published: 1"]
    sentences: Annotated[Count, "sentence pairs that alignments learn from; published: 30,000"]
    finetune: Annotated[
        Map | None, settings_of("encoder_alignment"), "settings of align_encoder.py, except direction"
    ]
    tagger: Annotated[Tagger, "settings of train_tagger.py"]
    tagger_of: Annotated[dict[Name, Tagger] | None, "{target language: settings that override `tagger`}"]


SECTION = MbertAlignSection
