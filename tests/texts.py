"""Files of a few lines."""

from pathlib import Path


def written(path: Path, text: str | bytes) -> Path:
    """Write a file in UTF-8, with the folders that it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
