"""Word vectors of a published encoder: each word alone, without a sentence around it."""

from collections.abc import Sequence

import numpy as np
import torch

from crosslingua.embedders.encoder import Encoder, WordPieces
from crosslingua.io.vectors import WordVectors

BATCH = 256  # words at once


def embed_vocabulary(encoder: Encoder, words: Sequence[str], language: str) -> WordVectors:
    """Return a vector a word, the mean of the last layer over all pieces, special ones included (as Wang et al. 2024
    pool a text). Raises ConfigError where the encoder has language ids, and none of `language`.
    """
    pieces = WordPieces(encoder.tokenizer, encoder.max_length).encode([[word] for word in words])
    lengths, number = pieces.ids.lengths, encoder.language_id(language)
    matrix = np.empty((len(words), encoder.dimension), dtype=np.float32)
    by_length = np.argsort(lengths, kind="stable")
    with torch.inference_mode():
        for rows in np.array_split(by_length, range(BATCH, len(words), BATCH)):
            ids = pieces.ids.padded(rows, encoder.tokenizer.pad_token_id)
            states = encoder(ids, lengths[rows], number).cpu()
            real = torch.arange(ids.shape[1]) < torch.from_numpy(lengths[rows])[:, None]
            matrix[rows] = ((states * real[..., None]).sum(1) / real.sum(1, keepdim=True)).numpy()
    return WordVectors(list(words), matrix)
