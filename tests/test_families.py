"""Families: which may import which, and no name for two things."""

from __future__ import annotations

import ast
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import crosslingua

SOURCE = Path(crosslingua.__file__).parent
ABOVE = ("papers", "workflow")  # what is built of families
LOADER = "paper_folders"  # loads what is above by name


def families() -> set[str]:
    return {path.parent.name for path in SOURCE.glob("*/__init__.py")}


def imports() -> dict[str, dict[str, set[str]]]:
    """Return, for each family, the others that it imports at any depth, and by which files."""
    known = families() | {LOADER}
    found: dict[str, dict[str, set[str]]] = {name: defaultdict(set) for name in families()}
    for path in sorted(SOURCE.glob("*/**/*.py")):
        family = path.relative_to(SOURCE).parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name in modules(node):
                parts = name.split(".")
                if parts[0] == "crosslingua" and len(parts) > 1 and parts[1] in known - {family}:
                    found[family][parts[1]].add(str(path.relative_to(SOURCE)))
    return found


def modules(node: ast.AST) -> list[str]:
    """Return the dotted names that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "relative imports are not used here"
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def test_the_imports_are_read() -> None:
    assert "crosslingua.tasks.kinds" in modules(ast.parse("from crosslingua.tasks import kinds").body[0])
    assert imports()["tasks"]["embedders"]


def cycle_of(graph: dict[str, set[str]]) -> list[str]:
    """Return a cycle, the first node again at its end; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_a_cycle_is_found() -> None:
    assert sorted(set(cycle_of({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}))) == ["a", "b", "c"]
    assert cycle_of({"a": {"b"}, "b": {"c"}}) == []


def test_no_two_families_import_each_other() -> None:
    cycle = cycle_of({family: set(others) for family, others in imports().items()})
    files = {f"{b} in {file}" for a, b in zip(cycle[1:], cycle, strict=False) for file in imports()[a][b]}
    assert cycle == [], sorted(files)


def modules_of(path: Path) -> set[str]:
    """Return the modules of this package that a file imports at any depth, but for types."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    guarded = [n for n in ast.walk(tree) if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.unparse(n.test)]
    left_out = {id(inner) for node in guarded for inner in ast.walk(node)}
    names = [name for node in ast.walk(tree) if id(node) not in left_out for name in modules(node)]
    places = [(SOURCE.parent / name.replace(".", "/")).with_suffix(".py") for name in names]
    return {str(p if p.is_file() else p.parent.with_suffix(".py")) for p in places} - {str(path)}


def test_no_two_modules_import_each_other() -> None:
    graph = {str(path): modules_of(path) for path in SOURCE.rglob("*.py")}
    assert str(SOURCE / "errors.py") in graph[str(SOURCE / "paper_folders.py")]
    assert cycle_of(graph) == []


def test_the_map_of_rooms_names_every_family(repository: Path) -> None:
    text = (repository / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert {family for family in families() - set(ABOVE) if f"`{family}`" not in text} == set()


@pytest.mark.parametrize("family", sorted(families() - set(ABOVE)))
def test_families_know_neither_paper_nor_workflow(family: str) -> None:
    assert {name: files for name, files in imports()[family].items() if name in (*ABOVE, LOADER)} == {}


def test_no_two_classes_have_one_name() -> None:
    places = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(SOURCE)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
