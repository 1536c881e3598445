"""Learn a byte-pair encoding from tokenised text, or take an encoder's pieces, and save a Hugging Face tokeniser.

    crosslingua train-tokenizer --text ana.txt ber.txt --vocabulary-size 8000 --out tokenizer
    crosslingua train-tokenizer --text en.txt --vocabulary-size 40000 --transliterate --seed 1 --out tokenizer
    crosslingua train-tokenizer --text en.txt --vocabulary-size 4000 --transliterate --encoder XLMR --out encoder

With --transliterate, the text has the natural language only. Tokens are copied into the derived script, which doubles
the vocabulary (align_mlm, appendix F). --seed, --script and --overlap must equal derive-language's.

With --encoder, nothing is learnt: OUT is that encoder with the pieces that the text uses most and their copies.

Reads:   TEXT (a sentence a line, words separated by spaces); ENCODER, a Hugging Face folder
Writes:  OUT, a folder that AutoTokenizer loads; with --transliterate also OUT/token_pairs.tsv (token<TAB>its copy)
"""

import argparse
import logging

from crosslingua.cli import cells, count_number, parser, run, seed_number, share_number
from crosslingua.corpora.derived.transliteration import SCRIPTS, Transliteration
from crosslingua.encoders.copied import copy_pieces
from crosslingua.encoders.tokenizer_training import (
    copied,
    count_words,
    make_tokenizer,
    pairs_in_use,
    save_tokenizer,
    train_bpe,
)
from crosslingua.io.atomic import check_output_folder
from crosslingua.io.tokenizer_files import TOKENIZER_FILES


def main() -> None:
    """Parse, train, copy, save."""
    p = parser(__doc__)
    p.add_argument("--text", nargs="+", required=True, help="compressed files too")
    p.add_argument(
        "--vocabulary-size",
        type=count_number,
        required=True,
        help="pieces with special tokens, before copying; of an encoder, the most frequent ones",
    )
    p.add_argument("--encoder", help="folder of an encoder with a Unigram tokeniser, whose pieces are copied")
    p.add_argument("--lowercase", action="store_true", help="read every word in lower case, as LASER does")
    p.add_argument("--transliterate", action="store_true", help="copy the vocabulary into a derived script")
    p.add_argument("--seed", type=seed_number, default=1, help="of the derived language")
    p.add_argument("--script", choices=list(SCRIPTS), default="hangul", help="of the derived words")
    p.add_argument(
        "--overlap", type=share_number, default=0.0, help="share of the vocabulary that is kept, 0 to 1"
    )
    p.add_argument("--out", required=True)
    for args in cells(p):
        if args.encoder and (args.lowercase or not args.transliterate):
            p.error(
                "--encoder is for --transliterate and cased text; prune-encoder writes an encoder without copies"
            )
        if args.encoder:
            transliteration = Transliteration(args.seed, args.script, args.overlap)
            copy_pieces(args.encoder, count_words(args.text), transliteration, args.vocabulary_size, args.out)
        else:
            train(args)


def train(args: argparse.Namespace) -> None:
    """Train a tokeniser, copy its vocabulary where it is asked to, save both."""
    check_output_folder(args.out, TOKENIZER_FILES)
    counts = count_words(args.text, args.lowercase)
    bpe, pairs = train_bpe(counts, args.vocabulary_size), None
    if args.transliterate:
        transliteration = Transliteration(args.seed, args.script, args.overlap)
        bpe, pairs = copied(bpe, transliteration)
    tokenizer = make_tokenizer(bpe["vocab"], bpe["merges"], args.lowercase)
    if pairs and args.overlap:
        pairs = pairs_in_use(pairs, counts, tokenizer, transliteration)
    save_tokenizer(args.out, tokenizer, pairs)
    logging.info("%s: %d pieces, %s pairs", args.out, len(bpe["vocab"]), len(pairs) if pairs else "no")


if __name__ == "__main__":
    run(main)
