"""The command lines, run as a user runs them."""

import json
import os
import subprocess
import sys

import torch
from torch import nn

from crosslingua.laser.laser import load_laser
from encoders.laser.toys import write_bitext, write_tokenizer

SMALL = (
    "embedding_size=8 hidden_size=8 layers=2 decoder_embedding_size=8 decoder_hidden_size=8 decoder_output_size=8 "
    "language_size=2 epochs=1 batch_tokens=200 accumulate=1"
)


def run(repository, script, *arguments):
    command = [sys.executable, str(repository / "scripts" / script), *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(repository / "src")}
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_train_laser(repository, tmp_path):
    files = ",".join(write_bitext(tmp_path, "a-b", slice(0, 50)))
    options = [
        "--pivots",
        "a",
        "b",
        "--tokenizer",
        write_tokenizer(tmp_path / "tokenizer"),
        "--set",
        *SMALL.split(),
    ]
    options += ["--test", f"a-b={files}", "--out", tmp_path / "laser"]
    done = run(repository, "train_laser.py", "--bitext", f"a-b={files}", *options)
    assert done.returncode == 0, done.stderr
    training = json.loads((tmp_path / "laser" / "training.json").read_text())
    assert training["settings"]["layers"] == 2
    assert training["similarity_search"]["a-b"]["sentences"] == 50
    assert load_laser(tmp_path / "laser").encoder.size == 16
    done = run(repository, "train_laser.py", "--bitext", "a-b=one", *options)
    assert (done.returncode, done.stderr) == (
        1,
        "error: bitext 'a-b=one': write each pair once, as A-B=FILE,FILE\n",
    )


def test_import_laser(repository, tmp_path):
    lstm = nn.LSTM(6, 4, num_layers=2, bidirectional=True)
    model = {f"lstm.{name}": weight for name, weight in lstm.state_dict().items()}
    params = {"num_embeddings": 5, "padding_idx": 1, "embed_dim": 6, "hidden_size": 4, "num_layers": 2}
    dictionary = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "a": 4}
    parts = {"params": params | {"bidirectional": True}, "dictionary": dictionary}
    torch.save(
        {**parts, "model": {"embed_tokens.weight": torch.randn(5, 6), **model}}, tmp_path / "bilstm.pt"
    )
    (tmp_path / "codes").write_text("a b 3\n")
    options = [
        "--checkpoint",
        tmp_path / "bilstm.pt",
        "--codes",
        tmp_path / "codes",
        "--out",
        tmp_path / "laser",
    ]
    done = run(repository, "import_laser.py", *options)
    assert done.returncode == 0, done.stderr
    assert load_laser(tmp_path / "laser").read([["A", "b"]]).ids.values.tolist() == [4, 3, 2]
