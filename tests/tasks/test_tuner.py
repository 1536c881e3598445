"""The tuner: selection of settings, and fine-tunings that were killed go on."""

import os
from pathlib import Path

import pytest
import torch

from crosslingua.embedders.encoder import Encoder
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.conll import TaggedSentence, read_conll, write_conll
from crosslingua.io.json import read_json
from crosslingua.io.pairs import SentencePair, write_pairs
from crosslingua.io.squad import Answer, Article, Paragraph, Question, write_squad
from crosslingua.tasks.fine_tuning import check_folders, read_selection, run_cells, select_settings
from crosslingua.tasks.kinds import KINDS, score, with_training
from crosslingua.tasks.training import fine_tune
from crosslingua.tasks.tuner import Files, Tuner, parse_files, parse_only, read
from tiny_encoder import write_encoder

WORDS = ("dog", "ann")
NER = [
    TaggedSentence(("ann", "left"), ("B-PER", "O")),
    TaggedSentence(("we", "saw", "new", "york"), ("O", "O", "B-LOC", "I-LOC")),
]
PAIRS = [SentencePair("a dog", "a cat", "neutral"), SentencePair("dog", "dog", "entailment")]
QUICK = ["lr=1e-3", "epochs=1", "batch_size=4"]
TAGS = {"dog": "NOUN", "sees": "VERB", "a": "DET"}
GRID = ["pos.lr=1e-9,3e-3", "epochs=3", "batch_size=4"]  # the first learns nothing
SETTINGS = ["lr=3e-3", "epochs=3", "batch_size=2"]  # 9 steps a cell


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for language in ("en", "de"):
        write_conll(tmp_path / f"{language}.conll", NER)
    write_pairs(tmp_path / "en.tsv", PAIRS, KINDS["nli"].pairs)
    return tmp_path


def files(data: Path, keys: list[str]) -> dict:
    suffix = {"ner": "conll", "nli": "tsv"}
    return parse_files(f"{key}={data}/{key.split('/')[1]}.{suffix[key.split('/')[0]]}" for key in keys)


def contents(cell: Path) -> dict[str, object]:
    """The files of a cell by name, the report without its seconds."""
    report = read_json(cell / "training.json")
    del report["seconds"], report["cpu_seconds"]
    return {path.name: path.read_bytes() for path in cell.iterdir()} | {"training.json": report}


def thrice(data: Path, *keys: str) -> Files:
    """The same files for training, validation and test."""
    return Files(*(files(data, keys) for _ in range(3)))


def test_labels_never_trained_are_told_and_refused_if_there_are_no_others(encoder, data, caplog) -> None:
    write_conll(data / "de.conll", [TaggedSentence(("ann", "york"), ("B-PER", "B-MISC"))])
    train = files(data, ["ner/en"])
    tuner = Tuner(encoder, Files(train, train, files(data, ["ner/de"])), 1)
    run_cells(tuner, QUICK, data / "out")
    told = read_json(data / "out/ner/en/training.json")["test"]["de"]
    assert (told["never_trained"], told["not_in_test"]) == (["B-MISC"], ["B-LOC", "I-LOC", "O"])
    assert "labels B-MISC are not in the training data" in caplog.text
    (predicted,) = read_conll(data / "out/ner/en/de.conll", "plain")
    assert set(predicted.labels) <= {"B-PER", "B-LOC", "I-LOC", "O"}
    write_conll(data / "de.conll", [TaggedSentence(("ann", "york"), ("O", "B-MISC"))])
    read.cache_clear()
    with pytest.raises(InputError, match="none of its labels"):
        run_cells(tuner, QUICK, data / "other")
    assert not (data / "other").exists()


def test_cells_are_independent_and_predict_every_test_of_their_task(encoder, data: Path, tmp_path) -> None:
    weights = {name: value.clone() for name, value in encoder.state_dict().items()}
    keys = ["nli/en", "ner/en", "ner/de"]
    run_cells(Tuner(encoder, thrice(data, *keys), 1), QUICK, tmp_path / "all")
    one = Files(files(data, ["ner/de"]), files(data, keys), files(data, keys))
    run_cells(Tuner(encoder, one, 1), QUICK, tmp_path / "one")
    assert all((weights[name] == value).all() for name, value in encoder.state_dict().items())
    found = sorted(str(p.relative_to(tmp_path / "all")) for p in (tmp_path / "all").rglob("*.*"))
    assert found == [
        "ner/de/de.conll", "ner/de/en.conll", "ner/de/training.json", "ner/en/de.conll", "ner/en/en.conll",
        "ner/en/training.json", "nli/en/en.txt", "nli/en/training.json",
    ]  # fmt: skip
    assert [p.name for p in (tmp_path / "one").iterdir()] == ["ner"]
    for name in ("ner/de/de.conll", "ner/de/en.conll"):
        assert (tmp_path / "all" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
    whole, alone = (read_json(tmp_path / name / "ner/de/training.json") for name in ("all", "one"))
    assert whole["epochs"] == alone["epochs"]
    assert whole["settings"]["lr"] == 1e-3
    counts = {"sentences": 2, "words": 6, "pieces": 21, "divided_sentences": 0, "cut_words": 0}
    assert whole["train"] == counts
    predicted = read_conll(tmp_path / "all/ner/de/en.conll", "plain")
    assert [s.tokens for s in predicted] == [s.tokens for s in NER]
    assert len((tmp_path / "all/nli/en/en.txt").read_text().split()) == 2


@pytest.mark.parametrize("frozen", [True, False])
def test_frozen_embeddings_stay_while_the_rest_learns(encoder, data: Path, monkeypatch, frozen: bool) -> None:
    before, after = encoder.state_dict(), {}

    def spied(model, *arguments):
        told = fine_tune(model, *arguments)
        name, inner = ("nli", model.encoder) if hasattr(model, "encoder") else ("ner", model.embedder.encoder)
        after[name] = inner.state_dict()
        return told

    monkeypatch.setattr("crosslingua.tasks.tuner.fine_tune", spied)
    options = [*QUICK, f"freeze_embeddings={frozen}"]
    run_cells(Tuner(encoder, thrice(data, "nli/en", "ner/en"), 1), options, data / "out")
    for task, suffix in (("ner", "conll"), ("nli", "txt")):
        moved = {name for name, value in before.items() if not torch.equal(value, after[task][name])}
        assert ("model.embeddings.word_embeddings.weight" in moved) == (not frozen)
        assert {"model.embeddings.position_embeddings.weight", "model.embeddings.LayerNorm.bias"} <= moved
        folder = data / "out" / task / "en"
        assert read_json(folder / "training.json")["settings"]["freeze_embeddings"] is frozen
        signed = with_training({"f1": 1.0, "signature": "x"}, folder / f"en.{suffix}")
        assert signed == {"f1": 1.0, "signature": "x|embeddings=frozen" if frozen else "x"}
    assert with_training({"signature": "x"}, data / "en.conll") == {"signature": "x"}  # nothing beside it


def test_what_is_malformed_is_told_before_anything_is_trained(encoder, data: Path, tmp_path: Path) -> None:
    (data / "de.conll").write_text("ann\tI-PER\n")
    with pytest.raises(InputError, match=r"de\.conll"):
        run_cells(Tuner(encoder, thrice(data, "nli/en", "ner/de"), 1), QUICK, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("tag", ["I-PER", "PER"])
def test_gold_that_is_not_bio2_is_refused(tmp_path: Path, tag: str) -> None:
    gold, predicted = tmp_path / "gold.conll", tmp_path / "predicted.conll"
    gold.write_text(f"ann\t{tag}\nleft\tO\n")
    predicted.write_text("ann\tB-PER\nleft\tO\n")
    with pytest.raises(InputError, match=r"gold\.conll"):
        score("ner", gold, predicted)


def test_a_cell_is_replaced_with_its_predictions_and_nothing_else(data: Path, tmp_path: Path) -> None:
    one, folder = thrice(data, "ner/en"), tmp_path / "out" / "ner" / "en"
    folder.mkdir(parents=True)
    (folder / "train.conll").touch()
    with pytest.raises(ConfigError, match=r"holds train\.conll"):
        check_folders(one, tmp_path / "out")
    # predictions of an earlier run, which also tested on it
    (folder / "train.conll").rename(folder / "it.conll")
    (folder / "training.json").touch()
    check_folders(one, tmp_path / "out")


def test_files_are_named_by_task_and_language(data: Path) -> None:
    assert parse_files(["ner/en=a=b.conll"]) == {("ner", "en"): Path("a=b.conll")}
    for options, message in (
        (["ner=a"], "write TASK/LANGUAGE=FILE"),
        (["nre/en=a"], "unknown task 'nre'.*did you mean 'ner'"),
        (["ner/en=a", "ner/en=b"], "given twice"),
        (["ner/../x=a"], r"ner/\.\./x=a: '\.\./x' can't be the name of a file"),
    ):
        with pytest.raises(ConfigError, match=message):
            parse_files(options)
    train = files(data, ["ner/en"])
    with pytest.raises(ConfigError, match="--valid has no ner/en"):
        Files(train, {}, train)
    with pytest.raises(ConfigError, match="--test has no file of ner"):
        Files(train, train, files(data, ["nli/en"]))


def test_a_model_is_tested_on_the_one_language_that_is_named_for_it(data: Path) -> None:
    train, tests = files(data, ["ner/en", "ner/de"]), files(data, ["ner/en", "ner/de"])
    some = Files(train, train, tests, only=parse_only(["ner/de=de"]))
    assert list(some.tests(("ner", "en"))) == ["en", "de"]
    assert list(some.tests(("ner", "de"))) == ["de"]
    for only, message in (("ner/de=it", "--test has no ner/it"), ("ner/it=de", "--only names ner/it")):
        with pytest.raises(ConfigError, match=message):
            Files(train, train, tests, only=parse_only([only]))


def test_the_scripts_run_from_encoder_to_score(script, folder: Path, data: Path, tmp_path: Path) -> None:
    file = f"ner/en={data}/en.conll"
    tune = ("finetune.py", "--encoder", folder, "--train", file, "--valid", file, "--test", file,
            "--set", *QUICK, "freeze_embeddings=true")  # fmt: skip
    script(*tune, "--seed", 1, "--out", "out")
    predicted = tmp_path / "out/ner/en/en.conll"
    (tmp_path / "plan.csv").write_text("seed,out\n1,a\n2,b\n")
    script(*tune, "--cells", "plan.csv")
    reports = (read_json(tmp_path / out / "ner/en/training.json") for out in ("out", "a", "b"))
    alone, same, other = (report["epochs"] for report in reports)
    assert same == alone != other
    assert (tmp_path / "a/ner/en/en.conll").read_bytes() == predicted.read_bytes()
    given = "--gold", data / "en.conll", "--hypothesis", predicted, "--task", "ner", "--out", "f1.json"
    script("score_predictions.py", *given)
    found = read_json(tmp_path / "f1.json")
    signed = {"signature": "spans|strict|IOB2|micro|embeddings=frozen", "by": "score_predictions.py"}
    assert found.items() >= signed.items()
    assert found["f1"] == pytest.approx(alone[0]["validation"], abs=1e-3)


def test_tags_are_scored_from_files(tmp_path: Path) -> None:
    write_conll(tmp_path / "gold", NER)
    (tmp_path / "ours").write_text("ann\tB-PER\nleft\tO\n\nwe\tO\nsaw\tI-LOC\nnew\tB-LOC\nyork\tI-LOC\n")
    found = score("ner", tmp_path / "gold", tmp_path / "ours")
    assert (found["f1"], found["gold_spans"], found["predicted_spans"], found["sentences"]) == (100, 2, 2, 2)
    assert (found["f1_conll"], found["signature"]) == (pytest.approx(80), "spans|strict|IOB2|micro")
    write_conll(tmp_path / "tags", [TaggedSentence(("a", "b", "c"), ("DET", "NOUN", "NOUN"))])
    (tmp_path / "ours").write_text("a\tDET\nb\tNOUN\nc\tVERB\n")
    pos = score("pos", tmp_path / "tags", tmp_path / "ours")
    assert pos["accuracy"] == pytest.approx(200 / 3)
    assert pos["f1"] == pytest.approx(40)  # 1 of 2 runs found, 1 of 3 right
    assert pos["weighted_f1"] == pytest.approx(100 / 3 * (1 + 2 * 2 / 3))
    assert pos["majority_accuracy"] == pytest.approx(200 / 3)  # NOUN, of which 2 of 3 are


@pytest.mark.parametrize(("content", "message"), [
    ("ann\tO\nwent\tO\n\nwe\tO\n", "ours:2: sentence 1 has 'went' where .*gold has 'left'"),
    ("ann\tO\n\nwe\tO\n", "ours:2: sentence 1 has no more words where .*gold has 'left'"),
    ("# id = x\nann\tO\nleft\tO\nnow\tO\n", "ours:4: sentence 1 has 'now' where .*gold has no more words"),
    ("ann\tO\nleft\tO\n\n\nwe\tO\nsaw\tNOUN\nnew\tO\nyork\tO\n", "ours:6: 'NOUN' is no BIO2 tag"),
    ("ann\tO\nleft\tO\n", "ours: 1 sentences, .*gold has 2"),
])  # fmt: skip
def test_other_words_and_tags_are_refused_with_their_line(tmp_path: Path, content: str, message: str) -> None:
    write_conll(tmp_path / "gold", NER)
    (tmp_path / "ours").write_text(content)
    with pytest.raises(InputError, match=message):
        score("ner", tmp_path / "gold", tmp_path / "ours")


def test_classes_are_scored_from_files(tmp_path: Path) -> None:
    write_pairs(tmp_path / "gold", [*PAIRS, PAIRS[0]], KINDS["nli"].pairs)
    cases = {"contradiction\n" * 3: 0, "neutral\n" * 3: 2, "neutral\nentailment\nneutral\n": 3}
    for content, right in cases.items():
        (tmp_path / "ours").write_text(content)
        found = score("nli", tmp_path / "gold", tmp_path / "ours")
        assert (found["accuracy"], found["pairs"]) == (pytest.approx(100 * right / 3), 3)
        assert sum(found["per_sentence"]) == pytest.approx(100 * right)
        assert found["majority"] == pytest.approx(100 * 2 / 3)  # of the most frequent class
    short, wrong = "neutral\n", "neutral\nmaybe\nneutral\n"
    for content, message in ((short, "1 labels for the 3 pairs"), (wrong, "ours:2: unknown label 'maybe'")):
        (tmp_path / "ours").write_text(content)
        with pytest.raises(InputError, match=message):
            score("nli", tmp_path / "gold", tmp_path / "ours")


def test_gold_data_that_changed_are_read_again(tmp_path: Path) -> None:
    gold, found = tmp_path / "gold.conll", tmp_path / "found.conll"
    for path in (found, gold):
        path.write_text("Ana\tB-PER\nsings\tO\n\n")
    assert score("ner", gold, found)["f1"] == 100
    gold.write_text("Ana\tB-LOC\nsings\tO\n\n")
    os.utime(gold, ns=(1, 1))  # a system's clock may stand still between two writes
    assert score("ner", gold, found)["f1"] == 0


def sentences(*texts: str) -> list[TaggedSentence]:
    return [TaggedSentence(tuple(t.split()), tuple(TAGS[word] for word in t.split())) for t in texts]


@pytest.fixture(scope="module")
def selection(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write_encoder(folder / "encoder", list(TAGS))
    write_conll(folder / "train", sentences(*["a dog sees a dog", "sees", "dog a sees"] * 8))
    write_conll(folder / "valid", sentences("a dog", "dog sees a"))
    wrong = [TaggedSentence(("dog", "dog"), ("DET", "DET")), TaggedSentence(("sees",), ("DET",))]
    write_conll(folder / "other", wrong)
    write_conll(folder / "test", sentences("a dog sees"))
    return folder


def tuner(selection: Path, files: Files, seed: int = 1, **kept: Path | None) -> Tuner:
    return Tuner(Encoder.load(selection / "encoder"), files, seed, **kept)


def named(selection: Path, **files: str) -> dict:
    return parse_files(f"pos/{language}={selection / name}" for language, name in files.items())


@pytest.fixture(scope="module")
def english(selection: Path) -> Files:
    """Training, validation and test data of one language."""
    return Files(*(named(selection, en=split) for split in ("train", "valid", "test")))


@pytest.fixture(scope="module")
def chosen(selection: Path) -> Path:
    files = Files(named(selection, en="train"), named(selection, en="valid", de="other"))
    select_settings(tuner(selection, files, checkpoints=selection / "kept"), GRID, selection / "chosen")
    return selection / "chosen"


def test_what_does_best_on_validation_data_is_chosen_and_all_is_told(selection: Path, chosen: Path) -> None:
    told = read_json(chosen / "pos.json")
    assert (told["grid"], told["validated_on"]) == ({"lr": [1e-9, 3e-3]}, ["en"])
    assert [one["settings"] for one in told["tried"]] == [{"lr": 1e-9}, {"lr": 3e-3}]
    assert told["tried"][0]["validation"] < told["tried"][1]["validation"] == 100
    assert told["chosen"] == {"lr": 3e-3}
    assert not (selection / "kept").exists()


def test_all_seeds_are_tuned_with_what_was_chosen_and_signed_with_it(selection, english, chosen) -> None:
    for seed in (1, 2):
        run_cells(tuner(selection, english, seed), GRID, selection / f"out{seed}", chosen)
        report = read_json(selection / f"out{seed}/pos/en/training.json")
        assert report["settings"]["lr"] == 3e-3
        assert (report["selection"]["seed"], report["seed"]) == (1, seed)
    found = score("pos", selection / "test", selection / "out1/pos/en/en.conll")
    assert found["signature"] == "runs|micro|selected=lr:0.003"
    tried = read_json(chosen / "pos.json")["tried"][1]
    report = read_json(selection / "out1/pos/en/training.json")
    assert max(e["validation"] for e in report["epochs"]) == tried["validation"]  # the very same training
    with pytest.raises(ConfigError, match=r"2 settings of pos .*crosslingua select-settings"):
        run_cells(tuner(selection, english), GRID, selection / "none")
    with pytest.raises(InputError, match=r"no such folder.*crosslingua select-settings writes it"):
        read_selection(selection / "absent", "pos")
    (selection / "nothing").mkdir()
    assert read_selection(selection / "nothing", "pos") is None
    for wrong in ("{}", "[]", "null", '{"chosen": 3}'):
        (selection / "nothing/pos.json").write_text(wrong)
        with pytest.raises(InputError, match=r"pos\.json: tells no chosen settings \(choose them again"):
            read_selection(selection / "nothing", "pos")


def test_what_was_chosen_is_not_trained_again(selection: Path, english: Files, losses, caplog) -> None:
    points, kept = ["pos.lr=1e-9,3e-3,2e-9", *GRID[1:]], selection / "models"
    untested = Files(english.train, english.valid)
    select_settings(tuner(selection, untested, models=kept), points, selection / "best")
    assert losses.steps == 3 * 18  # three points, three epochs of six batches
    assert "is ignored" not in caplog.text  # a model of another point is there as a rule
    for out, seed, models in (("kept", 1, kept), ("afresh", 1, None), ("second", 2, kept)):
        own = tuner(selection, english, seed, models=models)
        run_cells(own, points, selection / out, selection / "best")
    assert losses.steps == (3 + 2) * 18  # the first seed's was there
    assert contents(selection / "kept/pos/en") == contents(selection / "afresh/pos/en")


def test_joint_validation_is_the_mean_over_all_languages(selection: Path) -> None:
    joint = Files(named(selection, en="train"), named(selection, en="valid", de="other"), joint=True)
    own = ["lr=3e-3", *GRID[1:]]
    select_settings(tuner(selection, joint), own, selection / "joint")
    told = read_json(selection / "joint/pos.json")
    assert (told["validated_on"], told["grid"], told["chosen"]) == (["en", "de"], {}, {})
    assert told["tried"][0]["validation"] == 50  # 100 in one, 0 in the other, whose gold is wrong


def test_one_choice_is_made_on_one_language(selection: Path) -> None:
    files = Files(named(selection, en="train", de="train"), named(selection, en="valid", de="valid"))
    with pytest.raises(ConfigError, match="--train names pos twice"):
        select_settings(tuner(selection, files), GRID, selection / "twice")


def test_the_script_chooses_and_asks_for_no_test_file(script, selection: Path, tmp_path: Path) -> None:
    files = ("--train", f"pos/en={selection}/train", "--valid", f"pos/en={selection}/valid")
    select = ("select_settings.py", "--encoder", selection / "encoder", *files, "--set", *GRID, "--seed", 1)
    script(*select, "--out", "chosen")
    assert (tmp_path / "chosen/pos.json").is_file()
    assert "--test" in script(*select, "--test", "pos/en=x", "--out", "no", status=2).stderr


def write_tags(path: Path) -> None:
    write_conll(path, (TaggedSentence((*["dog"] * n, "cat"), (*["NOUN"] * n, "VERB")) for n in range(1, 7)))


def write_questions(path: Path) -> None:
    asked = {n: Question(str(n), "dog", (Answer("cat", 4 * n),)) for n in range(1, 7)}
    write_squad(path, [Article("", tuple(Paragraph("dog " * n + "cat", (q,)) for n, q in asked.items()))])


@pytest.mark.parametrize(("task", "write"), [("pos", write_tags), ("qa", write_questions)])
def test_what_was_killed_goes_on_to_the_same_bytes(tmp_path: Path, losses, monkeypatch, task, write) -> None:
    monkeypatch.setattr("crosslingua.tasks.training.CHECKPOINT_SECONDS", 0.0)
    for name in ("en", "de"):
        write(tmp_path / name)
    folder = write_encoder(tmp_path / "encoder", ["dog", "cat"])
    same = parse_files(f"{task}/{name}={tmp_path / name}" for name in ("en", "de"))
    files, kept = Files(same, same, same), tmp_path / "kept"

    def run(out: str, kill_at: int | None = None, learning: str = SETTINGS[0]) -> int:
        losses.steps, losses.kill_at = 0, kill_at
        options = [learning, *SETTINGS[1:]]
        run_cells(Tuner(Encoder.load(folder), files, 1, checkpoints=kept), options, tmp_path / out)
        return losses.steps

    assert run("whole") == 18
    with pytest.raises(InterruptedError):
        run("killed", kill_at=13)  # within the second epoch of the second cell
    assert not (tmp_path / "killed" / task / "de").exists()
    assert kept.is_dir()
    assert run("killed") == 5  # of the first cell none, of the second the rest
    for name in ("en", "de"):
        assert contents(tmp_path / "whole" / task / name) == contents(tmp_path / "killed" / task / name)
    assert not kept.exists()
    with pytest.raises(InterruptedError):
        run("other", kill_at=13)
    assert run("other", learning="lr=2e-3") == 18  # another run's checkpoints are not taken
