"""The project files that a script or module runs, from its imports, transitively, without running it. Registry members
are named by strings, so callers name the members that are used. A member of another package brings its package's files.
"""

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from crosslingua.errors import ConfigError

PACKAGE = "crosslingua"
SOURCE_ROOT = Path(__file__).resolve().parents[1]
IMPORT = re.compile(r"^[ \t]*((?:from[ \t]+[\w.]+[ \t]+)?import\b(?:[ \t]*\([^)]*\)|[^\n]*))", re.MULTILINE)

FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n)+", re.MULTILINE)  # imports that never run


def project_files(script: str | Path | None = None, members: Iterable[str] = ()) -> list[Path]:
    """Return, sorted, the files that `script` and the modules `members` import of the project and of the packages of
    these modules; ConfigError if unknown.
    """
    pending = list(members)
    for name in pending:
        if _file_of(name) is None:
            raise ConfigError(
                f"module {name} is not part of the project, and no package that is installed has it"
            )
    if script is not None:
        pending += _imported(Path(script), package="")
    files: dict[str, Path | None] = {}
    while pending:
        name = pending.pop()
        if name not in files:
            files[name] = file = _file_of(name)
            if file is not None:
                package = name if file.name == "__init__.py" else name.rpartition(".")[0]
                pending += _imported(file, package)
    return sorted({file for file in files.values() if file is not None})


@cache
def digest_of_code(*modules: str) -> str:
    """Return a digest of the project's files that these modules (dotted names), and thus their results, depend on."""
    digest = hashlib.sha256()
    for file in project_files(members=modules):
        name = file.relative_to(SOURCE_ROOT) if file.is_relative_to(SOURCE_ROOT) else file.name
        digest.update(str(name).encode() + file.read_bytes())
    return digest.hexdigest()


@cache
def _file_of(name: str) -> Path | None:
    package = name.partition(".")[0]
    if (root := SOURCE_ROOT if package == PACKAGE else _root_of(package)) is None:
        return None
    base = root.joinpath(*name.split("."))
    return next(filter(Path.is_file, (base.with_suffix(".py"), base / "__init__.py")), None)


@cache
def _root_of(package: str) -> Path | None:
    """Return the folder that holds another package."""
    spec = find_spec(package)
    return Path(spec.origin).parents[bool(spec.submodule_search_locations)] if spec and spec.origin else None


@cache
def _imported(file: Path, package: str) -> tuple[str, ...]:
    """Return the dotted names that `file` imports from this package, with every parent package (they run too)."""
    text = FOR_TYPES.sub("", file.read_text(encoding="utf-8"))
    try:
        tree = ast.parse("\n".join(match[1] for match in IMPORT.finditer(text)))
    except SyntaxError:  # a line only looks like an import
        tree = ast.parse(text, filename=str(file))
    names: set[str] = set()
    for node in ast.walk(tree):
        for name in _names(node, package):
            if name.split(".")[0] in (PACKAGE, package.partition(".")[0]):
                parts = name.split(".")
                names.update(".".join(parts[: i + 1]) for i in range(len(parts)))
    return tuple(sorted(names))


def _names(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        base = ".".join([*parents, *([node.module] if node.module else [])])
        # `from package import name`: name may be a module; an attribute has no file and is dropped.
        yield from (f"{base}.{alias.name}" for alias in node.names)
