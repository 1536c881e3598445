"""Score how well an encoder's word embeddings of a natural and a derived language are aligned (align_mlm, table 8).

    python scripts/score_embedding_alignment.py --encoder FOLDER --pairs FOLDER/token_pairs.tsv --out score.json
    python scripts/score_embedding_alignment.py --encoder XLM --pairs XLM/token_pairs.tsv --languages en en_trans ...

Reads a Hugging Face folder (safetensors) and the pairs of corresponding tokens, `token<TAB>counterpart`. Writes JSON:
`alignment`, the percentage of tokens whose counterpart is nearest by cosine among the derived language's tokens;
`tokens`; `derived_vocabulary`. An encoder with language ids needs --languages. Several encoders may be given.
"""

from crosslingua.cli import parser, run
from crosslingua.embedders.embedding_alignment import score_folder
from crosslingua.errors import ConfigError
from crosslingua.io.json import write_json


def main() -> None:
    """Parse and score each encoder."""
    p = parser(__doc__)
    p.add_argument("--encoder", nargs="+", required=True, help="Hugging Face folders")
    p.add_argument("--pairs", nargs="+", required=True, help="token pairs, one file for each encoder")
    p.add_argument("--languages", nargs=2, default=[], metavar=("NATURAL", "DERIVED"), help="as in lang2id")
    p.add_argument("--out", nargs="+", required=True, help="JSON files to write")
    args = p.parse_args()
    if len({len(args.encoder), len(args.pairs), len(args.out)}) > 1:
        raise ConfigError("--encoder, --pairs and --out must have equally many values")
    for encoder, pairs, out in zip(args.encoder, args.pairs, args.out, strict=True):
        write_json(out, score_folder(encoder, pairs, args.languages))


if __name__ == "__main__":
    run(main)
