"""Copy an encoder without the pieces that no word of some files uses.

    crosslingua prune-encoder --encoder data/encoders/xlm-roberta-base --text en.txt de.conll --out pruned

Reads:   a Hugging Face folder with tokenizer.json and safetensors; text, tables or JSON, whose strings are read
Writes:  OUT, a folder of the same form. Vectors of the files' words are equal, bit for bit.
The counts of pieces are printed as JSON.
"""

import json

from crosslingua.cli import cells, parser, run
from crosslingua.encoders.prune import prune, words_of


def main() -> None:
    """Parse, count words, write."""
    p = parser(__doc__)
    p.add_argument("--encoder", required=True, help="folder of the encoder")
    p.add_argument("--text", nargs="+", required=True, help="files whose words keep their pieces")
    p.add_argument("--out", required=True, help="folder to write")
    for args in cells(p):
        print(json.dumps(prune(args.encoder, words_of(args.text), args.out)))


if __name__ == "__main__":
    run(main)
