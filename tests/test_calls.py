"""`import crosslingua`, against the parts behind it and scores worked by hand."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import crosslingua as cl
from crosslingua.errors import ConfigError, CrosslinguaError, InputError
from crosslingua.io.vectors import WordVectors, write_vectors

WORDS = [f"w{n}" for n in range(60)]


@pytest.fixture
def spaces() -> tuple[WordVectors, WordVectors]:
    """A space, and the same rotated, whose words end in x."""
    rng = np.random.default_rng(1)
    matrix = rng.standard_normal((60, 8)).astype(np.float32)
    rotation = np.linalg.qr(rng.standard_normal((8, 8)))[0].astype(np.float32)
    return WordVectors(WORDS, matrix), WordVectors([f"{word}x" for word in WORDS], matrix @ rotation)


def test_the_import_loads_nothing_heavy_and_knows_its_functions() -> None:
    program = (
        "import sys, crosslingua as cl; assert not {'torch', 'pandas', 'numpy'} & set(sys.modules);"
        "assert callable(cl.word_align); assert not {'torch', 'pandas'} & set(sys.modules);"
        "import crosslingua.two_texts.run; assert callable(cl.ask)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    with pytest.raises(AttributeError, match="no attribute 'align_words'"):
        cl.align_words  # noqa: B018


def test_words_that_go_together_are_linked() -> None:
    """Each word has one translation, and the second text turns the order round."""
    rng = np.random.default_rng(2)
    source = [rng.permutation(20)[:6] for _ in range(400)]
    links = cl.word_align(
        [" ".join(f"s{n}" for n in line) for line in source],
        [[f"t{n}" for n in line[::-1]] for line in source],
    )
    wanted = [{(i, 5 - i) for i in range(6)} for _ in source]
    assert cl.score_alignment(links, wanted)["f1"] > 95


def test_scores_of_links_are_those_by_hand() -> None:
    """Of 3 links 1 is sure and 1 more possible, of 2 sure ones: AER = 1 - (1 + 2) / (3 + 2)."""
    found = cl.score_alignment([[(0, 0), (1, 1)], [(0, 1)]], [[(0, 0)], [(1, 1)]], [[(1, 1)], []])
    assert found["aer"] == pytest.approx(40)
    assert (found["precision"], found["recall"]) == (pytest.approx(200 / 3), pytest.approx(50))
    with pytest.raises(ConfigError, match="do not pair"):
        cl.score_alignment([[]], [[], []])


def test_a_map_undoes_a_rotation_and_the_lexicon_is_whole(spaces, tmp_path: Path) -> None:
    source, target = spaces
    pairs = [(word, f"{word}x") for word in WORDS[:20]]
    write_vectors(tmp_path / "target.vec", target)
    mapped = cl.map_vectors(source, tmp_path / "target.vec", pairs, "procrustes")
    lexicon = cl.induce_lexicon(mapped.source, mapped.target)
    assert [*lexicon["target"]] == [f"{word}x" for word in lexicon["source"]]
    with pytest.raises(ConfigError, match="supervised"):
        cl.map_vectors(source, target)


def test_confidence_is_that_of_the_calibrated_lexicon() -> None:
    """Of 200 words half have a right neighbour that is close, and half a wrong one that is far."""
    rng = np.random.default_rng(3)
    target = rng.standard_normal((200, 16))
    source = np.concatenate(
        [target[:100] + 0.1 * rng.standard_normal((100, 16)), rng.standard_normal((100, 16))]
    )
    words = [f"w{n:03}" for n in range(200)]
    others = [f"{word}x" for word in words]
    found = cl.induce_lexicon((words, source), (others, target), zip(words, others, strict=True))
    assert found["confidence"][:100].mean() > 0.9 > 0.1 > found["confidence"][100:].mean()


def test_vectors_are_read_from_what_people_have(spaces, tmp_path: Path) -> None:
    import fasttext

    source, _ = spaces
    gensim = SimpleNamespace(index_to_key=WORDS, vectors=source.matrix)
    padded = np.concatenate([np.zeros((1, 8), np.float32), source.matrix])
    model2vec = SimpleNamespace(tokens=("[PAD]", *WORDS), embedding=padded)
    for given in (
        source,
        (WORDS, source.matrix),
        dict(zip(WORDS, source.matrix, strict=True)),
        gensim,
        model2vec,
    ):
        read = cl.as_vectors(given)
        assert read.words == WORDS
        np.testing.assert_array_equal(read.matrix, source.matrix)
    text = tmp_path / "text.txt"
    text.write_text("alpha beta gamma delta\n" * 50, encoding="utf-8")
    model = fasttext.train_unsupervised(str(text), dim=6, minCount=1, thread=1, epoch=1, verbose=0)
    model.save_model(str(tmp_path / "model.bin"))
    read = cl.as_vectors(tmp_path / "model.bin")
    assert {*read.words} >= {"alpha", "beta", "gamma", "delta"}
    np.testing.assert_array_equal(read["beta"], model.get_word_vector("beta"))
    for wrong in (3, (WORDS, source.matrix[:5]), {}):
        with pytest.raises(ConfigError, match=r"word vectors|cannot name"):
            cl.as_vectors(wrong)


def test_methods_on_vectors_need_vectors_and_use_them(spaces) -> None:
    source, target = spaces
    same = WordVectors(target.words, source.matrix)
    links = cl.word_align(["w1 w2 w3"], [["w3x", "w1x", "w2x"]], "simalign_argmax", vectors=(source, same))
    assert links == [{(0, 1), (1, 2), (2, 0)}]
    for options, told in (
        ({"method": "simalign_argmax"}, "needs an encoder, or the vectors"),
        ({"vectors": (source, target)}, "leave encoder and vectors out"),
    ):
        with pytest.raises(ConfigError, match=told):
            cl.word_align(["a"], ["b"], **options)
    with pytest.raises(ConfigError, match="2 source sentences and 1 target"):
        cl.word_align(["a", "b"], ["c"])


def test_a_question_of_python_is_that_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run itself is another test's: here the parts around it are called twice, and leave no trace."""
    from crosslingua.two_texts import run

    monkeypatch.delenv("CROSSLINGUA_RESULTS", raising=False)
    monkeypatch.setattr(run.command, "run", lambda arguments: asked.append(arguments) or 0)
    monkeypatch.setattr(run, "conclude", lambda question: question)
    asked: list[list[str]] = []
    for language in ("sw", "en"):
        words = " ".join(f"{language}{n}" for n in range(120))
        (tmp_path / f"text.{language}").write_text(f"{words}.\n" * 6 + f"more {language}\n", encoding="utf-8")
    for cores, named in ((2, "2"), (None, "all")):
        question = cl.ask(
            tmp_path / "text.sw", str(tmp_path / "text.en"), seeds=1, cores=cores, results=tmp_path / "out"
        )
        assert question.folder == tmp_path / "out/ask_sw_en"
        assert asked[-1][:4] == ["joint_align", "--cores", named, "--config"]
        assert not {"CROSSLINGUA_RESULTS", "CROSSLINGUA_COSTS"} & {*run.os.environ}
    with pytest.raises(InputError, match=r"none\.en: no such file"):
        cl.ask(tmp_path / "text.sw", tmp_path / "none.en")
    with pytest.raises(ConfigError, match="seeds is 0"):
        cl.ask(tmp_path / "text.sw", tmp_path / "text.en", seeds=0)
    monkeypatch.setattr(run.command, "run", lambda arguments: 1)
    with pytest.raises(CrosslinguaError, match="the run failed"):
        cl.ask(tmp_path / "text.sw", tmp_path / "text.en", results=tmp_path / "out")


def test_two_systems_are_judged_by_seeds_and_items() -> None:
    """The interval is the crossed one; with one item's column alone it is Student's of the seeds."""
    from scipy.stats import ttest_1samp

    rng = np.random.default_rng(5)
    second = 50 + rng.normal(size=(4, 200))
    found = cl.judge(second + 3 + rng.normal(size=second.shape), second)
    assert (found.verdict, found.seeds, found.items, found.reason) == ("better", 4, 200, "")
    assert found.low < 3 < found.high
    assert cl.judge(second, second + 3 + rng.normal(size=second.shape)).verdict == "worse"
    alike = cl.judge(second + 0.01 * rng.normal(size=second.shape), second, smallest=1.0)
    assert (alike.verdict, round(alike.effect, 1)) == ("negligible", 0.0)
    gaps = [1.0, 2.0, 0.5, 3.0]
    alone = cl.judge([[gap] for gap in gaps], [[0.0]] * 4)
    expected = ttest_1samp(gaps, 0).confidence_interval(0.95)
    assert (alone.low, alone.high) == pytest.approx(tuple(expected), abs=1e-6)


def test_systems_are_judged_on_what_both_have() -> None:
    first = {seed: {"a": 2.0, "b": 3.0, "c": 9.0} for seed in range(3)}
    second = {seed: {"b": 1.0, "a": 1.0, "d": 0.0} for seed in range(1, 4)}
    found = cl.judge(first, second)
    assert (found.effect, found.seeds, found.items) == (1.5, 2, 2)
    assert (found.verdict, found.reason) == ("inconclusive", "2 seeds; a verdict needs 3")
    for one, other, told in (
        (first, {7: {"a": 1.0}}, "no seed is common"),
        ({0: {"a": 1.0}}, {0: {"b": 1.0}}, "no test item"),
        ([1.0], [2.0], "has 1 dimensions"),
        ({0: [1.0]}, {0: [2.0]}, "no mapping"),
    ):
        with pytest.raises(ConfigError, match=told):
            cl.judge(one, other)
    with pytest.raises(ConfigError, match="smallest is -1"):
        cl.judge(first, second, smallest=-1)
