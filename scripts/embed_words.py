"""Compute the features of a tagged file's words once, for every tagger and seed that reads them.

    crosslingua embed-words --embedder static_vectors --set vectors=en.vec --language en --task ner \\
        --data train.conll --out features/train.safetensors
    crosslingua embed-words --embedder encoder_layers --set encoder=FOLDER --language de --task ner \\
        --data test.conll --out features/test.safetensors

Reads a two-column file (ner, slots: BIO2; pos). Writes a safetensors file: a table of vectors in bf16 and the rows of
each word (src/crosslingua/embedders/features.py), which train-tagger maps into memory. Of a file that only a share
is trained on, --share embeds no more: it serves that share, and smaller ones.
"""

import logging
from dataclasses import replace
from functools import lru_cache

from crosslingua.cli import cells, device_option, parser, run, set_option, share_number, thread_number
from crosslingua.embedders import EMBEDDERS
from crosslingua.io.conll import read_conll
from crosslingua.tasks.batches import shared_rows
from crosslingua.tasks.kinds import KINDS

log = logging.getLogger(__name__)


def main() -> None:
    """Parse, then embed each file."""
    p = parser(__doc__, more=lambda: "\n\n".join(f"{name}\n{EMBEDDERS[name].__doc__}" for name in EMBEDDERS))
    p.add_argument("--embedder", required=True, help="a member of the registry: " + ", ".join(EMBEDDERS))
    set_option(p, "settings of the embedder")
    p.add_argument("--language", required=True, help="of the sentences")
    tagged = [name for name, kind in KINDS.items() if kind.tagged]
    p.add_argument("--task", choices=tagged, required=True, help="task of the file's labels")
    p.add_argument("--data", required=True, help="two-column file")
    p.add_argument(
        "--share", type=share_number, default=1.0, help="of the sentences, 0 to 1; 1 for a test set"
    )
    p.add_argument("--threads", type=thread_number, default=1, help="of the processor")
    device_option(p, "the encoder")
    p.add_argument("--out", required=True, help="file of features to write")
    calls = cells(p)
    made = [EMBEDDERS[args.embedder].of(args.set) for args in calls]  # a wrong setting is told before work

    from crosslingua.nn.optimiser import device_of, use_threads

    devices = [device_of(args.device) for args in calls]
    for args, embedder, device in zip(calls, made, devices, strict=True):
        use_threads(args.threads)
        sentences = _words(args.data, args.task, args.share)
        features = replace(embedder.embed(sentences, args.language, device), share=args.share)
        features.save(args.out)
        log.info("%s: %d sentences %s", args.out, len(features), dict(features.report))


@lru_cache(maxsize=1)
def _words(data: str, task: str, share: float) -> tuple[tuple[str, ...], ...]:
    """Return the words of a share of a file's sentences, read once for embedders that follow each other."""
    sentences = [sentence.tokens for sentence in read_conll(data, KINDS[task].scheme)]
    return tuple(sentences[i] for i in shared_rows(len(sentences), share))


if __name__ == "__main__":
    run(main)
