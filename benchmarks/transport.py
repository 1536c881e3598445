"""Under which condition does optimal transport align words as well as SimAlign? AER by mu, the weight of entropy.

    OMP_NUM_THREADS=1 python benchmarks/transport.py --results results/full --layer 2

Reads the encoders and gold alignments that `snakemake aer --configfile scales/full.yaml` leaves in --results. Transport
is run on both sentences encoded as one text (as xlm_align, section 3.1, has it) and each by itself (as SimAlign does),
its links read off by two rounds of filtering (table 11) or once (the mutual best, as the authors' released aligner
does). Sentence pairs 0, 2, 4, ... of each gold alignment are for choosing mu; what is printed is of the others, in the
mean of the language pairs: AER, and AER less that of SimAlign with its 95% interval over encoders' seeds and sentence
pairs, of the mu that is best on the first half; then also by language pair, and by whether the gold links of a sentence
pair are one to one, as a plan whose rows and columns sum to 1 has them.
"""

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from crosslingua.cli import parser, run
from crosslingua.evidence.influence import of_ratio
from crosslingua.io.bitext import read_bitext
from crosslingua.io.pharaoh import Links
from crosslingua.statistics.interval import Crossed, mean_spread
from crosslingua.word_aligners.aligner import VectorAligner
from crosslingua.word_aligners.encoding import EncoderEmbedding, Pair, UnitPair
from crosslingua.word_aligners.optimal_transport import OptimalTransport
from crosslingua.word_aligners.scoring import count_links, rates, read_alignment
from crosslingua.word_aligners.simalign import SimAlignArgmax, SimAlignItermax

SIMALIGN = {"simalign_argmax": SimAlignArgmax, "simalign_itermax": SimAlignItermax}
READ = {
    "one text, filtered twice": {"joint_encoding": True, "filter_iterations": 2},
    "apart, filtered twice": {"joint_encoding": False, "filter_iterations": 2},
    "apart, mutual best": {"joint_encoding": False, "filter_iterations": 1},
}
CHOOSE, TEST = slice(0, None, 2), slice(1, None, 2)
Gold = tuple[list[Pair], list[Links]]
Counts = dict[str, np.ndarray]  # aligner: counts of links (sentence pairs, 4)
Found = dict[tuple[str, int], Counts]  # by language pair and seed


def main() -> None:
    """Align with each encoder, then print its two tables."""
    args = options().parse_args()
    logging.disable(logging.WARNING)
    gold = {pair: read_gold(args.results, pair) for pair in args.pairs}
    for encoder in args.encoders:
        found: Found = {
            (pair, seed): counted(
                f"{args.results}/encoders/{encoder}/seed{seed}", args.layer, pair, gold[pair], args.mu
            )
            for seed in args.seeds
            for pair in args.pairs
        }
        print(f"\n{encoder}, layer {args.layer}, {len(args.seeds)} seeds\n")
        print("\n".join(curve(found, args.mu)), "", *contrasts(found, gold, args), sep="\n", flush=True)


def options():
    """Return the parser."""
    p = parser(__doc__)
    p.add_argument("--results", type=Path, required=True, help="results/<scale> of a finished run")
    p.add_argument(
        "--encoders", nargs="+", default=["xlmr_4_layers", "xlm_align_4_layers"], help="in its encoders/"
    )
    p.add_argument("--pairs", nargs="+", default=["ana-ber", "ana-cor", "ana-dax"], help="gold alignments")
    p.add_argument("--seeds", type=int, nargs="+", default=[*range(1, 11)], help="trainings of the encoders")
    p.add_argument("--layer", type=int, default=2, help="0: the embeddings")
    mus = [1, 0.5, 0.2, 0.1, 0.05]
    p.add_argument("--mu", type=float, nargs="+", default=mus, help="weights of entropy; published: 1")
    return p


def read_gold(results: Path, pair: str) -> Gold:
    """Return the sentence pairs of a gold alignment as words, and their links."""
    folder = results / "corpora/gold_alignment"
    sides = (folder / f"{pair}.{language}.txt" for language in pair.split("-"))
    text = [tuple(side.split() for side in lines) for lines in read_bitext(*sides)]
    return text, read_alignment(folder / f"{pair}.links")


class Remembered:
    """An encoder that divides and encodes the same text once, however many aligners ask."""

    def __init__(self, embed: EncoderEmbedding):
        self._embed = embed
        self._units: dict[tuple, UnitPair] = {}
        self._vectors: dict[tuple, list] = {}

    def units(self, pair: Pair) -> UnitPair:
        """Divide the words of a pair into subwords."""
        key = tuple(map(tuple, pair))
        if key not in self._units:
            self._units[key] = self._embed.units(pair)
        return self._units[key]

    def vectors(self, pairs: Sequence[UnitPair], joint: bool) -> list:
        """Encode pairs; see `UnitEmbedding`."""
        key = (joint, *(tuple(side.ids) for pair in pairs for side in pair))
        if key not in self._vectors:
            self._vectors[key] = self._embed.vectors(pairs, joint)
        return self._vectors[key]


def counted(encoder: str, layer: int, pair: str, gold: Gold, mus: Sequence[float]) -> Counts:
    """Return the counts of links (sentence pairs, 4) of each aligner on an encoder's layer."""
    embed = Remembered(EncoderEmbedding.load(encoder, [layer], languages=pair.split("-")))
    aligners: dict[str, VectorAligner] = {name: kind(embed) for name, kind in SIMALIGN.items()}
    for name, settings in READ.items():
        for mu in mus:
            aligners[f"{name}, {mu:g}"] = OptimalTransport(embed, mu=mu, **settings)
    return {name: count_links(gold[1], one.align(gold[0])) for name, one in aligners.items()}


def error(found: Found, name: str, half: slice) -> np.ndarray:
    """Return the AER (language pairs x seeds) of one half of the gold pairs."""
    return np.array([rates(counts[name][half].sum(axis=0))["aer"] for counts in found.values()])


def curve(found: Found, mus: Sequence[float]) -> Iterable[str]:
    """Yield the table of AER by mu, of the half that chooses nothing."""
    yield f"| AER | {' | '.join(f'{mu:g}' for mu in mus)} |"
    yield "|---" * (len(mus) + 1) + "|"
    for name in READ:
        cells = (f"{error(found, f'{name}, {mu:g}', TEST).mean():.1f}" for mu in mus)
        yield f"| {name} | {' | '.join(cells)} |"
    for name in SIMALIGN:
        yield f"| {name} | {error(found, name, TEST).mean():.1f}" + " |" * len(mus)


def contrasts(found: Found, gold: dict[str, Gold], args) -> Iterable[str]:
    """Yield, for each way of reading, the mu chosen and the differences from SimAlign on the other half."""
    yield "| | mu chosen | " + " | ".join(f"less {name}" for name in SIMALIGN) + " |"
    yield "|---" * (len(SIMALIGN) + 2) + "|"
    everything = {pair: np.arange(len(text))[TEST] for pair, (text, _) in gold.items()}
    for name in READ:
        chosen = min(args.mu, key=lambda mu: error(found, f"{name}, {mu:g}", CHOOSE).mean())
        best = f"{name}, {chosen:g}"
        cells = [difference(found, best, over, everything, args.seeds) for over in SIMALIGN]
        yield f"| {name} | {chosen:g} | {' | '.join(cells)} |"
    for part, places in parts(gold).items():  # of the last way of reading
        cells = [difference(found, best, over, places, args.seeds) for over in SIMALIGN]
        yield f"| {best}: {part} | | {' | '.join(cells)} |"


def parts(gold: dict[str, Gold]) -> dict[str, dict[str, np.ndarray]]:
    """Return the sentence pairs of the tested half by language pair, and of each those that are one to one or not."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for pair, (text, links) in gold.items():
        places = np.arange(len(text))[TEST]
        single = np.array([one_to_one(one) for one in links])[TEST]
        kinds = {pair: places, f"{pair}, one to one": places[single], f"{pair}, not": places[~single]}
        found |= {name: {pair: chosen} for name, chosen in kinds.items() if len(chosen) > 1}
    return found


def one_to_one(links: Links) -> bool:
    """Whether no word of a sentence pair has two links, sure or possible."""
    sides = zip(*links.possible, strict=True)
    return all(len(set(side)) == len(side) for side in sides)


def difference(
    found: Found, name: str, over: str, places: dict[str, np.ndarray], seeds: Sequence[int]
) -> str:
    """Return the mean difference in AER on the sentence pairs at `places`, with its interval."""
    grids = []
    for pair, chosen in places.items():
        values = [
            items(found[pair, seed][name][chosen]) - items(found[pair, seed][over][chosen]) for seed in seeds
        ]
        grids.append(Crossed([(pair, number) for number in chosen], np.array(values)))
    interval = mean_spread(grids).interval()
    return f"{interval.effect:+.1f} [{interval.low:.1f}, {interval.high:.1f}]"


def items(counts: np.ndarray) -> np.ndarray:
    """Return influence values of AER, whose mean it is, from counts (sentence pairs, 4)."""
    chosen, sure, chosen_sure, chosen_possible = counts.astype(np.float64).T
    return 100 * (1 - of_ratio(chosen_sure + chosen_possible, chosen + sure))


if __name__ == "__main__":
    run(main)
