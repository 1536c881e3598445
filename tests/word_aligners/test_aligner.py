"""What all aligners on vectors promise, options of their scripts, and word_align.py from files to links."""

import dataclasses
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
import torch

from crosslingua.cli import parser
from crosslingua.errors import ConfigError
from crosslingua.io.bitext import write_bitext
from crosslingua.io.pharaoh import read_pharaoh
from crosslingua.io.vectors import WordVectors, write_vectors
from crosslingua.settings import definitions, word
from crosslingua.word_aligners import ALIGNERS, aligner, options
from crosslingua.word_aligners.encoding import EncoderEmbedding
from crosslingua.word_aligners.options import build, needs_vectors
from crosslingua.word_aligners.transport import filter_links, log_similarity, sinkhorn
from programs import in_a_process
from word_aligners.encoders import make_bert, make_pairs

ON_VECTORS = [name for name in ALIGNERS if needs_vectors(name)]
PAIRS = {"one": make_pairs(20), "two": [*make_pairs(5, seed=1), ([], ["ab"])]}
LEXICON = {f"W{k}": f"v{k}" for k in range(12)}
SWAPPED = (1, 0, 3, 2, 5, 4)


@pytest.fixture(scope="module")
def embed(bert):
    return EncoderEmbedding.load(str(bert), [2])


@pytest.mark.parametrize("name", ON_VECTORS)
def test_batches_and_pools_change_nothing(embed, name, monkeypatch):
    pairs = make_pairs(50)
    one_by_one = [next(build(name, {}, embed).align([pair])) for pair in pairs]
    assert list(build(name, {"batch_tokens": 100}, embed).align(pairs)) == one_by_one
    monkeypatch.setattr(aligner, "POOL", 7)
    assert list(build(name, {}, embed).align(iter(pairs))) == one_by_one


@pytest.mark.parametrize("name", ON_VECTORS)
def test_same_links_with_any_number_of_threads(embed, name, monkeypatch):
    pairs = make_pairs(50, seed=1)
    before = torch.get_num_threads()
    results = []
    for threads in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        results.append(list(build(name, {"batch_tokens": 60}, embed).align(pairs)))
    assert results[0] == results[1]
    assert torch.get_num_threads() == before


@pytest.mark.parametrize("name", ON_VECTORS)
def test_pair_with_an_empty_side_has_no_links(embed, name):
    pairs = [(["ab"], []), (["ab"], ["cd"]), ([], ["ab", "cd"]), ([], [])]
    assert list(build(name, {}, embed).align(pairs)) == [frozenset(), {(0, 0)}, frozenset(), frozenset()]
    assert list(build(name, {}, embed).align([([], [])])) == [frozenset()]


@pytest.mark.parametrize("name", ON_VECTORS)
def test_layers_at_once_are_the_layers_one_by_one(bert, name):
    pairs = make_pairs(30)
    together = list(build(name, {}, EncoderEmbedding.load(str(bert), [3, 0, 1])).align_layers(pairs))
    for layer, links in zip([3, 0, 1], zip(*together, strict=True), strict=True):
        assert list(build(name, {}, EncoderEmbedding.load(str(bert), [layer])).align(pairs)) == list(links)


def test_optimal_transport_is_its_steps(embed):
    """Joint encoding, then Eq. 1 to 9 on the pair alone, then words of linked subwords."""
    for pair in make_pairs(10, seed=2):
        units = embed.units(pair)
        with torch.inference_mode():
            source, target = embed.vectors([units], joint=True)[0]
        masks = [torch.ones(1, side.shape[1], dtype=torch.bool) for side in (source, target)]
        links = filter_links(sinkhorn(log_similarity(source, target), *masks), *masks)[0]
        expected = {(units.source.words[i], units.target.words[j]) for i, j in links.nonzero().tolist()}
        assert next(build("optimal_transport", {}, embed).align([pair])) == expected


@pytest.mark.parametrize("name", ON_VECTORS)
def test_explain_scores_words_by_their_best_subwords(embed, name):
    pair = (["abc", "d"], ["efghi", "ja", "bc"])
    member = build(name, {}, embed)
    grid, links = member.explain(pair)
    assert grid.shape == (2, 3)
    assert [links] == list(member.align([pair]))
    units = embed.units(pair)
    with torch.inference_mode():
        batch = aligner.UnitBatch.of([units], *embed.vectors([units], member.joint_encoding)[0])
        score = member.score(batch)[0].numpy()
    assert grid[0, 0] == pytest.approx(score[:2, :3].max())
    assert grid[1, 2] == pytest.approx(score[2, 4])
    empty, none = member.explain(([], ["ab"]))
    assert np.shape(empty) == (0, 1)
    assert not none


def test_settings(embed):
    assert all(map(needs_vectors, ON_VECTORS))
    assert build("optimal_transport", {"mu": "0.5", "joint_encoding": "false"}, embed).mu == 0.5
    with pytest.raises(ConfigError, match=r"has no setting 'alfa': .* did you mean 'alpha'\?"):
        build("simalign_itermax", {"alfa": "0.5"}, embed)
    with pytest.raises(ConfigError, match="simalign_argmax needs vectors"):
        build("simalign_argmax")
    with pytest.raises(ConfigError, match="mu=0: must be a number, above 0"):
        build("optimal_transport", {"mu": "0"}, embed)
    with pytest.raises(ConfigError, match="batch_tokens=0"):
        build("simalign_argmax", {"batch_tokens": "0"}, embed)


def settled(*arguments):
    p = parser("")
    p.add_argument("--aligner")
    p.add_argument("--set", nargs="+", default=[])
    p.add_argument("--batch-tokens", type=int)
    options.add_embedding_options(p)
    args = p.parse_args(arguments)
    options.settle_embedding_options(args)
    return args


def test_cells_of_one_encoder_load_it_once(bert):
    common = ("--aligner", "simalign_argmax", "--encoder", str(bert))
    layers = ["1", "2"], ["2"], ["3"]
    first, same, other = (options.load_embedding(settled(*common, "--layer", *one)) for one in layers)
    assert same.encoder.model is first.encoder.model
    assert (same.layers, other.layers) == ((2,), (3,))
    assert other.encoder.model is not first.encoder.model


OF_ENCODERS = ["--layer 8", "--over-length window", "--device cpu", "--dtype float32"]
OF_VECTORS = ["--encoder bert", "--source-vectors a", "--target-vectors a", "--batch-tokens 9"]
OF_ANY = ["--encoder bert", "--set a=1", "--layer 8"]
STATIC = "--aligner simalign_argmax --source-vectors a --target-vectors b"
REFUSED = [
    *(("--aligner fast_align", option, "is not for fast_align") for option in OF_ENCODERS + OF_VECTORS),
    *((STATIC, option, "is of an encoder") for option in OF_ENCODERS),
    *(("", option, "changes nothing without --aligner") for option in OF_ANY),
]


@pytest.mark.parametrize(("others", "option", "message"), REFUSED)
def test_an_option_that_would_change_nothing_is_refused(others, option, message):
    """Also where the value given is the default."""
    with pytest.raises(ConfigError, match=f"^{option.split()[0]} {message}"):
        settled(*others.split(), *option.split())


@pytest.mark.parametrize(("name", "setting", "value", "message"), [
    ("fast_align", "symmetrisation", "grow", "grow_diag_final_and"),
    ("fast_align", "iterations", 0, "from 1 to"),
    ("fast_align", "null_probability", 1.0, "at least 0 and below 1"),
    ("fast_align", "alpha", 0.0, "alpha=0.0: must be a number, above 0"),
    ("gibbs", "passes", -1, "from 0 to"), ("gibbs", "null_probability", 1.0, "at least 0 and below 1"),
    ("gibbs", "alpha", 0.0, "above 0"), ("gibbs", "seed", -1, "from 0 to"),
    ("simalign_itermax", "distortion", 1.5, "distortion"),
    ("simalign_itermax", "null_percentile", 101.0, "null_percentile"),
    ("simalign_itermax", "alpha", 0.0, "alpha"), ("simalign_itermax", "iterations", 0, "iterations"),
])  # fmt: skip
def test_a_setting_out_of_its_range_is_named(name, setting, value, message):
    vectors = {"embed": "vectors"} if needs_vectors(name) else {}
    with pytest.raises(ConfigError, match=message):
        ALIGNERS[name](**vectors, **{setting: value})


def test_every_setting_is_described_with_its_default():
    for name, member in ALIGNERS.items():
        shown = {key: word(own["default"]) for key, own in definitions(member).items()}
        assert build(name, shown, "vectors") == build(name, {}, "vectors")
        fields = {field.name for field in dataclasses.fields(member)}
        assert (set(shown) | {"embed"}, needs_vectors(name)) == (fields | {"embed"}, "embed" in fields)
        assert all(len(own["description"].split()) > 1 for own in definitions(member).values())


@pytest.fixture
def align(script):
    return partial(script, "word_align.py")


def test_word_align_lists_the_settings_of_every_aligner_without_torch(align):
    told = options.describe_settings()
    assert told in align("--help").stdout
    code = "import sys; from crosslingua.word_aligners.options import describe_settings; print(describe_settings());"
    code += "sys.exit('torch' in sys.modules)"
    assert (
        told + "\n"
        == subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    )
    assert all(definitions(ALIGNERS.settings(name)) == definitions(ALIGNERS[name]) for name in ALIGNERS)


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    for name, pairs in PAIRS.items():
        lines = [(" ".join(source), " ".join(target)) for source, target in pairs]
        write_bitext(lines, folder / f"{name}.source", folder / f"{name}.target")
    return folder


def test_layers_and_files_at_once(align, bert, texts, tmp_path):
    outs = [tmp_path / f"{name}.{layer}" for name in PAIRS for layer in (3, 1)]
    line = f"{texts}/NAME.source,{texts}/NAME.target,{tmp_path}/NAME.3 {tmp_path}/NAME.1"
    lines = [line.replace("NAME", name) for name in PAIRS]
    (tmp_path / "plan.csv").write_text("\n".join(["source,target,out", *lines, ""]))
    aligner = ("--aligner", "optimal_transport", "--set", "mu=0.5", "--encoder", bert, "--layer", 3, 1)
    align(*aligner, "--cells", "plan.csv")
    for out, (pairs, layer) in zip(outs, [(p, k) for p in PAIRS.values() for k in (3, 1)], strict=True):
        aligner = build("optimal_transport", {"mu": 0.5}, EncoderEmbedding.load(str(bert), [layer]))
        assert [links.sure for links in read_pharaoh(out)] == list(aligner.align(pairs))


def test_languages_of_each_cell(align, texts, tmp_path):
    """The second cell's source is of another language: other links than with those of the first."""
    folder = make_bert(tmp_path / "encoder", languages=("en", "fr", "de"))
    files = ("--source", texts / "one.source", "--target", texts / "one.target")
    common = ("--aligner", "simalign_argmax", "--encoder", folder, "--layer", 3, *files)
    outs = tmp_path / "first", tmp_path / "second"
    (tmp_path / "plan.csv").write_text(f"languages,out\nde en,{outs[0]}\nfr en,{outs[1]}\n")
    align(*common, "--cells", "plan.csv")
    for out, source in zip(outs, ("de", "fr"), strict=True):
        embed = EncoderEmbedding.load(str(folder), [3], languages=(source, "en"))
        expected = list(build("simalign_argmax", {}, embed).align(PAIRS["one"]))
        assert [links.sure for links in read_pharaoh(out)] == expected
    assert outs[0].read_text() != outs[1].read_text()


def test_vectors_in_place_of_an_encoder(align, tmp_path):
    (tmp_path / "source").write_text("a b\nb\n")
    (tmp_path / "target").write_text("B c A\nB B\n")
    (tmp_path / "source.vec").write_text("3 2\na 1 0\nb 0 1\nz 0 0\n")
    (tmp_path / "target.vec").write_text("2 2\nA 1 0.1\nB 0.1 1\n")
    files = ("--source", "source", "--target", "target", "--out", "links")
    vectors = ("--source-vectors", "source.vec", "--target-vectors", "target.vec")
    done = align("--aligner", "simalign_argmax", *files, *vectors)
    assert (tmp_path / "links").read_text() == "0-2 1-0\n0-0\n"
    assert "target: 1 of 5 words (20.0%) have no vector" in done.stderr


@pytest.mark.parametrize(("arguments", "message"), [
    (("--encoder", "BERT", "--layer", "1", "--target", "two.target"), "two.target: has 6 lines, but"),
    (("--encoder", "BERT", "--layer", "1", "2"), "2 layers need 2 --out: 1 are given"),
    ((), "needs --encoder, or --source-vectors and --target-vectors"),
    (("--source-vectors", "a.vec"), "give both --source-vectors and --target-vectors"),
])  # fmt: skip
def test_errors(align, bert, texts, tmp_path, arguments, message):
    given = [bert if word == "BERT" else texts / word if word == "two.target" else word for word in arguments]
    target = [] if "--target" in arguments else ["--target", texts / "one.target"]
    source = ("--aligner", "simalign_argmax", "--source", texts / "one.source")
    done = align(*source, *target, *given, "--out", "links", status=1)
    assert message in done.stderr
    assert not (tmp_path / "links").exists()


@pytest.fixture
def folder(tmp_path):
    """A test pair with neighbours swapped, which only training text explains: in upper case, as the test is not."""
    rng = np.random.default_rng(2)
    sentences = [rng.permutation(list(LEXICON))[:6] for _ in range(150)]
    swapped = [[LEXICON[sentence[k]] for k in SWAPPED] for sentence in sentences]
    for name, text in (("train.s", sentences), ("train.t", swapped)):
        (tmp_path / name).write_text("".join(" ".join(sentence) + "\n" for sentence in text))
    (tmp_path / "test.s").write_text("w1 w2 w3 w4\n")
    (tmp_path / "test.t").write_text("v2 v1 v4 v3\n")
    return tmp_path


CROSSED = "0-1 1-0 2-3 3-2\n"
TEST = ("--source", "test.s", "--target", "test.t")
TRAINING = ("--training-source", "train.s", "--training-target", "train.t")


def test_training_text_and_case(align, folder):
    align("--aligner", "fast_align", *TEST, *TRAINING, "--lowercase", "--out", "links")
    assert (folder / "links").read_text() == CROSSED
    align("--aligner", "fast_align", *TEST, *TRAINING, "--out", "cased")
    assert (folder / "cased").read_text() != CROSSED


@pytest.mark.parametrize("place", ["test", "train"])
def test_over_long_lines_are_named(align, folder, place):
    with (folder / f"{place}.s").open("a") as source, (folder / f"{place}.t").open("a") as target:
        source.write("w1 " * 60_000 + "\n")
        target.write("v1 " * 60_000 + "\n")
    done = align("--aligner", "fast_align", *TEST, *TRAINING, "--out", "links", status=1)
    line = {"test": 2, "train": 151}[place]
    assert f"error: {place}.s:{line}: a pair of 60000 and 60000 words is too long" in done.stderr
    assert not (folder / "links").exists()


def test_vectors_for_each_cell(align, folder):
    """The second cell's target vectors are of the words one further on."""
    for name, letter, turn in (("s", "w", 0), ("t1", "v", 0), ("t2", "v", 1)):
        matrix = np.roll(np.eye(4, dtype=np.float32), turn, axis=0)
        write_vectors(folder / f"{name}.vec", WordVectors([f"{letter}{k}" for k in range(1, 5)], matrix))
    (folder / "plan.csv").write_text("target_vectors,out\nt1.vec,one\nt2.vec,two\n")
    align("--aligner", "simalign_argmax", *TEST, "--source-vectors", "s.vec", "--cells", "plan.csv")
    assert (folder / "one").read_text() == CROSSED
    assert (folder / "two").read_text() == "0-0 1-3 2-2 3-1\n"


@pytest.mark.parametrize(("options", "message"), [
    (("--aligner", "fast_align", *TRAINING[:2]), "must name equally many files"),
    (("--aligner", "simalign_argmax", *TRAINING), "simalign_argmax does not train"),
])  # fmt: skip
def test_options_that_do_not_go_together(align, folder, options, message):
    done = align(*options, *TEST, "--out", "links", status=1)
    assert message in done.stderr
    assert not (folder / "links").exists()


@pytest.mark.parametrize("aligner", ["fast_align", "simalign_argmax --source-vectors v --target-vectors v"])
def test_empty_text_is_refused(align, folder, aligner):
    for name, text in (("empty.s", ""), ("empty.t", ""), ("v", "1 2\nw1 1 0\n")):
        (folder / name).write_text(text)
    files = ("--source", "empty.s", "--target", "empty.t", "--out", "links")
    done = align("--aligner", *aligner.split(), *files, status=1)
    assert "error: empty.s: is empty: there is nothing to align" in done.stderr
    assert not (folder / "links").exists()


def test_a_wrong_option_and_an_out_that_is_a_folder_are_found_before_reading(align, folder):
    (folder / "links").mkdir()
    given = ("--aligner", "fast_align", "--source", "nothing.s", "--target", "nothing.t", "--out", "links")
    assert "error: links: is a folder" in align(*given, status=1).stderr
    assert "error: --layer is not for fast_align" in align(*given, "--layer", 3, status=1).stderr


def test_progress_knows_the_total_of_a_file(align, folder):
    """And not of a pipe, which is read once."""
    common = ("--aligner", "fast_align", "--target", "train.t", "--out", "links")
    assert "150/150" in align(*common, "--source", "train.s").stderr
    text = (folder / "train.s").read_text()
    piped = in_a_process("word_align.py", *common, "--source", "/dev/stdin", folder=folder, input=text)
    assert "150 pairs" in piped.stderr
    assert (folder / "links").read_text().count("\n") == 150
