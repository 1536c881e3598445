import pytest
import torch
from torch import nn

from crosslingua.errors import InputError
from crosslingua.laser.model import LaserEncoder, load_laser, load_published, max_over_time, save_laser
from laser.authors import CODES, DICTIONARY, PARAMS, AuthorsEncoder, write
from texts import written

SENTENCES = [[5, 6, 2], [7, 2], [5, 8, 6, 9, 2], [2]]
PADDING = 1


def padded(sentences):
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    ids = torch.full((len(sentences), int(lengths.max()) + 2), PADDING)
    for row, sentence in zip(ids, sentences, strict=True):
        row[: len(sentence)] = torch.tensor(sentence)
    return ids, lengths


def stacked_lstm(encoder: LaserEncoder, layers: int) -> nn.LSTM:
    """torch's own stack of the encoder's first layers."""
    lstm = nn.LSTM(4, 3, num_layers=layers, bidirectional=True, batch_first=True)
    with torch.no_grad():
        for number, layer in enumerate(encoder.layers[:layers]):
            for name, weight in layer.named_parameters():
                getattr(lstm, name.replace("_l0", f"_l{number}")).copy_(weight)
    return lstm


@pytest.fixture
def encoder() -> LaserEncoder:
    torch.manual_seed(1)
    return LaserEncoder(12, PADDING, embedding_size=4, hidden_size=3, layers=3).eval()


@torch.no_grad()
def test_every_layer_equals_torchs_stack_sentence_by_sentence(encoder):
    outputs = encoder.layer_outputs(*padded(SENTENCES))
    assert len(outputs) == 3
    for layers, output in enumerate(outputs, 1):
        assert output.shape == (4, 7, 6)
        for row, sentence in enumerate(SENTENCES):
            alone, _ = stacked_lstm(encoder, layers)(encoder.embedding(torch.tensor([sentence])))
            torch.testing.assert_close(output[row, : len(sentence)], alone[0], atol=1e-6, rtol=0)
            assert not output[row, len(sentence) :].any()


def test_padding_never_wins():
    states = torch.tensor([[[-5.0, -1.0], [-3.0, -2.0], [0.0, 9.0]]])
    assert max_over_time(states, torch.tensor([2])).tolist() == [[-3.0, -1.0]]


def test_padding_learns_nothing(encoder):
    encoder(*padded(SENTENCES)).sum().backward()
    weight = encoder.embedding.weight
    assert not weight[PADDING].any()
    assert weight.grad[[PADDING, 5]].any(1).tolist() == [False, True]


def test_dropout_falls_on_every_layers_output():
    torch.manual_seed(0)
    encoder = LaserEncoder(12, PADDING, embedding_size=4, hidden_size=50, layers=2, dropout=0.5).train()
    for output in encoder.layer_outputs(*padded([[5, 6, 7, 8, 2]])):
        assert 0.4 < (output[0, :5] == 0).float().mean() < 0.6


def test_published_size():
    with torch.device("meta"):
        encoder = LaserEncoder(73_640, PADDING)
    assert encoder.size == 1024
    # 320-dimensional embeddings; four gates, each from input and state, with two biases; five layers, two ways.
    first, later = (2 * 4 * 512 * (width + 512 + 2) for width in (320, 1024))
    assert sum(p.numel() for p in encoder.parameters()) == 73_640 * 320 + first + 4 * later


@pytest.fixture
def authors():
    torch.manual_seed(3)
    return AuthorsEncoder()


@pytest.fixture
def files(tmp_path, authors):
    write(tmp_path / "bilstm.pt", authors)
    return tmp_path / "bilstm.pt", written(tmp_path / "codes", CODES)


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


@pytest.mark.parametrize(("changes", "message"), [
    ({"params": None}, "has no 'params' block"),
    ({"params": {**PARAMS, "bidirectional": False}}, "bidirectional is not true"),
    ({"params": {k: v for k, v in PARAMS.items() if k != "num_layers"}}, "no whole number 'num_layers'"),
    ({"params": {**PARAMS, "num_layers": 4}}, "weight too many: lstm.bias_hh_l4"),
    ({"params": {**PARAMS, "num_layers": 6}}, "has no weight lstm.weight_ih_l5"),
    ({"params": {**PARAMS, "num_embeddings": 10}}, r"embed_tokens.weight is \(9, 6\)"),
    ({"dictionary": {**DICTIONARY, "x": 9}}, r"dictionary\['x'\] is 9: must be an id below 9"),
    ({"dictionary": {**DICTIONARY, "<pad>": 0}}, "is not params.padding_idx 1"),
    ({"dictionary": {k: v for k, v in DICTIONARY.items() if k != "<unk>"}}, "no subword <unk>"),
])  # fmt: skip
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
