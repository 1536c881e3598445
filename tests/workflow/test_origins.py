"""What tables say of their encoders."""

import pytest

from configurations import Opener
from crosslingua.errors import ConfigError
from crosslingua.workflow.runs import Run, multilingual_origins, origin, told_apart

SETTINGS = {"layers": 3, "hidden": 96, "batch_size": 7, "steps": 12000, "warmup": 10}


def test_a_published_model_is_named_and_one_trained_here_described(opened: Opener) -> None:
    members = {
        "xlmr": {"settings": SETTINGS},
        "mbert": {"pretrained": "owner/model", "revision": "abc"},
    }
    multilingual = {
        "members": members,
        "settings": {"preset": "xlm_align", "batch_unit": None, "steps": 12000},
    }
    w = opened(change={"encoders": {"multilingual": multilingual}})
    assert multilingual_origins(w, ["mbert", "xlmr", "xlm_align"]) == (
        "mbert: owner/model@abc. "
        "xlmr: trained here (3 layers of 96 dimensions, 12,000 steps of 7 sequences). "
        "xlm_align: trained here (continued from xlmr, 12,000 steps of 256 sequences)."
    )


def test_the_papers_encoders_are_published_models(opened: Opener) -> None:
    told = multilingual_origins(opened("paper"), ["xlmr", "xlm_align"])
    assert told == "xlmr: FacebookAI/xlm-roberta-base. xlm_align: microsoft/xlm-align-base."


def run(**settings: object) -> Run:
    return Run(("mlm",), "t", ("a",), settings=SETTINGS | settings)


def test_encoders_that_are_trained_alike_are_told_once() -> None:
    assert origin(run()) == "trained here (3 layers of 96 dimensions, 12,000 steps of 7 sequences)"
    assert told_apart({"a": run(), "b": run(lr=1.0)}) == f"Encoders: {origin(run())}."


def test_encoders_that_differ_are_told_apart() -> None:
    told = told_apart({"a": run(), "b": run(steps=300), "c": run()})
    assert told == f"a, c: {origin(run())}. b: {origin(run(steps=300))}."


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_length": 4000}, "encoder mbert .*max_length 4000 .* max_positions is 128"),
        ({"heads": 3}, "encoder mbert .*hidden 128 is no multiple of heads 3"),
    ],
)
def test_settings_that_contradict_each_other_are_refused_with_the_encoder(
    opened: Opener, settings: dict, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        opened(change={"encoders": {"settings": settings}})
