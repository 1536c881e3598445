"""Options of the aligners' scripts: defaults, and none that is accepted and changes nothing."""

import dataclasses

import pytest

from crosslingua.cli import parser
from crosslingua.errors import ConfigError
from crosslingua.settings import definitions, word
from crosslingua.word_aligners import ALIGNERS, options
from crosslingua.word_aligners.options import build, needs_vectors


def settled(*arguments):
    p = parser("")
    p.add_argument("--aligner")
    p.add_argument("--set", nargs="+", default=[])
    p.add_argument("--batch-tokens", type=int)
    options.add_embedding_options(p)
    args = p.parse_args(arguments)
    options.settle_embedding_options(args)
    return args


def test_defaults():
    args = settled("--aligner", "simalign_argmax", "--encoder", "bert", "--layer", "3", "4")
    assert (args.layer, args.over_length, args.device, args.dtype) == ([3, 4], "window", "cpu", "float32")
    assert settled("--aligner", "fast_align").layer == [8]


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


@pytest.mark.parametrize(
    ("name", "setting", "value", "message"),
    [
        ("fast_align", "symmetrisation", "grow", "grow_diag_final_and"),
        ("fast_align", "iterations", 0, "at least 1"),
        ("fast_align", "null_probability", 1.0, "at least 0 and below 1"),
        ("fast_align", "alpha", 0.0, "alpha=0.0: must be a number, above 0"),
        ("gibbs", "passes", -1, "at least 0"),
        ("gibbs", "null_probability", 1.0, "at least 0 and below 1"),
        ("gibbs", "alpha", 0.0, "above 0"),
        ("gibbs", "seed", -1, "at least 0"),
        ("simalign_itermax", "distortion", 1.5, "distortion"),
        ("simalign_itermax", "null_percentile", 101.0, "null_percentile"),
        ("simalign_itermax", "alpha", 0.0, "alpha"),
        ("simalign_itermax", "iterations", 0, "iterations"),
    ],
)
def test_a_setting_out_of_its_range_is_named(name, setting, value, message):
    vectors = {"embed": "vectors"} if needs_vectors(name) else {}
    with pytest.raises(ConfigError, match=message):
        ALIGNERS[name](**vectors, **{setting: value})


def test_every_setting_is_described_with_its_default():
    for name, member in ALIGNERS.items():
        shown = {key: word(own["default"]) for key, own in definitions(member).items()}
        assert build(name, shown, "vectors") == build(name, {}, "vectors")
        assert set(shown) | {"embed"} == {field.name for field in dataclasses.fields(member)} | {"embed"}
        assert all(len(own["description"].split()) > 1 for own in definitions(member).values())


def test_word_align_lists_the_settings_of_every_aligner(script):
    assert options.describe_settings() in script("word_align.py", "--help").stdout


def test_word_align_refuses_them(script, tmp_path):
    files = ("--source", "source", "--target", "target", "--out", "out")
    done = script("word_align.py", *files, "--aligner", "fast_align", "--layer", 3, status=1)
    assert "error: --layer is not for fast_align" in done.stderr
    assert list(tmp_path.iterdir()) == []
