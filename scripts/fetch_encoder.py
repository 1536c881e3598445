"""Fetch a published encoder from the model hub into a folder.

    python scripts/fetch_encoder.py --name FacebookAI/xlm-roberta-base --out data/encoders/FacebookAI--xlm-roberta-base

The folder holds configuration, weights and tokeniser as published, and appears whole or not at all.
HF_ENDPOINT names a mirror of the hub.
"""

from crosslingua.cli import parser, run
from crosslingua.encoders.folder import fetch_encoder


def main() -> None:
    """Parse and fetch."""
    p = parser(__doc__)
    p.add_argument("--name", required=True, help="repository on the hub: owner/model")
    p.add_argument("--revision", help="commit, tag or branch of the model; default: main branch")
    p.add_argument("--out", required=True, help="folder to write")
    args = p.parse_args()
    fetch_encoder(args.name, args.out, args.revision)


if __name__ == "__main__":
    run(main)
