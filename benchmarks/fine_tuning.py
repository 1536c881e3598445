"""Speed: fine-tuning against the Hugging Face Trainer, as whole processes.

    python benchmarks/fine_tuning.py --tasks ner nli qa --threads 2

Both sides get the same encoder (random weights, RoBERTa's architecture) and files of the controlled world, the same
batch size, epochs, rate, warm-up, dropout and clipping; both are scored on validation data after each epoch, keep the
best weights and predict the test file. Ours is scripts/finetune.py, the peer trainer.py, which pads its rows to one
length and to the longest of each batch, in turn: both numbers are printed. Time is that of the whole
process, imports and tokenising included: what somebody waits for. Asserted: both learn alike, by the loss of the last
epoch.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from measure import ROOT, machine, named, parser, record, run_script, timed

LONG = {"qa": ["--variant", "long"]}  # the longer passages


def make(folder: Path, args: argparse.Namespace) -> None:
    """Write the tasks' data and a RoBERTa with random weights that spells its words."""
    from transformers import RobertaConfig, RobertaModel

    from crosslingua.encoders.tokenizer_training import count_words, make_tokenizer, save_tokenizer, train_bpe

    sizes = [args.examples, args.examples // 8, args.examples // 4]
    for task in args.tasks:
        out = [folder / f"{task}.{split}" for split in ("train", "valid", "test")]
        run_script(
            "generate_world.py", task, "--language", "ana", "--languages", ROOT / "world.yaml",
            "--split", "train", "valid", "test", "--sentences", *sizes, "--out", *out, *LONG.get(task, []),
        )  # fmt: skip
    bpe = train_bpe(count_words([folder / f"{task}.train" for task in args.tasks]), args.vocabulary_size)
    save_tokenizer(folder / "encoder", make_tokenizer(bpe["vocab"], bpe["merges"]))
    RobertaModel(
        RobertaConfig(
            vocab_size=len(bpe["vocab"]), hidden_size=args.hidden, num_hidden_layers=args.layers, pad_token_id=1,
            num_attention_heads=args.heads, intermediate_size=4 * args.hidden, type_vocab_size=1,
            max_position_embeddings=args.max_length + 2,
        )
    ).save_pretrained(folder / "encoder")  # fmt: skip


def ours(folder: Path, args: argparse.Namespace, task: str) -> list[str]:
    """Return the command of our side."""
    files = [
        word
        for split in ("train", "valid", "test")
        for word in (f"--{split}", f"{task}/ana={folder}/{task}.{split}")
    ]
    settings = [f"epochs={args.epochs}", f"batch_size={args.batch_size}", f"lr={args.rate}"]
    command = [sys.executable, ROOT / "scripts" / "finetune.py", "--encoder", folder / "encoder", *files]
    command += ["--set", *settings, f"max_length={args.max_length}", "--seed", "1", "--threads", args.threads]
    return [*map(str, command), "--out", str(folder / "ours")]


WORDS = {"max_length": "one length", "longest": "the longest row"}  # the peer's rows are padded
PADDINGS = tuple(WORDS)


def peer(folder: Path, args: argparse.Namespace, task: str, padding: str) -> list[str]:
    """Return the command of the other side."""
    command = [sys.executable, ROOT / "benchmarks" / "trainer.py", "--folder", folder, "--task", task]
    command += ["--padding", padding]
    for name in ("max_length", "batch_size", "epochs", "rate", "threads"):
        command += [f"--{name.replace('_', '-')}", getattr(args, name)]
    return [*map(str, command)]


def compare(folder: Path, args: argparse.Namespace, task: str) -> None:
    """Run both sides of a task `repeats` times, by turns, and print the fastest of each."""
    found: dict[str, list[dict[str, float]]] = {side: [] for side in ("ours", *PADDINGS)}
    losses = {}
    for _ in range(args.repeats):
        times, _ = timed(ours(folder, args, task), args.threads)
        found["ours"].append(times)
        told = json.loads((folder / "ours" / task / "ana" / "training.json").read_text())
        losses["ours"] = told["epochs"][-1]["loss"]
        for padding in PADDINGS:
            times, printed = timed(peer(folder, args, task, padding), args.threads)
            found[padding].append(times)
            losses[padding] = json.loads(printed.splitlines()[-1])["loss"]
    best = {side: {key: min(one[key] for one in runs) for key in runs[0]} for side, runs in found.items()}
    pieces = told["train"]["pieces"] / args.examples
    print(f"{task}: {args.examples} examples of {pieces:.1f} pieces, {args.epochs} epochs")
    for side, times in best.items():
        rate = args.examples * args.epochs / times["cpu"]
        name = side if side == "ours" else f"Trainer, rows padded to {side}"
        print(
            f"  {name}: {times['seconds']:.1f} s, {times['cpu']:.1f} s of processor time, {rate:.0f} examples a "
            f"processor second; loss of the last epoch {losses[side]:.3f}"
        )
    for padding in PADDINGS:
        gains = [best[padding][key] / best["ours"][key] for key in ("seconds", "cpu")]
        print(f"  {padding}: {gains[0]:.2f} x as fast, {gains[1]:.2f} x in processor time", flush=True)
        is_alike = abs(losses["ours"] - losses[padding]) < 0.25 * max(losses.values()) + 0.05
        record(
            args.json, f"fine-tuning, {task}, whole process", f"{args.examples:,} examples, {args.epochs} epochs",
            f"`Trainer`, padded to {WORDS[padding]}, {named('transformers')}", best["ours"], best[padding], is_alike,
            "losses within a quarter",
        )  # fmt: skip
        assert is_alike, "they do not learn alike"


def main() -> None:
    """Run the benchmark."""
    p = parser(__doc__)
    p.add_argument("--tasks", nargs="+", default=["ner", "nli", "qa"])
    p.add_argument("--examples", type=int, default=2000, help="of training")
    p.add_argument("--layers", type=int, default=2)
    p.add_argument("--hidden", type=int, default=128)
    p.add_argument("--heads", type=int, default=4)
    p.add_argument(
        "--max-length", type=int, default=128, help="pieces; the peer pads every row to it, or to its batch"
    )
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--rate", type=float, default=1e-3)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--vocabulary-size", type=int, default=3000)
    p.add_argument("--repeats", type=int, default=3)
    args = p.parse_args()
    print(machine("torch", "transformers", "tokenizers"))
    print(f"{args.layers} layers of {args.hidden}, batches of {args.batch_size}, {args.threads} threads")
    with tempfile.TemporaryDirectory() as name:
        make(Path(name), args)
        for task in args.tasks:
            compare(Path(name), args, task)


if __name__ == "__main__":
    main()
