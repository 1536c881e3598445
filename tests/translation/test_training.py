"""Training learns a learnable task, resumes to the bit, and shares the rows of shared words."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.json import read_json
from crosslingua.io.vectors import WordVectors, write_vectors
from crosslingua.translation import data as reading
from crosslingua.translation import training
from crosslingua.translation.data import BLANK, PAD, POOL, Vocabulary, build_vocabulary, padded, read_texts
from crosslingua.translation.decoding import translate
from crosslingua.translation.model import TranslationModel, epochs, load_translator, save_config, save_weights
from crosslingua.translation.scores import word_bleu
from crosslingua.translation.settings import settings_of
from crosslingua.translation.training import LossPart, TranslationRun, losses, train_translation
from texts import written
from translation.translators import sentences, settings, translator, vocabulary

WORDS = 12
SHARED = (["the", "die", "radio"], ["die", "radio", "das"])


def corpus(folder: Path, *, copy: bool, counting=False, lines: int = 1000, seed: int = 1) -> list[Path]:
    """Write a text and its translation: the same words, or others one for one; or words that follow one another."""
    rng = np.random.default_rng(seed)
    text = [rng.integers(WORDS, size=rng.integers(2, 7)) for _ in range(lines)]
    if counting:
        text = [(words[0] + np.arange(len(words))) % WORDS for words in text]
    paths = [folder / name for name in ("aa.txt", "bb.txt")]
    for path, letter in zip(paths, "xx" if copy else "xy", strict=True):
        path.write_text("".join(" ".join(f"{letter}{i}" for i in words) + "\n" for words in text))
    return paths


def vectors(folder: Path, *, copy: bool, noise: float = 0.1) -> list[Path]:
    """Write vectors in which a word and its translation are near each other."""
    rng = np.random.default_rng(2)
    true, paths = rng.normal(size=(WORDS, 32)), [folder / "aa.vec", folder / "bb.vec"]
    for path, letter in zip(paths, "xx" if copy else "xy", strict=True):
        rows = (true + noise * rng.normal(size=true.shape)).astype(np.float32)
        write_vectors(path, WordVectors([f"{letter}{i}" for i in range(WORDS)], rows))
    return paths


def run_of(folder: Path, *, data="halves", copy=False, shared=False, counting=False, **changes):
    folder.mkdir(exist_ok=True)
    if shared:
        (folder / "shared.txt").write_text("".join(f"x{i}\n" for i in range(WORDS)))
    return TranslationRun(
        ("aa", "bb"), corpus(folder, copy=copy, counting=counting), data, vectors(folder, copy=copy),
        folder / "shared.txt" if shared else None, settings(**changes), folder / "out",
    )  # fmt: skip


LEARNER = {
    "layers": 1, "shared_layers": 1, "feed_forward": 64, "norm_first": True, "batch_size": 16, "epoch_size": 640,
    "epochs": 5, "lr": 5e-3, "decay": True, "warmup": 20, "beta1": 0.9, "beta2": 0.98, "lambda_auto_steps": 0,
}  # fmt: skip


def bleu_of(run: TranslationRun, folder: Path, source: int, **kind: bool) -> float:
    """Return the word BLEU of a trained system on new text."""
    model = load_translator(run.out)
    paths = corpus(folder, lines=60, seed=9, **kind)
    text = read_texts(paths, data="pairs", validation=1, max_length=20, seed=1).train
    ids = [model.vocabulary.encode(source, s) for s in text[source]]
    found = [model.vocabulary.decode(s) for s in translate(model, ids, source, 1 - source)]
    return word_bleu(found, text[1 - source])


@pytest.mark.parametrize("copy", [True, False])
def test_a_supervised_system_learns_a_copy_and_a_language_of_other_words(tmp_path: Path, copy: bool) -> None:
    run = run_of(tmp_path, data="pairs", copy=copy, shared=copy, **LEARNER | {"epochs": 10})
    train_translation(run)
    for source in (0, 1):
        assert bleu_of(run, tmp_path, source, copy=copy) > 95


def test_without_pairs_translation_is_learnt_from_vectors_that_are_right(tmp_path: Path) -> None:
    # No line's translation is in the other half: what a system knows of translation, its vectors told it. Those of
    # random vectors tell nothing; both learn to count.
    found = []
    for right in (True, False):
        run = run_of(tmp_path / str(right), counting=True, **LEARNER)
        if not right:
            shuffle_words(run.vectors[1])
        train_translation(run)
        found.append(bleu_of(run, tmp_path, 0, copy=False, counting=True))
    assert found[0] > 80 > 60 > found[1]


def shuffle_words(path: Path) -> None:
    """Give the vectors of a file to other words."""
    old = training.read_vectors(path)
    order = np.random.default_rng(3).permutation(len(old))
    write_vectors(path, WordVectors(old.words, old.matrix[order]))


def same_weights(one: TranslationModel, other: TranslationModel) -> bool:
    """Whether two models are equal to the bit."""
    mine, theirs = one.state_dict(), other.state_dict()
    return mine.keys() == theirs.keys() and all(torch.equal(mine[k], theirs[k]) for k in mine)


def test_an_interrupted_run_ends_as_one_in_a_piece_to_the_bit(tmp_path: Path, monkeypatch) -> None:
    options = {"epochs": 3, "dropout": 0.1, "layers": 1, "shared_layers": 1}
    whole, broken = (run_of(tmp_path / name, **options) for name in ("whole", "broken"))
    train_translation(whole)
    judge, calls = training.validation_bleu, []

    def killing(*args, **options):
        calls.append(1)
        if len(calls) == 3:
            raise InterruptedError
        return judge(*args, **options)

    monkeypatch.setattr(training, "validation_bleu", killing)
    with pytest.raises(InterruptedError):
        train_translation(broken)
    assert not broken.out.exists()
    monkeypatch.setattr(training, "validation_bleu", judge)
    train_translation(broken)
    assert len(calls) == 3  # two epochs were not trained again
    for epoch in (1, 2, 3):
        assert same_weights(load_translator(whole.out, epoch), load_translator(broken.out, epoch))
    assert epochs(broken.out) == [1, 2, 3]
    assert not broken.out.with_name("out.checkpoint").exists()


def test_the_same_seed_gives_the_same_and_another_another(tmp_path: Path) -> None:
    made = []
    for name, seed in (("one", 1), ("two", 1), ("three", 2)):
        run = run_of(tmp_path / name, epochs=1)
        train_translation(replace(run, seed=seed))
        made.append(load_translator(run.out))
    assert [same_weights(made[0], other) for other in made] == [True, True, False]


def test_shared_words_are_one_parameter_and_learn_from_both_languages(tmp_path: Path) -> None:
    for shared in (True, False):
        run = run_of(tmp_path / str(shared), copy=True, shared=shared)
        texts = read_texts(run.text, data="halves", validation=4, max_length=20, seed=1)
        read = [training.read_vectors(path) for path in run.vectors]
        model = training.new_translator(run, texts, read)
        rows = [model.vocabulary.rows[side]["x3"] for side in (0, 1)]
        assert (rows[0] == rows[1]) == shared
        ids = [np.array([rows[1]])]
        losses(model, [LossPart("t", 1, 1, ids, ids)])["t"].backward()  # a step in the second language
        assert bool(model.table.grad[rows[0]].any()) == shared


def test_layers_are_shared_as_asked() -> None:
    model = translator(layers=3, shared_layers=2)
    assert [len(members) for members in model.encoder.layers] == [2, 1, 1]  # the last two
    assert [len(members) for members in model.decoder.layers] == [1, 1, 2]  # the first two


def test_an_own_layer_is_used_by_its_language_alone() -> None:
    model = translator(layers=1, shared_layers=0)
    words = model.vocabulary
    ids = [np.array([words.rows[1]["b1"], words.rows[1]["b2"]])]
    losses(model, [LossPart("t", 1, 1, ids, ids)])["t"].backward()
    layers = *model.encoder.layers[0], *model.decoder.layers[0]
    used = [any(p.grad is not None and bool(p.grad.any()) for p in layer.parameters()) for layer in layers]
    assert used == [False, True, False, True]


def test_padding_changes_no_loss() -> None:
    model, words = translator(), vocabulary()
    short, long = np.array([words.rows[0]["a1"]]), np.array([words.rows[0][f"a{i % 5}"] for i in range(9)])
    alone = losses(model, [LossPart("t", 0, 0, [short], [short])])["t"]
    two = losses(model, [LossPart("t", 0, 0, [short], [short]), LossPart("u", 0, 0, [long], [long])])["t"]
    torch.testing.assert_close(alone, two)


def test_unknown_words_are_read_but_not_learnt_to_be_said() -> None:
    read = [vocabulary().encode(0, ["a1", "never"])]
    assert torch.isfinite(losses(translator(), [LossPart("t", 0, 0, read, read)])["t"])


def test_steps_are_functions_of_their_number(tmp_path: Path) -> None:
    model = translator()
    lengths = np.random.default_rng(1).integers(1, 8, 30)
    texts = [sentences(model.vocabulary, side, lengths) for side in (0, 1)]
    one, other = (training.Unsupervised(texts, settings(), seed=1) for _ in range(2))
    for step in range(3):
        one.parts(step, model)
    for a, b in zip(one.parts(7, model), other.parts(7, model), strict=True):
        np.testing.assert_equal((a.read, a.said), (b.read, b.said))
    terms = [(part.term, part.source, part.target) for part in one.parts(0, model)]
    assert terms == [("auto", 0, 0), ("back", 1, 0), ("back", 0, 1), ("auto", 1, 1)]
    assert not any((s == BLANK).any() for part in one.parts(0, model) for s in part.said)


def test_denoising_falls_and_back_translation_begins_when_asked() -> None:
    texts = [[np.array([6])] * 8] * 2
    steps = training.Unsupervised(texts, settings(lambda_auto_steps=100, back_after=2), seed=1)
    wanted = {0: 1, 50: 0.55, 100: 0.1, 200: 0.05, 300: 0, 900: 0}
    assert {step: round(steps.weights(step)["auto"], 3) for step in wanted} == wanted
    assert {part.term for part in steps.parts(1, None)} == {"auto"}


def test_every_sentence_is_read_once_a_pass_and_batches_are_of_like_length() -> None:
    lengths = np.random.default_rng(1).integers(1, 60, POOL * 4)
    sampler = reading.Sampler(lengths, 4, (1, 2))
    batches = [sampler.batch(step, reading.batch_order(step, 1)) for step in range(POOL)]
    assert sorted(np.concatenate(batches)) == list(range(POOL * 4))
    assert np.mean([np.ptp(lengths[b]) for b in batches]) < 3
    again = reading.Sampler(lengths, 4, (1, 2))
    assert again.batch(POOL + 3, 5).tolist() == sampler.batch(POOL + 3, 5).tolist()


def test_padded() -> None:
    found = padded([np.array([7, 8]), np.zeros(0, np.int64)], end=5)
    assert found.tolist() == [[7, 8, 5], [5, PAD, PAD]]


def test_halves_have_no_line_in_common(tmp_path: Path) -> None:
    paths = [written(tmp_path / letter, "".join(f"{letter}{i} w\n" for i in range(20))) for letter in "AB"]
    text = read_texts(paths, data="halves", validation=2, max_length=9, seed=1)
    numbers = [{int(s[0][1:]) for part in (text.train, text.held_out) for s in part[side]} for side in (0, 1)]
    assert numbers == [set(range(10)), set(range(10, 20))]
    assert text.train[0][0][0].startswith("a")  # lower case
    pairs = read_texts(paths, data="pairs", validation=2, max_length=9, seed=1)
    assert [s[0][1:] for s in pairs.train[0]] == [s[0][1:] for s in pairs.train[1]]
    with pytest.raises(ConfigError, match="validation=6"):
        read_texts(paths, data="halves", validation=6, max_length=9, seed=1)


def test_alternating_halves_divide_by_source_sentence(tmp_path: Path) -> None:
    """Several translations of one sentence, on adjacent lines or not, stay on one side."""
    source = "hi .\nHi .\ngo .\nstop .\ngo .\nrun .\nhi .\nwait .\n"
    target = "".join(f"t{i} .\n" for i in range(8))
    paths = [written(tmp_path / "a", source), written(tmp_path / "b", target)]
    text = read_texts(paths, data="alternating", validation=1, max_length=9, seed=1)
    found = [sorted(s[0] for part in (text.train, text.held_out) for s in part[side]) for side in (0, 1)]
    assert found == [["hi", "hi", "hi", "stop", "wait"], ["t2", "t4", "t5"]]


def test_what_is_too_long_is_left_out_and_counted(tmp_path: Path) -> None:
    paths = [written(tmp_path / "a", "x x x\ny\ny\n\n"), written(tmp_path / "b", "x\nx\nx x x\nx\n")]
    texts = read_texts(paths, data="texts", validation=1, max_length=2, seed=1)
    assert texts.left_out == 3


def test_a_folder_of_wrong_weights_is_refused(tmp_path: Path) -> None:
    model = translator()
    save_config(model, tmp_path)
    save_weights(model, tmp_path, 1)
    (tmp_path / "training.json").write_text('{"chosen_epoch": 1}')
    assert same_weights(load_translator(tmp_path), load_translator(tmp_path, 1))
    for epoch in (0, 2, 99):
        with pytest.raises(ConfigError, match=f"epoch {epoch} was not trained: it has 1$"):
            load_translator(tmp_path, epoch)
    with torch.no_grad():
        next(model.parameters())[0] = float("nan")
    save_weights(model, tmp_path, 1)
    file = r"epoch001\.safetensors"
    with pytest.raises(InputError, match=rf"{file}: .* holds values that are no numbers \(train it"):
        load_translator(tmp_path)
    (tmp_path / "epoch001.safetensors").write_bytes(b"short")
    with pytest.raises(InputError, match=rf"{file}: no weights of this system: .*\(train it again\)"):
        load_translator(tmp_path)
    for wrong, message in (("[]", "must hold an object"), ("{}", "lacks the key 'chosen_epoch'")):
        (tmp_path / "training.json").write_text(wrong)
        with pytest.raises(InputError, match=rf"training\.json: .*{message}"):
            load_translator(tmp_path)


def test_settings() -> None:
    assert settings_of(["layers=2", "shared_layers=1", "norm_first=true", "lr=0.01"]).norm_first is True
    for setting, message in (("layer=2", "no setting 'layer'"), ("shared_layers=5", "shared_layers=5"),
                             ("word_shuffle=0.5", r"word_shuffle=0\.5: must be 0 or above 1")):  # fmt: skip
        with pytest.raises(ConfigError, match=message):
            settings_of([setting])
    with pytest.raises(ConfigError, match="heads=3"):
        translator(heads=3)


def test_early_stopping_is_told(tmp_path: Path, monkeypatch) -> None:
    values = iter([5.0, 4.0, 3.0, 2.0, 1.0])
    monkeypatch.setattr(training, "validation_bleu", lambda *_, **__: {"mean": next(values)})
    run = run_of(tmp_path, epochs=5, patience=2)
    train_translation(run)
    report = read_json(run.out / "training.json")
    assert (report["stopped_early"], report["chosen_epoch"], epochs(run.out)) == (True, 1, [1, 2, 3])


def test_unknown_data_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="texts, halves, alternating, pairs"):
        run_of(tmp_path, data="thirds")


LENGTHS, SEEDS = st.integers(1, 40), st.integers(0, 10**6)


@given(LENGTHS, st.integers(2, 6), SEEDS)
def test_no_word_moves_as_far_as_the_noise_is_wide(n: int, width: int, seed: int) -> None:
    moved = training.shuffled(np.arange(n), width, np.random.default_rng(seed))
    assert sorted(moved) == list(range(n))
    assert abs(moved - np.arange(n)).max() < width


def test_words_change_places_as_often_as_in_the_published_program() -> None:
    # Of words d places apart the first comes last where U(0, 3) > d + U(0, 3): a triangle of (1 - d / 3)^2 / 2.
    rng = np.random.default_rng(1)
    places = np.argsort([training.shuffled(np.arange(9), 3, rng) for _ in range(20_000)], axis=1)
    for apart, share in ((1, 2 / 9), (2, 1 / 18), (3, 0)):
        assert np.mean(places[:, apart:] < places[:, :-apart]) == pytest.approx(share, abs=0.003)


def test_words_are_moved_before_they_are_dropped() -> None:
    # Words three places apart keep their order, which they would not with a word between them dropped before.
    noise, rng = settings(word_shuffle=3, word_dropout=0.5, word_blank=0.3), np.random.default_rng(1)
    found = [training.noisy(np.arange(30) + 10, noise, rng) for _ in range(1000)]
    said = [words[words != BLANK] for words in found]
    assert all((np.maximum.accumulate(words) - words).max(initial=0) < 3 for words in said)
    assert any((np.diff(words) < 0).any() for words in said)
    assert np.mean([len(words) for words in found]) == pytest.approx(15, abs=0.3)
    assert np.concatenate(found).tolist().count(BLANK) == pytest.approx(4500, abs=200)


# Trainings that ran before in this process may have switched subnormal numbers off.
@given(LENGTHS, st.floats(0, 0.99, allow_subnormal=False), SEEDS)
def test_words_that_are_left_keep_their_order_and_one_always_stays(n: int, share: float, seed: int) -> None:
    kept = training.dropped(np.arange(n), share, np.random.default_rng(seed))
    assert len(kept) >= 1
    assert (np.diff(kept) > 0).all()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_shares_are_what_they_are_called(share: float) -> None:
    rng, ids = np.random.default_rng(1), np.arange(20_000) + 10
    assert len(training.dropped(ids, share, rng)) == pytest.approx(20_000 * (1 - share), abs=300)
    found = training.blanked(ids, share, rng)
    assert (found == 2).sum() == pytest.approx(20_000 * share, abs=300)
    assert (found == np.where(found == 2, 2, ids)).all()  # blanks stand where words stood


def test_noise_is_the_same_for_a_seed_and_leaves_its_input_alone() -> None:
    ids, shares = np.arange(30) + 10, settings(word_dropout=0.2, word_blank=0.2, word_shuffle=3)
    first, second = (training.noisy(ids, shares, np.random.default_rng(5)) for _ in range(2))
    assert first.tolist() == second.tolist()
    assert ids.tolist() == list(range(10, 40))
    assert training.noisy(ids, shares, np.random.default_rng(6)).tolist() != first.tolist()


def build(shared: set[str]) -> Vocabulary:
    return build_vocabulary(("en", "de"), SHARED, shared)


def test_a_shared_word_is_one_row_under_joint_and_two_under_align() -> None:
    joint, align = build({"die", "radio"}), build(set())
    assert joint.rows[0]["radio"] == joint.rows[1]["radio"]
    assert align.rows[0]["radio"] != align.rows[1]["radio"]
    assert joint.size == align.size - 2
    words = build({"radio", "the"})  # "die" is reallocated, and words of one text are never shared
    assert words.shared == ("radio",)
    assert words.rows[0]["die"] != words.rows[1]["die"]


@pytest.mark.parametrize("shared", [set(), {"radio"}, {"die", "radio"}])
def test_outputs_are_the_end_mark_and_the_words_of_a_language(shared: set[str]) -> None:
    words = build(shared)
    for side in (0, 1):
        rows = range(words.size)[words.outputs(side)]
        assert set(rows) == {words.end, *words.rows[side].values()}
    assert len({PAD, reading.UNKNOWN, BLANK, words.end}) == 4


def test_words_come_back() -> None:
    words = build({"radio"})
    ids = words.encode(1, ["das", "radio", "nichts"])
    assert words.decode(ids) == ["das", "radio", "<unk>"]
    assert len(words.words) == words.size


def test_unknown_language() -> None:
    with pytest.raises(ConfigError, match="en and de"):
        build(set()).language("fr")


def test_frequent_words() -> None:
    text = [["b", "a", "b"], ["c", "a", "b"]]
    assert reading.frequent_words(text, 1, 10) == ["b", "a", "c"]
    assert reading.frequent_words(text, 2, 1) == ["b"]


def vectors_of(**rows: list[float]) -> WordVectors:
    return WordVectors(list(rows), np.array(list(rows.values()), np.float32))


def test_words_begin_with_the_vectors_of_their_language() -> None:
    english, german = vectors_of(the=[3, 4], die=[0, 2], radio=[1, 0]), vectors_of(die=[1, 0], das=[0, -5])
    words = build(set())
    table = training.initial_table(words, [english, german], seed=1)
    # German has no vector of radio, which it cites: it begins with that of the other language, as a row of its own.
    begun = {"the": [0.6, 0.8], "die": [0, 1]}, {"die": [1, 0], "das": [0, -1], "radio": [1, 0]}
    for rows, expected in zip(words.rows, begun, strict=True):
        np.testing.assert_allclose(table[[rows[word] for word in expected]], [*expected.values()], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(table, axis=1), 1, atol=1e-5)
    assert training.covered(words, [english, german]) == pytest.approx([100, 200 / 3])


def test_vectors_of_other_dimensions_are_refused() -> None:
    with pytest.raises(InputError, match="2 and 1 dimensions"):
        training.initial_table(build(set()), [vectors_of(the=[1, 2]), vectors_of(die=[1])], seed=1)
