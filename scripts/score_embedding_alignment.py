"""Score how well an encoder's word embeddings of a natural and a derived language are aligned (align_mlm, table 8).

    crosslingua score-embedding-alignment --encoder FOLDER --pairs FOLDER/token_pairs.tsv --out score.json
    crosslingua score-embedding-alignment --encoder XLM --pairs XLM/token_pairs.tsv --languages en en_trans ...

Reads a Hugging Face folder (safetensors) and the pairs of corresponding tokens, `token<TAB>counterpart`. Writes JSON:
`alignment`, the percentage of tokens whose counterpart is nearest by cosine among the derived language's tokens;
`tokens`; `derived_vocabulary`. An encoder with language ids needs --languages.
"""

from crosslingua.cli import cells, parser, run, write_scores
from crosslingua.embedders.embedding_alignment import score_folder


def main() -> None:
    """Parse, then score."""
    p = parser(__doc__)
    p.add_argument("--encoder", required=True, help="Hugging Face folder")
    p.add_argument("--pairs", required=True, help="token pairs")
    p.add_argument("--languages", nargs=2, default=[], metavar=("NATURAL", "DERIVED"), help="as in lang2id")
    p.add_argument("--out", required=True, help="JSON to write")
    for args in cells(p):
        scores = score_folder(args.encoder, args.pairs, args.languages)
        write_scores(args.out, scores | {"by": "score_embedding_alignment.py"})


if __name__ == "__main__":
    run(main)
