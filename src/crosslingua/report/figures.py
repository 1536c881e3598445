"""What all figures share: what a figure of a paper is, a palette for any colour vision, files that repeat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosslingua.errors import ConfigError
from crosslingua.io.atomic import atomic_path

# Okabe and Ito's palette: told apart with any colour vision.
BLUE, ORANGE, GREEN, PURPLE, GREY, SKY, AMBER, BLACK = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#999999", "#56B4E9", "#E69F00", "#222222",
)  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """A figure of a paper: what the results page says of it, and `draw(inputs, settings, out)`.

    `inputs` are files by their part in it and `settings` anything else, both of a plan (`crosslingua.plans`); the
    picture is written to each of `out` (.png, .svg).
    """

    caption: str
    draw: Callable[[Mapping[str, list[Path]], Mapping[str, Any], list[Path]], None]


def pyplot():
    """Return matplotlib's pyplot, drawing into files only, the same file for the same input."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "crosslingua"
    from matplotlib import pyplot as plt

    return plt


def save(figure, out: Sequence[str | Path], dpi: int = 130) -> None:
    """Write `figure` to each of `out` (.png, .svg), without a date, and close it.

    Raises ConfigError, and writes nothing, if a suffix is of no format.
    """
    formats = figure.canvas.get_supported_filetypes()
    for path in out:
        if Path(path).suffix.lower().removeprefix(".") not in formats:
            raise ConfigError(f"--out {path}: the suffix must name a format: .{', .'.join(sorted(formats))}")
    for path in out:
        with atomic_path(path) as temporary:
            figure.savefig(
                temporary, dpi=dpi, metadata={"Date": None} if Path(path).suffix == ".svg" else None
            )
    pyplot().close(figure)
