"""Sentences a second of training a BiLSTM-CRF: this suite against the same network with the package pytorch-crf.

    python benchmarks/tagging.py --threads 2 --data train.conll

Both sides get the same vectors of words (random, `--dimension`), the same two-layer LSTM, batches of `--batch`, Adam.
The peer is the loop that one writes with PyTorch: random batches of any lengths (packed for the LSTM, as that needs no
padding), torchcrf.CRF, torch.optim. Asserted: the first loss of both is the same to four digits for equal weights, and
after the epochs both find at least 90 % of each other's training accuracy. Reading is not timed; validation is neither.
Without --data the named entities of the controlled world are read.
"""

import argparse
import statistics
import tempfile
from pathlib import Path

from measure import ROOT, Stopwatch, machine, named, parser, record, report, run_script, run_side


def world(folder: Path, sentences: int) -> Path:
    """Write named entities of the controlled world; return the training file."""
    out = [folder / f"{split}.conll" for split in ("train", "valid", "test")]
    run_script(
        "generate_world.py", "ner", "--languages", ROOT / "world.yaml", "--language", "ana",
        "--split", "train", "valid", "test", "--sentences", sentences, 10, 10, "--out", *out,
    )  # fmt: skip
    return out[0]


def read(args: argparse.Namespace):
    """Return sentences with features of random vectors."""
    from crosslingua.embedders.random_vectors import RandomVectors
    from crosslingua.io.conll import read_conll
    from crosslingua.tasks.tagger_training import TaggedFeatures

    sentences = list(read_conll(args.data, "bio2"))[: args.sentences]
    embedder = RandomVectors(dimension=args.dimension, share_spellings=True)
    return TaggedFeatures(sentences, embedder.embed([one.tokens for one in sentences], "en"), len(sentences))


def options(args: argparse.Namespace):
    """Return the settings of both sides."""
    from crosslingua.tasks.tagger_settings import TaggerOptions

    given = [f"tagger.hidden={args.hidden}", f"batch_size={args.batch}", f"epochs={args.epochs}"]
    fixed = ["tagger.dropout=0", "dropout=0", "l2=0", "lr=0.005"]
    return TaggerOptions.of("bilstm_crf", [*given, *fixed])


def model_of(args: argparse.Namespace, examples):
    """Return the network, with equal weights on both sides."""
    import torch

    from crosslingua.tasks.tagger_training import WordTagger

    torch.manual_seed(1)
    return WordTagger(options(args), examples)


def ours(args: argparse.Namespace) -> None:
    """Train with this suite's batches, CRF and optimiser."""
    import numpy as np
    import torch

    from crosslingua.cli import keep_freed_memory
    from crosslingua.tasks.batches import training_batches
    from crosslingua.tasks.tagger_training import Adam, _pass

    keep_freed_memory()  # as every script does
    torch.set_flush_denormal(True)
    examples = read(args)
    model, settings = model_of(args, examples), options(args).training
    data = model.prepare(examples)
    first = model.loss(data, np.arange(args.batch)).item()
    optimiser = Adam(model.parameters(), settings.lr, 0.0)
    rng = np.random.default_rng(1)
    watch = Stopwatch()
    for epoch in range(args.epochs):
        _pass(model, data, training_batches(data.lengths, args.batch, rng), optimiser, epoch)
    _finish(watch, model, data, first)


def peer(args: argparse.Namespace) -> None:
    """Train the same network with pytorch-crf in random batches."""
    import numpy as np
    import torch
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
    from torchcrf import CRF

    torch.set_flush_denormal(True)
    examples = read(args)
    model, settings = model_of(args, examples), options(args).training
    data, tagger = model.prepare(examples), model.tagger
    lstm = torchs_lstm(tagger.layers)
    crf = CRF(len(model.labels), batch_first=True)
    with torch.no_grad():
        crf.start_transitions.copy_(tagger.crf.start)
        crf.end_transitions.copy_(tagger.crf.end)
        crf.transitions.copy_(tagger.crf.transitions)

    def loss_of(rows):
        batch = examples.features.batch(rows)
        labels = torch.from_numpy(data.labels.padded(rows, 0))
        lengths = batch.mask.sum(dim=1)
        packed = pack_padded_sequence(model.layer(batch), lengths, batch_first=True, enforce_sorted=False)
        hidden, _ = pad_packed_sequence(lstm(packed)[0], batch_first=True)
        return -crf(tagger.scores(hidden), labels, batch.mask, reduction="mean")

    first = loss_of(np.arange(args.batch)).item()
    weights = [*lstm.parameters(), *tagger.scores.parameters(), *crf.parameters()]
    optimiser = torch.optim.Adam(weights, lr=settings.lr)
    rng = np.random.default_rng(1)
    watch = Stopwatch()
    for _ in range(args.epochs):
        order = rng.permutation(len(data.lengths))
        for start in range(0, len(order), args.batch):
            loss = loss_of(order[start : start + args.batch])
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, settings.clip_norm)
            optimiser.step()
            loss.item()
    times = watch.read()
    right = words = 0
    with torch.no_grad():
        for start in range(0, len(data.lengths), args.batch):
            rows = np.arange(len(data.lengths))[start : start + args.batch]
            batch = examples.features.batch(rows)
            packed = pack_padded_sequence(
                model.layer(batch), batch.mask.sum(dim=1), batch_first=True, enforce_sorted=False
            )
            hidden, _ = pad_packed_sequence(lstm(packed)[0], batch_first=True)
            for row, path in zip(rows, crf.decode(tagger.scores(hidden), batch.mask), strict=True):
                gold = examples.sentences[row].labels
                right += sum(model.labels[label] == one for label, one in zip(path, gold, strict=True))
                words += len(gold)
    report(**times, first=first, accuracy=100 * right / words, sentences=len(data.lengths))


def torchs_lstm(layers):
    """Return torch's LSTM with the weights of our layers."""
    import torch

    first = layers[0].lstms[0]
    lstm = torch.nn.LSTM(
        first.input_size, first.hidden_size, len(layers), bidirectional=True, batch_first=True
    )
    names = {
        f"{name.removesuffix('0')}{number}{suffix}": weight
        for number, layer in enumerate(layers)
        for side, suffix in zip(layer.lstms, ("", "_reverse"), strict=True)
        for name, weight in side.named_parameters()
    }
    lstm.load_state_dict(names)
    return lstm


def _finish(watch: Stopwatch, model, data, first: float) -> None:
    times = watch.read()
    found, _ = model.predict(data)
    right = [a == b for one, tags in zip(data.examples.sentences, found, strict=True)
             for a, b in zip(one.labels, tags, strict=True)]  # fmt: skip
    report(**times, first=first, accuracy=100 * sum(right) / len(right), sentences=len(found))


def main() -> None:
    """Run both sides by turns and print sentences a second."""
    p = parser(__doc__)
    p.add_argument("--side", choices=("ours", "peer"))
    p.add_argument("--data", help="two-column file, BIO2")
    p.add_argument("--sentences", type=int, default=2000)
    p.add_argument("--dimension", type=int, default=300)
    p.add_argument("--hidden", type=int, default=100)
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--repeats", type=int, default=3)
    args = p.parse_args()
    if args.side:
        {"ours": ours, "peer": peer}[args.side](args)
        return
    with tempfile.TemporaryDirectory() as folder:
        args.data = args.data or str(world(Path(folder), args.sentences))
        names = ("data", "sentences", "dimension", "hidden", "batch", "epochs")
        told = [word for name in names for word in (f"--{name}", getattr(args, name))]
        runs = {side: [] for side in ("ours", "peer")}
        for _ in range(args.repeats):
            for side, found in runs.items():
                found.append(run_side(__file__, side, args.threads, told))
    print(machine("torch", "pytorch-crf"), f"{args.threads} threads")
    speeds = {}
    for side, found in runs.items():
        each = [one["sentences"] * args.epochs / one["cpu"] for one in found]
        wall = [one["sentences"] * args.epochs / one["seconds"] for one in found]
        speeds[side] = statistics.median(each)
        print(f"{side}: {speeds[side]:.0f} sentences a second of processor time, {statistics.median(wall):.0f}"
              f" of the clock; accuracy {found[0]['accuracy']:.1f}, first loss {found[0]['first']:.4f}")  # fmt: skip
    print(f"{speeds['ours'] / speeds['peer']:.2f} times the peer by processor time")
    accuracies = [one["accuracy"] for found in runs.values() for one in found]
    is_same = abs(runs["ours"][0]["first"] / runs["peer"][0]["first"] - 1) < 1e-4
    # the medians
    sides = [sorted(one, key=lambda run: run["cpu"])[(len(one) - 1) // 2] for one in runs.values()]
    record(
        args.json, "training a BiLSTM-CRF", f"{args.sentences:,} sentences, {args.epochs} epochs",
        f"`torch.nn.LSTM` and {named('pytorch-crf')}", *sides, is_same and min(accuracies) > 0.9 * max(accuracies),
        "first loss; accuracy within a tenth",
    )  # fmt: skip
    assert is_same, "the first losses differ"
    assert min(accuracies) > 0.9 * max(accuracies), "they do not learn alike"


if __name__ == "__main__":
    main()
