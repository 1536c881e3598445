"""A model that was fine-tuned and kept: another language alone is predicted with it, and nothing is trained again."""

import json
import shutil
from pathlib import Path

import pytest

from crosslingua.embedders.encoder import Encoder
from crosslingua.errors import ConfigError
from crosslingua.io.conll import TaggedSentence, read_conll, write_conll
from crosslingua.io.json import read_json
from crosslingua.tasks.batches import shared_rows
from crosslingua.tasks.fine_tuning import run_cells
from crosslingua.tasks.settings import FineTuning
from crosslingua.tasks.tagging import TaggingData, TaggingModel
from crosslingua.tasks.tuner import Files, Tuner, parse_files
from tiny_encoder import write_encoder

SETTINGS = ["lr=3e-3", "epochs=2", "batch_size=2"]
SENTENCES = [TaggedSentence(("dog",) * n + ("cat",), ("NOUN",) * n + ("VERB",)) for n in (1, 2, 3, 4, 5, 6)]


@pytest.fixture
def predicted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The language and the sentences of every set that is predicted, validation data included."""
    seen: list[tuple[str, int]] = []
    predict = TaggingModel.predict

    def spy(model: TaggingModel, data: TaggingData) -> list[list[str]]:
        seen.append((data.language, len(data.words) - 1))
        return predict(model, data)

    monkeypatch.setattr(TaggingModel, "predict", spy)
    return seen


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name, sentences in (("en", SENTENCES), ("de", SENTENCES[::-1]), ("fr", SENTENCES[2:4])):
        write_conll(tmp_path / name, sentences)
    write_encoder(tmp_path / "encoder", ["dog", "cat"])
    return tmp_path


def tune(data: Path, out: str, tested: list[str], *more: str, keep: bool = True, train: str = "en") -> Path:
    """Tune on the file `train` and predict `tested`, files whose first two letters are their language."""
    own = parse_files([f"pos/en={data / train}"])
    test = parse_files(f"pos/{name[:2]}={data / name}" for name in tested)
    kept, encoder = data / "kept" if keep else None, Encoder.load(data / "encoder")
    run_cells(Tuner(encoder, Files(own, own, test), 1, models=kept), [*SETTINGS, *more], data / out)
    return data / out / "pos/en"


@pytest.fixture
def first(data: Path, predicted: list[tuple[str, int]]) -> Path:
    """The predictions for German of a model that is kept with them."""
    folder = tune(data, "first", ["de"])
    predicted.clear()
    return folder


@pytest.mark.usefixtures("bf16")
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_new_languages_alone_are_predicted_and_nothing_is_trained(
    data: Path, losses, predicted, precision
) -> None:
    settings = f"precision={precision}"
    first = tune(data, "first", ["en"], settings)
    assert losses.steps == 6  # two epochs of three batches
    predicted.clear()
    more = tune(data, "more", ["en", "de", "fr"], settings)
    assert (losses.steps, predicted) == (6, [("de", 6), ("fr", 2)])
    afresh = tune(data, "afresh", ["en", "de", "fr"], settings, keep=False)
    assert losses.steps == 12
    for name in ("en.conll", "de.conll", "fr.conll"):
        assert (more / name).read_bytes() == (afresh / name).read_bytes()
    assert (first / "en.conll").read_bytes() == (more / "en.conll").read_bytes()
    one, two, three = (read_json(folder / "training.json") for folder in (first, more, afresh))
    assert one["epochs"] == two["epochs"]
    assert (set(one["test"]), set(two["test"])) == ({"en"}, {"en", "de", "fr"})
    assert two["test"] == three["test"]


def test_a_kept_model_of_other_settings_or_data_is_not_taken(data: Path, losses) -> None:
    tune(data, "first", ["en"])
    tune(data, "other", ["en"], "lr=1e-3")
    assert losses.steps == 12
    write_conll(data / "longer", [*SENTENCES, *SENTENCES[:2]])
    tune(data, "data", ["en"], "lr=1e-3", train="longer")
    assert losses.steps == 12 + 2 * 4


def test_a_changed_test_file_is_predicted_again(data: Path, predicted: list[tuple[str, int]]) -> None:
    tune(data, "first", ["en", "de"])
    predicted.clear()
    write_conll(data / "de_changed", SENTENCES[:3])
    changed = tune(data, "changed", ["en", "de_changed"])
    assert predicted == [("de", 3)]
    found = read_conll(changed / "de.conll", "plain")
    assert [one.tokens for one in found] == [one.tokens for one in SENTENCES[:3]]


def test_what_another_model_predicted_is_not_taken(data: Path, first: Path, predicted) -> None:
    for others in (["lr=1e-3"], ["language_ids=false"]):
        predicted.clear()
        other = tune(data, "other", ["de"], *others)
        assert predicted.count(("de", 6)) == 1
        afresh = tune(data, "afresh", ["de"], *others, keep=False)
        assert (other / "de.conll").read_bytes() == (afresh / "de.conll").read_bytes()


def test_equal_weights_with_other_labels_are_another_model(data: Path, first: Path) -> None:
    text = (data / "en").read_text().replace("NOUN", "ADJ")  # the first of the labels, as NOUN was
    (data / "renamed").write_text(text)
    other = tune(data, "other", ["de"], train="renamed")
    found = {label for one in read_conll(other / "de.conll", "plain") for label in one.labels}
    assert {"ADJ"} <= found <= {"ADJ", "VERB"}


def test_of_a_model_that_is_trained_again_nothing_is_taken(data, first, predicted, monkeypatch) -> None:
    (data / "kept/pos-en.checkpoint/state.pt").unlink()
    drawn = TaggingModel.__init__

    def otherwise(model: TaggingModel, *given) -> None:  # as a GPU may, which adds in another order
        drawn(model, *given)
        next(model.tagger.parameters()).data += 1e-3

    monkeypatch.setattr(TaggingModel, "__init__", otherwise)
    tune(data, "again", ["de"])
    assert ("de", 6) in predicted


def test_what_other_code_predicted_is_not_taken(data: Path, first: Path, predicted, monkeypatch) -> None:
    monkeypatch.setattr("crosslingua.tasks.fine_tuning.digest_of_code", lambda *modules: "changed")
    tune(data, "code", ["de"])
    assert predicted == [("de", 6)]  # by the model that was kept


def test_with_another_tokenizer_a_model_is_trained_again(data: Path, losses, first: Path) -> None:
    file = data / "encoder/tokenizer.json"
    content = json.loads(file.read_text())
    pieces = content["model"]["vocab"]
    pieces["dog"], pieces["cat"] = pieces["cat"], pieces["dog"]
    file.write_text(json.dumps(content))
    for number in (1, 2):
        data = Path(shutil.copytree(data, data.parent / f"copy{number}"))  # checksums are remembered by path
        (data / "encoder/training.json").write_text(f'{{"seconds": {number}}}')  # no part of the model
        tune(data, f"exchanged{number}", ["de"])
        assert losses.steps == 12


def test_a_prediction_that_cannot_be_read_is_made_again(data: Path, first: Path, predicted) -> None:
    kept = data / "kept/pos-en/de.checkpoint/state.pt"
    kept.write_bytes(kept.read_bytes()[:-40])
    again = tune(data, "again", ["de"])
    assert predicted == [("de", 6)]
    assert (again / "de.conll").read_bytes() == (first / "de.conll").read_bytes()


def test_a_share_of_the_training_data_is_the_same_sentences_for_all(data: Path) -> None:
    half = tune(data, "half", ["de"], "share=0.5", keep=False)
    told = read_json(half / "training.json")
    assert (told["train"]["sentences"], told["valid"]["sentences"]) == (3, 6)
    write_conll(data / "rows", [SENTENCES[row] for row in shared_rows(6, 0.5)])
    encoder = Encoder.load(data / "encoder")
    by_hand, valid, test = (parse_files([f"pos/en={data / name}"]) for name in ("rows", "en", "de"))
    run_cells(Tuner(encoder, Files(by_hand, valid, test), 1), SETTINGS, data / "by_hand")
    assert read_json(data / "by_hand/pos/en/training.json")["epochs"] == told["epochs"]
    for wrong in (0, 1.5):
        with pytest.raises(ConfigError, match="share="):
            FineTuning(share=wrong)
