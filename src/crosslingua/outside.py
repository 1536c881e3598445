"""Scores of any program's predictions against gold files: lexicons, alignments, translations, tags, classes, answers.

Each task has one leading metric, whose values by item have the metric as their mean, so that it has an interval and two
systems can be judged. Controls are what needs no system: copying of words, the diagonal of a sentence pair, the most
frequent answer, and the shortcuts of `tasks.shortcuts`, which learn from training data.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from crosslingua.claims.two_systems import TwoSystems, judge_two
from crosslingua.errors import ConfigError, InputError
from crosslingua.evidence.influence import of_ratio
from crosslingua.io.bitext import read_bitext, read_dictionary
from crosslingua.io.decode import decoded_lines, tokens_of
from crosslingua.io.pharaoh import LinkFile
from crosslingua.lexicon_induction import bli
from crosslingua.statistics.interval import Crossed, Interval, mean_spread
from crosslingua.tasks.kinds import KINDS, VIEWS, kind_of
from crosslingua.tasks.kinds import score as score_task
from crosslingua.word_aligners import DIAGONAL, scoring
from crosslingua.word_aligners.diagonal import diagonal_links

LEXICON, ALIGNMENT, TRANSLATION = "lexicon", "alignment", "translation"
TASKS = (
    LEXICON,
    ALIGNMENT,
    TRANSLATION,
    *(name for name, kind in (KINDS | VIEWS).items() if kind.form.scored),
)
LEADING = {LEXICON: "p_at_1", ALIGNMENT: "aer", TRANSLATION: "bleu"}
LOWER_IS_BETTER = ("aer",)
PERCENT = (0.0, 100.0)
Values = Mapping[Any, float]


@dataclass(frozen=True)
class Gold:
    """What predictions of a `task` are scored against: the file `path`.

    The rest is for controls and rules: `text` is that of an alignment, as two files, or the source of translations;
    `train` is the training data of a tagger or classifier; `language` is that of answers or translations.
    """

    task: str
    path: Path
    text: tuple[Path, ...] = ()
    train: str = ""
    language: str = ""

    @property
    def metric(self) -> str:
        """The leading metric."""
        return LEADING.get(self.task) or kind_of(self.task).metric


@dataclass(frozen=True)
class Run:
    """The scores of one file: `numbers` by name, `values` of the leading metric by item, the `signature` of the
    convention, and `controls`.
    """

    numbers: Mapping[str, float]
    values: Values
    signature: str
    controls: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SystemScore:
    """The runs of one system, whose numbers and controls are means over runs. Its leading `metric` has an interval."""

    name: str
    metric: str
    runs: Sequence[Run]

    @property
    def numbers(self) -> dict[str, float]:
        """The mean of each number over the runs."""
        return {name: fmean(run.numbers[name] for run in self.runs) for name in self.runs[0].numbers}

    @property
    def controls(self) -> dict[str, float]:
        """The mean of each control over the runs, which may know other words."""
        return {name: fmean(run.controls[name] for run in self.runs) for name in self.runs[0].controls}

    @property
    def interval(self) -> Interval:
        """The leading metric with its 95 % interval; of one run over items alone."""
        items = [*self.runs[0].values]
        grid = np.array([[run.values[item] for item in items] for run in self.runs])
        return mean_spread([Crossed(items, grid)]).interval().within(*PERCENT)

    def beats(self, control: str) -> bool:
        """Whether the whole interval is on the better side of a control."""
        value, found = self.controls[control], self.interval
        return found.high < value if self.metric in LOWER_IS_BETTER else found.low > value

    def record(self) -> dict[str, Any]:
        """The scores as JSON values."""
        controls = {
            name: {"value": value, "is_beaten": self.beats(name)} for name, value in self.controls.items()
        }
        told = {"system": self.name, "runs": len(self.runs), "items": len(self.runs[0].values)}
        return told | {
            "metric": self.metric,
            "signature": self.runs[0].signature,
            **vars(self.interval),
            "numbers": self.numbers,
            "controls": controls,
        }


def score_system(gold: Gold, files: Sequence[Path]) -> SystemScore:
    """Score the files of one system's runs. Raises InputError where a file does not belong to the gold, ConfigError for
    an unknown task.
    """
    if gold.task not in TASKS:
        kind_of(gold.task)  # names the tasks
    reader = {LEXICON: _lexicon, ALIGNMENT: _alignment, TRANSLATION: _translation}.get(gold.task, _tags)
    score: Callable[[Path], Run] = partial(reader, gold)
    return SystemScore(",".join(map(str, files)), gold.metric, [score(path) for path in files])


def compare(first: SystemScore, second: SystemScore, smallest: float = 0.0) -> TwoSystems:
    """Judge whether the first system is better, on the items of both; the effect is by how much it is ahead."""
    better, worse = (second, first) if first.metric in LOWER_IS_BETTER else (first, second)
    values = [dict(enumerate(run.values for run in one.runs)) for one in (better, worse)]
    return judge_two(*values, smallest)


def _lexicon(gold: Gold, path: Path) -> Run:
    pairs = read_dictionary(gold.path)
    wanted = bli.gold_translations(pairs)
    found, answered = _predictions(path, wanted)
    rules = {
        "": (found, "paper", False), "answered_": (answered, "muse", False),
        "not_spelt_alike_": (found, "paper", True),
    }  # fmt: skip
    scores = {}
    for name, (predictions, rule, drop) in rules.items():
        try:
            scores[name] = bli.score(predictions, pairs, rule, drop_identical=drop, samples=1)
        except ConfigError as error:
            if name == "answered_":
                raise InputError(
                    path, f"answers no word of {gold.path}: {error}", remedy="source word first"
                ) from None
    numbers = {f"{name}p_at_1": one["p_at_1"] for name, one in scores.items()}
    numbers |= {"p_at_5": scores[""]["p_at_5"], "coverage": scores["answered_"]["coverage"]}
    values = {word: 100.0 * (rank == 1) for word, rank in scores[""]["ranks"].items()}
    return Run(numbers, values, scores[""]["signature"], {"copying": scores[""]["spelled_alike"]})


def _predictions(path: Path, wanted: Mapping[str, set[str]]) -> tuple[bli.Predictions, bli.Predictions]:
    """Read a lexicon: pairs of words, the candidates of a word in their order, or a file of `induce-lexicon`.

    Return its predictions twice: with and without the words that a lexicon of pairs leaves out. Such a word is wrong,
    also where copying is right. A file of `induce-lexicon` says itself which words have no vector.
    """
    if next(iter(decoded_lines(path)), None) == bli.HEADER:
        blocks = bli.read_predictions(path)
        found = next((one for one in blocks if one.convention.startswith("csls")), blocks[0])
        return found, found
    candidates: dict[str, list[tuple[str, float]]] = {}
    for source, target in read_dictionary(path):
        if source in wanted:
            ranked = candidates.setdefault(source, [])
            ranked.append((target, 1 / (1 + len(ranked))))
    left_out = wanted.keys() - candidates.keys()
    every = bli.Predictions("file", candidates | {word: [] for word in left_out})
    return every, bli.Predictions("file", candidates, left_out)


def _alignment(gold: Gold, path: Path) -> Run:
    pairs = read_bitext(*gold.text) if gold.text else ()
    lengths = [(len(tokens_of(source)), len(tokens_of(target))) for source, target in pairs]
    links_of_gold = LinkFile.read(gold.path)
    wanted = scoring.read_alignment(links_of_gold, lengths or None)
    chosen = [links.possible for links in scoring.read_alignment(path, lengths or None)]
    if len(chosen) != len(wanted):
        raise InputError(
            path, f"{len(chosen)} sentence pairs, but {gold.path} has {len(wanted)}",
            remedy="if some have no gold link, give the text by --source and --target",
        )  # fmt: skip
    found = scoring.score(wanted, chosen, samples=0)
    links, sure, right_sure, right_possible = scoring.count_links(wanted, chosen).T
    values = 100 * (1 - of_ratio(right_sure + right_possible, links + sure))
    straight = [diagonal_links(*pair) for pair in lengths]
    controls = {DIAGONAL: float(scoring.score(wanted, straight, samples=0)["aer"])} if lengths else {}
    signature = scoring.signature(wanted, links_of_gold.index_base)
    numbers = {name: found[name] for name in scoring.METRICS}
    return Run(numbers, dict(enumerate(values.tolist())), signature, controls)


def _translation(gold: Gold, path: Path) -> Run:
    from crosslingua.translation.scores import score_translations

    if not (references := list(decoded_lines(gold.path))):
        raise InputError(gold.path, "has no lines")
    said, *sources = (list(decoded_lines(file)) for file in (path, *gold.text))
    for file, lines in zip((path, *gold.text), (said, *sources), strict=True):
        if len(lines) != len(references):
            raise InputError(file, f"{len(lines)} lines, but {gold.path} has {len(references)}")
    found, *copied = (
        score_translations(lines, references, references, gold.language or None) for lines in (said, *sources)
    )
    controls = {"copying": copied[0]["bleu"]} if copied else {}
    numbers = {name: found[name] for name in ("bleu", "chrf")}
    return Run(numbers, dict(enumerate(found["per_sentence"])), found["signature"], controls)


def _tags(gold: Gold, path: Path) -> Run:
    scores = score_task(gold.task, gold.path, path, gold.language)
    named = {"f1", "f1_conll", "precision", "recall", "accuracy", "weighted_f1", "em", "em_mlqa", "f1_mlqa"}
    numbers = {name: value for name, value in scores.items() if name in named}
    controls = {"majority": scores["majority"]}
    if gold.train:
        from crosslingua.tasks.shortcuts import PREFIX, shortcut_scores

        best = shortcut_scores(gold.task, gold.train, str(gold.path), gold.language)
        controls[f"shortcut: {best['shortcut']}"] = best[PREFIX + gold.metric]
    return Run(numbers, dict(enumerate(scores["per_sentence"])), scores["signature"], controls)
