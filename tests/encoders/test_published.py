"""Fetching a model of the hub: its list of files and the files are of one commit, which is told."""

from pathlib import Path
from types import SimpleNamespace

import huggingface_hub
import pytest

from crosslingua.encoders.published import fetch_encoder

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
