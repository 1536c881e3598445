"""The package where little can be written: containers and clusters."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

CODE = """
import crosslingua.word_aligners.symmetrisation as module
print(sum(kernel.stats.cache_misses.total() for kernel in vars(module).values() if hasattr(kernel, "stats")), module)
"""


def test_compiled_code_runs_where_nothing_can_be_written(repository: Path, tmp_path: Path) -> None:
    package = tmp_path / "src/crosslingua"
    shutil.copytree(repository / "src/crosslingua", package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").touch()  # a file where the folder would be: this stops root, too
    caches = ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR")
    env = {key: value for key, value in os.environ.items() if key not in caches}
    env |= {"HOME": "/dev/null", "PYTHONPATH": str(tmp_path / "src")}
    done = subprocess.run([sys.executable, "-c", CODE], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert str(package) in done.stdout
