"""Fetching a model of the hub: its list of files and the files are of one commit, which is told."""

import errno
from pathlib import Path
from types import SimpleNamespace

import huggingface_hub
import pytest
from huggingface_hub.errors import HTTPError

from crosslingua.encoders.published import fetch_encoder
from crosslingua.errors import CrosslinguaError

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_files_are_those_of_the_commit_that_a_branch_is_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The branch moves on between the two questions to the hub."""
    asked = []

    def model_info(_hub: object, name: str, revision: str | None) -> SimpleNamespace:
        asked.append((name, revision))
        files = [
            SimpleNamespace(rfilename=name) for name in ("model.safetensors", "model.bin", "config.json")
        ]
        return SimpleNamespace(sha=COMMIT, siblings=files)

    def snapshot_download(name: str, revision: str, local_dir: Path, allow_patterns: list[str]) -> None:
        asked.append((name, revision))
        assert "*.bin" not in allow_patterns
        (local_dir / "config.json").write_text("{}")

    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", model_info)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    with caplog.at_level("INFO"):
        fetch_encoder("owner/model", tmp_path / "out", "main")
    assert asked == [("owner/model", "main"), ("owner/model", COMMIT)]
    assert (tmp_path / "out/config.json").is_file()
    assert f"owner/model: fetched at commit {COMMIT}" in caplog.text


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (HTTPError("peer closed connection"), r"owner/model could not be fetched \(peer closed.*HF_ENDPOINT"),
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
    ],
)
def test_a_download_that_breaks_off_leaves_no_folder_and_tells_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    """A lost connection is one thing, and a full disk another."""

    def snapshot_download(_name: str, local_dir: Path, **_options: object) -> None:
        (local_dir / "model.safetensors").write_bytes(b"half")
        raise error

    found = SimpleNamespace(sha=COMMIT, siblings=[SimpleNamespace(rfilename="model.safetensors")])
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", lambda *_, **__: found)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    kind = OSError if isinstance(error, OSError) else CrosslinguaError
    with pytest.raises(kind, match=told) as raised:
        fetch_encoder("owner/model", tmp_path / "out")
    assert getattr(raised.value, "filename", None) == (str(tmp_path / "out") if kind is OSError else None)
    assert not [*tmp_path.iterdir()]
