"""Word alignment against peers: by an encoder's vectors `simalign`, by the text alone `eflomal` and `systran-align`.

    OMP_NUM_THREADS=1 python benchmarks/word_alignment.py --hidden 256 768 --layer 4
    python benchmarks/word_alignment.py --hidden 256 --layer 1 2 3 4 5 6 --source test.de --target test.en
    python benchmarks/word_alignment.py --gold MIRROR/word-alignments/alignment-test-sets.tar.gz
    python benchmarks/word_alignment.py --gold ARCHIVE --gold-pairs de-en --source bitext.de --target bitext.en

With --gold, aligners that learn from text align each gold set with three seeds, after its own text and the bitext of
--source and --target: error rate, processor time and memory of whole processes, with imports and symmetrisation. A
first run, not counted, compiles.

The encoder is an XLM-R of random weights, made here (6 layers, a word-piece vocabulary learnt from the text); the
sentences are bitext of the controlled world, or --source and --target. Both sides encode the two sentences of a pair
apart and link subwords by Itermax; for several layers (xlm_align, figure 2) the package runs once for each. How many
pairs have equal links is printed: rounding may order two similarities either way. optimal_transport is timed on the
same sentences with joint encoding, as published. `bfloat16` is the precision of the encoder in the last row.
"""

import argparse
import json
import resource
import tempfile
from pathlib import Path
from statistics import mean, stdev

from measure import Stopwatch, machine, named, parser, peak_mb, record, report, run_side

WARM_UP = 20
OURS = {  # aligner, precision of the encoder
    "itermax": ("simalign_itermax", "float32"),
    "transport": ("optimal_transport", "float32"),
    "itermax_bfloat16": ("simalign_itermax", "bfloat16"),
}
ON_TEXT = ("systran-align", "fast_align", "eflomal", "gibbs")
PEERS = {name: named(name) for name in ("systran-align", "eflomal")}
SEEDS = (1, 2, 3)


def main() -> None:
    """Run every side for every size of the encoder and compare."""
    args = options().parse_args()
    if args.side in ON_TEXT:
        align_text(args)
        return
    if args.gold:
        compare_on_gold(args)
        return
    if args.side:
        (theirs if args.side == "simalign" else ours)(args)
        return
    print(machine("torch", "transformers", "simalign"))
    with tempfile.TemporaryDirectory() as name:
        text = Path(name) / "text.json"
        text.write_text(json.dumps(sentences(args)))
        print(f"{args.pairs} pairs, layers {args.layer} of {args.layers}, {args.threads} threads")
        for hidden in args.hidden:
            folder = Path(name) / str(hidden)
            make_encoder(folder, json.loads(text.read_text()), hidden, args.layers)
            compare(text, folder, args)


def options() -> argparse.ArgumentParser:
    """Return the parser."""
    p = parser(__doc__)
    p.add_argument("--source", type=Path, help="tokenised text in place of the world's")
    p.add_argument("--target", type=Path)
    p.add_argument("--pairs", type=int, default=1000)
    p.add_argument("--hidden", type=int, nargs="+", default=[256, 768], help="width of the encoder")
    p.add_argument("--layers", type=int, default=6)
    p.add_argument("--layer", type=int, nargs="+", default=[4], help="layers to align by")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--gold", type=Path, help="archive of gold alignments: compare aligners on text")
    p.add_argument("--gold-pairs", nargs="+", default=["de-en", "en-fr", "ro-en", "en-hi"])
    p.add_argument("--seed", type=int, help="internal")
    p.add_argument("--side", choices=("simalign", *OURS, *ON_TEXT), help="internal")
    p.add_argument("--folder", type=Path, help="internal")
    p.add_argument("--text", type=Path, help="internal")
    return p


def sentences(args: argparse.Namespace) -> list[tuple[list[str], list[str]]]:
    """Return tokenised pairs."""
    if args.source:
        lines = [path.read_text().splitlines()[: args.pairs] for path in (args.source, args.target)]
    else:
        from crosslingua.corpora.world.bitext import bitext_blocks
        from crosslingua.corpora.world.realise import World
        from crosslingua.corpora.world.spec import load_languages

        world = World(load_languages("world.yaml"), 1)
        blocks = list(bitext_blocks(world, "ana", "ber", args.pairs))
        lines = ["".join(side).splitlines() for side in list(zip(*blocks, strict=True))[:2]]
    return [(one.split(), other.split()) for one, other in zip(*lines, strict=True)]


def make_encoder(folder: Path, pairs: list, hidden: int, layers: int) -> None:
    """Save an XLM-R of random weights with a vocabulary for the text."""
    import torch
    from tokenizers import BertWordPieceTokenizer
    from tokenizers.processors import BertProcessing
    from transformers import PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel

    tokeniser = BertWordPieceTokenizer(strip_accents=False, lowercase=False)
    tokeniser.train_from_iterator(
        [" ".join(side) for pair in pairs for side in pair], 3000, show_progress=False
    )
    ends = [(name, tokeniser.token_to_id(name)) for name in ("[SEP]", "[CLS]")]
    tokeniser._tokenizer.post_processor = BertProcessing(*ends)
    names = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "unk_token": "[UNK]"}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokeniser._tokenizer, model_max_length=512, **names)
    fast.save_pretrained(folder)
    torch.manual_seed(1)
    config = XLMRobertaConfig(
        vocab_size=len(fast), hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=hidden // 64,
        intermediate_size=4 * hidden, max_position_embeddings=514, type_vocab_size=1, initializer_range=0.05,
        pad_token_id=fast.pad_token_id,
    )  # fmt: skip
    XLMRobertaModel(config).save_pretrained(folder)


def ours(args: argparse.Namespace) -> None:
    """Time one of this suite's aligners."""
    from crosslingua.word_aligners.encoding import EncoderEmbedding
    from crosslingua.word_aligners.options import build

    name, dtype = OURS[args.side]
    pairs = json.loads(args.text.read_text())
    aligner = build(name, {}, EncoderEmbedding.load(str(args.folder), args.layer, dtype=dtype))
    list(aligner.align_layers(pairs[:WARM_UP]))
    watch = Stopwatch()
    links = list(aligner.align_layers(pairs))
    report(**watch.read(), links=[[sorted(layer) for layer in pair] for pair in links])


def theirs(args: argparse.Namespace) -> None:
    """Time the package."""
    from simalign import SentenceAligner

    pairs = json.loads(args.text.read_text())
    aligner = SentenceAligner(str(args.folder), token_type="bpe", matching_methods="i", layer=1)
    for pair in pairs[:WARM_UP]:
        aligner.get_word_aligns(*pair)
    watch = Stopwatch()
    links = []
    for layer in args.layer:
        aligner.embed_loader.layer = layer
        links.append([aligner.get_word_aligns(*pair)["itermax"] for pair in pairs])
    report(**watch.read(), links=list(zip(*links, strict=True)))


def compare(text: Path, folder: Path, args: argparse.Namespace) -> None:
    """Run all sides on one encoder and print their speed and how many pairs have the package's links."""
    arguments = ["--text", text, "--folder", folder, "--layer", *args.layer]
    base = run_side(__file__, "simalign", args.threads, arguments)
    print_row(f"hidden {folder.name:>4} {'simalign':16}", base, base)
    for side in OURS:
        result = run_side(__file__, side, args.threads, arguments)
        print_row(f"hidden {folder.name:>4} {side:16}", result, base)
        if side.startswith("itermax"):
            equal = sum(mine == other for mine, other in zip(result["links"], base["links"], strict=True))
            print(f"    links equal to the package's in {equal} of {len(base['links'])} pairs")
            is_same = equal > 0.995 * len(base["links"])
            size = f"{len(base['links']):,} pairs, width {folder.name}"
            check = f"links of {equal / len(base['links']):.1%} of the pairs"
            what = f"Itermax, {OURS[side][1]}"
            record(args.json, what, size, named("simalign"), result, base, is_same, check)
            assert side != "itermax" or is_same, "more than rounding can explain"


def compare_on_gold(args: argparse.Namespace) -> None:
    """Print error rates and times of the aligners on text."""
    from crosslingua.corpora.datasets.readers.gold_alignment_archive import read
    from crosslingua.word_aligners.scoring import score

    print(machine("numpy", "numba", "eflomal", "systran-align"))
    more = read_sides(args.source, args.target) if args.source else []
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.json"
        for pair in args.gold_pairs:
            sentences, gold = read(args.gold, pair)
            own = [(source.split(), target.split()) for source, target in sentences]
            found = {}
            for side in ON_TEXT:
                if "not installed" in PEERS.get(side, ""):
                    continue
                text.write_text(json.dumps([own[:9], []]))
                run_side(__file__, side, args.threads, ["--text", text, "--folder", folder, "--seed", 1])
                text.write_text(json.dumps([own, more]))
                runs = [
                    run_side(
                        __file__, side, args.threads, ["--text", text, "--folder", folder, "--seed", seed]
                    )
                    for seed in (SEEDS if side in ("eflomal", "gibbs") else SEEDS[:1])
                ]
                links = [[frozenset(map(tuple, one)) for one in run["links"]] for run in runs]
                errors = [score(gold, one, samples=0)["aer"] for one in links]
                spread = f" ± {stdev(errors):.2f}" if len(errors) > 1 else ""
                cpu, peak = mean(run["cpu"] for run in runs), max(run["peak_mb"] for run in runs)
                print(
                    f"{pair} + {len(more)} {side:13} AER {mean(errors):.2f}{spread}, {cpu:.2f} s CPU, "
                    f"{peak} MB", flush=True,
                )  # fmt: skip
                found[side] = {"cpu": cpu, "peak_mb": peak, "aer": mean(errors)}
            for side, peer in (("fast_align", "systran-align"), ("gibbs", "eflomal")):
                mine, other = found[side], found.get(peer)
                errors = [one["aer"] for one in (mine, other) if one]
                is_same = errors[0] < errors[1] + 3 if other else None
                record(
                    args.json, f"{side}, {pair}", f"{len(own) + len(more):,} pairs", PEERS[peer], mine, other, is_same,
                    f"error rates {', '.join(f'{error:.1f}' for error in errors)}",
                )  # fmt: skip


def read_sides(source: Path, target: Path) -> list[tuple[list[str], list[str]]]:
    """Return tokenised pairs that have words on both sides."""
    lines = zip(source.read_text().splitlines(), target.read_text().splitlines(), strict=True)
    return [(one.split(), other.split()) for one, other in lines if one.split() and other.split()]


def align_text(args: argparse.Namespace) -> None:
    """Align the text of --text, and report the time of this process and of what it started."""
    own, more = json.loads(args.text.read_text())
    links = {"eflomal": by_eflomal, "systran-align": by_systran}.get(args.side, by_ours)(own, more, args)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    report(
        cpu=sum(one.ru_utime + one.ru_stime for one in used),
        peak_mb=round(max(peak_mb(), used[1].ru_maxrss / 1024)), links=[sorted(one) for one in links],
    )  # fmt: skip


def by_ours(own: list, more: list, args: argparse.Namespace) -> list:
    """Return the links of this suite's aligner."""
    from crosslingua.word_aligners.options import build

    settings = {"seed": args.seed} if args.side == "gibbs" else {}
    return list(build(args.side, settings).align(own, more))


def by_eflomal(own: list, more: list, args: argparse.Namespace) -> list:
    """Return eflomal's links of both directions, symmetrised as ours; it takes its seed from the clock."""
    import numpy as np
    from eflomal import Aligner

    from crosslingua.word_aligners.cooccurrence import count_cooccurrence
    from crosslingua.word_aligners.symmetrisation import symmetrise

    files = [args.folder / name for name in ("source", "target", "forward", "backward")]
    for path, side in zip(files, zip(*own, *more, strict=True), strict=False):
        path.write_text("".join(" ".join(words) + "\n" for words in side))
    with files[0].open() as source, files[1].open() as target:
        Aligner().align(source, target, *map(str, files[2:]))
    text, found = count_cooccurrence(own), []
    for reverse, (side, path) in enumerate(zip((text.target, text.source), files[2:], strict=True)):
        position = np.full(len(side.words), -1, np.int32)
        for start, line in zip(side.bounds[:-1], path.read_text().splitlines(), strict=False):
            for link in line.split():
                ends = [int(end) for end in link.split("-")]
                position[start + ends[1 - reverse]] = ends[reverse]
        found.append(position)
    return list(symmetrise(text, *found))


def by_systran(own: list, more: list, args: argparse.Namespace) -> list:
    """Return the links of fast_align's program in this package, with `-d -o -v`."""
    import systran_align

    text, *tables = (str(args.folder / name) for name in ("both", "forward.bin", "backward.bin"))
    lines = (f"{' '.join(source)} ||| {' '.join(target)}\n" for source, target in [*own, *more])
    Path(text).write_text("".join(lines))
    systran_align.generate_alignment_probabilities(
        text, *tables, favor_diagonal=True, optimize_tension=True, variational_bayes=True
    )
    results = systran_align.Aligner(*tables).align_batch(*map(list, zip(*own, strict=True)))
    return [one["alignments"] for one in results]


def print_row(name: str, result: dict, base: dict) -> None:
    """Print the speed of a side."""
    number = len(base["links"])
    wall, cpu = (number / result[key] for key in ("seconds", "cpu"))
    faster, faster_cpu = (base[key] / result[key] for key in ("seconds", "cpu"))
    print(
        f"{name} {wall:7.1f} pairs/s, {cpu:7.1f} a CPU second: {faster:5.2f} x ({faster_cpu:5.2f} x in CPU time), "
        f"{result['peak_mb']} MB",
        flush=True,
    )


if __name__ == "__main__":
    main()
