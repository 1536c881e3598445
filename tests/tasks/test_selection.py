from pathlib import Path

import pytest

from crosslingua.embedders.encoder import Encoder
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.conll import TaggedSentence, write_conll
from crosslingua.io.json import read_json
from crosslingua.tasks.fine_tuning import read_selection, run_cells, select_settings
from crosslingua.tasks.kinds import score
from crosslingua.tasks.tuner import Files, Tuner, parse_files
from tiny_encoder import write_encoder

TAGS = {"dog": "NOUN", "sees": "VERB", "a": "DET"}
GRID = ["pos.learning_rate=1e-9,3e-3", "epochs=3", "batch_size=4"]  # the first learns nothing


def sentences(*texts: str) -> list[TaggedSentence]:
    return [TaggedSentence(tuple(t.split()), tuple(TAGS[word] for word in t.split())) for t in texts]


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write_encoder(folder / "encoder", list(TAGS))
    write_conll(folder / "train", sentences(*["a dog sees a dog", "sees", "dog a sees"] * 8))
    write_conll(folder / "valid", sentences("a dog", "dog sees a"))
    wrong = [TaggedSentence(s.tokens, ("DET",) * len(s.tokens)) for s in sentences("dog dog", "sees")]
    write_conll(folder / "other", wrong)
    write_conll(folder / "test", sentences("a dog sees"))
    return folder


def tuner(data: Path, files: Files, seed: int = 1, **kept: Path | None) -> Tuner:
    return Tuner(Encoder.load(data / "encoder"), files, seed, **kept)


def named(data: Path, **files: str) -> dict:
    return parse_files(f"pos/{language}={data / name}" for language, name in files.items())


@pytest.fixture(scope="module")
def chosen(data: Path) -> Path:
    files = Files(named(data, en="train"), named(data, en="valid", de="other"))
    select_settings(tuner(data, files, checkpoints=data / "kept"), GRID, data / "chosen")
    return data / "chosen"


def test_what_does_best_on_validation_data_is_chosen_and_all_is_told(data: Path, chosen: Path) -> None:
    told = read_json(chosen / "pos.json")
    assert told["grid"] == {"learning_rate": [1e-9, 3e-3]}
    assert told["validated_on"] == ["en"]
    assert [one["settings"] for one in told["tried"]] == [{"learning_rate": 1e-9}, {"learning_rate": 3e-3}]
    assert told["tried"][0]["validation"] < told["tried"][1]["validation"] == 100
    assert told["chosen"] == {"learning_rate": 3e-3}
    assert not (data / "kept").exists()


def test_all_seeds_are_tuned_with_what_was_chosen_and_signed_with_it(data: Path, chosen: Path) -> None:
    files = Files(named(data, en="train"), named(data, en="valid"), named(data, en="test"))
    for seed in (1, 2):
        run_cells(tuner(data, files, seed), GRID, data / f"out{seed}", chosen)
        report = read_json(data / f"out{seed}/pos/en/training.json")
        assert report["settings"]["learning_rate"] == 3e-3
        assert (report["selection"]["seed"], report["seed"]) == (1, seed)
    found = score("pos", data / "test", data / "out1/pos/en/en.conll")
    assert found["signature"] == "runs|micro|selected=learning_rate:0.003"
    tried = read_json(chosen / "pos.json")["tried"][1]
    report = read_json(data / "out1/pos/en/training.json")
    assert max(e["validation"] for e in report["epochs"]) == tried["validation"]  # the very same training
    with pytest.raises(ConfigError, match=r"2 settings of pos .*select_settings\.py"):
        run_cells(tuner(data, files), GRID, data / "none")
    with pytest.raises(InputError, match=r"no such folder.*select_settings\.py writes it"):
        read_selection(data / "absent", "pos")
    (data / "nothing").mkdir()
    assert read_selection(data / "nothing", "pos") is None
    for wrong in ("{}", "[]", "null", '{"chosen": 3}'):
        (data / "nothing/pos.json").write_text(wrong)
        with pytest.raises(InputError, match=r"pos\.json: tells no chosen settings \(choose them again"):
            read_selection(data / "nothing", "pos")


def test_what_was_chosen_is_not_trained_again(data: Path, losses, caplog: pytest.LogCaptureFixture) -> None:
    files = Files(named(data, en="train"), named(data, en="valid"), named(data, en="test"))
    points = ["pos.learning_rate=1e-9,3e-3,2e-9", *GRID[1:]]
    untested = Files(files.train, files.valid)
    select_settings(tuner(data, untested, models=data / "models"), points, data / "best")
    assert losses.steps == 3 * 18  # three points, three epochs of six batches
    assert "is ignored" not in caplog.text  # a model of another point is there as a rule
    kept = data / "models"
    for out, seed, models in (("kept", 1, kept), ("afresh", 1, None), ("second", 2, kept)):
        run_cells(tuner(data, files, seed, models=models), points, data / out, data / "best")
    assert losses.steps == (3 + 2) * 18  # the first seed's was there
    reports = [read_json(data / f"{out}/pos/en/training.json") for out in ("kept", "afresh")]
    for report in reports:
        report.pop("cpu_seconds"), report.pop("seconds")
    assert reports[0] == reports[1]
    kept, afresh = (data / f"{out}/pos/en/en.conll" for out in ("kept", "afresh"))
    assert kept.read_bytes() == afresh.read_bytes()


def test_joint_validation_is_the_mean_over_all_languages(data: Path) -> None:
    joint = Files(named(data, en="train"), named(data, en="valid", de="other"), joint=True)
    own = ["learning_rate=3e-3", "epochs=3", "batch_size=4"]
    select_settings(tuner(data, joint), own, data / "joint")
    told = read_json(data / "joint/pos.json")
    assert told["validated_on"] == ["en", "de"]
    assert (told["grid"], told["chosen"]) == ({}, {})
    assert told["tried"][0]["validation"] == 50  # 100 in one, 0 in the other, whose gold is wrong


def test_one_choice_is_made_on_one_language(data: Path) -> None:
    files = Files(named(data, en="train", de="train"), named(data, en="valid", de="valid"))
    with pytest.raises(ConfigError, match="--train names pos twice"):
        select_settings(tuner(data, files), GRID, data / "twice")


def test_the_script_chooses_and_asks_for_no_test_file(script, data: Path, tmp_path: Path) -> None:
    files = ("--train", f"pos/en={data}/train", "--valid", f"pos/en={data}/valid")
    select = ("select_settings.py", "--encoder", data / "encoder", *files, "--set", *GRID, "--seed", 1)
    script(*select, "--out", "chosen")
    assert (tmp_path / "chosen/pos.json").is_file()
    assert "--test" in script(*select, "--test", "pos/en=x", "--out", "no", status=2).stderr
