"""How fast a GPU is used, beside peers on the same data."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch

from crosslingua.embedders.encoder import Encoder
from crosslingua.encoders.settings import Settings, from_mapping
from crosslingua.encoders.trainer import Trainer
from crosslingua.lexicon_induction import gpu, retrieval
from crosslingua.tasks.kinds import kind_of
from crosslingua.tasks.settings import FineTuning
from crosslingua.tasks.training import fine_tune
from gpu_data import SPECIALS, encoder_folder, loss_of, pair_rows, tagged, text_rows, trainer_of

Rows = list[dict]


class Timed(Trainer):
    """A trainer that notes when its first `warm` updates are over."""

    warm = 0
    start = before = 0.0

    def _report(self, step, losses, reporter) -> None:
        super()._report(step, losses, reporter)
        if step == self.warm:
            self.start, self.before = now(), self.tokens


def now() -> float:
    """Return the time when the GPU has done what it was given."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter()


def speed(size: dict, streams: dict, rows: dict, settings: Settings, folder: Path) -> tuple[float, float]:
    """Return tokens a second and seconds an update."""
    trainer = trainer_of(Timed, loss_of(size, streams), rows, settings, folder)
    trainer.warm = size["warm"]
    trainer.train()
    seconds = now() - trainer.start
    return (trainer.tokens - trainer.before) / seconds, seconds / size["steps"]


def settings(size: dict, device: str, compiled: bool = False, **values) -> Settings:
    """Return those of a run in bf16."""
    return from_mapping({
        "device": device, "precision": "bf16", "compile": compiled, "batch_size": size["rows"],
        "max_length": size["length"], "max_positions": size["length"], "warmup": 1, "log_every": 10,
        "steps": size["warm"] + size["steps"], "parallel": "summed", "language_ids": "false",
    } | values)  # fmt: skip


def pretraining(size: dict, device: str, folder: Path) -> Rows:
    """Tokens a second of MLM, plain and compiled, beside the Trainer on the same rows."""
    rows = text_rows(size, 8 * size["rows"])
    peer, found = hf_pretraining(size, rows, device, folder), []
    for compiled in (False, True):
        given = settings(size, device, compiled and device == "cuda")
        rate, _ = speed(size, {"text": ["mlm"]}, {"text": rows}, given, folder)
        found.append({
            "what": f"pre-training{', compiled' if compiled else ''}", "value": rate, "unit": "tokens/s", "peer": peer,
            "ratio": rate / peer, "note": "peer: Trainer, sdpa; goal 500,000 and 1.3",
        })  # fmt: skip
    return found


def hf_pretraining(size: dict, rows, device: str, folder: Path) -> float:
    """Return tokens a second of the Hugging Face Trainer."""
    from tokenizers import Tokenizer, models
    from transformers import (
        DataCollatorForLanguageModeling,
        PreTrainedTokenizerFast,
        RobertaConfig,
        RobertaForMaskedLM,
        Trainer,
        TrainingArguments,
    )

    names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *(f"w{i}" for i in range(5, size["vocabulary"]))]
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordLevel({name: i for i, name in enumerate(names)}, unk_token="<unk>")),
        bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>", mask_token="<mask>", cls_token="<s>",
        sep_token="</s>",
    )  # fmt: skip
    config = RobertaConfig(
        vocab_size=size["vocabulary"], hidden_size=size["hidden"], num_hidden_layers=size["layers"],
        pad_token_id=SPECIALS.pad, num_attention_heads=size["heads"], intermediate_size=4 * size["hidden"],
        type_vocab_size=1, max_position_embeddings=size["length"] + 2,
    )  # fmt: skip
    config._attn_implementation = "sdpa"
    on_gpu = device == "cuda"
    options = TrainingArguments(
        output_dir=str(folder / "peer"), max_steps=size["warm"] + size["steps"], report_to=[], disable_tqdm=True,
        per_device_train_batch_size=size["rows"], use_cpu=not on_gpu, bf16=True, save_strategy="no", logging_steps=10,
        max_grad_norm=0.0, dataloader_num_workers=4 if on_gpu else 0, optim="adamw_torch_fused", warmup_steps=1,
    )  # fmt: skip
    data = [
        {"input_ids": rows.ids[a:b].tolist()} for a, b in zip(rows.offsets, rows.offsets[1:], strict=False)
    ]
    clock = clock_after(size["warm"])
    trainer = Trainer(
        RobertaForMaskedLM(config), options, train_dataset=data, callbacks=[clock],
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15),
    )  # fmt: skip
    trainer.train()
    return rows.lengths.mean() * size["rows"] * size["steps"] / (now() - clock.start)


def clock_after(steps: int):
    """Return a callback of the Trainer that notes the time after some updates."""
    from transformers import TrainerCallback

    class Clock(TrainerCallback):
        start = 0.0

        def on_step_end(self, args, state, control, **rest) -> None:
            if state.global_step == steps:
                self.start = now()

    return Clock()


def dwa(size: dict, device: str, folder: Path) -> Rows:
    """Seconds of a step of TLM, and of TLM and DWA, on the same pairs."""
    rows = {"bitext": pair_rows(size, 8 * size["pairs"])}
    size = size | {"warm": 3 * size["warm"]}  # pairs make batches of more shapes
    given = settings(size, device, batch_size=size["pairs"])
    times = [speed(size, {"bitext": names}, rows, given, folder)[1] for names in (["tlm"], ["tlm", "dwa"])]
    return [{
        "what": "TLM and DWA", "value": 1000 * times[1], "unit": "ms a step", "peer": 1000 * times[0],
        "ratio": times[1] / times[0], "note": "peer: TLM alone; goal 1.35",
    }]  # fmt: skip


def fine_tuning(size: dict, device: str, folder: Path) -> Rows:
    """Seconds of an epoch of tagging, beside the Trainer."""
    examples = tagged(size["sentences"], folder)
    encoder = Encoder.load(encoder_folder(size, folder / "large")).to(device)
    task, given = kind_of("pos").task(), FineTuning(epochs=1)
    encoder.limit(given.max_length)
    model = task.model(encoder, examples, given)
    fine_tune(model, model.prepare(examples[:200], "en"), lambda: 0.0, given, 1)
    data = model.prepare(examples, "en")
    start = now()
    fine_tune(model, data, lambda: 0.0, given, 1)
    seconds = now() - start
    peer = hf_fine_tuning(size, examples, device, folder)
    return [{
        "what": "fine-tuning", "value": len(examples) / seconds, "unit": "sentences/s", "peer": peer,
        "ratio": len(examples) / seconds / peer, "note": "peer: Trainer, both in fp32; goal 1.5",
    }]  # fmt: skip


def hf_fine_tuning(size: dict, examples, device: str, folder: Path) -> float:
    """Return sentences a second of the Trainer, which pads to the longest of a batch."""
    from transformers import (
        AutoModelForTokenClassification,
        AutoTokenizer,
        DataCollatorForTokenClassification,
        Trainer,
        TrainingArguments,
    )

    name = encoder_folder(size, folder / "large")
    tokenizer = AutoTokenizer.from_pretrained(name)
    labels = sorted({label for sentence in examples for label in sentence.labels})
    rows = []
    for sentence in examples:
        told = tokenizer(list(sentence.tokens), is_split_into_words=True, truncation=True, max_length=128)
        before, marked = None, []
        for word in told.word_ids():
            marked.append(-100 if word is None or word == before else labels.index(sentence.labels[word]))
            before = word
        rows.append({"input_ids": told["input_ids"], "labels": marked})
    warm = 7
    options = TrainingArguments(
        output_dir=str(folder / "peer"), num_train_epochs=1, per_device_train_batch_size=32, report_to=[],
        disable_tqdm=True, use_cpu=device == "cpu", save_strategy="no", max_grad_norm=1.0, optim="adamw_torch_fused",
        dataloader_num_workers=4 if device == "cuda" else 0, logging_steps=50,
    )  # fmt: skip
    clock = clock_after(min(warm, len(rows) // 64))
    trainer = Trainer(
        AutoModelForTokenClassification.from_pretrained(name, num_labels=len(labels)), options, train_dataset=rows,
        data_collator=DataCollatorForTokenClassification(tokenizer), callbacks=[clock],
    )  # fmt: skip
    trainer.train()
    return (len(rows) - 32 * min(warm, len(rows) // 64)) / (now() - clock.start)


def csls_speed(size: dict, device: str, folder: Path) -> Rows:
    """Seconds of exact CSLS, beside the matrix product alone in both precisions."""
    rng = np.random.default_rng(7)
    vectors = [rng.normal(size=(size["vectors"], size["dimension"])).astype(np.float32) for _ in range(2)]
    products = {}
    for kind in (torch.float32, torch.float16):
        unit = [torch.from_numpy(retrieval.unit_rows(v)).to(device, kind) for v in vectors]
        products[kind] = timed(partial(product, *unit))
        del unit
    small = [v[: size["vectors"] // 10] for v in vectors]
    retrieval.csls(*small, device=device)
    seconds = timed(lambda: retrieval.csls(*vectors, device=device), 1)
    return [
        {
            "what": f"exact CSLS, {size['vectors']:,} x {size['dimension']}", "value": seconds, "unit": "s",
            "peer": products[kind], "ratio": seconds / products[kind], "note": f"peer: product alone, {kind}; goal 3",
        }
        for kind in products
    ]  # fmt: skip


def product(left: torch.Tensor, right: torch.Tensor) -> None:
    """Multiply in blocks, as CSLS does."""
    step = max(1, gpu.BLOCK // len(right))
    for start in range(0, len(left), step):
        left[start : start + step] @ right.T


def timed(call: Callable, times: int = 2) -> float:
    """Return the seconds of the last of some calls."""
    for _ in range(times):
        start = now()
        call()
        seconds = now() - start
    return seconds


def translator(width: int, layers: int, words: int, sentences_: int):
    """Return a translation model with random weights, and sentences."""
    from crosslingua.translation.data import Vocabulary
    from crosslingua.translation.model import TranslationModel
    from crosslingua.translation.settings import settings_of

    rng = np.random.default_rng(8)
    shape = {"layers": layers, "shared_layers": layers, "heads": 4, "feed_forward": 4 * width}
    vocabulary = Vocabulary(("a", "b"), ((), ()), tuple(f"w{i}" for i in range(words)))
    table = rng.normal(size=(vocabulary.size, width), scale=width**-0.5)
    torch.manual_seed(1)
    model = TranslationModel(settings_of(shape | {"max_length": 60}), vocabulary, table).eval()
    first = vocabulary.size - words
    return model, [rng.integers(first, vocabulary.size, size=n) for n in rng.integers(5, 40, size=sentences_)]


def translation_speed(size: dict, device: str, folder: Path) -> Rows:
    """Words a second of greedy search, beside `generate` of the same weights on batches of the same sentences."""
    from crosslingua.translation.decoding import translate
    from translation import marian

    model, text = translator(min(512, 8 * size["hidden"]), 6, size["vocabulary"], size["translated"])
    peer, end = marian(model).to(device), model.vocabulary.end
    model.to(device)
    translate(model, text[:64], 0, 1)
    start = now()
    words = sum(len(s) + 1 for s in translate(model, text, 0, 1))
    rate = words / (now() - start)
    generated(peer, text[:64], end, device)
    start = now()
    words = generated(peer, text, end, device)
    other = words / (now() - start)
    return [{
        "what": "translation, greedy", "value": rate, "unit": "words/s", "peer": other, "ratio": rate / other,
        "note": "peer: generate; goal 1",
    }]  # fmt: skip


@torch.no_grad()
def generated(peer, text: list, end: int, device: str) -> int:
    """Return how many words `generate` makes of sentences, in our batches, without those beyond our limit."""
    from crosslingua.nn.ragged import cut
    from crosslingua.translation.data import padded
    from crosslingua.translation.decoding import ON_GPU, longest_output

    lengths, words = np.array([len(sentence) + 1 for sentence in text]), 0
    for batch in cut(np.argsort(lengths, kind="stable"), lengths, ON_GPU):
        ids = padded([text[i] for i in batch], end).to(device)
        limits = [longest_output(len(text[i]), 60) for i in batch]
        found = peer.generate(
            ids, attention_mask=(ids != 0).long(), max_new_tokens=max(limits), num_beams=1, do_sample=False
        ).cpu()
        for row, most in zip(found[:, 1:].tolist(), limits, strict=True):
            words += min(row.index(end) if end in row else most, most) + 1
    return words


def translation_training(size: dict, device: str, folder: Path) -> Rows:
    """Seconds of a step of translation training with back-translation, beside the processor."""
    from crosslingua.nn.optimiser import AdamW
    from crosslingua.translation.training import Unsupervised, losses

    seconds = []
    for where, times in (("cpu", 1), (device, 4)):
        model, text = translator(min(512, size["hidden"]), 4, size["vocabulary"], 200)
        steps = Unsupervised((text[:100], text[100:]), model.to(where).train().settings, 1)
        optimiser = AdamW(model.parameters(), 0.0, (0.5, 0.999), 1e-8)

        def step(model=model, steps=steps, optimiser=optimiser) -> None:
            sum(losses(model, steps.parts(0, model)).values()).backward()
            optimiser.step(1e-4)
            optimiser.zero_grad()

        seconds.append(timed(step, times))
    return [{
        "what": "translation training", "value": seconds[1], "unit": "s a step", "peer": seconds[0],
        "ratio": seconds[1] / seconds[0], "note": "peer: the processor",
    }]  # fmt: skip


def mapping_speed(size: dict, device: str, folder: Path) -> Rows:
    """Seconds of the searches of a step of RCSLS and of VecMap, beside the processor."""
    from crosslingua.lexicon_induction.retrieval import unit_rows
    from crosslingua.mappers.induction import induce, induce_on_gpu
    from crosslingua.mappers.rcsls import Neighbourhood, NeighbourhoodOnGpu

    rng = np.random.default_rng(11)
    vectors, few = (
        unit_rows(rng.normal(size=(n, size["dimension"]))) for n in (size["vectors"], size["vectors"] // 10)
    )
    words, w = few[: size["vectors"] // 40], np.eye(size["dimension"])
    near = NeighbourhoodOnGpu(words, vectors, 10, device)
    moved = torch.from_numpy(few).to(device)
    calls = {
        "RCSLS": (partial(near.moment, w), lambda: Neighbourhood(words, vectors, 10).moment(w)),
        "VecMap": (partial(induce_on_gpu, moved, moved, 10, 0.1), partial(induce, few, few, 10, 0.1)),
    }
    induce(few[:100], few[:100], 10, 0.1)  # compiles
    rows = []
    for name, (call, plain) in calls.items():
        seconds, peer = timed(call, 3), timed(plain, 1)
        rows.append({
            "what": f"a step of {name}, neighbours", "value": seconds, "unit": "s", "peer": peer,
            "ratio": seconds / peer, "note": "peer: the processor",
        })  # fmt: skip
    return rows


TIMINGS = {
    "pretraining": pretraining,
    "dwa": dwa,
    "fine_tuning": fine_tuning,
    "csls_speed": csls_speed,
    "translation_speed": translation_speed,
    "translation_training": translation_training,
    "mapping_speed": mapping_speed,
}
