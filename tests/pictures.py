"""Pictures, drawn twice."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image


def drawn_twice(folder: Path, draw: Callable[[Sequence[Path]], None]) -> str:
    """Check that a drawing is no blank and repeats to the byte, as PNG and SVG; return its SVG."""
    both = [[folder / f"{time}.{suffix}" for suffix in ("png", "svg")] for time in ("first", "again")]
    for out in both:
        draw(out)
    (png, svg), again = both
    assert [png.read_bytes(), svg.read_bytes()] == [path.read_bytes() for path in again]
    assert len(np.unique(np.asarray(Image.open(png).convert("RGB")).reshape(-1, 3), axis=0)) > 10
    return svg.read_text()
