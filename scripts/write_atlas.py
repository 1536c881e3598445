"""Write the atlas of language pairs from their cards: its numbers, and one self-contained page to look them up.

    crosslingua write-atlas --cards results/atlas/atlas/cards/*.json \\
        --claims reference/joint_align_claims.yaml --schema schemas/claims.schema.yaml \\
        --out-json results/atlas/atlas/atlas.json --out-html results/atlas/atlas/atlas.html

A card (JSON) has the numbers of one pair, or of one point of a learning curve. Of eight pairs and more, the atlas also
says what decides which strategy is best, how well that is predicted before training, and which claims hold.
"""

from crosslingua.atlas.assemble import assemble, read_cards
from crosslingua.atlas.page import render
from crosslingua.claims.statements import read_claims
from crosslingua.cli import parser, run
from crosslingua.io.atomic import atomic_open
from crosslingua.io.json import write_json


def main() -> None:
    """Parse, read, put together, write."""
    p = parser(__doc__)
    p.add_argument("--cards", nargs="+", required=True, help="JSON of each pair")
    p.add_argument("--claims", required=True, help="claims of a paper, YAML")
    p.add_argument("--schema", required=True, help="schema of claims")
    p.add_argument("--out-json", required=True, help="JSON to write")
    p.add_argument("--out-html", required=True, help="page to write")
    args = p.parse_args()
    atlas = assemble(read_cards(args.cards), read_claims(args.claims, args.schema))
    page = render(atlas)
    write_json(args.out_json, atlas)
    with atomic_open(args.out_html) as stream:
        stream.write(page)


if __name__ == "__main__":
    run(main)
