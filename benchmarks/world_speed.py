"""How fast the controlled world is told: sentences (pairs, questions) a second on one core, for every kind.

    OMP_NUM_THREADS=1 python benchmarks/world_speed.py --language ana --sentences 50000

Set-up (reading world.yaml, building lexicons and tables) is timed apart: it is paid once a process. Prints a
Markdown table and the peak memory; nothing is written to disk.
"""

import resource
import time
from collections.abc import Iterable

from crosslingua.cli import parser, run
from crosslingua.corpora.world.bitext import bitext_blocks
from crosslingua.corpora.world.dependencies import ner_blocks, treebank_blocks
from crosslingua.corpora.world.nli import nli_blocks
from crosslingua.corpora.world.paraphrase import paraphrase_blocks
from crosslingua.corpora.world.realise import World
from crosslingua.corpora.world.slots import qa_blocks, slot_blocks
from crosslingua.corpora.world.spec import load_languages
from crosslingua.corpora.world.text import text_blocks


def seconds(blocks: Iterable[object]) -> float:
    """Return the processor time that it takes to use the blocks up: other programs do not count."""
    start = time.process_time()
    for _ in blocks:
        pass
    return time.process_time() - start


def main() -> None:
    """Time every kind of data."""
    p = parser(__doc__)
    p.add_argument("--languages", default="world.yaml", help="YAML file of the languages")
    p.add_argument("--language", default="ana", help="language to time")
    p.add_argument("--other", default="dax", help="second language of the bitext")
    p.add_argument("--sentences", type=int, default=50_000, help="sentences, pairs or questions of each kind")
    args = p.parse_args()
    start = time.process_time()
    world, code, n = World(load_languages(args.languages), 1), args.language, args.sentences
    for each in (code, args.other):
        list(text_blocks(world, each, 1))
    print(f"set-up of two languages: {time.process_time() - start:.2f} s\n\n| kind | per second |\n|---|---|")
    kinds = {
        "text": lambda: text_blocks(world, code, n),
        "bitext with links": lambda: bitext_blocks(world, code, args.other, n),
        "ner": lambda: ner_blocks(world, code, "train", n),
        "pos and trees": lambda: treebank_blocks(world, code, "train", n),
        "slots and intents": lambda: slot_blocks(world, code, "train", n),
        "nli": lambda: nli_blocks(world, code, "train", n),
        "paraphrase": lambda: paraphrase_blocks(world, code, "train", n),
        "qa (7 sentences each)": lambda: qa_blocks(world, code, "train", n),
    }
    for name, blocks in kinds.items():
        print(f"| {name} | {n / seconds(blocks()):,.0f} |", flush=True)
    print(f"\npeak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    run(main)
