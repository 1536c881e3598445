"""The scoring options that the lexicon scripts share, and what they stand for."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from crosslingua.io.dictionaries import read_dictionary
from crosslingua.lexicon_induction import bli
from crosslingua.lexicon_induction.predictions import Predictions

dictionary = cache(read_dictionary)  # cells share it


def add_scoring(parser: argparse.ArgumentParser, *, optional_dictionary: bool = False) -> None:
    """Add the dictionary, the conventions of scoring and the output."""
    told = "; without one, the most frequent words are translated" if optional_dictionary else ""
    parser.add_argument(
        "--dictionary",
        type=Path,
        required=not optional_dictionary,
        help=f"test dictionary, `source target` a line{told}",
    )
    parser.add_argument("--out", type=Path, required=True, help="JSON to write")
    parser.add_argument(
        "--oov",
        nargs="+",
        default=["paper"],
        choices=bli.OOV_RULES,
        help="words without a vector: paper and footnote6 (its letter) count them (joint_align), muse skips them",
    )
    parser.add_argument(
        "--identical",
        nargs="+",
        default=["kept"],
        choices=("kept", "dropped"),
        help="dropped: without test pairs of the same surface form (table 2)",
    )
    parser.add_argument(
        "--drop-identical",
        dest="identical",
        action="store_const",
        const=["dropped"],
        default=argparse.SUPPRESS,
        help="short for --identical dropped",
    )
    parser.add_argument("--bootstrap-samples", type=int, default=1000, help="resamplings of the queries")
    parser.add_argument("--seed", type=int, default=0, help="of the resampling")


def scored(predictions: Sequence[Predictions], pairs: bli.Pairs, args: argparse.Namespace, by: str) -> Any:
    """Return the result of the one convention asked for, or the list of all of them; `by`: the script."""
    results = bli.score_all(
        predictions, pairs, args.oov, args.identical, samples=args.bootstrap_samples, seed=args.seed
    )
    return signed(results, by)


def signed(results: Sequence[Mapping[str, Any]], by: str) -> Any:
    """Return the only result, or the list of all of them, each with the script that scored it."""
    named = [{"by": by, **result} for result in results]
    return named[0] if len(named) == 1 else named
