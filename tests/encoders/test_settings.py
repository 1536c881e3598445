import pytest

from crosslingua.encoders.objectives.align_mlm import AlignMLMSettings
from crosslingua.encoders.objectives.dwa import DWASettings
from crosslingua.encoders.settings import from_mapping, read_values
from crosslingua.errors import ConfigError, InputError


def test_published_defaults():
    ours, theirs = from_mapping({}), from_mapping({"preset": "xlm_align"})
    assert (ours.layers, ours.hidden, ours.heads, ours.steps, ours.batch_size, ours.lr, ours.warmup) == (
        8, 512, 8, 500_000, 128, 1e-4, 10_000,
    )  # fmt: skip
    assert AlignMLMSettings().align_alpha == 10
    assert (ours.dictionary_share, ours.parallel_share, ours.feed_forward_size) == (0.25, 0.25, 2048)
    assert (theirs.layers, theirs.hidden, theirs.feed_forward_size, theirs.heads, theirs.steps, theirs.batch_size) == (
        12, 768, 3072, 12, 150_000, 2048,
    )  # fmt: skip
    assert (theirs.lr, theirs.warmup, theirs.clip_norm, theirs.weight_decay) == (2e-4, 10_000, 1.0, 0.01)
    assert (theirs.adam_epsilon, theirs.adam_beta1, theirs.adam_beta2) == (1e-6, 0.9, 0.98)
    dwa = DWASettings()
    assert (dwa.dwa_mu, dwa.dwa_sinkhorn_iterations) == (1.0, 2)
    assert (dwa.dwa_filter_iterations, dwa.dwa_filter_alpha) == (2, 0.9)


def read_settings(path, options=()):
    return from_mapping(read_values(path, options))


def test_file_and_options(tmp_path):
    (tmp_path / "s.yaml").write_text(
        "preset: xlm_align\nlr: 1e-3\nsteps: 5\nwarmup: 0\nlanguage_ids: true\nclip_norm: 2\n"
    )
    found = read_settings(tmp_path / "s.yaml", ["steps=7", "pack=false", "layers=3"])
    assert (found.lr, found.steps, found.pack, found.layers, found.heads) == (1e-3, 7, False, 3, 12)
    assert (found.language_ids, found.clip_norm) == ("true", 2)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("layer=2", "did you mean 'layers'"),
        ("layers", "write name=value"),
        ("layers=two", "must be a whole number"),
        ("layers=0", "layers=0: must be a whole number, at least 1"),
        ("dropout=1.5", "at least 0 and at most 1"),
        ("warmup=-1", "at least 0"),
        ("steps=500", r"warmup 10000 is not below steps 500: .* e.g. warmup=50"),
        ("warmup=500000", "not below steps 500000"),
        ("pack=maybe", "must be true or false"),
        ("precision=fp8", "must be fp32 or bf16"),
        ("heads=7", "no multiple of heads"),
        ("max_length=600", "longer than the model reads"),
        ("max_length=4", "at least 8"),
        ("preset=bert", "must be align_mlm or xlm_align"),
        ("lr=nan", "above 0"),
    ],
)
def test_what_is_wrong_is_named(option, message):
    with pytest.raises(ConfigError, match=message):
        read_settings(None, [option])


def test_a_short_run_needs_a_short_warm_up():
    for options in (["steps=500", "warmup=499"], ["steps=1", "warmup=0", "schedule=constant"]):
        assert read_settings(None, options).steps == int(options[0].partition("=")[2])


@pytest.mark.parametrize(("text", "error"), [("- a\n", InputError), ("a: [\n", InputError), ("lr: fast\n", ConfigError),
                                             ("layers: 2.5\n", ConfigError)])  # fmt: skip
def test_wrong_files(tmp_path, text, error):
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises(error):
        read_settings(tmp_path / "s.yaml")
    with pytest.raises(InputError, match="no such file"):
        read_settings(tmp_path / "absent.yaml")
