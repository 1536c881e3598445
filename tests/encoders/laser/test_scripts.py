"""The command lines, run as a user runs them."""

import json

from crosslingua.laser.laser import load_laser
from encoders.laser.authors import CODES, AuthorsEncoder, write
from encoders.laser.toys import write_bitext, write_tokenizer

SMALL = (
    "embedding_size=8 hidden_size=8 layers=2 decoder_embedding_size=8 decoder_hidden_size=8 decoder_output_size=8 "
    "language_size=2 epochs=1 batch_tokens=200 accumulate=1"
)


def test_train_laser(script, tmp_path):
    files = ",".join(write_bitext(tmp_path, "a-b", slice(0, 50)))
    write_tokenizer(tmp_path / "tokenizer")
    options = ["--pivots", "a", "b", "--tokenizer", "tokenizer", "--set", *SMALL.split()]
    options += ["--test", f"a-b={files}", "--out", "laser"]
    script("train_laser.py", "--bitext", f"a-b={files}", *options)
    training = json.loads((tmp_path / "laser" / "training.json").read_text())
    assert training["settings"]["layers"] == 2
    assert training["similarity_search"]["a-b"]["sentences"] == 50
    assert load_laser(tmp_path / "laser").encoder.size == 16
    done = script("train_laser.py", "--bitext", "a-b=one", *options, status=1)
    assert done.stderr == "error: bitext 'a-b=one': write each pair once, as A-B=FILE,FILE\n"


def test_import_laser(script, tmp_path):
    write(tmp_path / "bilstm.pt", AuthorsEncoder())
    (tmp_path / "codes").write_text(CODES)
    script("import_laser.py", "--checkpoint", "bilstm.pt", "--codes", "codes", "--out", "laser")
    assert load_laser(tmp_path / "laser").read([["LOW", "b"]]).ids.values.tolist() == [4, 5, 3, 2]
