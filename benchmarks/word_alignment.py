"""Word alignment of encoders' vectors against the `simalign` package: same encoder, layers and sentences.

    OMP_NUM_THREADS=1 python benchmarks/word_alignment.py --hidden 256 768 --layer 4
    python benchmarks/word_alignment.py --hidden 256 --layer 1 2 3 4 5 6 --source test.de --target test.en

The encoder is an XLM-R of random weights, made here (6 layers, a word-piece vocabulary learnt from the text); the
sentences are bitext of the controlled world, or --source and --target. Both sides encode the two sentences of a pair
apart and link subwords by Itermax; for several layers (xlm_align, figure 2) the package runs once for each. How many
pairs have equal links is printed: rounding may order two similarities either way. optimal_transport is timed on the
same sentences with joint encoding, as published. `bfloat16` is the precision of the encoder in the last row.
"""

import argparse
import json
import tempfile
from pathlib import Path

from measure import Stopwatch, machine, report, run_side

WARM_UP = 20
OURS = {  # aligner, precision of the encoder
    "itermax": ("simalign_itermax", "float32"),
    "transport": ("optimal_transport", "float32"),
    "itermax_bfloat16": ("simalign_itermax", "bfloat16"),
}


def main() -> None:
    """Run every side for every size of the encoder and compare."""
    args = options().parse_args()
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
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--source", type=Path, help="tokenised text in place of the world's")
    p.add_argument("--target", type=Path)
    p.add_argument("--pairs", type=int, default=1000)
    p.add_argument("--hidden", type=int, nargs="+", default=[256, 768], help="width of the encoder")
    p.add_argument("--layers", type=int, default=6)
    p.add_argument("--layer", type=int, nargs="+", default=[4], help="layers to align by")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--side", choices=("simalign", *OURS), help="internal")
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
            assert side != "itermax" or equal > 0.995 * len(base["links"]), "more than rounding can explain"


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
