"""Tokens a second of fine-tuning a published encoder in bfloat16, against plain transformers with autocast.

    python benchmarks/encoder_tuning.py --encoder ENCODER --train TRAIN.conll --sentences 2000

Both sides train on the same batches of tagged sentences for one epoch, from the encoder's weights and a new head of
their own, at the same rates. The peer is a loop of `AutoModelForTokenClassification`, `torch.autocast` and
`torch.optim.AdamW`. Tokens are pieces without padding. Loading and encoding text are not timed. Asserted: the losses of
the last quarter of the updates differ by less than a tenth.
"""

import argparse
from collections.abc import Callable
from itertools import islice

import numpy as np

from measure import Stopwatch, machine, named, parser, record, report, run_side

RATE, LENGTH = 1e-4, 128


def prepared(args: argparse.Namespace, precision: str):
    """Return the run of our side, not begun: its model, data, batches and settings."""
    import torch

    from crosslingua.embedders.encoder import Encoder
    from crosslingua.io.conll import read_conll
    from crosslingua.tasks.kinds import kind_of
    from crosslingua.tasks.settings import FineTuning
    from crosslingua.tasks.training import _Run

    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    examples = list(islice(read_conll(args.train, "plain"), args.sentences))
    encoder = Encoder.load(args.encoder)
    encoder.limit(LENGTH)
    torch.manual_seed(1)
    settings = FineTuning(lr=RATE, epochs=1, precision=precision)
    model = kind_of("pos").task().model(encoder, examples, settings)
    return _Run(model, model.prepare(examples, "en"), settings, 1, None)


def timed_epoch(args: argparse.Namespace, run, update: Callable[[int, np.ndarray], float]) -> None:
    """Call `update` on the number and rows of every batch, and report times, tokens and the loss."""
    batches = run.plan[0]
    watch = Stopwatch()
    losses = [update(number, rows) for number, rows in enumerate(batches)]
    last = losses[-len(losses) // 4 :]
    report(**watch.read(), tokens=int(run.data.lengths.sum()), loss=float(np.mean(last)))


def ours(args: argparse.Namespace) -> None:
    """Time our side."""
    run = prepared(args, args.precision)

    def update(number: int, rows: np.ndarray) -> float:
        before = run.at.open_loss
        run.update()
        return run.at.open_loss - before

    timed_epoch(args, run, update)


def peer(args: argparse.Namespace) -> None:
    """Time the loop with transformers."""
    import torch
    from transformers import AutoModelForTokenClassification

    from crosslingua.tasks.training import rate

    run = prepared(args, "fp32")
    data, pad = run.data, run.model.embedder.encoder.tokenizer.pad_token_id
    model = AutoModelForTokenClassification.from_pretrained(args.encoder, num_labels=len(run.model.labels))
    model.train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.0)

    def update(number: int, rows: np.ndarray) -> float:
        ids = data.ids.padded(rows, pad)
        gold = np.full(ids.shape, -100)
        places, there = data.pieces.starts.padded(rows, 0), data.pieces.starts.places(rows)[1]
        gold[np.nonzero(there)[0], places[there]] = data.labels.padded(rows, -100)[there]
        real = np.arange(ids.shape[1]) < data.lengths[rows, None]
        with torch.autocast("cpu", torch.bfloat16):
            loss = model(
                input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(real.astype(np.int64)),
                labels=torch.from_numpy(gold),
            ).loss  # fmt: skip
        optimiser.param_groups[0]["lr"] = RATE * rate(number, run.steps, run.settings.warmup)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), run.settings.clip_norm)
        optimiser.step()
        return loss.item()

    timed_epoch(args, run, update)


def compare(args: argparse.Namespace) -> None:
    """Run the sides by turns, and print the fastest of each by processor time."""
    common = [
        "--encoder",
        args.encoder,
        "--train",
        args.train,
        "--sentences",
        args.sentences,
        "--threads",
        args.threads,
    ]
    sides = {"peer": [], "bf16": ["--precision", "bf16"], "fp32": ["--precision", "fp32"]}
    found: dict[str, list[dict]] = {side: [] for side in sides}
    for _ in range(args.repeats):
        for side, more in sides.items():
            name = "peer" if side == "peer" else "ours"
            found[side].append(run_side(__file__, name, args.threads, [*common, *more]))
    best = {side: min(runs, key=lambda one: one["cpu"]) for side, runs in found.items()}
    for side, one in best.items():
        rates = ", ".join(f"{run['tokens'] / run['cpu']:.0f}" for run in found[side])
        print(f"{side}: {rates} tokens a processor second, {one['peak_mb']} MB, loss {one['loss']:.3f}")
    for side in ("bf16", "fp32"):
        gain, apart = (
            best["peer"]["cpu"] / best[side]["cpu"],
            abs(best[side]["loss"] / best["peer"]["loss"] - 1),
        )
        print(f"{side}: {gain:.2f} x as fast in processor time", flush=True)
        record(
            args.json, f"fine-tuning a published encoder, tags, {side}", f"{args.sentences:,} sentences, 1 epoch",
            f"plain loop in bf16, {named('transformers')}", best[side], best["peer"], apart < 0.1,
            "losses within a tenth",
        )  # fmt: skip
        assert apart < 0.1, "they do not learn alike"


def main() -> None:
    """Run the benchmark or one side of it."""
    p = parser(__doc__)
    p.add_argument("--encoder", required=True, help="Hugging Face folder, with an AutoModel of transformers")
    p.add_argument("--train", required=True, help="tagged sentences, two columns")
    p.add_argument("--sentences", type=int, default=2000, help="the first of --train")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--repeats", type=int, default=2)
    p.add_argument("--side", choices=("ours", "peer"), help="internal")
    p.add_argument("--precision", default="bf16", help="internal")
    args = p.parse_args()
    if args.side:
        {"ours": ours, "peer": peer}[args.side](args)
        return
    print(machine("torch", "transformers"))
    compare(args)


if __name__ == "__main__":
    main()
