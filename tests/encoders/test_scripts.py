"""The command lines, run as a user runs them."""

import json
import re
import shlex
from dataclasses import replace

import pytest

from crosslingua.encoders.cost import FIXED, Cost
from crosslingua.encoders.data import Pieces
from encoders.runs import run


def test_from_text_to_an_encoder(script, tiny_world, tmp_path):
    text, out = tiny_world / "a.txt", tmp_path / "out"
    sized = ("--vocabulary-size", 50, "--transliterate", "--seed", 7)
    script("train_tokenizer.py", "--text", text, *sized, "--out", "tok")
    small = "layers: 1\nhidden: 8\nheads: 2\nmax_length: 32\nbatch_size: 8\ndropout: 0\n"
    (tmp_path / "s.yaml").write_text(small)
    options = ["--objective", "align_mlm", "--dictionary", "tok/token_pairs.tsv", "--dictionary-share", 0.5,
               "--tokenizer", "tok", "--config", "s.yaml", "--set", "steps=3", "warmup=1"]  # fmt: skip
    words = [f"a={text}", f"b={tiny_world / 'b.txt'}"]
    done = script("pretrain.py", *options, "--text", *words, "--out", out)
    told = json.loads((out / "training.json").read_text())
    assert (told["settings"]["dictionary_share"], told["settings"]["steps"]) == (0.5, 3)
    assert "tokens/s" in done.stderr
    (tmp_path / "plan.csv").write_text(f"text,bitext\n{shlex.join(words)},\n")
    script("pretrain.py", *options, "--cells", "plan.csv", "--out", "same")
    assert (tmp_path / "same/model.safetensors").read_bytes() == (out / "model.safetensors").read_bytes()


@pytest.mark.parametrize(("options", "status", "message"), [
    ([], 1, "error: give --tokenizer"),
    (["--tokenizer", "absent", "--threads", 0], 2, "--threads: 0: must be a whole number from 1 to 256"),
    (["--tokenizer", "absent", "--device", "tpu"], 1, "pre-training: device=tpu: must be auto or cpu"),
    (["--tokenizer", "absent", "--seed", "-1"], 2, "argument --seed: -1: must be a whole number from 0"),
    (["--tokenizer", "absent", "--seed", 2**32], 2, "--seed: 4294967296: must be a whole number from 0"),
    (["--tokenizer", "absent", "--set", "layer=2"], 1, "did you mean 'layers'"),
])  # fmt: skip
def test_wrong_options_are_refused_before_anything_is_read(script, options, status, message):
    common = ("--objective", "mlm", *options, "--text", "a=absent", "--out", "out")
    assert message in script("pretrain.py", *common, status=status).stderr.splitlines()[-1]


def test_a_training_that_takes_too_much_is_refused_unless_it_is_wanted(script, tiny_world):
    common = ("--objective", "mlm", "--tokenizer", tiny_world / "tok", "--text", f"a={tiny_world / 'a.txt'}")
    common += ("--out", "out", "--device", "cpu")
    told = script("pretrain.py", *common, status=1).stderr  # as published: 500,000 steps of 65,000 tokens
    message = r"error: this training takes about [\d,]+ days of this processor and \d+\.\d GB .* --yes"
    assert re.search(message, told)
    small = ["layers=1", "hidden=8", "heads=2", "max_length=32", "batch_size=8", "steps=2", "warmup=1"]
    assert "takes about 1 min" in script("pretrain.py", *common, "--set", *small).stderr
    # 16 TB cannot fit; with --yes the same is tried, here up to a text that is absent
    large = [*small, "batch_size=1000000000"]
    assert "--yes" in script("pretrain.py", *common, "--set", *large, status=1).stderr.splitlines()[-1]
    absent = [*common[:5], "a=absent", *common[6:]]
    told = script("pretrain.py", *absent, "--yes", "--set", *large, status=1).stderr
    assert re.match("error: .*absent", told.splitlines()[-1])


def test_the_memory_of_weights_is_that_of_the_model(tiny_world, tmp_path):
    job = run(tiny_world, tmp_path / "out", layers=3, hidden=256, heads=4, max_length=8, batch_size=1)
    made, _ = job.architecture.build(job, Pieces(job.tokenizer))
    weights = sum(weight.numel() for weight in made.parameters())
    four_each = 16 * weights  # bytes of weight, gradient, two moments
    assert Cost.of(job).memory - FIXED == pytest.approx(four_each, rel=0.1)
    assert Cost.of(replace(job, settings=replace(job.settings, steps=60))).seconds > 5 * Cost.of(job).seconds
