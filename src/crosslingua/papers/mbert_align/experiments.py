"""The experiments of mbert_align: an encoder, aligned in six ways for each pair of languages, and taggers on its
layers.

A tagger is trained on the source's words, mapped to the target's space, and tested on the target's (zero-shot).
Controls are `majority`, `random_vectors`, and `target_language`, trained on the target's data.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from crosslingua.cells import Cell
from crosslingua.errors import ConfigError, check_defined
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow import encoder_alignment
from crosslingua.workflow.encoder_alignment import WAYS, AlignedEncoder
from crosslingua.workflow.encoders import encoder_folder, runs_read
from crosslingua.workflow.fine_tuning import score_file
from crosslingua.workflow.jobs import In
from crosslingua.workflow.labelled import by_name, chosen, transferred
from crosslingua.workflow.results import MAIN, Drawing, TableRequest, rows_file, trained_on
from crosslingua.workflow.runs import check_encoders, languages, members, multilingual_origins
from crosslingua.workflow.sources import WORLD, present
from crosslingua.workflow.tagging import EmbeddedSet, Embedding, TaggerRun
from crosslingua.workflow.workflow import Workflow, in_turn

PAPER, UPPER = "mbert_align", "target_language"


@dataclass(frozen=True)
class Transfer:
    """A task, the training set and a test set of taggers, and the languages of both."""

    task: str
    trained: str
    tested: str
    source: str
    target: str

    @property
    def job(self) -> str:
        """The job that trains the taggers, one for all targets of a source set."""
        return f"{self.task}.{self.trained}"


def transfers(w: Workflow) -> list[Transfer]:
    """Return the transfers of a scale, in the order of the configuration."""
    return [
        Transfer(task, trained, tested, w.sources.language(task, trained), w.sources.language(task, tested))
        for task, sets in present(w.config[PAPER]["transfer"]).items()
        for trained, targets in sets.items()
        for tested in chosen(targets, transferred(w, task, trained))
    ]


def aligned(w: Workflow, one: Transfer, system: str) -> AlignedEncoder:
    """Return the aligned encoder of a system."""
    return AlignedEncoder(w.config[PAPER]["encoder"], system, one.source, one.target)


def aligned_encoders(w: Workflow) -> list[AlignedEncoder]:
    """Return the aligned encoders that can be made, without repeats."""
    found = [aligned(w, one, system) for one in transfers(w) for system in WAYS]
    return [one for one in dict.fromkeys(found) if encoder_alignment.can_align(w, one)]


def has_training(w: Workflow, one: Transfer) -> bool:
    """Whether the target has data of its own to train and select on."""
    return {"train", "valid"} <= set(w.sources.splits(one.task, one.tested))


def seeds(w: Workflow) -> list[int]:
    """Return the seeds of taggers."""
    return w.config[PAPER]["seeds"] or w.seeds


def check(w: Workflow) -> None:
    """Raise ConfigError when the section names an unknown or unusable encoder, task or set."""
    section = w.config[PAPER]
    check_encoders(w)
    check_defined(f"{PAPER}.encoder", section["encoder"], members(w), "encoders.multilingual.members")
    tagged = [name for name, kind in KINDS.items() if kind.tagged]
    check_defined(f"{PAPER}.transfer", present(section["transfer"]), tagged, "the tasks of tags")
    for task, sets in present(section["transfer"]).items():
        for trained, targets in present(sets).items():
            named = [trained, *by_name(targets)] if isinstance(targets, list) else []
            check_defined(
                f"{PAPER}.transfer.{task}.{trained}", named, w.sources.sets[task], f"data of {task}"
            )
    for one in transfers(w):
        key = f"{PAPER}.transfer.{one.task}.{one.trained}"
        if one.source == one.target:
            raise ConfigError(
                f"{key}: {one.tested} is of {one.source}, the language of training: name a set of another"
            )
        _check_splits(w, key, one.task, one.trained, ("train", "valid"))
        _check_splits(w, key, one.task, one.tested, ("test",))
    if not transfers(w):
        raise ConfigError(
            f"{PAPER}.transfer: names nothing that there are data of{_unpaired(w)}; name sets of a data sheet,"
            f" as ner: {{en: [de]}}, or leave {PAPER} out of `papers`"
        )


def _unpaired(w: Workflow) -> str:
    """Return the training languages that begin no pair, for which `pairs` give no target."""
    named = [
        w.sources.language(task, trained)
        for task, sets in present(w.config[PAPER]["transfer"]).items()
        for trained in sets
        if trained in w.sources.sets[task]
    ]
    lacking = dict.fromkeys(one for one in named if one not in {source for source, _ in w.pairs})
    return f" (no pair of `pairs` begins with {', '.join(lacking)})" if lacking else ""


def _check_splits(w: Workflow, key: str, task: str, name: str, wanted: tuple[str, ...]) -> None:
    lacking = [split for split in wanted if split not in w.sources.splits(task, name)]
    if lacking:
        raise ConfigError(f"{key}: the set {name!r} has no {' and no '.join(lacking)} data")


# The columns of the paper's table 3; a scale with some of them explains why others are missing.
PUBLISHED = {
    "ner": ("de", "nl", "es", "hy"),
    "slots": ("hi_atis", "tr_atis", "es_facebook", "th_facebook", "it_snips"),
}


def tables(w: Workflow) -> dict[str, TableRequest]:
    """Return table 3, with the origin of its encoder and the reasons for empty cells."""
    origin = multilingual_origins(w, [w.config[PAPER]["encoder"]])
    told = (origin, trained_on(w.config[PAPER]["share"]), *_reasons(w))
    return {"table3": TableRequest(note=" ".join(filter(None, told)))}


def _reasons(w: Workflow) -> list[str]:
    told: dict[str, list[str]] = {}
    for one in transfers(w):
        for system in WAYS:
            if reason := encoder_alignment.missing(w, aligned(w, one, system)):
                told.setdefault(f"{one.source}-{one.target}: {reason}", []).append(system)
    found = [
        f"Not run for {reason} ({', '.join(dict.fromkeys(systems))})." for reason, systems in told.items()
    ]
    return [*found, *_unread(w), *_without_upper_line(w), *_absent(w)]


def _unread(w: Workflow) -> Iterator[str]:
    """Yield the targets in languages that the encoder, pre-trained here, has not read."""
    if "pretrained" in members(w)[w.config[PAPER]["encoder"]]:
        return
    found = [_column(one.task, one.tested) for one in transfers(w) if one.target not in languages(w)]
    if found:
        yield f"The encoder has read no text of the language of {', '.join(found)}."


def _column(task: str, name: str) -> str:
    return f"{KINDS[task].short} {name}"


def _without_upper_line(w: Workflow) -> Iterator[str]:
    """Yield the targets without training data, and so without an upper line."""
    found = [_column(one.task, one.tested) for one in transfers(w) if not has_training(w, one)]
    if found:
        yield f"No {UPPER} for {', '.join(found)}: no data to train and select on."


def _absent(w: Workflow) -> Iterator[str]:
    """Yield the reasons for missing columns of the paper, where the scale has others."""
    had = {(one.task, one.tested) for one in transfers(w)}
    columns = [(task, name) for task, names in PUBLISHED.items() for name in names]
    told: dict[str, list[str]] = {}
    for task, name in columns if had & set(columns) else ():
        if (task, name) not in had:
            told.setdefault(_why_absent(w, task, name), []).append(_column(task, name))
    yield from (f"Empty columns: {', '.join(names)}: {reason}." for reason, names in told.items())


def _why_absent(w: Workflow, task: str, name: str) -> str:
    if name not in w.sources.sets[task]:
        return "the data are not at hand"
    is_read = w.sources.language(task, name) in languages(w)
    return "left out by the configuration" if is_read else "no text for the encoder to learn from"


def drawings(w: Workflow) -> dict[str, Drawing]:
    """Return figure 2, where two pairs have a distance."""
    if len({one.target for one in transfers(w) if encoder_alignment.bitext(w, one.source, one.target)}) < 2:
        return {}
    caption = f"Scale {w.config['scale']}; mean and deviation; number of seeds: {len(seeds(w))}."
    published = [f"reference/{PAPER}_{table}.csv" for table in ("table3", "fig2")]
    inputs = {"rows": [rows_file(w, PAPER, MAIN)], "published": published}
    return {"figure2": Drawing("figure2", inputs, {"caption": caption})}


__all__ = (
    "aligned_encoders", "cells", "check", "drawings", "encoder_runs", "groups", "tables", "taggers",
    "transfers",
)  # fmt: skip

BASELINE, MAJORITY, RANDOM = "mbert", "majority", "random_vectors"
SYSTEMS = (BASELINE, *WAYS)
ONE_PASS = {"epochs": 1, "patience": 0}  # counts all labels
SEPARATED = "rotate_parallel"  # whose report tells how far apart the centroids of languages are


def groups(w: Workflow) -> list[str]:
    """Return the groups of cells."""
    return [MAIN]


def taggers(w: Workflow) -> dict[str, list[TaggerRun]]:
    """Return the taggers."""
    return {MAIN: [tagger for _, tagger in _taggers(w)]}


def _taggers(w: Workflow) -> Iterator[tuple[str, TaggerRun]]:
    """Yield each tagger with its system; a tagger on the unmoved source serves all targets."""
    alike: dict[tuple[str, str], list[Transfer]] = {}
    for one in transfers(w):
        alike.setdefault((one.job, repr(_settings(w, one))), []).append(one)
    for every in alike.values():
        for system in (MAJORITY, RANDOM, BASELINE):
            yield system, _on_source(w, every, system)
        for same in _by_language(every):
            ways = [system for system in WAYS if _can_run(w, same[0], system)]
            yield from ((system, _zero_shot(w, same, system)) for system in ways)
        yield from ((UPPER, _on_target(w, one)) for one in every if has_training(w, one))


def _by_language(every: list[Transfer]) -> list[list[Transfer]]:
    """Return the transfers by target language, since a tagger on aligned words serves all sets of a language."""
    found: dict[str, list[Transfer]] = {}
    for one in every:
        found.setdefault(one.target, []).append(one)
    return list(found.values())


def _can_run(w: Workflow, one: Transfer, system: str) -> bool:
    return encoder_alignment.can_align(w, aligned(w, one, system))


def _on_source(w: Workflow, every: list[Transfer], system: str) -> TaggerRun:
    """Return the tagger of a system that depends on the target language at most by its settings."""
    first = every[0]
    found = _random(w) if system == RANDOM else _plain(w)
    tagger = MAJORITY if system == MAJORITY else _tagger(w)
    runs = (seeds(w)[0],) if system == MAJORITY else tuple(seeds(w))
    tested = tuple(EmbeddedSet(one.tested, found[: len(runs)]) for one in every)
    settings = ONE_PASS if system == MAJORITY else _settings(w, first)
    trained = (_train(w, first.trained, found[: len(runs)]),)
    name = f"{system}/{first.tested}"
    return TaggerRun(name, first.job, first.task, tagger, trained, tested, settings, runs)


def _zero_shot(w: Workflow, same: list[Transfer], system: str) -> TaggerRun:
    """Return the tagger of an aligned encoder, which rotates the source's words, or embeds both sides if tuned."""
    one = same[0]
    source, target = _moved(w, one, system)
    sets = (_train(w, one.trained, source),), tuple(EmbeddedSet(each.tested, target) for each in same)
    name = f"{system}/{one.tested}"
    return TaggerRun(name, one.job, one.task, _tagger(w), *sets, _settings(w, one), tuple(seeds(w)))


def _on_target(w: Workflow, one: Transfer) -> TaggerRun:
    sets = (_train(w, one.tested, _plain(w)),), (EmbeddedSet(one.tested, _plain(w)),)
    return TaggerRun(
        f"{UPPER}/{one.tested}", one.job, one.task, _tagger(w), *sets, _settings(w, one), tuple(seeds(w))
    )


def _train(w: Workflow, name: str, embeddings: tuple[Embedding, ...]) -> EmbeddedSet:
    return EmbeddedSet(name, embeddings, w.config[PAPER]["share"])


def encoder_runs(w: Workflow) -> dict[int, int]:
    """Return the encoder's training run for the run of each seed."""
    return runs_read(w, [w.config[PAPER]["encoder"]], w.tagged_encoder_seeds, seeds(w))


def encoder_seeds(w: Workflow) -> list[int]:
    """Return the training run of the encoder for each seed of a tagger; runs are used in turn."""
    return in_turn(w.tagged_encoder_seeds, seeds(w))


def _layers(w: Workflow, name: str, **read: list[In]) -> tuple[Embedding, ...]:
    """Return sums of the last layers of `encoder`, with `rotations` or without, for the tagger's seeds."""
    return tuple(
        Embedding(
            f"{name}.seed{seed}", "encoder_layers", {what: paths[place] for what, paths in read.items()}
        )
        for place, seed in enumerate(encoder_seeds(w))
    )


def _plain(w: Workflow) -> tuple[Embedding, ...]:
    encoder = w.config[PAPER]["encoder"]
    return _layers(w, encoder, encoder=[In(encoder_folder(w, encoder, seed)) for seed in encoder_seeds(w)])


def _moved(w: Workflow, one: Transfer, system: str) -> tuple[tuple[Embedding, ...], tuple[Embedding, ...]]:
    way, trained = aligned(w, one, system), encoder_seeds(w)
    folders = [encoder_alignment.aligned_folder(w, way, seed) for seed in trained]
    name = f"{system}.{way.pair}"
    if way.way.direction:
        tuned = _layers(w, name, encoder=folders)
        return tuned, tuned
    plain = [In(encoder_folder(w, way.encoder, seed)) for seed in trained]
    return _layers(w, name, encoder=plain, rotations=folders), _plain(w)


def _random(w: Workflow) -> tuple[Embedding, ...]:
    return tuple(Embedding(f"{RANDOM}.seed{seed}", "random_vectors", {"seed": seed}) for seed in seeds(w))


def _tagger(w: Workflow) -> str:
    return "bilstm_crf"  # section 4.2


def _settings(w: Workflow, one: Transfer) -> dict[str, object]:
    """Return the settings of a tagger's training for a target language: with intents where both sets have them."""
    section = w.config[PAPER]
    found = dict(section["tagger"] or {}) | dict((section["tagger_of"] or {}).get(one.target) or {})
    if not all(w.sources.tells_intents(one.task, name) for name in (one.trained, one.tested)):
        found.pop("intents", None)
    return found


def cells(w: Workflow, group: str) -> list[Cell]:
    """Return a cell for every tagger, seed and target, then for the distance and separation of each pair of a task."""
    by_target = {(one.job, one.tested): one for one in transfers(w)}
    found = [
        _cell(w, system, seed, tagger.score(seed, tested.name), by_target[tagger.job, tested.name])
        for system, tagger in _taggers(w)
        for tested in tagger.test
        for seed in tagger.seeds
    ]
    order = (MAJORITY, RANDOM, *SYSTEMS, UPPER)
    return sorted(found, key=lambda cell: order.index(cell.system)) + _distances(w) + _separations(w)


def _cell(w: Workflow, system: str, seed: int, score: str, one: Transfer) -> Cell:
    metrics = ["f1", "f1_conll", "precision", "recall", *(["f1_gold_types"] if one.task == "ner" else [])]
    if _settings(w, one).get("intents"):
        metrics.append("intent_accuracy" + ("=majority_intent_accuracy" if system == MAJORITY else ""))
    return Cell(
        PAPER, "table3", system, one.task, one.trained, one.tested, seed,
        score_file(w, PAPER, MAIN, score), tuple(metrics), conditions=_conditions(w, one),
    )  # fmt: skip


def _conditions(w: Workflow, one: Transfer) -> dict[str, str]:
    """Return a mark for slots whose target data are not translations of the source's, unlike the paper's."""
    own = w.sources.sets[one.task][one.tested]
    is_plain = one.task == "slots" and own["from"] == WORLD and own.get("variant") != "translated"
    return {"translated": "no"} if is_plain else {}


def _distances(w: Workflow) -> list[Cell]:
    return [
        Cell(
            PAPER, "fig2", "distance", one.task, one.trained, one.tested, seeds(w)[0],
            encoder_alignment.distance_file(w, one.source, one.target),
            ("distance", "lexical", "order"),
        )
        for one in transfers(w)
        if encoder_alignment.bitext(w, one.source, one.target)
    ]  # fmt: skip


def _separations(w: Workflow) -> list[Cell]:
    """Return the distance of the centroids of each transfer's languages, before and after rotation."""
    found = [(one, aligned(w, one, SEPARATED)) for one in transfers(w)]
    return [
        Cell(
            PAPER, "fig2", "separation", one.task, one.trained, one.tested, seed,
            encoder_alignment.report_file(w, way, seed), ("separation", "separation_after"),
        )
        for one, way in found
        if encoder_alignment.can_align(w, way)
        for seed in w.tagged_encoder_seeds
    ]  # fmt: skip
