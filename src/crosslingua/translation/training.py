"""Training: from two texts and two files of vectors, by epochs with validation, to a trained system's folder."""

import dataclasses
import math
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_
from tqdm import tqdm

from crosslingua.errors import ConfigError, CrosslinguaError, InputError
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.decode import decoded_lines
from crosslingua.io.json import write_json
from crosslingua.io.vectors import WordVectors, read_vectors
from crosslingua.nn.checkpoint import Checkpoints, digest
from crosslingua.nn.optimiser import AdamW
from crosslingua.provenance import sha256
from crosslingua.translation import model as systems
from crosslingua.translation.data import (
    BEGIN,
    BLANK,
    PAD,
    SIDES,
    UNKNOWN,
    Sampler,
    Texts,
    Vocabulary,
    batch_order,
    build_vocabulary,
    encoded,
    frequent_words,
    padded,
    read_texts,
)
from crosslingua.translation.decoding import greedy, longest_output, translate
from crosslingua.translation.model import TranslationModel, grouped
from crosslingua.translation.scores import word_bleu
from crosslingua.translation.settings import TranslationSettings


class LossPart(NamedTuple):
    """Input sentences of language `source`, and their output in `target`; `term` names the loss."""

    term: str
    source: int
    target: int
    read: Sequence[np.ndarray]
    said: Sequence[np.ndarray]


def losses(model: TranslationModel, parts: Sequence[LossPart]) -> dict[str, Tensor]:
    """Return the mean loss, in nats a word, of each term. Unknown words are inputs, but not outputs."""
    end, device = model.vocabulary.end, model.table.device
    read = padded([words for part in parts for words in part.read], end)
    said = padded([words for part in parts for words in part.said], end)
    sizes = [len(part.read) for part in parts]
    begins = torch.tensor([BEGIN + part.target for part in parts]).repeat_interleave(torch.tensor(sizes))
    before = torch.cat([begins[:, None], said[:, :-1]], 1)
    groups = grouped((part.target for part in parts), sizes)
    # Masks become places before anything moves: on a GPU, this would wait for all that it has still to compute.
    outputs = []
    for group in groups:
        rows = said[group.start : group.stop]
        places = ((rows != PAD) & (rows != UNKNOWN)).nonzero(as_tuple=True)
        wanted = rows[places] - model.vocabulary.outputs(group.language).start
        outputs.append((*(place.to(device) for place in places), wanted.to(device)))
    encoded, mask = model.encode(read.to(device), grouped((part.source for part in parts), sizes))
    vectors = model.decode(before.to(device), encoded, mask, groups)
    found: dict[str, Tensor] = {}
    for part, group, (row, place, wanted) in zip(parts, groups, outputs, strict=True):
        scored = vectors[group.start : group.stop][row, place]
        loss = F.cross_entropy(model.scores(scored, part.target), wanted)
        found[part.term] = found.get(part.term, 0.0) + loss
    return found


def noisy(ids: np.ndarray, settings: TranslationSettings, rng: np.random.Generator) -> np.ndarray:
    """Return a sentence (n,) with words shuffled, then dropped, then blanked.

    The program of Lample et al. 2018b does so (UnsupervisedMT, `add_noise`), and keeps the subwords of a word together;
    here every id is a word.
    """
    moved = shuffled(ids, settings.word_shuffle, rng)
    return blanked(dropped(moved, settings.word_dropout, rng), settings.word_blank, rng)


def dropped(ids: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Drop each word with probability `share`, but not all words."""
    kept = rng.random(len(ids)) >= share
    if len(ids) and not kept.any():
        kept[rng.integers(len(ids))] = True
    return ids[kept]


def blanked(ids: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Replace each word by the blank with probability `share`."""
    return np.where(rng.random(len(ids)) < share, BLANK, ids)


def shuffled(ids: np.ndarray, width: float, rng: np.random.Generator) -> np.ndarray:
    """Sort words by place + U(0, width). Words that are `width` places apart or more keep their order."""
    place = np.arange(len(ids)) + rng.uniform(0, width, len(ids))
    return ids[np.argsort(place, kind="stable")]


Sentences = Sequence[np.ndarray]


class Unsupervised:
    """Denoising and on-the-fly back-translation of two texts without parallel lines (Lample et al. 2018b). The current
    model translates sentences greedily, and learns to translate them back. Seed and step alone decide all parts.
    """

    terms = ("auto", "back")

    def __init__(self, texts: Sequence[Sentences], settings: TranslationSettings, seed: int):
        self._texts, self._settings, self._seed = texts, settings, seed
        size = settings.batch_size
        self._samplers = [Sampler([len(s) for s in texts[k]], size, (seed, 2, k)) for k in SIDES]

    def weights(self, step: int) -> dict[str, float]:
        """Return the weight of each term of the loss; denoising has a tenth after n steps, 0 after 3 n."""
        n = self._settings.lambda_auto_steps
        left = float(np.interp(step, [0, n, 3 * n], [1.0, 0.1, 0.0])) if n else 1.0
        return {"auto": self._settings.lambda_auto * left, "back": self._settings.lambda_back}

    def parts(self, step: int, model: TranslationModel) -> list[LossPart]:
        """Return noisy sentences with their originals, and translations with their sources."""
        order = batch_order(step, self._seed)
        said = [[self._texts[k][i] for i in self._samplers[k].batch(step, order)] for k in SIDES]
        rng = np.random.default_rng([self._seed, 3, step])
        auto = [
            LossPart("auto", k, k, [noisy(s, self._settings, rng) for s in said[k]], said[k]) for k in SIDES
        ]
        if step < self._settings.back_after:
            return auto
        made = back_translate(model, said)
        back = [LossPart("back", 1 - k, k, made[k], said[k]) for k in SIDES]
        return [auto[0], back[0], back[1], auto[1]]


def back_translate(model: TranslationModel, said: Sequence[Sentences]) -> list[list[np.ndarray]]:
    """Return the model's greedy translation of each language's sentences into the other."""
    training = model.training
    model.eval()
    ids = padded([*said[0], *said[1]], model.vocabulary.end).to(model.table.device)
    sizes = [len(sentences) for sentences in said]
    languages = torch.tensor([1, 0]).repeat_interleave(torch.tensor(sizes))
    limits = [longest_output(len(s), model.settings.max_length) for side in said for s in side]
    found = greedy(model, ids, grouped(SIDES, sizes), languages, torch.tensor(limits).to(ids.device))
    model.train(training)
    return [found[: sizes[0]], found[sizes[0] :]]


class Supervised:
    """Translation of sentence pairs in both directions: the upper line for the same model."""

    terms = ("translation",)

    def __init__(self, texts: Sequence[Sentences], settings: TranslationSettings, seed: int):
        self._texts, self._seed = texts, seed
        self._sampler = Sampler([len(s) for s in texts[0]], settings.batch_size, (seed, 2))

    def weights(self, step: int) -> dict[str, float]:
        """Return the weight of the only term."""
        return {"translation": 1.0}

    def parts(self, step: int, model: TranslationModel) -> list[LossPart]:
        """Return pairs in both directions."""
        chosen = self._sampler.batch(step, batch_order(step, self._seed))
        sides = [[self._texts[k][i] for i in chosen] for k in SIDES]
        return [LossPart("translation", 1 - k, k, sides[1 - k], sides[k]) for k in SIDES]


OBJECTIVES = {"unsupervised": Unsupervised, "supervised": Supervised}


EPSILON = 1e-8  # of Adam
# In a checkpoint.
KEPT = {"epochs": "epochs", "seconds": "seconds", "model": "model", "optimiser": "_optimiser"}


class TranslationTrainer:
    """Trains a model by Adam, an epoch a time, and resumes from a checkpoint.

    Every random draw depends on seed and step. On the CPU, an interrupted run ends with the same bits for the same
    number of threads. `judge` validates an epoch's model, `keep` saves it.
    """

    def __init__(
        self,
        model: TranslationModel,
        steps: Unsupervised | Supervised,
        seed: int,
        checkpoints: Checkpoints,
        judge: Callable[[TranslationModel], dict[str, float]],
        keep: Callable[[TranslationModel, int], None],
    ):
        self.model, self.steps, self.seed = model, steps, seed
        self.settings: TranslationSettings = model.settings
        self.checkpoints, self._judge, self._keep = checkpoints, judge, keep
        betas = (self.settings.beta1, self.settings.beta2)
        self._optimiser = AdamW(model.parameters(), 0.0, betas, EPSILON)
        # Of each: `epoch`, its number from 1, `loss`, means by term, `bleu` of validation, and `words`, of targets.
        self.epochs: list[dict[str, Any]] = []
        self.seconds = 0.0
        checkpoints.restore(self, KEPT)

    @property
    def best(self) -> int:
        """The epoch, from 1, with the best mean BLEU of validation; the last of equals."""
        return max(self.epochs, key=lambda each: (each["bleu"]["mean"], each["epoch"]))["epoch"]

    @property
    def stopped_early(self) -> bool:
        """Whether `patience` ended the run before its last epoch."""
        patience, done = self.settings.patience, len(self.epochs)
        return bool(patience) and done < self.settings.epochs and done - self.best >= patience

    def train(self) -> None:
        """Train to the end. Raises CrosslinguaError, with the step, if the loss is not finite."""
        total = self.settings.epochs
        with tqdm(total=total, initial=len(self.epochs), unit="epoch", mininterval=5.0) as bar:
            while len(self.epochs) < total and not (self.epochs and self.stopped_early):
                self._epoch(len(self.epochs) + 1)
                bar.set_postfix({"BLEU": f"{self.epochs[-1]['bleu']['mean']:.1f}"}, refresh=False)
                bar.update()

    def _epoch(self, number: int) -> None:
        start, size = time.perf_counter(), self.settings.steps_per_epoch
        sums, words = dict.fromkeys(self.steps.terms, 0.0), 0
        self.model.train()
        for step in range((number - 1) * size, number * size):
            found, said = self._update(step)
            words += said
            for term, value in found.items():
                sums[term] += value / size
        self.seconds += time.perf_counter() - start
        self.model.eval()
        report = {"epoch": number, "loss": sums, "bleu": self._judge(self.model), "words": words}
        self.epochs.append(report)
        self._keep(self.model, number)
        self.checkpoints.keep(self, KEPT)

    def _update(self, step: int) -> tuple[dict[str, float], int]:
        """Make one update; return each term's loss, and the number of output words."""
        torch.manual_seed(self.seed * 0x9E3779B1 + step)  # of dropout, so that any step can be redone
        parts = self.steps.parts(step, self.model)
        found, weights = losses(self.model, parts), self.steps.weights(step)
        sum(weights[term] * loss for term, loss in found.items()).backward()
        norm = float(clip_grad_norm_(self.model.parameters(), self.settings.clip_norm))
        if not math.isfinite(norm):
            raise CrosslinguaError(
                f"step {step}: the gradient is no number; set a smaller lr than {self.settings.lr:g}"
            )
        self._optimiser.step(self._rate(step))
        self._optimiser.zero_grad()
        values = {term: float(loss.detach()) for term, loss in found.items()}
        return values, sum(len(words) + 1 for part in parts for words in part.said)

    def _rate(self, step: int) -> float:
        s = self.settings
        left = (s.steps - step) / max(1, s.steps - s.warmup) if s.decay else 1.0
        return s.lr * min(1.0, left, (step + 1) / max(1, s.warmup))


def validation_bleu(
    model: TranslationModel, texts: Sequence[Sequence[np.ndarray]], *, round_trip: bool
) -> dict[str, float]:
    """Return the BLEU of greedy translations of held-out texts, and the mean, which selects an epoch. Translations are
    round trips (`ana-ber-ana`; Lample et al. 2018a, section 3.5) or sentence pairs (`ana-ber`).
    """
    names, decode, scores = model.vocabulary.languages, model.vocabulary.decode, {}
    for side, other in (SIDES, SIDES[::-1]):
        said, wanted = translate(model, texts[side], side, other), texts[other]
        key = f"{names[side]}-{names[other]}"
        if round_trip:
            said, wanted, key = translate(model, said, other, side), texts[side], f"{key}-{names[side]}"
        scores[key] = word_bleu([decode(s) for s in said], [decode(s) for s in wanted])
    return scores | {"mean": sum(scores.values()) / len(SIDES)}


def initial_table(
    vocabulary: Vocabulary, vectors: Sequence[WordVectors], seed: int, *, centre: bool = False
) -> np.ndarray:
    """Return the initial table (rows, d) float32, with rows of unit length. Raises InputError where dimensions differ.

    A word takes the vector of its language, else of the other language, else a random one. (After reallocation, the
    other language may still cite a word.) `centre` subtracts the mean of all words, and scales to unit length again.
    """
    if vectors[0].dimension != vectors[1].dimension:
        raise InputError(
            "vectors", f"{vectors[0].dimension} and {vectors[1].dimension} dimensions: no common space"
        )
    rng = np.random.default_rng([seed, 1])
    table = _unit(rng.normal(size=(vocabulary.size, vectors[0].dimension)).astype(np.float32))
    known = np.zeros(vocabulary.size, bool)
    for side in reversed(SIDES):  # the first language's vector of a shared word stands
        for word, row in vocabulary.rows[side].items():
            found = next((v[word] for v in (vectors[side], vectors[1 - side]) if word in v), None)
            if found is not None:
                table[row], known[row] = found, True
    if known.any():
        table[known] = _unit(table[known])
    if centre and known.any():
        table[known] = _unit(table[known] - table[known].mean(0))
    return table


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def covered(vocabulary: Vocabulary, vectors: Sequence[WordVectors]) -> list[float]:
    """Return, for each language, the percentage of its words that have vectors."""
    sides = zip(vocabulary.rows, vectors, strict=True)
    return [100 * sum(word in given for word in rows) / max(1, len(rows)) for rows, given in sides]


DATA = ("texts", "halves", "alternating", "pairs")


@dataclasses.dataclass(frozen=True)
class TranslationRun:
    """Data, initial vectors, settings and folder of a training run."""

    languages: tuple[str, str]
    text: Sequence[Path]
    data: str  # as of `read_texts`; `pairs` are supervised
    vectors: Sequence[Path]
    shared: Path | None  # words, one a line, that are one parameter in both languages
    settings: TranslationSettings
    out: Path
    seed: int = 1
    device: str | torch.device = "cpu"

    def __post_init__(self) -> None:
        if self.data not in DATA:
            raise ConfigError(f"data {self.data!r}: must be one of {', '.join(DATA)}")
        if self.languages[0] == self.languages[1]:
            raise ConfigError(f"languages: {self.languages[0]} twice: there is nothing to translate")

    @property
    def objective(self) -> str:
        """The name of the training objective."""
        return "supervised" if self.data == "pairs" else "unsupervised"


def train_translation(run: TranslationRun) -> None:
    """Train as `run` says and write its folder. A killed run resumes from its last epoch, to the same bits."""
    torch.set_flush_denormal(True)
    s = run.settings
    limits = {"validation": s.validation, "max_length": s.max_length}
    texts = read_texts(run.text, data=run.data, seed=run.seed, languages=run.languages, **limits)
    vectors = [read_vectors(path, drop_zero=True) for path in run.vectors]
    model = new_translator(run, texts, vectors).to(run.device)
    steps = OBJECTIVES[run.objective](encoded(model.vocabulary, texts.train), s, run.seed)
    held_out = encoded(model.vocabulary, texts.held_out)
    checkpoints = Checkpoints(run.out, fingerprint(run))
    trainer = TranslationTrainer(
        model, steps, run.seed, checkpoints,
        judge=lambda each: validation_bleu(each, held_out, round_trip=run.objective == "unsupervised"),
        keep=lambda each, epoch: systems.save_weights(each, checkpoints.folder, epoch),
    )  # fmt: skip
    trainer.train()
    with atomic_folder(run.out, systems.FILES) as folder:
        systems.save_config(model, folder)
        for each in trainer.epochs:
            name = systems.weights_name(each["epoch"])
            shutil.copyfile(checkpoints.folder / name, folder / name)
        write_json(folder / systems.REPORT, training_report(run, texts, vectors, trainer))
    checkpoints.remove()


def new_translator(run: TranslationRun, texts: Texts, vectors: Sequence[WordVectors]) -> TranslationModel:
    """Return the untrained model, with the vocabulary of the training text and the given vectors."""
    s = run.settings
    words = [frequent_words(texts.train[side], s.min_count, s.max_vocabulary) for side in SIDES]
    shared = {line for line in decoded_lines(run.shared) if line} if run.shared else set()
    vocabulary = build_vocabulary(run.languages, words, shared)
    torch.manual_seed(run.seed)
    return TranslationModel(s, vocabulary, initial_table(vocabulary, vectors, run.seed, centre=s.centre))


def fingerprint(run: TranslationRun) -> str:
    """Return a digest of a run, equal only for equal weights."""
    paths = [*run.text, *run.vectors, *([run.shared] if run.shared else [])]
    what = [dataclasses.asdict(run.settings), run.languages, run.data, run.seed, bool(run.shared)]
    found = [*what, *map(sha256, paths), torch.__version__, torch.get_num_threads()]
    if (device := torch.device(run.device).type) != "cpu":
        found.append(device)
    return digest(found)


def training_report(
    run: TranslationRun, texts: Texts, vectors: Sequence[WordVectors], trainer: TranslationTrainer
) -> dict[str, Any]:
    """Return the content of training.json; losses are in nats a word."""
    vocabulary: Vocabulary = trainer.model.vocabulary
    words = sum(each["words"] for each in trainer.epochs)  # of targets, back-translation included
    return {
        "languages": list(run.languages),
        "objective": run.objective,
        "data": run.data,
        "seed": run.seed,
        "settings": dataclasses.asdict(run.settings),
        "sentences": [len(side) for side in texts.train],
        "left_out": texts.left_out,
        "vocabulary": [len(rows) for rows in vocabulary.rows],
        "shared_words": len(vocabulary.shared),
        "covered_by_vectors": covered(vocabulary, vectors),
        "epochs": trainer.epochs,
        "chosen_epoch": trainer.best,
        "stopped_early": trainer.stopped_early,
        "words_per_second": round(words / max(trainer.seconds, 1e-9), 1),
        "seconds": round(trainer.seconds, 2),
        "torch": torch.__version__,
    }
