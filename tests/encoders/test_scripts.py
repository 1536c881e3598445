"""The command lines, run as a user runs them."""

import json
import os
import shlex
import subprocess
import sys

import pytest


def script(repository, name, *arguments):
    command = [sys.executable, str(repository / "scripts" / name), *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(repository / "src"), "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_from_text_to_an_encoder(repository, tiny_world, tmp_path):
    text, tokenizer, out = tiny_world / "a.txt", tmp_path / "tok", tmp_path / "out"
    done = script(repository, "train_tokenizer.py", "--text", text, "--vocabulary-size", 50, "--transliterate",
                  "--seed", 7, "--out", tokenizer)  # fmt: skip
    assert done.returncode == 0, done.stderr
    (tmp_path / "s.yaml").write_text(
        "layers: 1\nhidden: 8\nheads: 2\nmax_length: 32\nbatch_size: 8\ndropout: 0\n"
    )
    options = ["--objective", "align_mlm", "--dictionary", tokenizer / "token_pairs.tsv", "--dictionary-share", 0.5,
               "--tokenizer", tokenizer, "--config", tmp_path / "s.yaml", "--set", "steps=3", "warmup=1"]  # fmt: skip
    words = [f"a={text}", f"b={tiny_world / 'b.txt'}"]
    done = script(repository, "pretrain.py", *options, "--text", *words, "--out", out)
    assert done.returncode == 0, done.stderr
    told = json.loads((out / "training.json").read_text())
    assert told["settings"]["dictionary_share"] == 0.5
    assert told["settings"]["steps"] == 3
    assert "tokens/s" in done.stderr
    (tmp_path / "plan.csv").write_text(f"text,bitext\n{shlex.join(words)},\n")
    done = script(
        repository, "pretrain.py", *options, "--cells", tmp_path / "plan.csv", "--out", tmp_path / "same"
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "same/model.safetensors").read_bytes() == (out / "model.safetensors").read_bytes()


def test_errors_are_one_line(repository, tiny_world, tmp_path):
    absent = f"a={tmp_path / 'absent.txt'}"
    done = script(repository, "pretrain.py", "--objective", "mlm", "--tokenizer", tiny_world / "tok",
                  "--text", absent, "--out", tmp_path / "out")  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: ")
    assert "absent.txt" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "error: give --tokenizer"),
        (["--tokenizer", "absent", "--threads", 0], "error: --threads 0: at least 1"),
        (
            ["--tokenizer", "absent", "--device", "tpu"],
            "error: pre-training: device=tpu: must be auto or cpu or cuda",
        ),
        (["--tokenizer", "absent", "--seed", "-1"], "argument --seed: -1: must be a whole number from 0"),
        (["--tokenizer", "absent", "--seed", 2**32], "--seed: 4294967296: must be a whole number from 0"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_read(repository, tmp_path, options, message):
    done = script(repository, "pretrain.py", "--objective", "mlm", *options, "--text", "a=absent",
                  "--out", tmp_path / "out")  # fmt: skip
    assert done.returncode
    assert message in done.stderr.splitlines()[-1]


def test_a_wrong_setting_is_refused_before_anything_is_read(repository, tmp_path):
    done = script(repository, "pretrain.py", "--objective", "mlm", "--set", "layer=2", "--tokenizer", "absent",
                  "--text", "a=absent", "--out", tmp_path / "out")  # fmt: skip
    assert "did you mean 'layers'" in done.stderr
