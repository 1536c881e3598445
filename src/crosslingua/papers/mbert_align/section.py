"""The section of the configuration, typed."""

from typing import Annotated

from crosslingua.settings import Count, Share
from crosslingua.workflow.sections import Name, Section, Seeds, SetsOfPairs, settings_of

Tagger = settings_of("tagger.bilstm_crf")


class MbertAlignSection(Section):
    """Table 3 and figure 2 (docs/papers/mbert_align.md)."""

    encoder: Annotated[Name, "of encoders.multilingual.members"]
    seeds: Annotated[Seeds | None, "of taggers; null: those of all runs"]
    transfer: Annotated[
        dict[Name, dict[str, SetsOfPairs] | None],
        "{task: {set that is trained on: sets that are tested on}}, of the sources of a task, any that gives words "
        "labels; `pairs` give those of its name (with `slots_as` of what it is renamed as), or of universal tags "
        "where it has these; null or a number: none if it is not there; null for a task leaves it out",
    ]
    share: Annotated[Share, "of a training set, and of its validation set, that is used; published: 1"]
    sentences: Annotated[Count, "sentence pairs that alignments learn from; published: 30,000"]
    finetune: Annotated[settings_of("encoder_alignment"), "of align_encoder.py, but direction"]
    tagger: Annotated[Tagger, "settings of train_tagger.py"]
    tagger_of: Annotated[dict[Name, Tagger] | None, "{target language: settings over these}"]


SECTION = MbertAlignSection
