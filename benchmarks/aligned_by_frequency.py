"""Are the tokens that an encoder has read most often aligned first? Alignment (align_mlm, table 8) by frequency.

    python benchmarks/aligned_by_frequency.py --text corpora/text_cased/ana.txt --encoders encoders/mlm.trans/seed*

Tokens of the natural language are ordered by how often its text has them. Prints a Markdown table, a row a stretch of
that order: how often its tokens occur, the percentage whose counterpart in the derived language has the highest cosine,
and the percentage whose counterpart is among the ten highest, mean and standard deviation over the encoders.
"""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from crosslingua.cli import parser, run
from crosslingua.embedders.embedding_alignment import read_token_pairs


def main() -> None:
    """Rank the counterparts by every encoder, then print a row for each stretch."""
    p = parser(__doc__)
    p.add_argument("--text", type=Path, required=True, help="of the natural language, a sentence a line")
    p.add_argument("--encoders", type=Path, nargs="+", required=True, help="folders, of one tokeniser")
    p.add_argument("--ranks", type=int, nargs="+", default=[10, 25, 50, 100, 200, 400, 800, 1600])
    args = p.parse_args()
    natural, derived = np.array(read_token_pairs(args.encoders[0] / "token_pairs.tsv", args.encoders[0])).T
    counts = frequencies(args.text, args.encoders[0])
    often = np.array([counts[token] for token in natural])
    order = np.argsort(-often, kind="stable")
    ranks = np.array([counterpart_ranks(one, natural, derived)[order] for one in args.encoders])
    print("| tokens by frequency | occurrences | aligned, % | among ten, % |\n|---|---|---|---|")
    for first, last in pairwise([0, *args.ranks, len(order)]):
        some, seen = ranks[:, first:last], often[order[first:last]]
        shares = [100 * (some <= most).mean(axis=1) for most in (1, 10)]
        cells = " | ".join(f"{share.mean():.1f} ± {share.std(ddof=1):.1f}" for share in shares)
        print(f"| {first + 1} to {last} | {seen[0]} to {seen[-1]} | {cells} |")


def frequencies(text: Path, encoder: Path) -> Counter[int]:
    """Count the tokens of a text, by id."""
    tokeniser = Tokenizer.from_file(str(encoder / "tokenizer.json"))
    lines = text.read_text(encoding="utf-8").splitlines()
    found: Counter[int] = Counter()
    for encoding in tokeniser.encode_batch(lines, add_special_tokens=False):
        found.update(encoding.ids)
    return found


def counterpart_ranks(encoder: Path, natural: np.ndarray, derived: np.ndarray) -> np.ndarray:
    """Return the rank (n,), from 1, of each natural token's counterpart among the derived tokens by cosine."""
    from safetensors.numpy import load_file

    weights = load_file(encoder / "model.safetensors")
    (name,) = (key for key in weights if key.endswith("embeddings.word_embeddings.weight"))
    unit = weights[name] / np.linalg.norm(weights[name], axis=1, keepdims=True)
    vocabulary, counterparts = np.unique(derived, return_inverse=True)
    cosines = unit[natural] @ unit[vocabulary].T
    own = cosines[np.arange(len(natural)), counterparts]
    return 1 + (cosines > own[:, None]).sum(axis=1)


if __name__ == "__main__":
    run(main)
