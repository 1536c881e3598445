"""The decoder of LASER: it sees of the source sentence nothing but its embedding."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from crosslingua.laser.encoder import real_positions
from crosslingua.laser.initialisation import uniform_


class LaserDecoder(nn.Module):
    """Predicts a translation from a sentence embedding and the language to translate into (section 3, figure 1).

    One LSTM without attention. The embedding makes its first state, by a linear map, and stands beside the
    previous subword and the language in the input of every step. One decoder serves both target languages.
    `output_size` is the width of the layer between state and vocabulary, which is the authors' program's.
    """

    def __init__(
        self,
        vocabulary_size: int,
        padding: int,
        sentence_size: int,
        languages: int,
        embedding_size: int = 320,
        language_size: int = 32,
        hidden_size: int = 2048,
        output_size: int = 512,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, embedding_size, padding_idx=padding)
        self.language = nn.Embedding(languages, language_size)
        self.initial = nn.Linear(sentence_size, 2 * hidden_size)
        self.lstm = nn.LSTM(embedding_size + sentence_size + language_size, hidden_size, batch_first=True)
        self.bottleneck = nn.Linear(hidden_size, output_size)
        self.output = nn.Linear(output_size, vocabulary_size)
        uniform_(self)

    def forward(self, previous: Tensor, lengths: Tensor, sentences: Tensor, language: int) -> Tensor:
        """Return the logits (real positions, vocabulary) of the subwords that follow those of `previous`.

        `previous` (batch, time) begins with `</s>` and is padded on the right; `lengths` (batch,) counts its real
        positions; `sentences` (batch, sentence_size); `language` is the number of the target language. The
        positions come sentence by sentence.
        """
        time = previous.shape[1]
        constant = torch.cat([sentences, self.language.weight[language].expand(len(sentences), -1)], dim=1)
        inputs = torch.cat([self.embedding(previous), constant[:, None].expand(-1, time, -1)], dim=2)
        hidden, cell = self.initial(sentences)[None].chunk(2, dim=2)
        states, _ = self.lstm(inputs, (hidden.contiguous(), cell.contiguous()))
        return self.output(self.bottleneck(states[real_positions(lengths, time).to(states.device)]))
