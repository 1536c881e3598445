import json
import shutil

import pytest

from crosslingua.encoders.folder import check_same_tokenizer
from crosslingua.encoders.pretraining import pretrain
from crosslingua.errors import ConfigError
from encoders.test_pretraining import run


def changed(folder, tmp_path, change):
    """A copy of a tokeniser with something changed in its tokenizer.json."""
    told = json.loads((folder / "tokenizer.json").read_text())
    change(told)
    shutil.copytree(folder, tmp_path / "changed")
    (tmp_path / "changed" / "tokenizer.json").write_text(json.dumps(told))
    return tmp_path / "changed"


def swap_ids(told):
    vocabulary = told["model"]["vocab"]
    first, second = list(vocabulary)[-2:]
    vocabulary[first], vocabulary[second] = vocabulary[second], vocabulary[first]


def spell_merges_as_text(told):
    told["model"]["merges"] = [" ".join(merge) for merge in told["model"]["merges"]]


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (swap_ids, "pieces"),
        (lambda told: told["model"]["merges"].reverse(), "merges"),
        (lambda told: told["added_tokens"].pop(), "special tokens"),
    ],
)
def test_another_tokeniser_is_refused(tiny_world, tmp_path, change, part):
    with pytest.raises(ConfigError, match=rf"changed has other {part} than that of the encoder .*tok: leave"):
        check_same_tokenizer(changed(tiny_world / "tok", tmp_path, change), tiny_world / "tok")


def test_the_same_tokeniser_may_be_spelled_otherwise(tiny_world, tmp_path):
    check_same_tokenizer(changed(tiny_world / "tok", tmp_path, spell_merges_as_text), tiny_world / "tok")


def test_an_encoder_without_its_tokeniser_is_taken_with_a_warning(tiny_world, tmp_path, caplog):
    check_same_tokenizer(tiny_world / "tok", tmp_path)
    assert "has no tokenizer.json" in caplog.text


def test_training_goes_on_with_the_encoders_tokeniser_only(tiny_world, tmp_path):
    pretrain(run(tiny_world, tmp_path / "first", steps=1))
    swapped = changed(tiny_world / "tok", tmp_path, swap_ids)
    shutil.copytree(swapped, tmp_path / "world" / "tok")
    for name in ("a.txt", "b.txt"):
        shutil.copy(tiny_world / name, tmp_path / "world")
    with pytest.raises(ConfigError, match="has other pieces"):
        pretrain(run(tmp_path / "world", tmp_path / "second", init=tmp_path / "first", steps=1))
