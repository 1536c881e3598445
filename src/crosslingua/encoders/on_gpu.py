"""Pre-training on a GPU: batches made there, and updates recorded as CUDA graphs.

The rows of a batch stand end to end in one long row, without padding (`Spans`). Shapes are rounded up, so few kernels
are compiled. Seed and step give random draws of other generators than on the processor: other masks, equally
distributed.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from crosslingua.encoders.batches import MASKED, NUMBERS, RANDOM, Batch, Masker, Streams
from crosslingua.encoders.data import Instances
from crosslingua.nn.bert import Shape, Spans

STEPS = 16  # sizes that a batch's shape is rounded up to, at most
PER_TILE = 128  # multiples of which matrix products are fastest with
WIDEST = 256  # dimensions of a head that flash attention reads
CAPABLE = (8, 0)  # compute capability that flash attention needs, Ampere's


def rounded(number: int, most: int) -> int:
    """Return `number` rounded up to the next 16th of `most`, itself a multiple of a tile."""
    unit = -(-most // (STEPS * PER_TILE)) * PER_TILE
    return -(-number // unit) * unit


class ResidentRows:
    """A stream's rows on a GPU, and behind them one of padding."""

    def __init__(self, rows: Instances, masker: Masker, pad: int, device: torch.device):
        self.longest = int(rows.lengths.max())
        padding = np.full(self.longest, pad, dtype=rows.ids.dtype)
        self.ids = torch.from_numpy(np.concatenate([rows.ids, padding])).to(device)
        self.padding = len(rows.ids)
        self.fixed = torch.from_numpy(masker.fixed).to(device)
        self.ordinary = torch.from_numpy(masker.ordinary).to(device)
        self.mask = masker.mask
        self.free = np.add.reduceat((~masker.fixed[rows.ids]).astype(np.int64), rows.offsets[:-1])


@dataclass
class Drawn:
    """A part of a step's batch before it is made: which rows, and how many tokens of each are to be predicted."""

    rows: Instances
    resident: ResidentRows
    chosen: np.ndarray  # (b,)
    numbers: np.ndarray  # (b,)
    most: tuple[int, int]  # tokens, and masked ones, of a part
    language_ids: bool
    restart_positions: bool
    total: int  # masked positions in the whole step
    parts: int

    def __post_init__(self) -> None:
        self.tokens = int(self.rows.lengths[self.chosen].sum())

    @property
    def shape(self) -> tuple[int, int, int]:
        """Tokens, masked ones, and sequences of the batch, all rounded up."""
        (tokens, masked), longest = self.most, self.resident.longest
        padding = -(-rounded(1, tokens) // longest)
        return (
            rounded(self.tokens + 1, tokens),
            rounded(int(self.numbers.sum()) + 1, masked),
            rounded(len(self.chosen), max(1, tokens // longest)) + padding,
        )

    def layout(self) -> Tensor:
        """Return per sequence where it is read, begins, its queries begin, its second half, and its languages.

        Sequences of padding behind the rows fill the batch; the first holds the surplus of masked places. The last
        column, where no sequence is, holds how many positions are masked, here and in the whole step.
        """
        tokens, masked, sequences = self.shape
        lengths, b = self.rows.lengths[self.chosen], len(self.chosen)
        layout = np.zeros((6, sequences + 1), dtype=np.int64)
        layout[0] = self.resident.padding
        layout[0, :b] = self.rows.offsets[self.chosen]
        padding = self.tokens + self.resident.longest * (np.arange(sequences + 1) - b)
        layout[1] = np.minimum(padding, tokens)
        layout[1, :b] = np.cumsum(lengths) - lengths
        layout[2] = masked
        layout[2, : b + 1] = np.cumsum([0, *self.numbers])
        layout[3, :b] = self.rows.second[self.chosen]
        layout[4:, :b] = self.rows.languages[self.chosen].T
        layout[3:5, -1] = self.numbers.sum(), self.total
        return torch.from_numpy(layout)

    def tensors(self, device: torch.device) -> Batch:
        """Return the batch on `device`, with masks drawn by torch's generator."""
        layout = self.layout()
        if device.type == "cuda":
            layout = layout.pin_memory().to(device, non_blocking=True)
        return self.made(layout)

    def made(self, layout: Tensor) -> Batch:
        """Return the batch of a layout, without waiting for its content."""
        tokens, masked, _ = self.shape
        first, keys, queries, second, left, right = layout
        row = torch.repeat_interleave(keys.diff(), output_size=tokens)
        place = torch.arange(tokens, device=layout.device) - keys[row]
        clean = self.resident.ids[first[row] + place].long()
        columns = self._columns(clean, row, keys, queries, masked)
        filled = torch.arange(masked, device=layout.device) < second[-1]
        labels = clean[columns]
        hidden = torch.where(filled, self._hidden(labels), labels)
        behind = place >= second[row]
        left_half = self.rows.second[self.chosen]
        halves = left_half, self.rows.lengths[self.chosen] - left_half
        widths = tuple(-(-int(n.max()) // STEPS) * STEPS for n in halves)
        longest, unit = self.resident.longest, rounded(1, self.most[1])
        spans = Spans(keys.int(), keys.int(), queries.int(), longest, longest, max(longest, unit))
        positions = torch.where(behind, place - second[row], place) if self.restart_positions else place
        return Batch(
            clean[None],
            spans,
            torch.where(behind, right[row], left[row])[None] if self.language_ids else None,
            second[: len(self.chosen)],
            clean.scatter(0, columns, hidden)[None],
            columns[None],
            filled[None],
            labels[None],
            positions[None],
            total=left[-1].clamp(min=1),
            parts=self.parts,
            widths=widths,
        )

    def _columns(self, clean: Tensor, row: Tensor, keys: Tensor, queries: Tensor, masked: int) -> Tensor:
        """Return the places (m,) to predict: of each row as many as asked for, by chance."""
        chance = torch.rand(len(clean), dtype=torch.float64, device=clean.device)
        order = (4 * row + 2 * self.resident.fixed[clean] + chance).argsort()
        of = torch.repeat_interleave(queries.diff(), output_size=masked)
        at = keys[of] + torch.arange(masked, device=clean.device) - queries[of]
        return order[at.clamp(max=len(clean) - 1)]

    def _hidden(self, tokens: Tensor) -> Tensor:
        """Return what stands in the place of tokens that are to be predicted (see `Masker`)."""
        chance, ordinary = torch.rand(len(tokens), device=tokens.device), self.resident.ordinary
        others = ordinary[torch.randint(len(ordinary), (len(tokens),), device=tokens.device)]
        replaced = torch.where(chance < MASKED + RANDOM, others, tokens)
        return replaced.masked_fill(chance < MASKED, self.resident.mask)


@dataclass(frozen=True)
class ResidentStreams(Streams):
    """`Streams` whose rows lie on a GPU; for objectives that prepare nothing."""

    resident: dict[str, ResidentRows] = field(default_factory=dict)

    def place(self, device: torch.device) -> None:
        """Copy the rows to `device`."""
        for name, rows in self.rows.items():
            self.resident[name] = ResidentRows(rows, self.masker, self.pad, device)

    def _parts(self, name: str, rows: np.ndarray, step: int) -> list[Drawn]:
        rng = np.random.default_rng([self.seed, step, NUMBERS[name]])
        resident, instances = self.resident[name], self.rows[name]
        numbers = (self.masker.probability * resident.free[rows] + rng.random(len(rows))).astype(np.int64)
        longest = resident.longest if self.settings.batch_unit == "sequences" else 1
        tokens = self.settings.batch_size * longest // self.parts
        most = tokens, int(self.masker.probability * tokens) + 1
        return [
            Drawn(
                instances, resident, rows[part :: self.parts], numbers[part :: self.parts], most, self.language_ids,
                self.settings.restart_positions, int(numbers.sum()), self.parts,
            )
            for part in range(self.parts)
        ]  # fmt: skip


def suits(objectives: Mapping[str, Mapping], device: torch.device, precision: str, shape: Shape) -> bool:
    """Whether batches can be made on the device: no objective changes them, and flash attention can read them."""
    members = [member for stream in objectives.values() for member in stream.values()]
    on_gpu = device.type == "cuda" and precision == "bf16"
    if not on_gpu or not all(member.masks and not member.prepares for member in members):
        return False
    width = shape.hidden // shape.heads
    return width % 8 == 0 and width <= WIDEST and torch.cuda.get_device_capability(device) >= CAPABLE


# Updates as CUDA graphs: a GPU repeats its work for a batch of the same shape without new launches.
MOST = 8  # graphs that are kept; batches of other shapes are computed without
Parts = Mapping[str, Sequence["Drawn | Sent"]]


@dataclass
class Sent:
    """A part of a batch whose layout lies on the GPU, where each replay finds another."""

    drawn: Drawn
    layout: Tensor

    def tensors(self, device: torch.device) -> Batch:
        """Return the batch."""
        return self.drawn.made(self.layout)


class Graphs:
    """Calls `update`, which changes the weights and returns the losses, for batches of `Drawn` parts and a rate.

    The first batch of a shape is computed as usual, which compiles and reserves memory; the second is recorded.
    """

    def __init__(self, update: Callable[[Parts, Tensor], Tensor], device: torch.device):
        self._update, self._stream = update, torch.cuda.Stream(device)
        self._rate = torch.zeros((), device=device)
        self._seen: Counter[tuple] = Counter()
        self._recorded: dict[tuple, tuple[torch.cuda.CUDAGraph, list[Sent], Tensor]] = {}

    def __call__(self, batches: Parts, rate: float) -> Tensor:
        """Update the weights; return the losses."""
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            self._rate.fill_(rate)
            losses = self._on_stream(batches)
        torch.cuda.current_stream().wait_stream(self._stream)
        return losses

    def _on_stream(self, batches: Parts) -> Tensor:
        parts = [part for stream in batches.values() for part in stream]
        shape = tuple(part.shape for part in parts)
        self._seen[shape] += 1
        if shape not in self._recorded:
            if self._seen[shape] == 1 or len(self._recorded) == MOST:
                return self._update(batches, self._rate)
            self._record(batches, shape)
        graph, sent, losses = self._recorded[shape]
        for mine, part in zip(sent, parts, strict=True):
            mine.layout.copy_(part.layout().pin_memory(), non_blocking=True)
        graph.replay()
        return losses.clone()

    def _record(self, batches: Parts, shape: tuple) -> None:
        sent = {
            name: [Sent(part, part.layout().to(self._rate.device)) for part in parts]
            for name, parts in batches.items()
        }
        pool = next(iter(self._recorded.values()))[0].pool() if self._recorded else None
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool, stream=self._stream):
            losses = self._update(sent, self._rate)
        self._recorded[shape] = graph, [part for parts in sent.values() for part in parts], losses
