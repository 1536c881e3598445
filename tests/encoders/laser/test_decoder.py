import pytest
import torch
from torch import nn

from crosslingua.encoders.laser import LaserDecoder, LaserSettings, TranslationBatch, Translator
from crosslingua.laser.laser import LaserEncoder

END, PADDING = 2, 1


@pytest.fixture
def decoder() -> LaserDecoder:
    torch.manual_seed(2)
    sizes = {"decoder_embedding_size": 4, "decoder_hidden_size": 5, "decoder_output_size": 7}
    return LaserDecoder(10, PADDING, 6, 2, LaserSettings(language_size=3, **sizes))


def by_hand(decoder, previous, sentence, language):
    """Step by step with a cell, as in the paper's figure 1."""
    cell = nn.LSTMCell(4 + 6 + 3, 5)
    with torch.no_grad():
        for name, weight in decoder.lstm.named_parameters():
            getattr(cell, name.removesuffix("_l0")).copy_(weight)
        initial = decoder.initial.weight @ sentence + decoder.initial.bias
        hidden, memory = initial[None, :5], initial[None, 5:]
        logits = []
        for subword in previous:
            step = torch.cat([decoder.embedding.weight[subword], sentence, decoder.language.weight[language]])
            hidden, memory = cell(step[None], (hidden, memory))
            narrow = decoder.bottleneck.weight @ hidden[0] + decoder.bottleneck.bias
            logits.append(decoder.output.weight @ narrow + decoder.output.bias)
    return torch.stack(logits)


@pytest.mark.parametrize("language", [0, 1])
def test_equals_a_cell_run_step_by_step(decoder, language):
    previous = torch.tensor([[END, 5, 6, 7], [END, 8, PADDING, PADDING]])
    sentences = torch.randn(2, 6)
    logits = decoder(previous, torch.tensor([4, 2]), sentences, language)
    rows = zip((previous[0], previous[1, :2]), sentences, strict=True)
    expected = torch.cat([by_hand(decoder, row, sentence, language) for row, sentence in rows])
    torch.testing.assert_close(logits, expected, atol=1e-6, rtol=0)


def test_the_gradient_reaches_every_weight_of_the_encoder(decoder):
    encoder = LaserEncoder(10, PADDING, embedding_size=4, hidden_size=3, layers=2)
    for parameter in encoder.parameters():
        nn.init.normal_(parameter)  # large enough for maxima at every time
    translator = Translator(encoder, decoder)
    source, previous = [[5, 6, END], [7, END, PADDING]], [[END, 8], [END, 9]]
    tensors = map(torch.tensor, (source, [3, 2], previous, [2, 2], [8, END, 9, END]))
    translator(TranslationBatch(*tensors, language=1)).backward()
    for name, parameter in encoder.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.any(), name
    assert not decoder.language.weight.grad[0].any()
    assert decoder.language.weight.grad[1].any()


def test_loss_is_the_sum_over_target_subwords(decoder):
    encoder = LaserEncoder(10, PADDING, embedding_size=4, hidden_size=3, layers=2).eval()
    tensors = map(torch.tensor, ([[5, 6, END]], [3], [[END, 8]], [2], [8, END]))
    batch = TranslationBatch(*tensors, language=0)
    with torch.no_grad():
        logits = by_hand(decoder, [END, 8], encoder(batch.source, batch.lengths)[0], 0)
        expected = -(logits.log_softmax(1)[0, 8] + logits.log_softmax(1)[1, END])
        torch.testing.assert_close(Translator(encoder, decoder)(batch), expected)
