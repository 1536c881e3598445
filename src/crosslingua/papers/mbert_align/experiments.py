"""The experiments of mbert_align: an encoder, aligned in six ways for each pair, and taggers on its layers.

A tagger is trained on the source's words, mapped to the target's space, and tested on the target's (zero-shot).
Controls are `majority`, `random_vectors`, and `target_language`, trained on the target's data.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

from crosslingua.cells import Cell
from crosslingua.errors import ConfigError, check_defined
from crosslingua.papers import shared
from crosslingua.papers.mbert_align.tables import SOURCE, label
from crosslingua.papers.shared import MAJORITY, RANDOM, UPPER, Words, grouped, sentences
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow import encoder_alignment
from crosslingua.workflow.encoder_alignment import WAYS, AlignedEncoder
from crosslingua.workflow.encoders import runs_read
from crosslingua.workflow.fine_tuning import score_file
from crosslingua.workflow.labelled import by_name, check_sets, chosen, transferred
from crosslingua.workflow.results import MAIN, Drawing, TableRequest, rows_file, trained_on
from crosslingua.workflow.runs import check_encoders, languages, members, multilingual_origins
from crosslingua.workflow.sources import WORLD, present
from crosslingua.workflow.tagging import EmbeddedSet, TaggerRun
from crosslingua.workflow.workflow import Workflow, in_turn

PAPER = "mbert_align"


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

    @property
    def column(self) -> str:
        """The column of the table."""
        return label(self.task, self.tested)


def transfers(w: Workflow) -> list[Transfer]:
    """Return the transfers of a scale, in the order of the configuration."""
    return [
        Transfer(task, trained, tested, w.sources.language(task, trained), w.sources.language(task, tested))
        for task, trained, targets in _named(w)
        for tested in chosen(targets, transferred(w, task, trained))
    ]


def _named(w: Workflow) -> list[tuple[str, str, list[str] | int | None]]:
    """Return (task, training set, test sets) as configured."""
    tasks = present(w.config[PAPER]["transfer"])
    return [
        (task, w.of_source(name), targets) for task, sets in tasks.items() for name, targets in sets.items()
    ]


def aligned(w: Workflow, one: Transfer, system: str) -> AlignedEncoder:
    """Return the aligned encoder of a system."""
    return AlignedEncoder(w.config[PAPER]["encoder"], system, one.source, one.target)


def aligned_encoders(w: Workflow) -> list[AlignedEncoder]:
    """Return the aligned encoders that can be made, without repeats."""
    ways = [aligned(w, one, system) for one in transfers(w) for system in WAYS]
    return [way for way in dict.fromkeys(ways) if encoder_alignment.can_align(w, way)]


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
    for task, trained, targets in _named(w):
        if isinstance(targets, list):
            check_sets(w, f"{PAPER}.transfer.{task}.{trained}", task, [trained, *by_name(targets)])
    for one in transfers(w):
        key = f"{PAPER}.transfer.{one.task}.{one.trained}"
        if one.source == one.target:
            told = f"{one.tested} is of {one.source}, the language of training"
            raise ConfigError(f"{key}: {told}: name a set of another")
        for name, wanted in ((one.trained, ("train", "valid")), (one.tested, ("test",))):
            if lacking := [split for split in wanted if split not in w.sources.splits(one.task, name)]:
                raise ConfigError(f"{key}: the set {name!r} has no {' and no '.join(lacking)} data")
    if not transfers(w):
        raise ConfigError(
            f"{PAPER}.transfer: names nothing that there are data of{_unpaired(w)}; name sets of a data sheet,"
            f" as ner: {{en: [de]}}, or leave {PAPER} out of `papers`"
        )


def _unpaired(w: Workflow) -> str:
    """Return the training languages that begin no pair, for which `pairs` give no target."""
    every = _named(w)
    named = [w.sources.language(task, one) for task, one, _ in every if one in w.sources.sets[task]]
    lacking = dict.fromkeys(one for one in named if one not in {source for source, _ in w.pairs})
    return f" (no pair of `pairs` begins with {', '.join(lacking)})" if lacking else ""


# The columns of the paper's table 3; a scale with some of them explains why others are missing.
PUBLISHED = {
    "ner": ("de", "nl", "es", "hy"),
    "slots": ("hi_atis", "tr_atis", "es_facebook", "th_facebook", "it_snips"),
}


def tables(w: Workflow) -> dict[str, TableRequest]:
    """Return table 3, with the origin of its encoder and the reasons for empty cells."""
    origin = multilingual_origins(w, [w.config[PAPER]["encoder"]])
    return {
        "table3": TableRequest(note=sentences(origin, trained_on(w.config[PAPER]["share"]), *_reasons(w)))
    }


def _reasons(w: Workflow) -> Iterator[str]:
    """Yield the reasons for empty cells: no data to align by, a language that was not read, no upper line."""
    ways = [aligned(w, one, system) for one in transfers(w) for system in WAYS]
    lacking = grouped(ways, lambda way: f"{way.pair}: {encoder_alignment.missing(w, way)}")
    for reason, without in lacking.items():
        if not encoder_alignment.can_align(w, without[0]):
            yield f"Not run for {reason} ({', '.join(dict.fromkeys(way.system for way in without))})."
    unread = [one.column for one in transfers(w) if one.target not in languages(w)]
    if unread and "pretrained" not in members(w)[w.config[PAPER]["encoder"]]:
        yield f"The encoder has read no text of the language of {', '.join(unread)}."
    if untrained := [one.column for one in transfers(w) if not has_training(w, one)]:
        yield f"No {UPPER} for {', '.join(untrained)}: no data to train and select on."
    yield from _absent(w)


def _absent(w: Workflow) -> Iterator[str]:
    """Yield the reasons for missing columns of the paper, where the scale has others."""
    had = {(one.task, one.tested) for one in transfers(w)}
    columns = [(task, name) for task, names in PUBLISHED.items() for name in names]
    if had & set(columns):

        def reason_of(column: tuple[str, str]) -> str:
            if column[1] not in w.sources.sets[column[0]]:
                return "the data are not at hand"
            is_read = w.sources.language(*column) in languages(w)
            return "left out by the configuration" if is_read else "no text for the encoder to learn from"

        for reason, each in grouped((c for c in columns if c not in had), reason_of).items():
            yield f"Empty columns: {', '.join(label(*column) for column in each)}: {reason}."


def drawings(w: Workflow) -> dict[str, Drawing]:
    """Return figure 2, where two pairs have a distance."""
    if len({one.target for one in transfers(w) if encoder_alignment.bitext(w, one.source, one.target)}) < 2:
        return {}
    caption = f"Scale {w.config['scale']}; mean and deviation; number of seeds: {len(seeds(w))}."
    published = [f"reference/{PAPER}_{table}.csv" for table in ("table3", "fig2")]
    inputs = {"rows": [rows_file(w, PAPER, MAIN)], "published": published}
    return {"figure2": Drawing("figure2", inputs, {"caption": caption})}


BASELINE = "mbert"
SEPARATED = "rotate_parallel"  # whose report tells how far apart the centroids of languages are


def groups(w: Workflow) -> list[str]:
    """Return the groups of cells."""
    return [MAIN]


def taggers(w: Workflow) -> dict[str, list[TaggerRun]]:
    """Return the taggers."""
    return {MAIN: [tagger for _, tagger in _taggers(w)]}


def _taggers(w: Workflow) -> Iterator[tuple[str, TaggerRun]]:
    """Yield each tagger with its system; a tagger on the unmoved source serves all targets."""
    encoder = w.config[PAPER]["encoder"]
    plain = shared.layers(w, encoder, seeds(w))
    random = shared.embeddings(RANDOM, "random_vectors", seeds(w), seed=int)
    for every in grouped(transfers(w), lambda one: (one.job, repr(_settings(w, one)))).values():
        for system, words in ((MAJORITY, plain), (RANDOM, random), (BASELINE, plain)):
            yield system, _tagger_run(w, system, every, words, words)
        # A tagger on aligned words serves all sets of a language.
        for same in grouped(every, lambda one: one.target).values():
            for system in WAYS:
                way = aligned(w, same[0], system)
                if encoder_alignment.can_align(w, way):
                    yield system, _tagger_run(w, system, same, *_moved(w, way, plain))
        for one in every:
            if has_training(w, one):
                yield UPPER, _tagger_run(w, UPPER, [one], plain, plain)


def _moved(w: Workflow, way: AlignedEncoder, plain: Words) -> tuple[Words, Words]:
    """Return the words of the source and of the target by an aligned encoder: it rotates the source's, or is tuned."""
    name = f"{way.system}.{way.pair}"
    if not way.way.direction:
        return shared.layers(w, way.encoder, seeds(w), name, way), plain
    runs = in_turn(w.tagged_encoder_seeds, seeds(w))
    folder = partial(encoder_alignment.aligned_folder, w, way)
    tuned = shared.states(w, name, runs, encoder=folder)
    return tuned, tuned


def _tagger_run(w: Workflow, system: str, every: list[Transfer], source: Words, target: Words) -> TaggerRun:
    """Return the tagger of transfers that have a training set and settings in common, on words of either side."""
    first = every[0]
    trained = first.tested if system == UPPER else first.trained
    name, member = f"{system}/{first.tested}", MAJORITY if system == MAJORITY else "bilstm_crf"  # section 4.2
    train = EmbeddedSet(trained, source, w.config[PAPER]["share"])
    test = [EmbeddedSet(one.tested, target) for one in every]
    if system != UPPER and "test" in w.sources.splits(first.task, trained):
        test.append(EmbeddedSet(trained, source))  # where a system must beat its controls
    settings = _settings(w, first)
    return shared.tagger_run(name, first.job, first.task, member, train, test, settings, seeds(w))


def encoder_runs(w: Workflow) -> dict[int, int]:
    """Return the encoder's training run for the run of each seed."""
    return runs_read(w, [w.config[PAPER]["encoder"]], w.tagged_encoder_seeds, seeds(w))


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
    found = []
    for system, tagger in _taggers(w):
        names = [tested.name for tested in tagger.test]
        for name, seed in product((name for name in names if (tagger.job, name) in by_target), tagger.seeds):
            one = by_target[tagger.job, name]
            found.append(_cell(w, system, seed, tagger.score(seed, name), one))
            if one.trained in names:
                found.append(_cell(w, system, seed, tagger.score(seed, one.trained), one, SOURCE))
    order = (MAJORITY, RANDOM, BASELINE, *WAYS, UPPER)
    return sorted(found, key=lambda cell: order.index(cell.system)) + _distances(w) + _separations(w)


def _cell(w: Workflow, system: str, seed: int, score: str, one: Transfer, table: str = "table3") -> Cell:
    """Return a cell of table 3, or of a tagger's score in the language of training, by its target."""
    if table == SOURCE:
        metrics = ("f1", "shortcut_f1")
        return Cell(
            PAPER,
            SOURCE,
            system,
            one.task,
            one.trained,
            one.tested,
            seed,
            score_file(w, PAPER, MAIN, score),
            metrics,
        )
    own = ["f1_gold_types"] if one.task == "ner" else []
    metrics = ["f1", "f1_conll", "precision", "recall", "shortcut_f1", *own]
    if _settings(w, one).get("intents"):
        metrics.append("intent_accuracy" + ("=majority_intent_accuracy" if system == MAJORITY else ""))
    return Cell(
        PAPER, "table3", system, one.task, one.trained, one.tested, seed,
        score_file(w, PAPER, MAIN, score), tuple(metrics), conditions=_conditions(w, one),
    )  # fmt: skip


def _conditions(w: Workflow, one: Transfer) -> dict[str, str]:
    """Return a mark for slots whose target data are not translations of the source's, unlike the paper's."""
    entry = w.sources.sets[one.task][one.tested]
    is_plain = one.task == "slots" and entry["from"] == WORLD and entry.get("variant") != "translated"
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
    return [
        Cell(
            PAPER, "fig2", "separation", one.task, one.trained, one.tested, seed,
            encoder_alignment.report_file(w, way, seed), ("separation", "separation_after"),
        )
        for one in transfers(w)
        if encoder_alignment.can_align(w, way := aligned(w, one, SEPARATED))
        for seed in encoder_alignment.rotated_runs(w, way.encoder)
    ]  # fmt: skip
