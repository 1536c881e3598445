"""What is wrong with a configuration is told, not what Snakemake writes around it."""

from pathlib import Path

import pytest

from programs import call


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (("none.yaml",), "--config none.yaml is no file: say --config mine.yaml"),
        (("empty.yaml",), "--config empty.yaml is empty: write scale, pairs, languages"),
        (("bad.yaml",), "bad.yaml:2: mappers.rscls: 'rscls' is not defined under the mappers"),
    ],
)
def test_a_wrong_configuration_is_named(tmp_path: Path, files: tuple[str, ...], message: str) -> None:
    (tmp_path / "empty.yaml").write_text("# nothing\n")
    (tmp_path / "bad.yaml").write_text("scale: mine\nmappers: {rscls: {}}\n")
    assert message in call("estimate.py", "--config", *files, folder=tmp_path, ok=False)
