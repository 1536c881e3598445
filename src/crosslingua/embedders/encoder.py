"""A Hugging Face encoder: windows of pieces, and contextual vectors of pieces and of words. With language ids
(`lang2id` in its config.json), each piece gets the id of the text's language, as XLM's `langs` or as token type.
"""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from crosslingua.embedders.laser_pieces import Words, special_tokens
from crosslingua.embedders.loading import first_position, load_encoder, longest_input
from crosslingua.errors import ConfigError, InputError
from crosslingua.nn.bert import Bert
from crosslingua.nn.ragged import Ragged, offsets_of


def widest(windows: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Return, for each unit (m, 2), the number of the window (n, 2) in which it has most context; -1 if it is in none.

    Both are ranges of pieces, end excluded. The context of a unit is the smaller of its left and right context, plus 1%
    of the window's length. The first of equal windows wins (run_squad.py).
    """
    best, owner = np.full(len(units), -np.inf), np.full(len(units), -1)
    for number, (start, stop) in enumerate(windows):
        inside = slice(np.searchsorted(units[:, 0], start), np.searchsorted(units[:, 1], stop, side="right"))
        context = np.minimum(units[inside, 0] - start, stop - units[inside, 1]) + 0.01 * (stop - start)
        better = context > best[inside]
        best[inside][better], owner[inside][better] = context[better], number
    return owner


@dataclass(frozen=True)
class Windows:
    """Windows of sentences, in order; a long sentence has several, which overlap.

    `ids` are a window's piece ids, special tokens included. A word is read in the window with most context for it, and
    `starts` holds the places of the first pieces of these words. `sizes` (words,) are the pieces of each word.
    `divided` counts sentences of several windows, `cut_words` words longer than a window, which are cut.
    """

    ids: Ragged
    starts: Ragged
    sizes: np.ndarray
    divided: int
    cut_words: int


class WordPieces:
    """Encodes words as pieces, each word alone (as `is_split_into_words` does) and each distinct word once."""

    def __init__(self, tokenizer: Any, max_length: int):
        self._words = Words(tokenizer)
        self.before, self.after = special_tokens(tokenizer, sentences=1)
        self.room = max_length - len(self.before) - len(self.after)
        if self.room < 1:
            raise InputError(
                tokenizer.name_or_path, f"a maximum length of {max_length} leaves no room for a word"
            )

    def encode(self, sentences: Sequence[Sequence[str]]) -> Windows:
        """Encode sentences of at least one word, long ones in overlapping windows of whole words; see `Words`."""
        index: dict[str, int] = {}
        words = np.array([index.setdefault(word, len(index)) for word in chain.from_iterable(sentences)])
        every = self._words.pieces(list(index))
        cut = np.array([len(ids) > self.room for ids in every])
        pieces = Ragged.of([ids[: self.room] for ids in every])
        sizes = pieces.lengths[words]
        ends = offsets_of(sizes)
        plan, divided = _windows(ends, offsets_of([len(s) for s in sentences]), self.room)
        ids, starts = self._assemble(pieces.joined(words), ends, plan)
        return Windows(ids, starts, sizes, divided, int(cut[words].sum()))

    def _assemble(self, pieces: np.ndarray, ends: np.ndarray, plan: np.ndarray) -> tuple[Ragged, Ragged]:
        """Return (ids, starts) of the windows of a plan (see `_windows`): `ends` (words + 1,) in pieces."""
        first, stop, owned = plan.T
        lengths = ends[stop] - ends[first]
        offsets = offsets_of(lengths + len(self.before) + len(self.after))
        values = np.empty(offsets[-1], dtype=np.int64)
        within = np.arange(lengths.sum()) - np.repeat(offsets_of(lengths)[:-1], lengths)
        places = np.repeat(offsets[:-1] + len(self.before), lengths) + within
        values[places] = pieces[np.repeat(ends[first], lengths) + within]
        for place, token in enumerate(self.before):
            values[offsets[:-1] + place] = token
        for place, token in enumerate(reversed(self.after), 1):
            values[offsets[1:] - place] = token
        bounds = np.append(owned, len(ends) - 1)
        starts = ends[:-1] - np.repeat(ends[first], np.diff(bounds)) + len(self.before)
        return Ragged(values, offsets), Ragged(starts, bounds)


def _windows(ends: np.ndarray, sentences: np.ndarray, room: int) -> tuple[np.ndarray, int]:
    """Return a plan of windows of at most `room` pieces, and the number of sentences with several.

    A plan (windows, 3) has for each window its first word, the end of its words, and the first word to read. A window's
    vectors are read up to the next window's first word to read.
    """
    starts, stops = sentences[:-1], sentences[1:]
    long = ends[stops] - ends[starts] > room
    whole = np.stack([starts, stops, starts], axis=1)[~long]
    bounds = zip(starts[long], stops[long], strict=True)
    divided = [_owned(ends, _overlapping(ends, *pair, room)) for pair in bounds]
    plan = np.concatenate([whole, *divided])
    return plan[np.argsort(plan[:, 2])], len(divided)


def _overlapping(ends: np.ndarray, start: int, end: int, room: int) -> np.ndarray:
    """Return the windows (n, 2) of the words `start` to `end`, as full as possible. A window begins half a window
    behind the one before, or later where only then it reaches a further word.
    """
    found = []
    while (stop := np.searchsorted(ends, ends[start] + room, side="right") - 1) < end:
        found.append((start, stop))
        half = np.searchsorted(ends, ends[start] + room // 2, side="right") - 1
        start = max(half, np.searchsorted(ends, ends[stop + 1] - room))
    found.append((np.searchsorted(ends, ends[end] - room), end))
    return np.array(found)


def _owned(ends: np.ndarray, windows: np.ndarray) -> np.ndarray:
    """Return the plan of one sentence's windows, without windows in which no word has most context."""
    words = np.arange(windows[0, 0], windows[-1, 1])
    owner = widest(ends[windows], np.stack([ends[words], ends[words + 1]], axis=1))
    used, first = np.unique(owner, return_index=True)  # owners are in order: windows begin and end in order
    return np.column_stack([windows[used], words[first]])


LONGEST = 512  # pieces read at once by an encoder that could read any number
# The language id, or without language ids the segment, of all pieces or of each; None is the model's default.
Types = int | np.ndarray | None


class Pretrained(nn.Module):
    """A model and its tokenizer. `max_length` counts pieces of input, special ones included."""

    def __init__(self, model: nn.Module, tokenizer: Any, folder: str | Path, longest: int):
        super().__init__()
        self.model, self.tokenizer, self.folder = model, tokenizer, str(folder)
        self.config = model.config
        self.max_length = self._longest = longest_input(model.config, tokenizer) or longest

    def limit(self, max_length: int) -> None:
        """Read at most `max_length` pieces at once, fewer where the model has fewer positions."""
        self.max_length = min(max_length, self._longest)

    @property
    def device(self) -> torch.device:
        """The device of its weights."""
        return next(self.model.parameters()).device


class Encoder(Pretrained):
    """An encoder; `languages` are language ids, if any."""

    def __init__(self, model: nn.Module, tokenizer: Any, folder: str | Path):
        super().__init__(model, tokenizer, folder, LONGEST)
        # Some XLM list languages in `lang2id` without embeddings of them, or with one only.
        embedded = getattr(self.config, "use_lang_emb", True) and getattr(self.config, "n_langs", 2) > 1
        self.languages = (getattr(self.config, "lang2id", None) or {}) if embedded else {}
        most = getattr(self.config, "n_langs", getattr(self.config, "type_vocab_size", 0))
        if self.languages and not _numbered(self.languages, most):
            raise InputError(
                f"{folder}/config.json", f"lang2id is {self.languages!r:.60}, and must number up to {most} languages",
                remedy="fetch or write the encoder again",
            )  # fmt: skip
        takes_langs = "langs" in inspect.signature(model.forward).parameters  # XLM
        has_segments = not takes_langs and getattr(self.config, "type_vocab_size", 0) > 1
        # The model's argument for languages or segments. XLM also takes `token_type_ids`, but adds the embeddings of
        # words for them.
        self._types = "token_type_ids" if self.languages or has_segments else None
        if self.languages and takes_langs:
            self._types = "langs"
        self.dimension: int = model.config.hidden_size

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Load a folder, in float32. Raises InputError if it holds no encoder or lacks some of its weights."""
        if not (Path(folder) / "config.json").is_file():
            raise InputError(
                folder, "no encoder: there is no config.json", remedy="give a Hugging Face folder"
            )
        model, tokenizer = load_encoder(str(folder))
        if getattr(model, "pooler", None) is not None:
            model.pooler = None  # of next-sentence prediction; unused here
        return cls(model, tokenizer, folder)

    def language_id(self, language: str) -> int | None:
        """Return the id of `language`, None for an encoder without language ids. Raises ConfigError if unknown."""
        if not self.languages:
            return None
        if language not in self.languages:
            known = ", ".join(sorted(self.languages))
            raise ConfigError(f"{self.folder} has no language {language!r}: it has {known}")
        return self.languages[language]

    def forget_languages(self) -> None:
        """Read all further text without language ids, as XLM can: mixtures, and unknown languages."""
        if self.languages:
            self.languages, self._types = {}, None

    def halve(self) -> None:
        """Keep the weights in bfloat16 and compute in it; `forward` and `first` return float32 nevertheless.

        Embeddings of `Bert` stay in float32: they cost little, and gradients of frequent pieces have many summands.
        """
        parts = dict(self.model.named_children()) if isinstance(self.model, Bert) else {"": self.model}
        for name, part in parts.items():
            if name != "embeddings":
                part.bfloat16()

    @property
    def head_dropout(self) -> float:
        """Dropout before a classifier, as in the model's own heads."""
        own = getattr(self.config, "classifier_dropout", None)
        return getattr(self.config, "hidden_dropout_prob", 0.1) if own is None else own

    @property
    def head_deviation(self) -> float:
        """Standard deviation of a classifier's initial weights, as in the model's own heads (0.02 by default)."""
        names = ("initializer_range", "init_std")  # the latter is XLM's
        return next((getattr(self.config, name) for name in names if hasattr(self.config, name)), 0.02)

    def forward(self, ids: np.ndarray, lengths: np.ndarray, types: Types = None) -> Tensor:
        """Return the last layer, (rows, longest, d), of padded piece ids (rows, longest)."""
        return self.model(**self._inputs(ids, lengths, types)).last_hidden_state.float()

    def first(
        self, ids: np.ndarray, lengths: np.ndarray, types: Types = None, positions: np.ndarray | None = None
    ) -> Tensor:
        """Return the last layer at the first piece, (rows, d), which is all that `Bert` computes; see `states`."""
        only = {"first_only": True} if isinstance(self.model, Bert) else {}
        return (
            self.model(**self._inputs(ids, lengths, types, positions), **only).last_hidden_state[:, 0].float()
        )

    def states(
        self, ids: np.ndarray, lengths: np.ndarray, types: Types, positions: np.ndarray | None = None
    ) -> Sequence[Tensor]:
        """Return the embeddings and the output of each layer, (rows, longest, d) each; see `forward`. `positions`
        (rows, longest) of the pieces count from 0; None is one after the other.
        """
        inputs = self._inputs(ids, lengths, types, positions)
        return self.model(**inputs, output_hidden_states=True, return_dict=True).hidden_states

    def _inputs(
        self, ids: np.ndarray, lengths: np.ndarray, types: Types, positions: np.ndarray | None = None
    ) -> dict[str, Tensor]:
        real = np.arange(ids.shape[1]) < lengths[:, None]
        inputs = {"input_ids": ids, "attention_mask": real.astype(np.int64)}
        if types is not None and self._types:
            inputs[self._types] = np.broadcast_to(types, ids.shape).copy()
        if positions is not None:
            inputs["position_ids"] = positions + first_position(self.config)
        return {name: torch.from_numpy(value).to(self.device) for name, value in inputs.items()}


def _numbered(languages: Any, most: int) -> bool:
    """Whether languages have numbers below `most`."""
    if not isinstance(languages, dict):
        return False
    return all(isinstance(number, int) and 0 <= number < most for number in languages.values())


class WordEncoder(nn.Module):
    """One vector a word: the last layer at its first piece (BERT, section 5.3)."""

    def __init__(self, encoder: Encoder):
        super().__init__()
        self.encoder = encoder
        self.dimension = encoder.dimension

    def encode(self, sentences: Sequence[Sequence[str]]) -> Windows:
        """Return the windows of sentences of words, for `forward`."""
        return WordPieces(self.encoder.tokenizer, self.encoder.max_length).encode(sentences)

    def forward(self, pieces: Windows, language: str, rows: np.ndarray) -> Tensor:
        """Return the words' vectors, (rows, most words, d), of the windows `rows`; mask the ends of shorter ones."""
        ids = pieces.ids.padded(rows, self.encoder.tokenizer.pad_token_id)
        hidden = self.encoder(ids, pieces.ids.lengths[rows], self.encoder.language_id(language))
        starts = torch.from_numpy(pieces.starts.padded(rows, 0)).to(hidden.device)
        return hidden.gather(1, starts.unsqueeze(-1).expand(-1, -1, self.dimension))
