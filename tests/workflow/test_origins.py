"""What tables say of their encoders."""

from __future__ import annotations

import copy
from pathlib import Path

import yaml

from crosslingua.encoders.origins import align_mlm_origins, multilingual_origins


def test_a_published_model_is_named_and_one_trained_here_described(repository: Path) -> None:
    config = yaml.safe_load((repository / "config.yaml").read_text())
    config["encoders"]["settings"] = {
        "layers": 3,
        "hidden": 96,
        "batch_size": 7,
        "steps": 12000,
        "warmup": 10,
    }
    members = config["encoders"]["multilingual"]["members"]
    config["encoders"]["multilingual"]["settings"] = {"preset": "xlm_align"}
    members["xlmr"] = {"objective": ["mlm"]}
    members["mbert"] = {"pretrained": "owner/model", "revision": "abc"}
    assert multilingual_origins(config, ["mbert", "xlmr", "xlm_align"]) == (
        "mbert: owner/model@abc. "
        "xlmr: trained here (3 layers of 96 dimensions, 12,000 steps of 7 sequences). "
        "xlm_align: trained here (continued from xlmr, 12,000 steps of 7 sequences)."
    )


def test_encoders_of_align_mlm_that_differ_are_told_apart(repository: Path) -> None:
    config = yaml.safe_load((repository / "config.yaml").read_text())
    assert align_mlm_origins(config).startswith("Encoders: trained here (")
    other = copy.deepcopy(config)
    other["align_mlm"]["systems"]["xlm"]["settings"] = {"steps": 300}
    told = align_mlm_origins(other)
    assert told.startswith("mlm, dict_mlm, align_mlm: trained here (")
    assert "xlm: trained here (2 layers of 128 dimensions, 300 steps of 256 tokens)." in told
