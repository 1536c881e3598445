"""Speed: fine-tuning against the Hugging Face Trainer with rows padded to one length, as whole processes.

    python benchmarks/fine_tuning.py --tasks ner nli --threads 2

Both sides get the same encoder (random weights, RoBERTa's architecture) and files of the controlled world, the same
batch size, epochs, rate, warm-up, dropout and clipping; both are scored on validation data after each epoch, keep the
best weights and predict the test file. Ours is scripts/finetune.py; the peer does what Hugging Face's examples of token
and sequence classification do, with `padding="max_length"`. Time is that of the whole process, imports and tokenising
included: what somebody waits for. Asserted: both learn alike, by the loss of the last epoch.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import machine

ROOT = Path(__file__).resolve().parent.parent
CLASSES = {"nli": ("entailment", "neutral", "contradiction")}


def make(folder: Path, args: argparse.Namespace) -> None:
    """Write the tasks' data and a RoBERTa with random weights that spells its words."""
    from transformers import RobertaConfig, RobertaModel

    from crosslingua.encoders.tokenizer_training import count_words, make_tokenizer, save_tokenizer, train_bpe

    sizes = [args.examples, args.examples // 8, args.examples // 4]
    for task in args.tasks:
        out = [folder / f"{task}.{split}" for split in ("train", "valid", "test")]
        command = [
            sys.executable,
            ROOT / "scripts" / "generate_world.py",
            task,
            "--language",
            "ana",
            "--languages",
        ]
        command += [
            ROOT / "world.yaml",
            "--split",
            "train",
            "valid",
            "test",
            "--sentences",
            *sizes,
            "--out",
            *out,
        ]
        subprocess.run([*map(str, command)], check=True, stderr=subprocess.DEVNULL)
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
    settings = [f"epochs={args.epochs}", f"batch_size={args.batch_size}", f"learning_rate={args.rate}"]
    command = [sys.executable, ROOT / "scripts" / "finetune.py", "--encoder", folder / "encoder", *files]
    command += ["--set", *settings, f"max_length={args.max_length}", "--seed", "1", "--threads", args.threads]
    return [*map(str, command), "--out", str(folder / "ours")]


def peer(folder: Path, args: argparse.Namespace) -> None:
    """Fine-tune with the Trainer, score each epoch, keep the best, predict the test file; print the last loss."""
    import numpy as np
    import torch
    from transformers import (
        AutoModelForSequenceClassification,
        AutoModelForTokenClassification,
        Trainer,
        TrainingArguments,
    )

    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    task, (tokenizer, splits, labels) = args.tasks[0], encoded(folder, args)
    model_class = AutoModelForSequenceClassification if task in CLASSES else AutoModelForTokenClassification
    steps = -(-len(splits["train"]) // args.batch_size) * args.epochs
    options = TrainingArguments(
        output_dir=str(folder / "peer"), num_train_epochs=args.epochs, per_device_train_batch_size=args.batch_size,
        per_device_eval_batch_size=64, learning_rate=args.rate, warmup_steps=round(0.1 * steps), weight_decay=0.0,
        max_grad_norm=1.0, use_cpu=True, eval_strategy="epoch", save_strategy="epoch", load_best_model_at_end=True,
        metric_for_best_model="accuracy", save_total_limit=1, logging_strategy="epoch", report_to=[],
        disable_tqdm=True, seed=1,
    )  # fmt: skip

    def accuracy(told: Any) -> dict[str, float]:
        found, wanted = np.asarray(told.predictions).argmax(-1), np.asarray(told.label_ids)
        return {"accuracy": float((found == wanted)[wanted != -100].mean())}

    trainer = Trainer(
        model_class.from_pretrained(folder / "encoder", num_labels=len(labels)), options, compute_metrics=accuracy,
        train_dataset=splits["train"], eval_dataset=splits["valid"], processing_class=tokenizer,
    )  # fmt: skip
    trainer.train()
    found = trainer.predict(splits["test"]).predictions.argmax(-1)
    np.savetxt(folder / "peer.txt", found.reshape(len(found), -1), fmt="%d")
    losses = [float(entry["loss"]) for entry in trainer.state.log_history if "loss" in entry]
    print(json.dumps({"loss": losses[-1]}))


def encoded(folder: Path, args: argparse.Namespace) -> tuple[Any, dict[str, list[dict[str, Any]]], list[str]]:
    """Return the tokenizer, the rows of each split, padded to one length, and the labels."""
    from transformers import AutoTokenizer

    task, tokenizer = args.tasks[0], AutoTokenizer.from_pretrained(folder / "encoder")
    padding = {"padding": "max_length", "truncation": True, "max_length": args.max_length}
    read = {split: (folder / f"{task}.{split}").read_text() for split in ("train", "valid", "test")}
    if task in CLASSES:
        labels = list(CLASSES[task])
        return tokenizer, {k: pair_rows(text, tokenizer, labels, padding) for k, text in read.items()}, labels
    tagged = {split: tagged_sentences(text) for split, text in read.items()}
    labels = sorted({tag for _, tags in tagged["train"] for tag in tags})
    rows = {
        split: [tag_row(*one, tokenizer, labels, padding) for one in found] for split, found in tagged.items()
    }
    return tokenizer, rows, labels


def pair_rows(text: str, tokenizer: Any, labels: list[str], padding: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a file of sentence pairs."""
    lines = [line.split("\t") for line in text.splitlines()[1:]]
    told = tokenizer([line[0] for line in lines], [line[1] for line in lines], **padding)
    return [
        {"input_ids": ids, "attention_mask": mask, "labels": labels.index(line[2])}
        for ids, mask, line in zip(told["input_ids"], told["attention_mask"], lines, strict=True)
    ]


def tagged_sentences(text: str) -> list[tuple[list[str], list[str]]]:
    """Return the words and the tags of each sentence of a two-column file."""
    sentences = [
        [line.split("\t") for line in block.splitlines() if not line.startswith("# ")]
        for block in text.strip().split("\n\n")
    ]
    return [([word for word, _ in one], [tag for _, tag in one]) for one in sentences]


def tag_row(
    words: list[str], tags: list[str], tokenizer: Any, labels: list[str], padding: dict[str, Any]
) -> dict:
    """Return the row of a sentence, each word's label at its first piece."""
    told = tokenizer(words, is_split_into_words=True, **padding)
    owners = told.word_ids()
    first = [
        owner is not None and owner != before for owner, before in zip(owners, [None, *owners], strict=False)
    ]
    gold = [
        labels.index(tags[o]) if is_first and tags[o] in labels else -100
        for o, is_first in zip(owners, first, strict=True)
    ]
    return {"input_ids": told["input_ids"], "attention_mask": told["attention_mask"], "labels": gold}


def timed(command: list[str], threads: int) -> tuple[dict[str, float], str]:
    """Run a command; return its wall and processor seconds, start to end, and what it printed."""
    numbers = {key: str(threads) for key in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}
    numbers["TOKENIZERS_PARALLELISM"] = "false"
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env=os.environ | numbers, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(done.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": wall, "cpu": cpu}, done.stdout


def compare(folder: Path, args: argparse.Namespace, task: str) -> None:
    """Run both sides of a task `repeats` times, by turns, and print the fastest of each."""
    found: dict[str, list[dict[str, float]]] = {"ours": [], "peer": []}
    losses = {}
    numbers = (
        "examples",
        "layers",
        "hidden",
        "heads",
        "max_length",
        "batch_size",
        "epochs",
        "rate",
        "threads",
    )
    options = [text for name in numbers for text in (f"--{name.replace('_', '-')}", str(getattr(args, name)))]
    for _ in range(args.repeats):
        times, _ = timed(ours(folder, args, task), args.threads)
        found["ours"].append(times)
        told = json.loads((folder / "ours" / task / "ana" / "training.json").read_text())
        losses["ours"] = told["epochs"][-1]["loss"]
        command = [
            sys.executable,
            __file__,
            "--side",
            "peer",
            "--folder",
            str(folder),
            "--tasks",
            task,
            *options,
        ]
        times, printed = timed(command, args.threads)
        found["peer"].append(times)
        losses["peer"] = json.loads(printed.splitlines()[-1])["loss"]
    best = {side: {key: min(one[key] for one in runs) for key in runs[0]} for side, runs in found.items()}
    pieces = told["train"]["pieces"] / args.examples
    print(f"{task}: {args.examples} examples of {pieces:.1f} pieces, {args.epochs} epochs")
    for side, times in best.items():
        rate = args.examples * args.epochs / times["cpu"]
        print(
            f"  {side}: {times['seconds']:.1f} s, {times['cpu']:.1f} s of processor time, {rate:.0f} examples a "
            f"processor second; loss of the last epoch {losses[side]:.3f}"
        )
    gains = [best["peer"][key] / best["ours"][key] for key in ("seconds", "cpu")]
    print(f"  {gains[0]:.2f} x as fast, {gains[1]:.2f} x in processor time", flush=True)
    assert abs(losses["ours"] - losses["peer"]) < 0.25 * max(losses.values()) + 0.05, (
        "they do not learn alike"
    )


def main() -> None:
    """Run the benchmark or its other side."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", nargs="+", default=["ner", "nli"])
    parser.add_argument("--examples", type=int, default=2000, help="of training")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--max-length", type=int, default=128, help="pieces; the peer pads every row to it")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--vocabulary-size", type=int, default=3000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--side", choices=("peer",), help="internal")
    parser.add_argument("--folder", type=Path, help="internal")
    args = parser.parse_args()
    if args.side:
        peer(args.folder, args)
        return
    print(machine("torch", "transformers", "tokenizers"))
    print(f"{args.layers} layers of {args.hidden}, batches of {args.batch_size}, {args.threads} threads")
    with tempfile.TemporaryDirectory() as name:
        make(Path(name), args)
        for task in args.tasks:
            compare(Path(name), args, task)


if __name__ == "__main__":
    main()
