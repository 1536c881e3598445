"""Plot the loss curves of pre-training runs.

    python scripts/plot_loss.py --run mlm=encoders/mlm align_mlm=encoders/align_mlm --out loss.png loss.svg

Reads:   RUN/training.json, as pretrain.py writes it
Writes:  each OUT (the suffix says the format: png, svg, pdf)
"""

from __future__ import annotations

from crosslingua.cli import parser, run
from crosslingua.encoders.loss_plot import plot_curves, read_curve
from crosslingua.errors import ConfigError


def main() -> None:
    """Parse, read, plot."""
    p = parser(__doc__)
    p.add_argument(
        "--run", nargs="+", required=True, metavar="NAME=FOLDER", help="name in the legend, folder"
    )
    p.add_argument("--out", nargs="+", required=True, help="one picture or several formats of it")
    args = p.parse_args()
    pairs = [text.partition("=") for text in args.run]
    for text, (name, _, folder) in zip(args.run, pairs, strict=True):
        if not (name and folder):
            raise ConfigError(f"--run {text!r}: write name=folder")
    plot_curves({name: read_curve(folder) for name, _, folder in pairs}, args.out)


if __name__ == "__main__":
    run(main)
