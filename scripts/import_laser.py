"""Bring the published LASER into a folder that the suite loads (docs/methods/encoders.md).

    crosslingua import-laser --checkpoint bilstm.93langs.2018-12-26.pt --codes 93langs.fcodes \\
        --vocabulary 93langs.fvocab --out laser93

Reads a checkpoint of the published layout and the files of fastBPE that belong to it. Writes config.json,
model.safetensors and fastbpe.json.
"""

from crosslingua.cli import parser, run
from crosslingua.io.atomic import check_output_folder
from crosslingua.io.tokenizer_files import TRAINED_LASER


def main() -> None:
    """Parse, read, write."""
    p = parser(__doc__)
    p.add_argument("--checkpoint", required=True, help="a pickle of tensors; code in the file is not run")
    p.add_argument("--codes", required=True, help="fastBPE's merges")
    p.add_argument("--vocabulary", help="the authors' subwords that fastBPE may leave whole")
    p.add_argument("--out", required=True, help="folder to write")
    args = p.parse_args()

    check_output_folder(args.out, TRAINED_LASER)

    from crosslingua.io.atomic import atomic_folder
    from crosslingua.laser.model import load_published, save_laser

    laser = load_published(args.checkpoint, args.codes, args.vocabulary)
    with atomic_folder(args.out, TRAINED_LASER) as folder:
        save_laser(laser, folder)


if __name__ == "__main__":
    run(main)
