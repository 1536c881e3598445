"""Checkpoints beside the output folder: `OUT.checkpoint/state.pt`, written whole or not at all."""

import hashlib
import json
import logging
import shutil
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

import torch
from torch import nn

from crosslingua.io.atomic import atomic_open

log = logging.getLogger(__name__)


def digest(what: Any) -> str:
    """Return the SHA-256 of values as JSON, for a fingerprint."""
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


class Checkpoints:
    """The newest state of one run; `fingerprint` names everything that its result depends on.

    Where runs share a place, as candidates of a search do (`shared`), a state of another is passed over in silence.
    """

    def __init__(self, out: str | Path, fingerprint: str, *, shared: bool = False):
        out = Path(out)
        self.folder = out.with_name(out.name + ".checkpoint")
        self.path, self.fingerprint, self._shared = self.folder / "state.pt", fingerprint, shared

    def save(self, state: dict[str, Any]) -> None:
        """Replace the checkpoint."""
        with atomic_open(self.path, "wb") as stream:  # of a stream, an error names its cause
            torch.save({"fingerprint": self.fingerprint, **state}, stream)

    def load(self) -> dict[str, Any] | None:
        """Return the state, or None if there is none of this run."""
        if not self.path.is_file():
            return None
        try:
            state = torch.load(self.path, map_location="cpu", weights_only=True)
        except Exception:  # a damaged file raises whatever its bytes lead to
            log.warning("%s cannot be read and is ignored", self.path)
            return None
        if state["fingerprint"] != self.fingerprint:
            if not self._shared:
                log.warning("%s belongs to a run with other data or settings and is ignored", self.path)
            return None
        return state

    def keep(self, run: Any, attributes: Mapping[str, str]) -> None:
        """Save attributes of `run` (name in the file -> attribute, which may be `a.b`).

        What has a `state_dict` is saved as that: weights, optimisers, curves. All else is saved as it is.
        """
        found = {name: attrgetter(attribute)(run) for name, attribute in attributes.items()}
        self.save({k: v.state_dict() if hasattr(v, "state_dict") else v for k, v in found.items()})

    def restore(self, run: Any, attributes: Mapping[str, str]) -> None:
        """Give `run` what `keep` saved, if there is something."""
        state = self.load()
        for name, attribute in attributes.items() if state else ():
            mine = attrgetter(attribute)(run)
            if isinstance(mine, nn.Module):
                # In the same order; older checkpoints may have other names.
                mine.load_state_dict(dict(zip(mine.state_dict(), state[name].values(), strict=True)))
            elif hasattr(mine, "load_state_dict"):
                mine.load_state_dict(state[name])
            else:
                setattr(run, attribute, state[name])

    def remove(self) -> None:
        """Remove the checkpoint when it is no longer needed."""
        shutil.rmtree(self.folder, ignore_errors=True)
