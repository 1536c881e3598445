"""What the training of taggers tells or refuses."""

import json
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
    option = files(tmp_path / "strange", "en", strange)
    found = TaggerFiles(
        "ner", parsed.train, parsed.valid, TaggerFiles.parse([option], [option], [option], []).test, {}
    )
    run_tagger(options("epochs=2"), found, [1], tmp_path / "out")
    assert "B-MISC never trained" in caplog.text
    about = json.loads((tmp_path / "out/seed1/training.json").read_text())["test"]["en"]
    assert about == {"never_trained": ["B-MISC"], "not_in_test": ["B-LOC", "I-LOC"]}


def test_test_labels_that_have_nothing_in_common_with_training_are_an_error(
    parsed: TaggerFiles, tmp_path: Path
) -> None:
    other = files(tmp_path / "x", "en", [TaggedSentence(("fly", "now"), ("O", "B-date"))])
    found = TaggerFiles(
        "ner", parsed.train, parsed.valid, TaggerFiles.parse([other], [other], [other], []).test, {}
    )
    with pytest.raises(InputError, match="none of its labels"):
        run_tagger(options("epochs=1"), found, [1], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_features_of_other_sentences_are_refused(tmp_path: Path) -> None:
    files(tmp_path, "en", sentences(5, 0))
    files(tmp_path, "de", sentences(5, 1))
    mixed = f"ner/en={tmp_path / 'en.conll'},{tmp_path / 'de.safetensors'}"
    with pytest.raises(InputError, match="other sentences"):
        together(TaggerFiles.parse([mixed], [mixed], [mixed], []), "train")


def test_features_of_different_kinds_are_not_joined(tmp_path: Path) -> None:
    one = files(tmp_path, "en", sentences(5, 0))
    two = files(tmp_path, "de", sentences(5, 1), dimension=8)
    with pytest.raises(ConfigError, match="different kinds"):
        together(TaggerFiles.parse([one, two], [one, two], [one], []), "train")


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


@pytest.mark.parametrize("share", [0.0, 1.5])
def test_a_share_is_above_0_and_at_most_1(tmp_path: Path, share: float) -> None:
    one = files(tmp_path, "en", sentences(5, 0))
    with pytest.raises(ConfigError, match=r"share .*above 0 and at most 1"):
        together(TaggerFiles.parse([one], [one], [one], [f"ner/en={share}"]), "train")


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
