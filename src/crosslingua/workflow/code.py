"""The project files that a script runs, for the inputs of its rule.

An edited module so reruns what it feeds and nothing else.
"""

import os

from crosslingua.imports import project_files


def files_of(script: str, *members: str | None) -> list[str]:
    """Return the project files that a script of `scripts/` runs: itself, its imports, the members it is told to use."""
    path = f"scripts/{script}"
    return [path, *(os.path.relpath(file) for file in project_files(path, [m for m in members if m]))]
