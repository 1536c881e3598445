"""Decoding against brute force, BLEU and chrF by published cases, and the programs of translation."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
import torch

from crosslingua.errors import InputError
from crosslingua.io.vectors import WordVectors, write_vectors
from crosslingua.metrics import conditions
from crosslingua.translation import decoding, scores
from crosslingua.translation.data import BEGIN, padded, read_lines
from crosslingua.translation.decoding import beam_search, greedy, longest_output, translate
from crosslingua.translation.diagnosis import diagnose, repeats
from crosslingua.translation.model import Group, TranslationModel
from crosslingua.translation.scores import detokeniser, score_translations, word_bleu
from crosslingua.translation.training import LossPart, losses
from programs import call
from texts import written
from translation.translators import sentences, translator, vocabulary

SHARED = (0, 1, 2)
PLAIN = detokeniser(None)
SETTINGS = ["layers=1", "shared_layers=1", "heads=2", "feed_forward=8", "batch_size=4", "epoch_size=8", "epochs=2",
            "validation=4", "max_length=9"]  # fmt: skip


def log_probabilities(model: TranslationModel, source: int, ids: np.ndarray, said: list[int], target: int):
    """Return log-probabilities (len(said) + 1, outputs) of each next word, from whole sentences without a cache."""
    encoded, mask = model.encode(padded([ids], model.vocabulary.end), [Group(source, 0, 1)])
    before = torch.tensor([[BEGIN + target, *said]])
    vectors = model.decode(before, encoded, mask, [Group(target, 0, 1)])
    return torch.log_softmax(model.scores(vectors[0], target), -1)


@torch.no_grad()
def uncached(model: TranslationModel, source: int, ids: np.ndarray, target: int, limit: int) -> list[int]:
    said: list[int] = []
    while len(said) < limit:
        best = int(log_probabilities(model, source, ids, said, target)[-1].argmax())
        said.append(best + model.vocabulary.outputs(target).start)
        if said[-1] == model.vocabulary.end:
            return said[:-1]
    return said


def restless(model: TranslationModel) -> TranslationModel:
    """Train a little on sentences of many lengths, so that translations end at different places.

    Weights come back in double precision: in single, the best two words are at times as close (1e-6) as rounding is,
    and which of them is said then hangs on the processor.
    """
    optimiser = torch.optim.Adam(model.parameters(), lr=2e-2)
    for step in range(40):
        lengths = [1, 2, 3, 5, 7, 9]
        sides = [sentences(model.vocabulary, side, lengths, step) for side in (0, 1)]
        parts = [LossPart("translation", 1 - side, side, sides[1 - side], sides[side]) for side in (0, 1)]
        optimiser.zero_grad()
        losses(model, parts)["translation"].backward()
        optimiser.step()
    return model.double()


def both_ways(model: TranslationModel) -> list[list[int]]:
    """Check that cached and uncached decoding agree to the word, in both directions; return what they said."""
    said = []
    for source in (0, 1):
        text = sentences(model.vocabulary, source, [1, 3, 4, 6, 9, 2, 5, 7] * 2)
        found = translate(model, text, source, 1 - source)
        limits = [longest_output(len(s), model.settings.max_length) for s in text]
        wanted = [uncached(model, source, s, 1 - source, n) for s, n in zip(text, limits, strict=True)]
        assert [s.tolist() for s in found] == wanted
        said += [s.tolist() for s in found]
    return said


@pytest.mark.parametrize("shared_layers", SHARED)
def test_cached_and_uncached_decoding_agree_to_the_word(shared_layers: int) -> None:
    both_ways(translator(shared_layers=shared_layers).double())
    said = both_ways(restless(translator(shared_layers=shared_layers, norm_first=True, width=12)))
    assert len({len(s) for s in said}) > 2  # sentences end at different places, and leave the batch


def test_batches_change_nothing(monkeypatch) -> None:
    model = restless(translator(norm_first=True))
    text = sentences(model.vocabulary, 0, [4, 1, 7, 4, 2, 7])
    whole = translate(model, text, 0, 1)
    monkeypatch.setattr(decoding, "BATCH_WORDS", 1)
    np.testing.assert_equal(translate(model, text, 0, 1), whole)


def test_an_empty_sentence_stays_empty() -> None:
    model = translator()
    found = translate(model, [np.zeros(0, np.int64), *sentences(model.vocabulary, 0, [3])], 0, 1)
    assert len(found[0]) == 0
    assert translate(model, [], 0, 1) == []


@pytest.mark.parametrize("shared_layers", SHARED)
def test_a_beam_of_one_is_greedy(shared_layers: int) -> None:
    model = restless(translator(shared_layers=shared_layers, norm_first=True))
    text = sentences(model.vocabulary, 1, [1, 3, 4, 6, 9, 2, 5] * 4)
    ids, groups = padded(text, model.vocabulary.end), [Group(1, 0, len(text))]
    said, limit = torch.zeros(len(text), dtype=torch.int64), 12
    found = beam_search(model, ids, groups, said, limit, 1)
    wanted = greedy(model, ids, groups, said, torch.full((len(text),), limit))
    assert [s.tolist() for s in found] == [s.tolist() for s in wanted]


@torch.no_grad()
def best_of_all(model: TranslationModel, ids: np.ndarray, limit: int) -> list[int]:
    """Score every sequence of at most `limit` words."""
    outputs = range(model.vocabulary.size)[model.vocabulary.outputs(1)]
    end, start = model.vocabulary.end, outputs.start
    found = []
    for n in range(limit + 1):
        for said in itertools.product([row for row in outputs if row != end], repeat=n):
            logs = log_probabilities(model, 0, ids, list(said), 1)
            total = sum(float(logs[i, row - start]) for i, row in enumerate([*said, end]))
            found.append((total / (n + 1), list(said)))
    return max(found)[1]


@pytest.mark.parametrize("seed", range(4))
def test_a_wide_beam_finds_the_best_of_all(seed: int) -> None:
    words, limit = vocabulary(own=2, shared=1), 3
    model = translator(seed, words)
    text = sentences(words, 0, [2, 3, 4], seed)
    wide = 3**limit * 4  # more hypotheses than there are: none is dropped, and the search ends at the limit
    ids = padded(text, words.end)
    said = torch.ones(len(text), dtype=torch.int64)
    found = beam_search(model, ids, [Group(0, 0, len(text))], said, limit, wide)
    assert [s.tolist() for s in found] == [best_of_all(model, s, limit) for s in text]


def test_a_beam_scores_at_least_as_well_as_greedy_on_the_whole() -> None:
    model = restless(translator(3, norm_first=True))
    text = sentences(model.vocabulary, 0, [5] * 30)

    means = []
    for beam in (5, 1):
        logs = []
        for ids, said in zip(text, translate(model, text, 0, 1, beam=beam), strict=True):
            rows = np.array([*said, model.vocabulary.end]) - model.vocabulary.outputs(1).start
            logs.append(log_probabilities(model, 0, ids, said.tolist(), 1)[range(len(rows)), rows].mean())
        means.append(torch.stack(logs).mean().item())
    assert means[0] >= means[1]


def test_bleu_by_hand() -> None:
    # Papineni et al. 2002 by hand: 4 of 5 words, 3 of 4 pairs, 2 of 3 triples, 1 of 2 quadruples; as long as it ought.
    wanted = 100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25
    assert word_bleu([["a", "b", "c", "d", "x"]], [["a", "b", "c", "d", "e"]]) == pytest.approx(wanted)


def test_sacrebleus_own_example() -> None:
    # From sacrebleu's README (version 2), of which the first reference alone is given here.
    said = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
    wanted = ["The dog bit the man.", "It was not unexpected.", "The man bit him first."]
    found = score_translations(said, wanted, ["x"] * 3)
    assert found["bleu"] == sacrebleu.corpus_bleu(said, [wanted], lowercase=True).score
    lowered, right = [s.lower() for s in said], [s.lower() for s in wanted]
    assert found["chrf"] == sacrebleu.corpus_chrf(lowered, [right]).score
    assert found["sentences"] == 3


def test_influence_values_by_hand() -> None:
    # Right 1, 2, 3, 4 and 4, 3, 2, 1 n-grams of 5 words each, against 8 and 4: precisions are 1 / 2, R / H is 1.2.
    statistics = [[5, 8, 1, 2, 3, 4, 5, 5, 5, 5], [5, 4, 4, 3, 2, 1, 5, 5, 5, 5]]
    bleu = 50 * np.exp(-0.2)
    # The right n-grams balance; the first translation is half of all that was said, and two thirds of what was wanted.
    expected = [bleu * (1 + 2 * 1.2 * s * (1 / 2 - 2 / 3)) for s in (1, -1)]
    assert scores.influence(statistics) == pytest.approx(expected)


def translated(references: list[list[str]], wrong: float, lost: float, seed: int) -> list[str]:
    """Return references with words replaced or lost, more in some sentences than in others."""
    rng, hard = np.random.default_rng(seed), np.random.default_rng(1).uniform(0, 2, len(references))
    return [
        " ".join(
            word if rng.random() > wrong * share else "x"
            for word in words
            if rng.random() > (abs(lost) * share if lost > 0 else 0)
            for _ in range(1 + (lost < 0 and rng.random() < -lost))
        )
        for words, share in zip(references, hard, strict=True)
    ]


def test_the_variance_of_a_difference_in_bleu_is_that_of_the_paired_bootstrap() -> None:
    rng = np.random.default_rng(3)
    references = [[f"w{i}" for i in rng.zipf(1.5, size) % 100] for size in rng.integers(4, 20, 300)]
    wanted = [" ".join(words) for words in references]
    draws = rng.multinomial(300, np.full(300, 1 / 300), size=4000)
    influences, boots = [], []  # of texts that are shorter, shorter, longer than the references
    for system in ((0.25, 0.1, 5), (0.2, 0.05, 6), (0.3, -0.1, 7)):
        said = translated(references, *system)
        found = score_translations(said, wanted, wanted)
        assert np.mean(found["per_sentence"]) == pytest.approx(found["bleu"], abs=1e-4)
        influences.append(np.array(found["per_sentence"]))
        lines = zip(said, wanted, strict=True)
        parts = [sacrebleu.sentence_bleu(a, [b], use_effective_order=False) for a, b in lines]
        sums = draws @ [[part.sys_len, part.ref_len, *part.counts, *part.totals] for part in parts]
        drawn = [sacrebleu.BLEU.compute_bleu(each[2:6], each[6:], *each[:2]).score for each in sums.tolist()]
        boots.append(np.array(drawn))
    for first, second in ((0, 1), (0, 2), (1, 2)):
        spread = np.var(influences[first] - influences[second]) / 300
        assert spread == pytest.approx(np.var(boots[first] - boots[second]), rel=0.05)
        assert spread < 0.8 * (np.var(influences[first]) + np.var(influences[second])) / 300  # pairing tells


def test_text_is_detokenised_before_it_is_scored() -> None:
    english = detokeniser("en")(["do", "n't", "stop", ",", "she", "said", "."])
    assert english in ("don't stop, she said.", "do n't stop, she said.")
    assert detokeniser("fr")(["l'", "homme"]) == "l'homme"


def test_the_signature_can_be_read_back() -> None:
    read = conditions(score_translations(["a b"], ["a b"], ["c"])["signature"])
    assert {"tok~13a", "case~lc"} <= set(read["bleu"].split(","))
    assert "nc~6" in read["chrf"]


def test_lines_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(InputError, match="1 lines, for 2 of source"):
        score_translations(["a"], ["a", "b"], ["a", "b"])


def test_nothing_at_all_scores_nothing_and_is_marked() -> None:
    found = score_translations(["", ""], ["a b c d", "b"], ["c", "d"])
    assert (found["bleu"], found["empty"], found["degenerate"]) == (0.0, 100.0, 100)
    assert found["per_sentence"] == [0.0, 0.0]


SOURCES = [f"a{i} b{i}" for i in range(10)]
GOOD = [f"c{i} d{i}" for i in range(10)]


@pytest.mark.parametrize(("said", "what"), [
    (SOURCES, "copied"), (["the same"] * 10, "same"),
    ([f"x{i} {'y ' * 5}" for i in range(10)], "repeating"), ([""] * 10, "empty"),
])  # fmt: skip
def test_degenerate_output_is_marked(said: list[str], what: str) -> None:
    found = diagnose(said, GOOD, SOURCES)
    assert found["degenerate"] == 100
    assert found[what] >= 90


def test_good_output_is_not_marked() -> None:
    assert diagnose(GOOD, GOOD, SOURCES)["degenerate"] == 0
    # What the references copy too is no fault: names, numbers, a language and itself.
    assert diagnose(SOURCES, SOURCES, SOURCES)["degenerate"] == 0
    assert diagnose(["yes"] * 10, ["yes"] * 10, SOURCES)["degenerate"] == 0


@pytest.mark.parametrize(("line", "found"), [
    ("a a a a", True), ("b a a a c", False), ("x a b a b a b a b", True), ("a b a b a b", False),
    ("a b c d", False), ("", False), ("a", False),
])  # fmt: skip
def test_repeats(line: str, found: bool) -> None:
    assert repeats(line) == found


def test_word_by_word() -> None:
    assert scores.word_by_word(["a b c", ""], {"a": "x", "c": "z"}) == ["x b z", ""]


def test_an_induced_dictionary_finds_the_nearest_word() -> None:
    eye = np.eye(4, dtype=np.float32)
    source, target = WordVectors(list("abcd"), eye), WordVectors(list("wxyz"), eye[[1, 0, 3, 2]])
    found = scores.induced_dictionary(source, target, ["a", "c", "unknown"])
    assert found == {"a": "x", "c": "z"}
    assert scores.induced_dictionary(source, target, ["unknown"]) == {}


@pytest.mark.parametrize(("language", "tokeniser"), [("zh", "zh"), ("yue", "zh"), ("th", "char"), ("de", "13a"),
                                                     (None, "13a")])  # fmt: skip
def test_bleu_counts_the_tokens_of_the_language(language: str | None, tokeniser: str) -> None:
    lines = ["今天天气很好我们去公园", "他们明天回家"]
    found = score_translations(lines, lines, ["a", "b"], language)
    assert f"tok~{tokeniser}," in found["signature"]
    if language in ("zh", "yue", "th"):
        assert found["bleu"] == pytest.approx(100)


# Of six characters or words; a translation, and its right 1-, 2-, 3- and 4-grams, the last of which sacrebleu smooths.
IMPERFECT = {
    "ja": ("今日は晴だね", "今日は雨だね", [5 / 6, 3 / 5, 1 / 4, 1 / 2 / 3]),
    "ko": ("나는밥을먹다", "나는빵을먹다", [5 / 6, 3 / 5, 1 / 4, 1 / 2 / 3]),
}


@pytest.fixture
def no_cached_metrics():
    """Let no test have the tokeniser of another."""
    scores._metrics.cache_clear()
    yield
    scores._metrics.cache_clear()


@pytest.mark.usefixtures("no_cached_metrics")
@pytest.mark.parametrize("installed", [(), ("MeCab", "mecab_ko")])  # without a dictionary, MeCab is of no use
@pytest.mark.parametrize("language", IMPERFECT)
def test_without_mecab_japanese_and_korean_are_scored_by_characters(monkeypatch, language, installed) -> None:
    monkeypatch.setattr(scores, "find_spec", lambda name: name in installed or None)
    right, wrong, precisions = IMPERFECT[language]
    perfect = score_translations([right, right], [right, right], ["a", "b"], language)
    assert perfect["bleu"] == pytest.approx(100)
    assert "tok~char," in perfect["signature"]
    found = score_translations([wrong], [right], ["a"], language)["bleu"]
    assert found == pytest.approx(100 * np.prod(precisions) ** 0.25)
    assert found == sacrebleu.corpus_bleu([wrong], [[right]], tokenize="char").score


@pytest.mark.parametrize("language", scores.MECAB)
def test_mecab_is_taken_where_it_and_its_dictionary_are_installed(monkeypatch, language) -> None:
    monkeypatch.setattr(scores, "find_spec", scores.MECAB[language].__contains__)
    assert scores.bleu_tokeniser(language) == f"{language}-mecab"


@pytest.mark.parametrize("language", IMPERFECT)
def test_mecabs_words_are_scored(language: str, tmp_path: Path) -> None:
    for package in scores.MECAB[language]:
        pytest.importorskip(package, reason="sacrebleu's extras ja and ko are not installed")
    right, wrong, _ = IMPERFECT[language]
    for name, line in (("right", right), ("wrong", wrong)):
        (tmp_path / name).write_text(f"{line}\n", encoding="utf-8")
    found = {}
    for name in ("right", "wrong"):
        arguments = (
            f"--hypothesis {name} --reference right --source right --language {language} --out {name}.json"
        )
        call("score_translation.py", *arguments.split(), folder=tmp_path)
        found[name] = json.loads((tmp_path / f"{name}.json").read_text())
    tokenise = f"{language}-mecab"
    assert f"tok~{tokenise}" in found["right"]["signature"]
    assert found["right"]["bleu"] == sacrebleu.corpus_bleu([right], [[right]], tokenize=tokenise).score
    assert found["wrong"]["bleu"] == sacrebleu.corpus_bleu([wrong], [[right]], tokenize=tokenise).score


def test_a_stray_carriage_return_parts_no_line_from_its_translation(tmp_path: Path) -> None:
    path = written(tmp_path / "reference", "A one\rb\nc\n")
    assert read_lines(path, "en") == [["a", "one", "b"], ["c"]]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    for name, letter in (("en", "a"), ("de", "b")):
        lines = [" ".join(f"{letter.upper()}{w}" for w in rng.integers(5, size=3)) for _ in range(30)]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
        space = WordVectors([f"{letter}{i}" for i in range(5)], rng.normal(size=(5, 4)).astype(np.float32))
        write_vectors(tmp_path / f"{name}.vec", space)
    return tmp_path


TRAIN = "--languages en de --text en.txt de.txt --vectors en.vec de.vec --out system --set"


def test_by_hand(texts: Path) -> None:
    def run(script: str, arguments: str, *more: str) -> None:
        call(script, *arguments.split(), *more, folder=texts)

    run("train_translation.py", f"--data halves {TRAIN}", *SETTINGS)
    report = json.loads((texts / "system/training.json").read_text())
    assert (report["sentences"], [each["epoch"] for each in report["epochs"]]) == ([11, 11], [1, 2])
    run("translate.py", "--system system --to de --input en.txt --beam 2 --every-epoch --out said")
    said = {path.name for path in (texts / "said").iterdir()}
    assert said == {"chosen.txt", "epoch001.txt", "epoch002.txt"}
    run("translate_words.py", "--source en.vec --target de.vec --input en.txt --out words.txt")
    lines = (texts / "words.txt").read_text().splitlines()
    assert len(lines) == 30
    assert all(word.startswith("b") for line in lines for word in line.split())
    scoring = "--reference de.txt --source en.txt --language de"
    run("score_translation.py", f"--hypothesis said {scoring} --out s.json")
    found = json.loads((texts / "s.json").read_text())
    assert [each["signature"].rpartition("|")[2] for each in found] == ["epoch=1", "epoch=2", "chosen"]
    run("score_translation.py", f"--hypothesis de.txt {scoring} --out one.json")
    one = json.loads((texts / "one.json").read_text())
    assert (one["chrf"], one["sentences"]) == (pytest.approx(100), 30)


def test_errors_name_the_remedy(texts: Path) -> None:
    def error(script: str, arguments: str, *more: str) -> str:
        return call(script, *arguments.split(), *more, folder=texts, ok=False)

    (texts / "none").mkdir()
    scored = error(
        "score_translation.py", "--hypothesis none --reference en.txt --source en.txt --out s.json"
    )
    assert "none: holds no translations (make them: crosslingua translate)" in scored
    assert "of neither to copy" in error("translate_words.py", "--source en.vec --input en.txt --out x")
    assert "validation=20" in error("train_translation.py", TRAIN, *SETTINGS[:-2], "validation=20")
    assert not (texts / "system").exists()
