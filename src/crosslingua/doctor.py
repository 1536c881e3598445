"""What a run finds on this machine: versions, processor, memory, GPU, folders, caches, mirror."""

import os
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import psutil

from crosslingua import places
from crosslingua.corpora.datasets.registry import load_registry
from crosslingua.errors import OF_EXTRAS
from crosslingua.provenance import code_version, has_bf16, machine

GIB = 2**30
# Modules that not every run needs, and what for.
OPTIONAL = {
    "fasttext": "word_embeddings.program fasttext",
    "jieba": "Chinese", "pythainlp": "Thai", "janome": "Japanese", "icu": "Khmer, Lao, Burmese",
    "snakemake_executor_plugin_slurm": "SLURM",
}  # fmt: skip


def findings(mirror: str | None = None) -> Iterator[tuple[str, str]]:
    """Yield each thing that is looked at, and what is found."""
    kind = "installed package" if places.is_packed() else "checkout"
    yield "Version", f"{code_version()}, {sys.executable}"
    yield "Suite", f"{Path(places.suite('')).absolute()} ({kind})"
    yield "Machine", machine()
    yield (
        "Cores to use",
        str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
    )
    yield (
        "bf16 instructions",
        "yes" if has_bf16() else "none: what asks for bf16 computes in fp32, which takes longer",
    )
    yield "Free memory", f"{psutil.virtual_memory().available / GIB:.1f} GB"
    yield "GPU", _gpu()
    absent = [f"{name} ({what})" for name, what in OPTIONAL.items() if not find_spec(name)]
    absent += [f"{name} (crosslingua[all])" for name in OF_EXTRAS if not find_spec(name)]
    yield "Not installed", ", ".join(absent) or "nothing that a run may ask for"
    for name, folder in {"Results": places.results(), "Downloads": "data"}.items():
        yield name, _space(Path(folder).absolute())
    hub = Path(os.environ.get("HF_HOME") or Path.home() / ".cache/huggingface")
    yield "Published models", f"{hub}: {'there' if hub.is_dir() else 'none yet'}"
    yield "Compiled code", os.environ.get("NUMBA_CACHE_DIR") or "beside the package, or in ~/.cache"
    yield "Mirror", _mirror(mirror) if mirror else "none: say --mirror FOLDER to look into one"


def _gpu() -> str:
    if not shutil.which("nvidia-smi"):
        return "none"
    if not find_spec("torch"):
        return "NVIDIA's driver is here, but torch is not installed"
    import torch  # two seconds

    names = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
    return ", ".join(names) or "NVIDIA's driver is here, but torch is a build without CUDA or sees no GPU"


def _space(folder: Path) -> str:
    """Return the free disk of the closest folder above that there is, and whether it can be written."""
    there = next(path for path in (folder, *folder.parents) if path.is_dir())
    free = f"{folder}: {shutil.disk_usage(there).free / GIB:.0f} GB free"
    return free if os.access(there, os.W_OK) else f"{free}, but the folder cannot be written"


def _mirror(folder: str) -> str:
    if "://" in folder:
        return f"{folder}: an address, which is not looked into"
    known = load_registry()
    found = [
        name for name, row in known.items() if all(Path(folder, name, file).is_file() for file in row.files)
    ]
    return f"{folder}: {len(found)} of {len(known)} data sets with all their files"
