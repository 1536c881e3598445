import pytest
import torch

from crosslingua.errors import InputError
from crosslingua.laser.laser import load_laser, load_published, save_laser
from encoders.laser.authors import CODES, DICTIONARY, PARAMS, AuthorsEncoder, write


@pytest.fixture
def authors():
    torch.manual_seed(3)
    return AuthorsEncoder()


@pytest.fixture
def files(tmp_path, authors):
    checkpoint, codes = tmp_path / "bilstm.pt", tmp_path / "codes"
    write(checkpoint, authors)
    codes.write_text(CODES, encoding="utf-8")
    return checkpoint, codes


@torch.no_grad()
def test_embeds_as_the_saved_encoder_does(files, authors):
    laser = load_published(*files)
    embeddings = laser.embed([["Low", "lower"], ["low"]])
    for embedding, ids in zip(embeddings, ([4, 5, 4, 7, 6, 2], [4, 5, 2]), strict=True):
        torch.testing.assert_close(torch.from_numpy(embedding), authors.embed(ids), atol=1e-6, rtol=0)


def test_survives_the_suites_own_folder(files, tmp_path):
    laser = load_published(*files)
    save_laser(laser, tmp_path)
    again = load_laser(tmp_path)
    sentences = [["low", "lower"], ["wer"]]
    assert again.embed(sentences).tobytes() == laser.embed(sentences).tobytes()
    assert again.encoder.configuration == laser.encoder.configuration


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"params": None}, "has no 'params' block"),
        ({"params": {**PARAMS, "bidirectional": False}}, "bidirectional is not true"),
        ({"params": {k: v for k, v in PARAMS.items() if k != "num_layers"}}, "no whole number 'num_layers'"),
        ({"params": {**PARAMS, "num_layers": 4}}, "weight too many: lstm.bias_hh_l4"),
        ({"params": {**PARAMS, "num_layers": 6}}, "has no weight lstm.weight_ih_l5"),
        ({"params": {**PARAMS, "num_embeddings": 10}}, r"embed_tokens.weight is \(9, 6\)"),
        ({"dictionary": {**DICTIONARY, "x": 9}}, r"dictionary\['x'\] is 9: must be an id below 9"),
        ({"dictionary": {**DICTIONARY, "<pad>": 0}}, "is not params.padding_idx 1"),
        ({"dictionary": {k: v for k, v in DICTIONARY.items() if k != "<unk>"}}, "no subword <unk>"),
    ],
)
def test_other_layouts_are_refused_with_the_key(files, authors, changes, message):
    write(files[0], authors, **changes)
    with pytest.raises(InputError, match=message):
        load_published(*files)


def test_files_that_are_no_checkpoint(files, tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_published(tmp_path / "absent.pt", files[1])
    files[0].write_text("hello\n")
    with pytest.raises(InputError, match="not a checkpoint of tensors"):
        load_published(*files)


def test_code_in_a_checkpoint_is_not_run(files, tmp_path):
    class Harmful:
        def __reduce__(self):
            return (print, ("harm",))

    torch.save({"params": Harmful()}, files[0])
    with pytest.raises(InputError, match="not a checkpoint of tensors"):
        load_published(*files)
