"""Two bidirectional LSTM layers and a CRF (joint_align, section 4.2 and appendix A; Lample et al. 2016)."""

from collections.abc import Sequence

from torch import Tensor, nn

from crosslingua.nn.bilstm import BiLstm, reversal
from crosslingua.taggers.crf import CrfTagger
from crosslingua.taggers.settings import BiLstmSettings


class BiLstmCrf(CrfTagger):
    """LSTMs, dropout, a linear layer to the scores of labels, a CRF."""

    Settings = BiLstmSettings

    def __init__(self, settings: BiLstmSettings, dimension: int, labels: Sequence[str]):
        super().__init__(settings, labels)
        sizes = [dimension, *[2 * settings.hidden] * (settings.layers - 1)]
        self.layers = nn.ModuleList(BiLstm(size, settings.hidden) for size in sizes)
        self.dropout = nn.Dropout(settings.dropout)
        self.scores = nn.Linear(2 * settings.hidden, len(labels))

    def emissions(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Return scores of labels; padding does not reach any word."""
        reverse, hidden = reversal(mask), vectors.transpose(0, 1)
        for layer in self.layers:
            hidden = self.dropout(layer(hidden, reverse))
        return self.scores(hidden.transpose(0, 1))
