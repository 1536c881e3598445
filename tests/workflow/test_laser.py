"""The published LASER through the workflow: a small checkpoint of its layout stands in for it."""

import json
from pathlib import Path

import pytest
import torch

from checkout import Checkout, copy_checkout
from crosslingua.laser.laser import load_laser
from encoders.laser.authors import CODES, VOCABULARY, AuthorsEncoder, write

pytestmark = pytest.mark.workflow

FOLDER = "results/paper/encoders/laser/seed1"


@torch.no_grad()
def test_the_published_laser_takes_the_place_of_a_trained_one(repository: Path, tmp_path: Path) -> None:
    # Their names would do something if a shell read them.
    mirror, data = tmp_path / 'it\'s "$(touch x)"', "data; `touch y` -z"
    files = mirror / "laser-93langs"
    files.mkdir(parents=True)
    torch.manual_seed(3)
    authors = AuthorsEncoder()
    write(files / "bilstm.93langs.2018-12-26.pt", authors)
    (files / "93langs.fcodes").write_text(CODES, encoding="utf-8")
    (files / "93langs.fvocab").write_text(VOCABULARY, encoding="utf-8")
    checkout = copy_checkout(repository, tmp_path / "checkout")
    places = json.dumps({"mirror": str(mirror), "folder": data})
    checkout.run("--config", f"data={places}", "--", FOLDER, scale="paper")
    assert (checkout.root / data / "laser-93langs/93langs.fcodes").is_file()
    assert not [name for name in "xyz" if (checkout.root / name).exists()]
    embedding = load_laser(checkout.root / FOLDER).embed([["lower"]])
    torch.testing.assert_close(torch.from_numpy(embedding[0]), authors.embed([4, 7, 6, 2]), atol=1e-6, rtol=0)


def test_the_target_fetch_takes_its_files(fresh_checkout: Checkout) -> None:
    output = fresh_checkout.run("--dry-run", "fetch", scale="paper")
    for file in ("bilstm.93langs.2018-12-26.pt", "93langs.fcodes", "93langs.fvocab"):
        assert f"Fetch {file} of laser-93langs" in output
