"""Write word vectors of a published encoder, which reads each word alone.

    crosslingua embed-vocabulary --encoder FOLDER --counts de.tsv --language de --min-count 3 --out de.vec

Reads a Hugging Face folder and counts of words (crosslingua count-words). Writes fastText `.vec` text, most frequent
words first.
"""

from crosslingua.cli import count_number, device_option, parser, run, thread_number
from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.vocabulary import embed_vocabulary
from crosslingua.errors import InputError
from crosslingua.io.bitext import read_counts
from crosslingua.io.vectors import write_vectors


def main() -> None:
    """Parse, embed, write."""
    p = parser(__doc__)
    p.add_argument("--encoder", required=True, help="Hugging Face folder")
    p.add_argument("--counts", required=True, help="words with their counts")
    p.add_argument("--language", required=True, help="of the words")
    p.add_argument("--min-count", type=count_number, default=5, help="least occurrences of a word")
    p.add_argument("--max-vocabulary", type=count_number, default=200_000, help="most frequent words to keep")
    p.add_argument("--precision", choices=("fp32", "bf16"), default="fp32", help="of the encoder")
    p.add_argument("--threads", type=thread_number, default=1, help="of the processor")
    device_option(p, "the encoder")
    p.add_argument("--out", required=True, help="vectors to write")
    args = p.parse_args()

    from crosslingua.nn.half import in_half
    from crosslingua.nn.optimiser import device_of, use_threads

    counts = read_counts(args.counts)
    words = [word for word, count in counts.items() if count >= args.min_count][: args.max_vocabulary]
    if not words:
        raise InputError(args.counts, f"no word occurs {args.min_count} times", remedy="lower --min-count")
    use_threads(args.threads)
    device = device_of(args.device)
    encoder = Encoder.load(args.encoder).to(device).eval()
    if in_half(args.precision, device):
        encoder.halve()
    write_vectors(args.out, embed_vocabulary(encoder, words, args.language))


if __name__ == "__main__":
    run(main)
