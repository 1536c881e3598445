"""A run of the tiny scale that is killed and goes on, on one core."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from checkout import Checkout, copy_checkout
from metric_rows import values

pytestmark = pytest.mark.workflow

RESULTS = "results/tiny"


def test_killed_and_run_again_on_one_core_it_comes_to_the_same(
    finished: Checkout, repository: Path, tmp_path: Path
) -> None:
    """Training of vectors and an encoder, alignment of vectors and of words, fine-tuning, rows."""
    checkout = copy_checkout(repository, tmp_path / "killed", compiled=finished.root)
    rows, tuned = "rows/xlm_align.main.csv", "fine_tuning/align_mlm/mlm.trans_inv"
    lexicons = "lexicon_induction/ana-ber.world_55/supervised"
    targets = " ".join(f"{RESULTS}/{name}" for name in (rows, tuned, lexicons))
    checkout.link_environment()
    command = ["make", "tiny", f"TARGETS={targets}", "CORES=1"]
    place = {"cwd": checkout.root, "env": checkout.environment(), "start_new_session": True}
    process = subprocess.Popen(command, **place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    first_vectors = checkout.root / RESULTS / "word_embeddings"
    while not list(first_vectors.rglob("[!.]*.vec")):
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (checkout.root / RESULTS / rows).exists()
    assert "Unlocked" in checkout.make("tiny", f"TARGETS={targets}", "CORES=1")
    alone, together = (one.root / RESULTS for one in (checkout, finished))
    assert values(alone / rows) == values(together / rows)
    # what was being written at the kill keeps its hidden name, which no step reads
    written = alone.rglob("[!.]*")
    made = [path for path in written if path.suffix in (".vec", ".safetensors", ".links", ".conll")]
    stages = {path.relative_to(alone).parts[0] for path in made}
    assert stages >= {"word_embeddings", "encoders", "fine_tuning"}
    differ = [path for path in made if path.read_bytes() != (together / path.relative_to(alone)).read_bytes()]
    assert differ == []
    lexicon = f"{lexicons}/joint_align_procrustes/seed1.json"
    assert (alone / lexicon).read_text() == (together / lexicon).read_text()
