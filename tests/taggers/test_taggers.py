"""Taggers: learning, padding, and legal labels."""

import math

import pytest
import torch

from crosslingua.errors import ConfigError
from crosslingua.taggers import TAGGERS
from crosslingua.taggers.tagger import PADDING
from crosslingua.taggers.transformer_crf import TaggerLayer, positions

LABELS = ["B-A", "I-A", "O"]
NARROW = ["hidden=8", "dropout=0"]
SMALL = {"bilstm_crf": NARROW, "transformer_crf": NARROW, "linear": ["dropout=0"], "majority": []}


def built(name: str, *more: str, dimension: int = 4) -> torch.nn.Module:
    torch.manual_seed(0)
    return TAGGERS[name].of([*SMALL[name], *more], dimension, LABELS)


def learn(tagger: torch.nn.Module, vectors: torch.Tensor, labels: torch.Tensor, steps: int) -> list[float]:
    """Train a tagger on one batch; return its losses."""
    optimiser, losses = torch.optim.Adam(tagger.parameters(), lr=0.05), []
    for _ in range(steps):
        optimiser.zero_grad()
        loss = tagger.loss(vectors, labels)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("name", TAGGERS)
def test_padding_changes_neither_loss_nor_labels(name: str) -> None:
    tagger = built(name).eval()
    vectors = torch.randn(2, 5, 4)
    labels = torch.tensor([[0, 1, 2, PADDING, PADDING], [2, 2, 0, 1, 1]])
    mask = labels != PADDING
    other = vectors.clone()
    other[0, 3:] = 100.0
    assert torch.equal(tagger.decode(vectors, mask)[mask], tagger.decode(other, mask)[mask])
    torch.testing.assert_close(tagger.loss(vectors, labels), tagger.loss(other, labels))
    alone = tagger.decode(vectors[:1, :3], mask[:1, :3])
    assert torch.equal(alone[0], tagger.decode(vectors, mask)[0, :3])


@pytest.mark.parametrize("name", ["bilstm_crf", "transformer_crf", "linear"])
def test_a_tagger_learns_its_data(name: str) -> None:
    tagger = built(name)
    labels = torch.tensor([[0, 1, 1, 2], [2, 0, 2, PADDING]])
    vectors = torch.nn.functional.one_hot(labels.clamp(min=0), 4).float() + 0.1 * torch.randn(2, 4, 4)
    losses = learn(tagger, vectors, labels, 60)
    assert losses[-1] < 0.3 * losses[0]
    mask = labels != PADDING
    assert torch.equal(tagger.eval().decode(vectors, mask)[mask], labels[mask])


def test_a_context_that_one_word_does_not_show_is_learnt_by_the_lstm() -> None:
    """The first word says whether the last is B-A or O: a tagger that sees one word at a time cannot know."""
    torch.manual_seed(0)
    vectors = torch.zeros(2, 3, 4)
    vectors[1, 0, 0] = 1.0
    labels = torch.tensor([[2, 2, 0], [2, 2, 2]])
    mask = torch.ones(2, 3, dtype=torch.bool)
    found = {}
    for name in ("bilstm_crf", "linear"):
        tagger = built(name)
        learn(tagger, vectors, labels, 100)
        found[name] = torch.equal(tagger.eval().decode(vectors, mask), labels)
    assert found == {"bilstm_crf": True, "linear": False}


def test_majority_gives_the_label_that_is_most_frequent_in_training() -> None:
    tagger = built("majority")
    vectors = torch.randn(2, 3, 4)
    assert tagger.loss(vectors, torch.tensor([[0, 1, 1], [1, 2, PADDING]])).item() == 0
    assert tagger.decode(vectors, torch.ones(2, 3, dtype=torch.bool)).tolist() == [[1] * 3] * 2


def test_constrained_taggers_give_legal_labels_only() -> None:
    free, bound = built("bilstm_crf").eval(), built("bilstm_crf", "constrained=true").eval()
    torch.manual_seed(3)
    vectors, mask = 20 * torch.randn(64, 6, 4), torch.ones(64, 6, dtype=torch.bool)

    def illegal(tagger) -> int:
        rows = [[LABELS[label] for label in row] for row in tagger.decode(vectors, mask).tolist()]
        return sum(b == "I-A" and a == "O" for row in rows for a, b in zip(["O", *row], row, strict=False))

    assert illegal(free) > illegal(bound) == 0


@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_a_transformer_layer_is_torchs(dropout: float) -> None:
    """The same first weights, results, gradients and random numbers, to the bit where torch's layer is not fused."""
    layers = []
    for kind in (torch.nn.TransformerEncoderLayer, TaggerLayer):
        torch.manual_seed(0)
        layers.append(kind(8, 2, 12, dropout, batch_first=True))
    theirs, mine = layers
    mask = torch.arange(5) < torch.tensor([5, 2, 4])[:, None]
    unseen = torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)[:, None, None]
    for of_theirs, of_mine in zip(theirs.named_parameters(), mine.named_parameters(), strict=True):
        assert of_theirs[0] == of_mine[0]
        assert torch.equal(of_theirs[1], of_mine[1])
    vectors, found = torch.randn(3, 5, 8), []
    for layer, told in ((theirs, {"src_key_padding_mask": ~mask}), (mine, {"mask": unseen})):
        torch.manual_seed(1)
        out = layer(vectors, **told)[mask]
        out.square().sum().backward()
        found.append([out, *(weight.grad for weight in layer.parameters())])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)
    with torch.inference_mode():
        read = theirs.eval()(vectors, src_key_padding_mask=~mask)
        torch.testing.assert_close(read[mask], mine.eval()(vectors, unseen)[mask])


def test_positions_first_asked_for_in_prediction_serve_training() -> None:
    tagger, vectors = built("transformer_crf"), torch.randn(1, 11, 4)
    with torch.inference_mode():
        tagger.decode(vectors, torch.ones(1, 11, dtype=torch.bool))
    tagger.loss(vectors, torch.zeros(1, 11, dtype=torch.int64)).backward()
    assert tagger.projection.weight.grad.abs().sum() > 0


def test_positions_are_the_sinusoids_of_vaswani() -> None:
    found, angle = positions(7, 6), 5 / 10000 ** (2 / 6)
    assert found[0].tolist() == [0, 1, 0, 1, 0, 1]
    assert found[5, 2:4].tolist() == pytest.approx([math.sin(angle), math.cos(angle)], rel=1e-5)


@pytest.mark.parametrize(("name", "settings", "message"), [
    ("bilstm_crf", ["hiden=3"], "did you mean 'hidden'"),
    ("bilstm_crf", ["layers=0"], "from 1 to 100000"),
    ("transformer_crf", ["hidden=7"], "multiple"),
    ("transformer_crf", ["dropout=1.5"], "at least 0 and below 1"),
    ("majority", ["hidden=7"], "it has none"),
    ("crf", [], "unknown tagger"),
])  # fmt: skip
def test_wrong_settings_are_told(name: str, settings: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TAGGERS[name].of(settings, 4, LABELS)
