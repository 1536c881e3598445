"""Put the suite's files, which stand at the root of the repository, into the package (src/crosslingua/places.py)."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SUITE = (
    "Snakefile", "config.yaml", "world.yaml", "CITATION.cff", "rules", "scales", "scripts", "schemas", "reference",
    "envs", "profiles", "results/reference",
)  # fmt: skip


class Suite(BuildHookInterface):
    """Of a wheel; an editable installation reads them in the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files and folders with their places in the wheel."""
        if version != "editable":
            build_data["force_include"] |= {name: f"crosslingua/suite/{name}" for name in SUITE}
