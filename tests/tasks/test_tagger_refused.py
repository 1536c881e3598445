"""Warnings and errors of the training of taggers."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.conll import TaggedSentence
from crosslingua.tasks.tagger_settings import TaggerFiles, TaggerOptions
from crosslingua.tasks.tagger_training import check_folders, run_tagger, together
from tasks.tagged_data import files, options, sentences


def test_a_label_that_training_never_saw_is_told_and_never_predicted(
    parsed: TaggerFiles, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    strange = [TaggedSentence(("Ada", "ate", "Rom"), ("B-PER", "O", "B-MISC"))] * 3
    option = [files(tmp_path / "strange", "en", strange)]
    found = replace(parsed, test=TaggerFiles.parse(option, option, option, []).test)
    run_tagger(options("epochs=2"), found, [1], tmp_path / "out")
    assert "labels B-MISC are not in the training data" in caplog.text
    about = json.loads((tmp_path / "out/seed1/training.json").read_text())["test"]["en"]
    assert about == {"never_trained": ["B-MISC"], "not_in_test": ["B-LOC", "I-LOC"]}


def test_labels_that_are_all_others_than_in_training(parsed: TaggerFiles, tmp_path: Path) -> None:
    option = [files(tmp_path / "x", "en", [TaggedSentence(("fly", "now"), ("O", "B-date"))])]
    found = replace(parsed, test=TaggerFiles.parse(option, option, option, []).test)
    with pytest.raises(InputError, match="none of its labels"):
        run_tagger(options("epochs=1"), found, [1], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_features_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    one, other = (
        files(tmp_path, name, sentences(5, n), dimension=8 + n) for n, name in enumerate(("en", "de"))
    )
    mixed = f"ner/en={tmp_path / 'en.conll'},{tmp_path / 'de.safetensors'}"
    for train, shares, error, message in (
        ([mixed], [], InputError, "other sentences"),
        ([one, other], [], ConfigError, "different kinds"),
        *(([one], [f"ner/en={share}"], ConfigError, "share .*above 0 and at most 1") for share in (0.0, 1.5)),
    ):
        with pytest.raises(error, match=message):
            together(TaggerFiles.parse(train, train, train[:1], shares), "train")


@pytest.mark.parametrize(
    ("train", "valid", "share", "message"),
    [
        ("ner/en=a.conll", "ner/en=a,b", [], "after a comma"),
        ("ner/en=a,b", "ner/de=a,b", [], "--valid has no en"),
        ("ner/en=a,b", "pos/en=a,b", [], "several tasks"),
        ("nli/en=a,b", "nli/en=a,b", [], "no task of tagging"),
        ("en=a,b", "ner/en=a,b", [], "write TASK/NAME"),
        ("ner/en=a,b", "ner/en=a,b", ["ner/de=0.5"], "not among the training sets"),
        ("ner/en=a,b", "ner/en=a,b", ["ner/en=half"], "must be a number"),
        ("ner/en=a,b", "ner/en=a,b", ["ner/en=nan"], "must be a number"),
        ("ner/../../x=a,b", "ner/en=a,b", [], r"'\.\./\.\./x' can't be the name of a file"),
    ],
)
def test_wrong_options_are_told(train: str, valid: str, share: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TaggerFiles.parse([train], [valid], ["ner/de=a,b" if "ner" in train else train], share)


def test_a_folder_of_somebody_elses_is_not_replaced(parsed: TaggerFiles, tmp_path: Path) -> None:
    (tmp_path / "out/seed1").mkdir(parents=True)
    (tmp_path / "out/seed1/thesis.txt").write_text("mine")
    with pytest.raises(ConfigError, match=r"thesis\.txt"):
        check_folders(parsed, tmp_path / "out", [1])


@pytest.mark.parametrize(
    "setting", ["optimiser=sgd", "epochs=0", "dropout=1", "l2=-1", "learning_rate=0", "epoch=3"]
)
def test_wrong_settings_are_told(setting: str) -> None:
    with pytest.raises(ConfigError):
        TaggerOptions.of("bilstm_crf", [setting])
