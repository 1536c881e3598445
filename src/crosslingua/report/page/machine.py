"""What the results page says of the machine that it is written on."""

import os
import platform
import re
from importlib.metadata import version
from pathlib import Path

LIBRARIES = ("snakemake", "numpy", "scipy", "torch", "transformers")


def machine() -> str:
    """Return in words what this process runs on: processor, cores, memory, system, and versions of libraries."""
    import psutil

    cpu = Path("/proc/cpuinfo")
    models = re.findall(r"^model name\s*: (.+)$", cpu.read_text() if cpu.is_file() else "", re.MULTILINE)
    memory = psutil.virtual_memory().total / 2**30
    place = (
        f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GB of memory"
    )
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return f"{place}; {platform.system()}; Python {platform.python_version()}, {versions}"
