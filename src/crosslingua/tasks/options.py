"""The command-line options that fine-tuning and the choice of its settings share."""

import argparse
from collections.abc import Sequence

from crosslingua.cli import device_option, seed_number, set_option, thread_number


def add_options(p: argparse.ArgumentParser, splits: Sequence[str]) -> None:
    """Add what an encoder is tuned on (`splits` of files), how, and where to."""
    p.add_argument("--encoder", required=True, help="Hugging Face folder")
    for split in splits:
        p.add_argument(
            f"--{split}", nargs="+", required=True, metavar="TASK/LANGUAGE=FILE", help=f"{split} files"
        )
    p.add_argument("--joint", action="store_true", help="select on the mean over all --valid files of a task")
    set_option(p, "settings other than the published")
    p.add_argument(
        "--seed", type=seed_number, required=True, help="of the head, the order of the data, dropout"
    )
    p.add_argument("--threads", type=thread_number, default=1, help="threads; results depend on this number")
    device_option(p, "training and prediction")
    p.add_argument("--checkpoints", help="folder of checkpoints; OUT.checkpoint if not given")
    p.add_argument(
        "--models", help="folder of finished models, which are not trained again for other test files"
    )
    p.add_argument("--out", required=True, help="folder to write")
