"""Tokens a second of pre-training: this suite against the Hugging Face `Trainer`, and what DWA adds to TLM.

    python benchmarks/pretraining.py --layers 2 --hidden 128 --threads 1

MLM: both sides get the same rows of the controlled world's text (packed, nothing to pad but the odd token), the same
model, batch size, dropout and optimiser, and draw their masks as they train; the peer uses RobertaForMaskedLM and
DataCollatorForLanguageModeling. Reading and encoding text is not timed. Asserted: final losses
within 0.3. DWA: the same sentence pairs with TLM, and with TLM and DWA.
"""

import argparse
import tempfile
from pathlib import Path

from measure import ROOT, Stopwatch, machine, named, parser, record, report, run_script, run_side


def make(folder: Path, args: argparse.Namespace) -> None:
    """Write bitext of the controlled world and the tokeniser of both languages."""
    from crosslingua.encoders.tokenizer_training import count_words, make_tokenizer, save_tokenizer, train_bpe

    files = [folder / "ana", folder / "ber"]
    run_script(
        "generate_world.py", "bitext", "--languages", ROOT / "world.yaml", "--source", "ana", "--target", "ber",
        "--sentences", args.sentences, "--out-source", files[0], "--out-target", files[1], "--out-links",
        folder / "links",
    )  # fmt: skip
    bpe = train_bpe(count_words(files), args.vocabulary_size)
    save_tokenizer(folder / "tokenizer", make_tokenizer(bpe["vocab"], bpe["merges"]))


def run_of(folder: Path, args: argparse.Namespace, objectives: list[str]):
    """Return the pre-training of our side."""
    from crosslingua.encoders.pretraining import Pretraining
    from crosslingua.encoders.settings import from_mapping

    settings = from_mapping({
        "layers": args.layers, "hidden": args.hidden, "heads": args.heads, "max_positions": args.max_length,
        "max_length": args.max_length, "batch_size": args.rows, "steps": args.steps, "warmup": 10, "lr": 1e-3,
        "dropout": args.dropout, "precision": args.precision, "parallel": "summed", "language_ids": "false",
        "pack": objectives == ["mlm"], "device": "cpu", "checkpoint_every": 10**9, "log_every": 5,
    })  # fmt: skip
    files = {name: str(folder / name) for name in ("ana", "ber")}
    pairs = {"ana-ber": (files["ana"], files["ber"])}
    read = pairs if "tlm" in objectives else {}
    return Pretraining(objectives, settings, folder / "tokenizer", files, folder / "out", read)


def ours(folder: Path, args: argparse.Namespace) -> None:
    """Time the objectives of `--objectives` in this suite."""
    import torch

    from crosslingua.encoders.pretraining import prepare
    from crosslingua.encoders.trainer import processes

    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    with processes("cpu") as group:
        trainer, _, _ = prepare(run_of(folder, args, args.objectives), group)
        watch = Stopwatch()
        trainer.train()
        times = watch.read()
    report(**times, tokens=trainer.tokens, losses=trainer.curve["loss"])


def peer(folder: Path, args: argparse.Namespace) -> None:
    """Time the Hugging Face Trainer on the rows that our side packs."""
    import torch
    from transformers import (
        AutoTokenizer,
        DataCollatorForLanguageModeling,
        RobertaConfig,
        RobertaForMaskedLM,
        Trainer,
        TrainingArguments,
    )

    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    tokenizer = AutoTokenizer.from_pretrained(folder / "tokenizer")
    config = RobertaConfig(
        vocab_size=len(tokenizer), hidden_size=args.hidden, num_hidden_layers=args.layers, pad_token_id=1,
        num_attention_heads=args.heads, intermediate_size=4 * args.hidden, type_vocab_size=1,
        max_position_embeddings=args.max_length + 2, hidden_dropout_prob=args.dropout,
        attention_probs_dropout_prob=args.dropout,
    )  # fmt: skip
    options = TrainingArguments(
        output_dir=str(folder / "peer"), max_steps=args.steps, per_device_train_batch_size=args.rows,
        learning_rate=1e-3, warmup_steps=10, weight_decay=0.01, adam_beta2=0.98, adam_epsilon=1e-6, use_cpu=True,
        bf16=args.precision == "bf16", save_strategy="no", logging_steps=5, report_to=[], disable_tqdm=True,
        max_grad_norm=0.0, seed=1,
    )  # fmt: skip
    collator = DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15)
    trainer = Trainer(
        RobertaForMaskedLM(config), options, data_collator=collator, train_dataset=packed(folder, args)
    )
    watch = Stopwatch()
    trainer.train()
    times = watch.read()
    losses = [float(entry["loss"]) for entry in trainer.state.log_history if "loss" in entry]
    report(**times, tokens=None, losses=losses)


def packed(folder: Path, args: argparse.Namespace) -> list[dict[str, list[int]]]:
    """Return our rows as the peer's data set."""
    from crosslingua.encoders.data import Corpus, Pieces

    run = run_of(folder, args, ["mlm"])
    rows = Corpus(Pieces(run.tokenizer), run.settings, run.languages).text(run.text)
    ids = [rows.ids[a:b].tolist() for a, b in zip(rows.offsets, rows.offsets[1:], strict=False)]
    return [{"input_ids": row} for row in ids]


def compare(folder: Path, args: argparse.Namespace) -> None:
    """Run all sides and print what they did."""
    shape = ["layers", "hidden", "heads", "max-length", "vocabulary-size"]
    numbers = [*shape, "rows", "steps", "dropout", "threads"]
    options = [text for name in numbers for text in (f"--{name}", getattr(args, name.replace("-", "_")))]
    for precision in args.precisions:
        common = ["--folder", folder, "--precision", precision, *options]
        times = {"peer": run_side(__file__, "peer", args.threads, common)}
        for name in ("mlm", "tlm", "tlm dwa"):
            times[name] = run_side(__file__, "ours", args.threads, [*common, "--objectives", *name.split()])
        times["peer"]["tokens"] = times["mlm"]["tokens"]  # the rows of as many batches of the same size
        for name, found in times.items():
            wall, cpu = (found["tokens"] / found[time] for time in ("seconds", "cpu"))
            print(
                f"{precision} {name:8} {wall:9.0f} tokens/s {cpu:9.0f} a CPU second {found['peak_mb']:6} MB, "
                f"loss {found['losses'][0]:.2f} to {found['losses'][-1]:.2f}"
            )
        is_alike = abs(times["peer"]["losses"][-1] - times["mlm"]["losses"][-1]) < 0.3
        size = f"{args.layers} × {args.hidden}, {args.steps} steps of {args.rows} × {args.max_length}"
        record(
            args.json, f"pre-training, MLM, {precision}", size, f"`Trainer`, {named('transformers')}", times["mlm"],
            times["peer"], is_alike, "losses within 0.3",
        )  # fmt: skip
        assert is_alike, "the losses do not fall alike"
        gains = [times["peer"][time] / times["mlm"][time] for time in ("seconds", "cpu")]
        more = [times["tlm dwa"][time] / times["tlm"][time] - 1 for time in ("seconds", "cpu")]
        print(f"{precision} MLM {gains[0]:.2f} x as fast ({gains[1]:.2f} x in CPU time)")
        print(f"{precision} DWA adds {more[0]:.0%} to TLM ({more[1]:.0%} in CPU time)", flush=True)


def main() -> None:
    """Run the benchmark or one side of it."""
    p = parser(__doc__)
    p.add_argument("--layers", type=int, default=2)
    p.add_argument("--hidden", type=int, default=128)
    p.add_argument("--heads", type=int, default=4)
    p.add_argument("--max-length", type=int, default=64, help="tokens of a row")
    p.add_argument("--rows", type=int, default=40, help="of a batch")
    p.add_argument("--steps", type=int, default=100)
    p.add_argument("--dropout", type=float, default=0.1)
    p.add_argument("--vocabulary-size", type=int, default=3000)
    p.add_argument("--sentences", type=int, default=20_000, help="pairs of the controlled world")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--precisions", nargs="+", default=["fp32", "bf16"])
    p.add_argument("--side", choices=("ours", "peer"), help="internal")
    p.add_argument("--folder", type=Path, help="internal")
    p.add_argument("--precision", help="internal")
    p.add_argument("--objectives", nargs="+", default=["mlm"], help="internal")
    args = p.parse_args()
    if args.side:
        {"ours": ours, "peer": peer}[args.side](args.folder, args)
        return
    print(machine("torch", "transformers", "tokenizers"))
    print(
        f"{args.layers} layers of {args.hidden}, {args.rows} rows of {args.max_length}, {args.threads} threads"
    )
    with tempfile.TemporaryDirectory() as name:
        make(Path(name), args)
        compare(Path(name), args)


if __name__ == "__main__":
    main()
