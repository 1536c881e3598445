"""embed_words.py and train_tagger.py, called as in their help."""

from pathlib import Path

import pytest

from programs import call

DATA = "Ada\tB-PER\nsees\tO\nRom\tB-LOC\n\nBo\tB-PER\n\n" * 4


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data and their features."""
    folder = tmp_path_factory.mktemp("taggers")
    (folder / "en.conll").write_text(DATA, encoding="utf-8")
    files = ("--data", folder / "en.conll", "--out", folder / "en.safetensors")
    given = "--embedder random_vectors --set dimension=4 --language en --task ner"
    call("embed_words.py", *given.split(), *files)
    return folder


def test_taggers_of_a_file_of_cells_are_trained(made: Path) -> None:
    files = f"ner/en={made / 'en.conll'},{made / 'en.safetensors'}"
    lines = ["tagger,train,valid,test,set,seed,out"]
    for tagger, settings in (("majority", ""), ("bilstm_crf", "epochs=1 tagger.hidden=4")):
        lines.append(f'{tagger},"{files}","{files}","{files}",{settings},1 2,{made / tagger}')
    (made / "cells.csv").write_text("\n".join(lines) + "\n")
    call("train_tagger.py", "--cells", made / "cells.csv")
    words = [row.partition("\t")[0] for row in DATA.split("\n")]
    for tagger in ("majority", "bilstm_crf"):
        for seed in (1, 2):
            folder = made / tagger / f"seed{seed}"
            assert {path.name for path in folder.iterdir()} == {"en.conll", "training.json"}
            rows = (folder / "en.conll").read_text().split("\n")
            assert [row.partition("\t")[0] for row in rows] == words


def test_what_is_wrong_is_told_in_a_line(made: Path) -> None:
    wrong = f"ner/en={made / 'en.conll'}"
    data = ("--train", wrong, "--valid", wrong, "--test", wrong)
    error = call("train_tagger.py", "--tagger", "linear", *data, "--seed", 1, "--out", made / "x", ok=False)
    assert error.startswith("error: ")
    assert "after a comma" in error
