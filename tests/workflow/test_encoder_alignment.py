"""Jobs of encoder alignment."""

import pytest

from configurations import Opener
from crosslingua.workflow import encoder_alignment


@pytest.mark.parametrize(
    ("scale", "source", "target", "name"), [("tiny", "ana", "ber", "ana-ber"), ("small", "de", "en", "en-de")]
)
def test_tuning_reads_the_texts_of_a_pair_source_first_and_their_links(
    opened: Opener, scale: str, source: str, target: str, name: str
) -> None:
    text = f"results/{scale}/corpora/bitext/{name}"
    assert encoder_alignment.tuning_inputs(opened(scale), "mbert", source, target) == [
        f"{text}.{source}.txt",
        f"{text}.{target}.txt",
        f"results/{scale}/word_alignment/bitext/{name}.links",
    ]
