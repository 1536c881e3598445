"""The script: files in, Pharaoh lines out, many cells and layers in one process, readable errors."""

import pytest

from crosslingua.io.bitext import write_bitext
from crosslingua.io.pharaoh import read_pharaoh
from crosslingua.word_aligners.encoding import EncoderEmbedding
from crosslingua.word_aligners.options import build
from word_aligners.encoders import make_bert, make_pairs

PAIRS = {"one": make_pairs(20), "two": [*make_pairs(5, seed=1), ([], ["ab"])]}


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    for name, pairs in PAIRS.items():
        lines = [(" ".join(source), " ".join(target)) for source, target in pairs]
        write_bitext(lines, folder / f"{name}.source", folder / f"{name}.target")
    return folder


def test_layers_and_files_at_once(script, bert, texts, tmp_path):
    outs = [tmp_path / f"{name}.{layer}" for name in PAIRS for layer in (3, 1)]
    line = f"{texts}/NAME.source,{texts}/NAME.target,{tmp_path}/NAME.3 {tmp_path}/NAME.1"
    lines = [line.replace("NAME", name) for name in PAIRS]
    (tmp_path / "plan.csv").write_text("\n".join(["source,target,out", *lines, ""]))
    aligner = ("--aligner", "optimal_transport", "--set", "mu=0.5", "--encoder", bert, "--layer", 3, 1)
    script("word_align.py", *aligner, "--cells", "plan.csv")
    for out, (pairs, layer) in zip(outs, [(p, k) for p in PAIRS.values() for k in (3, 1)], strict=True):
        aligner = build("optimal_transport", {"mu": 0.5}, EncoderEmbedding.load(str(bert), [layer]))
        assert [links.sure for links in read_pharaoh(out)] == list(aligner.align(pairs))


def test_languages_of_each_cell(script, texts, tmp_path):
    """The second cell's source is of another language: other links than with those of the first."""
    folder = make_bert(tmp_path / "encoder", languages=("en", "fr", "de"))
    files = ("--source", texts / "one.source", "--target", texts / "one.target")
    common = ("--aligner", "simalign_argmax", "--encoder", folder, "--layer", 3, *files)
    outs = tmp_path / "first", tmp_path / "second"
    (tmp_path / "plan.csv").write_text(f"languages,out\nde en,{outs[0]}\nfr en,{outs[1]}\n")
    script("word_align.py", *common, "--cells", "plan.csv")
    for out, source in zip(outs, ("de", "fr"), strict=True):
        embed = EncoderEmbedding.load(str(folder), [3], languages=(source, "en"))
        expected = list(build("simalign_argmax", {}, embed).align(PAIRS["one"]))
        assert [links.sure for links in read_pharaoh(out)] == expected
    assert outs[0].read_text() != outs[1].read_text()


def test_vectors_in_place_of_an_encoder(script, tmp_path):
    (tmp_path / "source").write_text("a b\nb\n")
    (tmp_path / "target").write_text("B c A\nB B\n")
    (tmp_path / "source.vec").write_text("3 2\na 1 0\nb 0 1\nz 0 0\n")
    (tmp_path / "target.vec").write_text("2 2\nA 1 0.1\nB 0.1 1\n")
    files = ("--source", "source", "--target", "target", "--out", "links")
    vectors = ("--source-vectors", "source.vec", "--target-vectors", "target.vec")
    done = script("word_align.py", "--aligner", "simalign_argmax", *files, *vectors)
    assert (tmp_path / "links").read_text() == "0-2 1-0\n0-0\n"
    assert "target: 1 of 5 words (20.0%) have no vector" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--encoder", "BERT", "--layer", "1", "--target", "two.target"), "two.target: has 6 lines, but"),
        (("--encoder", "BERT", "--layer", "1", "2"), "2 layers need 2 --out: 1 are given"),
        ((), "needs --encoder, or --source-vectors and --target-vectors"),
        (("--source-vectors", "a.vec"), "give both --source-vectors and --target-vectors"),
    ],
)
def test_errors(script, bert, texts, tmp_path, arguments, message):
    given = [bert if word == "BERT" else texts / word if word == "two.target" else word for word in arguments]
    target = [] if "--target" in arguments else ["--target", texts / "one.target"]
    source = ("--aligner", "simalign_argmax", "--source", texts / "one.source")
    done = script("word_align.py", *source, *target, *given, "--out", "links", status=1)
    assert message in done.stderr
    assert not (tmp_path / "links").exists()
