"""Crosslingua: is it better to train cross-lingual representations jointly, align them afterwards, or both?"""

import atexit
import os
import tempfile
from pathlib import Path

__version__ = "0.1.0"


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _find_cache() -> None:
    """Let numba compile where neither the package nor the home folder can be written, as in a container: into a folder
    of this process. `NUMBA_CACHE_DIR` names one that lasts.
    """
    package, own = Path(__file__).parent, os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    if "NUMBA_CACHE_DIR" not in os.environ and not any(
        map(_is_writable, (package / "__pycache__", Path(own)))
    ):
        folder = tempfile.TemporaryDirectory(prefix="crosslingua-numba-")
        atexit.register(folder.cleanup)
        os.environ["NUMBA_CACHE_DIR"] = folder.name


_find_cache()
