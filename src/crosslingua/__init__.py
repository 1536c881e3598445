"""Crosslingua: is it better to train cross-lingual representations jointly, align them afterwards, or both?"""

import atexit
import os
import stat
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crosslingua.calls import (
        as_vectors,
        ask,
        induce_lexicon,
        judge,
        map_vectors,
        score_alignment,
        word_align,
    )

__version__ = "0.1.0"
__all__ = ["as_vectors", "ask", "induce_lexicon", "judge", "map_vectors", "score_alignment", "word_align"]


def __getattr__(name: str) -> Any:
    """Return a function of `crosslingua.calls`, which is imported when it is first used."""
    if name in __all__:
        return getattr(import_module("crosslingua.calls"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _is_shared(folder: Path) -> bool:
    """Whether others may have written what lies in a folder."""
    try:
        found = folder.stat()
    except OSError:  # it is made when it is needed
        return False
    return found.st_uid != os.getuid() or bool(found.st_mode & stat.S_IWOTH)


def _find_cache() -> None:
    """Let numba compile where neither the package nor the home folder can be written, as in a container: into a folder
    of this process. `NUMBA_CACHE_DIR` names one that lasts. One in which others can write is not taken, since numba
    runs what lies there.
    """
    package, own = Path(__file__).parent, os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    named = os.environ.get("NUMBA_CACHE_DIR")
    writable = named or any(map(_is_writable, (package / "__pycache__", Path(own))))
    if not writable or (named and _is_shared(Path(named))):
        folder = tempfile.TemporaryDirectory(prefix="crosslingua-numba-")
        atexit.register(folder.cleanup)
        os.environ["NUMBA_CACHE_DIR"] = folder.name


_find_cache()
