"""Draw a figure of a paper.

    crosslingua draw-figure --paper xlm_align --figure grid --plan plan.json --out grid.png grid.svg

The plan is JSON: {"inputs": {name: [files]}, "settings": {name: value}}. A figure's function in
src/crosslingua/papers/PAPER/figures.py documents its inputs. An example is a grid of your text:

    {"inputs": {"source": ["test.de"], "target": ["test.en"], "gold": ["gold.pharaoh"],
                "encoder": ["FacebookAI/xlm-roberta-base"]},
     "settings": {"line": 12, "aligner": "optimal_transport", "layer": 8}}
"""

from pathlib import Path

from crosslingua.cells import read_plan
from crosslingua.cli import parser, run
from crosslingua.errors import ConfigError
from crosslingua.paper_folders import load


def main() -> None:
    """Parse and draw."""
    p = parser(__doc__)
    p.add_argument("--paper", required=True, help="short name")
    p.add_argument("--figure", required=True, help="kind of figure, of the paper's")
    p.add_argument("--plan", required=True, help="JSON: files and settings")
    p.add_argument("--out", nargs="+", type=Path, required=True, help="pictures to write (.png, .svg)")
    args = p.parse_args()
    figures = getattr(load(args.paper, "figures"), "FIGURES", {})
    if args.figure not in figures:
        raise ConfigError(f"--figure {args.figure}: {args.paper} has {', '.join(figures) or 'none'}")
    plan = read_plan(args.plan, ["inputs", "settings"])
    figures[args.figure].draw(plan["inputs"], plan["settings"], args.out)


if __name__ == "__main__":
    run(main)
