"""What a GPU computes beside what the processor does, within stated tolerances."""

import copy
from dataclasses import fields, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from crosslingua.checkpoint import Checkpoints
from crosslingua.embedders import EMBEDDERS
from crosslingua.embedders.encoder import Encoder
from crosslingua.embedders.laser_pieces import _pieces
from crosslingua.encoder_alignment.finetune import FineTuneSettings, TuningRun
from crosslingua.encoder_alignment.signal import AlignedText, Signal
from crosslingua.encoders.batches import Batch
from crosslingua.encoders.settings import from_mapping
from crosslingua.encoders.trainer import Trainer
from crosslingua.lexicon_induction import retrieval
from crosslingua.tasks.kinds import kind_of
from crosslingua.tasks.tagger_settings import TaggerOptions
from crosslingua.tasks.tagger_training import TaggedFeatures, WordTagger, train_tagger
from crosslingua.tasks.training import FineTuning
from crosslingua.word_aligners.encoding import EncoderEmbedding
from crosslingua.word_aligners.options import build
from gpu_data import (
    encoder_folder,
    features_of,
    laser_folder,
    loss_of,
    pair_rows,
    sentences,
    tagged,
    text_rows,
    trainer_of,
)

Rows = list[dict]
SMALL = {"layers": 3, "hidden": 64, "heads": 4, "vocabulary": 500, "length": 64}
STREAMS = {"text": ["mlm"], "bitext": ["tlm", "dwa"]}


def row(what: str, value: float, most: float, unit: str = "relative difference") -> dict:
    """Return a row of the table for a difference that may be `most`."""
    holds, note = bool(value <= most), f"at most {most:g}"
    return {"what": what, "value": value, "unit": unit, "holds": holds, "note": note}


def difference(found: list, expected: list) -> float:
    """Return the relative distance of two lists of tensors, by norm."""
    pairs = [(a.cpu().double(), b.double()) for a, b in zip(found, expected, strict=True)]
    distance, size = (
        sum(float(x.norm()) ** 2 for x in part) for part in zip(*[(a - b, b) for a, b in pairs], strict=True)
    )
    return (distance / size) ** 0.5


def pretraining_step(size: dict, device: str, folder: Path) -> Rows:
    """A step of MLM, TLM and DWA: loss and gradients."""
    rows = {"text": text_rows(SMALL, 64), "bitext": pair_rows(SMALL, 64)}
    found = []
    for where in ("cpu", device):
        loss = loss_of(SMALL, STREAMS, dropout=0.0)
        trainer = trainer_of(Trainer, loss, rows, settings(where, "fp32"), folder)
        value = trainer._gradient(next(trainer.streams.steps(0)))
        found.append([value.cpu(), *(weight.grad for weight in loss.parameters() if weight.grad is not None)])
    return [row("pre-training step, fp32", difference(found[1], found[0]), 1e-3)]


def pretraining_bf16(size: dict, device: str, folder: Path) -> Rows:
    """A step of the fast path, bf16 and rows end to end, beside the same batch on the processor in fp32."""
    rows = {"text": text_rows(SMALL, 64), "bitext": pair_rows(SMALL, 64)}
    # Without DWA, whose links, and with them its gradients, change where two tokens are almost equally near.
    loss = loss_of(SMALL, {"text": ["mlm"], "bitext": ["tlm"]}, dropout=0.0)
    reference = copy.deepcopy(loss)
    trainer = trainer_of(Trainer, loss, rows, settings(device, "bf16"), folder)
    drawn = next(trainer.streams.steps(0))
    batches = {name: parts[0].tensors(trainer.processes.device) for name, parts in drawn.items()}
    value = trainer._gradient({name: [Made(batch)] for name, batch in batches.items()})
    terms = reference({name: on_cpu(batch) for name, batch in batches.items()})
    terms.sum().backward()
    found, expected = ([weight.grad for weight in one.parameters()] for one in (loss, reference))
    return [
        row("pre-training step, bf16, loss", difference([value], [terms.detach()]), 0.01),
        row("pre-training step, bf16, gradients", difference(found, expected), 0.1),
    ]


class Made(NamedTuple):
    """A part of a step whose batch is made already."""

    batch: Batch

    def tensors(self, device: torch.device) -> Batch:
        """Return it."""
        return self.batch


def on_cpu(batch: Batch) -> Batch:
    """Return a batch of the GPU on the processor."""
    moved = {f.name: v.cpu() for f in fields(batch) if isinstance(v := getattr(batch, f.name), torch.Tensor)}
    if isinstance(batch.present, tuple):
        moved["present"] = batch.present._make(
            x.cpu() if isinstance(x, torch.Tensor) else x for x in batch.present
        )
    return replace(batch, **moved)


def settings(device: str, precision: str, steps: int = 4):
    """Return settings of a short run."""
    return from_mapping({
        "device": device, "precision": precision, "batch_size": 16, "max_length": 64, "max_positions": 64,
        "steps": steps, "warmup": 1, "parallel": "summed", "language_ids": "false", "log_every": 1,
    })  # fmt: skip


def fine_tuning_step(size: dict, device: str, folder: Path) -> Rows:
    """A step of tagging: loss and gradients."""
    examples, found = tagged(32, folder), []
    for where in ("cpu", device):
        encoder = Encoder.load(encoder_folder(SMALL, folder / "small")).to(where)
        torch.manual_seed(1)
        model = kind_of("pos").task().model(encoder, examples, FineTuning()).to(where).eval()
        loss = model.loss(model.prepare(examples, "en"), np.arange(32))
        loss.backward()
        found.append([loss.detach().cpu(), *(w.grad for w in model.parameters() if w.grad is not None)])
    return [row("fine-tuning step", difference(found[1], found[0]), 1e-3)]


def word_alignment(size: dict, device: str, folder: Path) -> Rows:
    """Links by an encoder."""
    text = sentences(200)
    pairs = list(zip(text, [sentence[::-1] for sentence in text], strict=True))
    rows = []
    for name in ("optimal_transport", "simalign_itermax"):
        links = []
        for where in ("cpu", device):
            embedding = EncoderEmbedding.load(str(encoder_folder(SMALL, folder / "small")), [2], device=where)
            links.append(list(build(name, {}, embedding).align(pairs)))
        other = sum(len(set(a) ^ set(b)) for a, b in zip(*links, strict=True))
        rows.append(
            row(f"{name}, links", other / max(1, sum(map(len, links[0]))), 0.005, "share that differs")
        )
    return rows


def csls(size: dict, device: str, folder: Path) -> Rows:
    """Neighbours by CSLS: indices and scores."""
    rng = np.random.default_rng(6)
    vectors = [rng.normal(size=(n, 100)).astype(np.float32) for n in (4000, 5000)]
    (i, s), (j, t) = (retrieval.csls(*vectors, k=5, device=where) for where in ("cpu", device))
    return [
        row("CSLS, neighbours", float((i != j).mean()), 1e-5, "share that differs"),
        row("CSLS, scores", float(np.abs(s - t).max()), 1e-6, "largest difference"),
    ]


def translation(size: dict, device: str, folder: Path) -> Rows:
    """Words of greedy and beam search, in double precision: random weights leave many words almost equally likely."""
    from crosslingua.translation.decoding import translate
    from gpu_speed import translator

    model, text = translator(64, 2, 500, 50)
    rows = []
    for beam in (1, 4):
        cpu, gpu = (translate(model.double().to(where), text, 0, 1, beam=beam) for where in ("cpu", device))
        other = sum(not np.array_equal(a, b) for a, b in zip(cpu, gpu, strict=True))
        rows.append(
            row(f"translation, beam {beam}", other / len(text), 0.1, "share of sentences that differ")
        )
    return rows


def tagger_training(size: dict, device: str, folder: Path) -> Rows:
    """Taggers on all kinds of features: loss and gradients of a batch, and labels after some epochs."""
    examples, rows = tagged(64, folder), []
    text = [sentence.tokens for sentence in examples]
    for tagger, embedder, layers, more in TAGGED:
        features = features_of(embedder, text, layers, dimension=32)
        options = TaggerOptions.of(tagger, ["dropout=0", "epochs=4", "learning_rate=0.005", *more])
        found, labels = [], []
        for where in ("cpu", device):
            data = TaggedFeatures(examples, features, len(examples)).to(where)
            with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):  # as train_tagger.py does
                torch.manual_seed(1)
                model = WordTagger(options, data).to(where)
                loss = model.loss(model.prepare(data), np.arange(32))
                loss.backward()
                weights = [w.grad for w in model.parameters() if w.grad is not None]
                found.append([loss.detach().cpu(), *weights])
                trained, _ = train_tagger(options, "pos", data, data, 1)
                labels.append(list(chain.from_iterable(trained.predict(trained.prepare(data))[0])))
        other = np.mean(np.array(labels[0]) != np.array(labels[1]))
        if tagger != "majority":  # which has no gradient
            rows.append(row(f"{tagger} on {embedder}, gradients", difference(found[1], found[0]), 1e-3))
        rows.append(row(f"{tagger} on {embedder}, labels", float(other), 0.02, "share that differs"))
    return rows


TINY = ["tagger.dropout=0", "tagger.hidden=32"]
# A tagger, an embedder, its layers, and settings. Without dropout, which each device draws by itself.
TAGGED = (
    ("bilstm_crf", "static_vectors", 1, [*TINY, "vector_rate=0.01"]),
    ("bilstm_crf", "lstm_no_pretraining", 1, [*TINY, "tagger.constrained=true"]),
    ("transformer_crf", "laser_elmo", 3, TINY),
    ("linear", "bpe_gru", 1, ["tagger.dropout=0", "optimiser=one_cycle"]),
    ("majority", "laser_top", 1, []),
)


def word_features(size: dict, device: str, folder: Path) -> Rows:
    """Features of words by encoders, rounded to bf16 as they are stored."""
    small, text, rows = folder / "small", sentences(200), []
    for name, made in (("encoder_layers", encoder_folder), ("laser_elmo", laser_folder)):
        embedder, tables = EMBEDDERS[name].of([f"encoder={made(SMALL, small)}"]), []
        for where in ("cpu", device):
            _pieces.cache_clear()  # which keeps the states that the other device computed
            with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):  # as embed_words.py does
                tables.append(embedder.embed(text, "en", where).table)
        rows.append(row(f"features of {name}", difference(tables[1:], tables[:1]), 1e-3))
    return rows


def encoder_alignment(size: dict, device: str, folder: Path) -> Rows:
    """Updates that move one language's vectors to another's, and what rotations are computed from."""
    text = sentences(64)
    links = [np.array([(i, len(one) - 1 - i) for i in range(len(one))]) for one in text]
    both = AlignedText(text, [one[::-1] for one in text], links)
    initial, found, products = [], [], []
    for where in ("cpu", device):
        signal = Signal(encoder_folder(SMALL, folder / "small"), both, ("en", "de"), device=where)
        products.append(torch.from_numpy(signal.moments("parallel").products(True)))
        settings = FineTuneSettings(epochs=2, lr=1e-3, checkpoint_every=1000)
        run = TuningRun(signal, settings, 1, Checkpoints(folder / "none", "none"))
        # Before the first update, the kept words are where they were: a distance of 0, without a gradient.
        initial.append(float(run.loss(run._sides, run._links, run.plan[0])[1].detach()))
        for step in (1, 2):
            run._update(step, run.plan[step - 1])
        terms = run.loss(run._sides, run._links, run.plan[2])
        terms.sum().backward()
        gradients = [w.grad for w in run.loss.encoder.parameters() if w.grad is not None]
        found.append([terms.detach().cpu(), *gradients])
    return [
        row("alignment, distance before the first update", max(map(abs, initial)), 1e-4, "distance"),
        row("alignment after two updates, loss", difference(found[1][:1], found[0][:1]), 1e-3),
        row("alignment after two updates, gradients", difference(found[1], found[0]), 0.02),
        row("alignment, products of word pairs", difference(products[1:], products[:1]), 1e-4),
    ]


def translation_step(size: dict, device: str, folder: Path) -> Rows:
    """A step of translation training: loss, gradients, the loss after the update, and back-translation."""
    from crosslingua.optimiser import AdamW
    from crosslingua.translation.training import Unsupervised, back_translate, losses
    from gpu_speed import translator

    gradients, after, said = [], [], []
    for where in ("cpu", device):
        model, text = translator(64, 2, 500, 64)
        model = model.to(where).train()
        steps = Unsupervised((text[:32], text[32:]), replace(model.settings, back_after=1, batch_size=16), 1)
        optimiser = AdamW(model.parameters(), 0.0, (0.5, 0.999), 1e-8)
        parts = steps.parts(0, model)
        found = losses(model, parts)
        sum(found.values()).backward()
        gradients.append(
            [*(loss.detach().cpu() for loss in found.values()), *(w.grad for w in model.parameters())]
        )
        optimiser.step(1e-3)
        after.append([loss.detach() for loss in losses(model, parts).values()])
        said.append(back_translate(translator(64, 2, 500, 64)[0].double().to(where), (text[:32], text[32:])))
    pairs = [(a, b) for side in zip(*said, strict=True) for a, b in zip(*side, strict=True)]
    other = sum(not np.array_equal(a, b) for a, b in pairs)
    return [
        row("translation step, fp32", difference(gradients[1], gradients[0]), 1e-3),
        row("translation step, fp32, loss after it", difference(after[1], after[0]), 1e-4),
        row("back-translation", other / len(pairs), 0.1, "share of sentences that differ"),
    ]


def translation_run(size: dict, device: str, folder: Path) -> Rows:
    """A short run of translation training from files: the losses of its epochs."""
    from crosslingua.io.json import read_json
    from crosslingua.translation.model import REPORT, load_translator
    from crosslingua.translation.settings import settings_of
    from crosslingua.translation.training import TranslationRun, train_translation

    text, rng = sentences(60), np.random.default_rng(9)
    known = sorted({word for sentence in text for word in sentence})
    files = [folder / f"side{side}.txt" for side in (0, 1)]
    for path in files:
        path.write_text("".join(" ".join(sentence) + "\n" for sentence in text))
    vectors = folder / "side.vec"
    rows = [f"{word} {' '.join(f'{x:.4f}' for x in rng.normal(size=32))}\n" for word in known]
    vectors.write_text(f"{len(known)} 32\n" + "".join(rows))
    settings = settings_of({
        "layers": 2, "shared_layers": 1, "heads": 4, "feed_forward": 64, "batch_size": 16, "epoch_size": 32,
        "epochs": 2, "validation": 3, "max_length": 20,
    })  # fmt: skip
    told = []
    for where in ("cpu", device):
        out = folder / f"run-{where}"
        train_translation(
            TranslationRun(("a", "b"), files, "halves", [vectors, vectors], None, settings, out, 1, where)
        )
        found = read_json(out / REPORT)["epochs"]
        told.append(torch.tensor([[each["loss"]["auto"], each["loss"]["back"]] for each in found]))
        load_translator(out)  # its weights are read without a GPU
    return [row("translation run, losses", difference([told[1]], [told[0]]), 0.02)]


def spaces(words: int, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a space with clusters, and a noisy rotation of it; row i translates row i."""
    rng = np.random.default_rng(10)
    centres = rng.normal(size=(words // 20, dimension)) * rng.uniform(0.5, 2, size=dimension)
    source = centres[rng.integers(len(centres), size=words)] + 0.5 * rng.normal(size=(words, dimension))
    rotation = np.linalg.qr(rng.normal(size=(dimension, dimension)))[0]
    target = source @ rotation + 0.05 * rng.normal(size=source.shape)
    return source.astype(np.float32), target.astype(np.float32)


def mappers(size: dict, device: str, folder: Path) -> Rows:
    """Maps by RCSLS, VecMap and MUSE's refinement: the matrices, with VecMap's random drops."""
    from crosslingua.mappers.mapper import build

    source, target = spaces(2000, 40)
    pairs = np.stack([np.arange(500)] * 2, axis=1)
    rows = []
    for name, given in (
        ("rcsls", {"lr": 10.0}),
        ("rcsls", {"lr": 1.0, "normalise": "none", "niter": 5, "knn": 3}),
        ("rcsls", {"sgd": True, "batch_size": 200}),
        ("vecmap", {"stochastic_interval": 5}),
        ("vecmap", {"mode": "semi_supervised", "stochastic_interval": 5}),
        ("muse", {"initialisation": "dictionary"}),
    ):
        maps = []
        for where in ("cpu", device):
            mapping = build(name, given).fit(source, target, pairs, seed=1, device=where)
            mapped = [mapping.map_source(source), mapping.map_target(target)]
            maps.append([torch.from_numpy(side) for side in mapped])
        told = ", ".join(f"{key}={value}" for key, value in given.items())
        rows.append(row(f"{name}, {told}", difference(maps[1], maps[0]), 1e-3))
    return rows


CHECKS = {
    "pretraining_step": pretraining_step,
    "pretraining_bf16": pretraining_bf16,
    "fine_tuning_step": fine_tuning_step,
    "word_alignment": word_alignment,
    "csls": csls,
    "translation": translation,
    "tagger_training": tagger_training,
    "word_features": word_features,
    "encoder_alignment": encoder_alignment,
    "translation_step": translation_step,
    "translation_run": translation_run,
    "mappers": mappers,
}
