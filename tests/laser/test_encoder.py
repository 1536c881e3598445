import pytest
import torch
from torch import nn

from crosslingua.laser.laser import LaserEncoder, max_over_time

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


@torch.no_grad()
def test_sentence_embedding_is_the_maximum_of_the_last_layer(encoder):
    embeddings = encoder(*padded(SENTENCES))
    for row, sentence in enumerate(SENTENCES):
        alone, _ = stacked_lstm(encoder, 3)(encoder.embedding(torch.tensor([sentence])))
        torch.testing.assert_close(embeddings[row], alone[0].max(dim=0).values, atol=1e-6, rtol=0)


@torch.no_grad()
def test_neighbours_in_a_batch_do_not_matter(encoder):
    embeddings = encoder(*padded(SENTENCES))
    turned = encoder(*padded(SENTENCES[::-1]))
    torch.testing.assert_close(turned.flip(0), embeddings, atol=1e-6, rtol=0)


def test_padding_never_wins():
    states = torch.tensor([[[-5.0, -1.0], [-3.0, -2.0], [0.0, 9.0]]])
    assert max_over_time(states, torch.tensor([2])).tolist() == [[-3.0, -1.0]]


def test_padding_learns_nothing(encoder):
    encoder(*padded(SENTENCES)).sum().backward()
    assert not encoder.embedding.weight.grad[PADDING].any()
    assert encoder.embedding.weight.grad[5].any()
    assert not encoder.embedding.weight[PADDING].any()


def test_dropout_falls_on_every_layers_output():
    torch.manual_seed(0)
    encoder = LaserEncoder(12, PADDING, embedding_size=4, hidden_size=50, layers=2, dropout=0.5).train()
    for output in encoder.layer_outputs(*padded([[5, 6, 7, 8, 2]])):
        share = (output[0, :5] == 0).float().mean()
        assert 0.4 < share < 0.6


def test_published_size():
    with torch.device("meta"):
        encoder = LaserEncoder(73_640, PADDING)
    assert encoder.size == 1024
    # 320-dimensional embeddings; four gates, each from input and state, with two biases; five layers, two ways.
    first, later = (2 * 4 * 512 * (width + 512 + 2) for width in (320, 1024))
    assert sum(p.numel() for p in encoder.parameters()) == 73_640 * 320 + first + 4 * later
