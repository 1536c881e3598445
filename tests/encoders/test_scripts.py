"""The command lines, run as a user runs them."""

import json
import shlex

import pytest


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
