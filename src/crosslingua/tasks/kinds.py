"""The kinds of task, a record each.

A kind has data of one of a few forms (`Form`): its files, and the code that derives, fine-tunes and scores them.
Another kind of an existing form is one more record of KINDS. A new form is one more `Form`, and a file with its
functions. Code is named by `module:member` and imported when it is used: this module is read where torch is not.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from crosslingua.errors import ConfigError, did_you_mean
from crosslingua.io.conll import Scheme
from crosslingua.io.json import read_json
from crosslingua.io.pairs import PairContract

REPORT = "training.json"  # beside predictions


@dataclass(frozen=True)
class Form:
    """What kinds whose files look alike have in common; suffixes are without their dot.

    `suffix` belongs to data files, `predictions` to predictions. `derive` makes a derived language's file, and `task`
    is the task of fine-tuning (made of the kind; see `tuner`). `scored` scores a file of predictions. `text` is the
    form for models that write text (a `text_to_text.TextForm`). "" means none.
    """

    name: str
    suffix: str
    derive: str
    predictions: str = ""
    task: str = ""
    scored: str = ""
    text: str = ""


_FILES = "crosslingua.corpora.derived.files"
_TAGGER, _SCORING = "crosslingua.tasks.tagging:TaggingTask", "crosslingua.tasks.scoring"
_TEXT = "crosslingua.tasks.text_to_text"
_TAG_TEXT = f"{_TEXT}:TagText"
SPANS, TAGS = (
    Form(name, "conll", f"{_FILES}:derive_sentences", "conll", _TAGGER, f"{_SCORING}:score_{name}", _TAG_TEXT)
    for name in ("spans", "tags")
)
PAIRS = Form(
    "pairs", "tsv", f"{_FILES}:derive_sentence_pairs", "txt",
    "crosslingua.tasks.pairs:PairTask", f"{_SCORING}:score_classes", f"{_TEXT}:ClassText",
)  # fmt: skip
QUESTIONS = Form(
    "questions", "json", f"{_FILES}:derive_questions", "json",
    "crosslingua.tasks.questions:QuestionTask", f"{_SCORING}:score_answers", f"{_TEXT}:AnswerText",
)  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """A kind of task.

    `short` is its name in tables, `contract` describes its files (Markdown), `metric` is the key of its score.
    `sentences` makes the world's data (`module:function`), with the options that `world_options` name. `epochs` belong
    to fine-tuning; `pairs` is the contract of sentence pairs. `data` is the kind whose data sets it has, "" for its
    own. `told_as` is the suffix of the world's files, if a reader converts them. `variants` are further forms of the
    world's data, each with the split that gives its training size.
    """

    name: str
    title: str
    short: str
    contract: str
    form: Form
    metric: str = ""
    sentences: str = ""
    world_options: tuple[str, ...] = ()
    epochs: int = 10
    pairs: PairContract | None = None
    data: str = ""
    told_as: str = ""
    variants: tuple[tuple[str, str], ...] = ()

    @property
    def data_kind(self) -> str:
        """The name of the kind whose data it has."""
        return self.data or self.name

    @property
    def world_suffix(self) -> str:
        """Suffix of what the world writes, without the dot."""
        return self.told_as or self.form.suffix

    @property
    def has_trees(self) -> bool:
        """Whether its sets may come with dependency trees: CoNLL-U, of which a reader takes the tags."""
        return self.told_as == "conllu"

    @property
    def tagged(self) -> bool:
        """Whether a file has two columns, a label for each token."""
        return self.form in (SPANS, TAGS)

    @property
    def scheme(self) -> Scheme:
        """What the labels of a tagged kind are."""
        return "bio2" if self.form is SPANS else "plain"

    @property
    def world(self) -> str:
        """Dotted module of the world's generator; "" if the world has no such data."""
        return _module(self.sentences)

    @property
    def models(self) -> tuple[str, str]:
        """Dotted modules of the fine-tuned model, and of its text form; "" if there is none."""
        return _module(self.form.task), _module(self.form.text)

    @property
    def scorer(self) -> str:
        """Dotted module of the score; "" if there is none."""
        return _module(self.form.scored)

    def task(self) -> Any:
        """Return the task of fine-tuning (see `tuner`). Raises ConfigError for a kind that cannot be."""
        if not self.form.task:
            raise ConfigError(f"no encoder can be fine-tuned on {self.name} yet: {_named('task')} can be")
        return imported(self.form.task)(self)


def imported(target: str) -> Any:
    """Return the member that `module:member` names."""
    module, _, member = target.partition(":")
    return getattr(import_module(module), member)


def _module(target: str) -> str:
    return target.partition(":")[0]


def _named(member: str) -> str:
    """Return the names of the kinds whose form has such a member."""
    return ", ".join(name for name, each in KINDS.items() if getattr(each.form, member))


_WORLD = "crosslingua.corpora.world"
_KINDS = (
    Kind(
        "ner", "Named entities", "NER", "`token<TAB>label` a line, BIO2, a blank line after each sentence.",
        SPANS, "f1", f"{_WORLD}.dependencies:ner_blocks", ("trees",),
    ),
    Kind(
        "pos", "Parts of speech", "POS", "`token<TAB>tag` a line, a blank line after each sentence.",
        TAGS, "f1", f"{_WORLD}.dependencies:treebank_blocks", told_as="conllu",
    ),
    Kind(
        "slots", "Slot filling", "slots", "`token<TAB>label` a line, BIO2; the intent, where known, in a comment.",
        SPANS, "f1", f"{_WORLD}.slots:slot_blocks", ("trees", "variant"),
        variants=(("translated", "train"),),  # sentence by sentence the same commands in every language
    ),
    Kind(
        "nli", "Inference", "NLI", "TSV with a header: premise, hypothesis, label.",
        PAIRS, "accuracy", f"{_WORLD}.nli:nli_blocks", ("trees",), 5,
        PairContract(("premise", "hypothesis", "label"), ("entailment", "neutral", "contradiction")),
    ),
    Kind(
        "paraphrase", "Paraphrase", "paraphrase", "TSV with a header: two sentences, and 1 where they say the same.",
        PAIRS, "accuracy", f"{_WORLD}.paraphrase:paraphrase_blocks", ("trees",), 5,
        PairContract(("sentence1", "sentence2", "label"), ("0", "1")),
    ),
    Kind(
        "qa", "Questions", "QA", "SQuAD 1.1: contexts, questions, and answers that are spans of the context.",
        QUESTIONS, "f1", f"{_WORLD}.slots:qa_blocks", ("trees", "raw", "variant"), 4,
        # Passages that are the same in every language have hardly a training set, as XQuAD and MLQA have none.
        variants=(("translated", "valid"), ("long", "valid"), ("short", "train")),
    ),
)  # fmt: skip
KINDS = {each.name: each for each in _KINDS}
# Sets that XTREME tunes and scores separately, though their data are of one kind.
VIEWS = {
    name: replace(KINDS["qa"], name=name, title=title, short=title, data="qa")
    for name, title in (("xquad", "XQuAD"), ("mlqa", "MLQA"), ("tydiqa", "TyDiQA"))
}


def kind_of(name: str) -> Kind:
    """Return the record of a kind. Raises ConfigError for an unknown name."""
    every = KINDS | VIEWS
    if name not in every:
        raise ConfigError(
            f"unknown task {name!r}: the tasks are {', '.join(every)}{did_you_mean(name, every)}"
        )
    return every[name]


def score(name: str, gold: str | Path, hypothesis: str | Path, language: str = "") -> dict[str, Any]:
    """Return the scores, in percent, of a file of predictions; of answers MLQA leaves out the `language`'s articles.

    Raises InputError where the files do not belong together, ConfigError for a kind without a score.
    """
    record = kind_of(name)
    if not record.form.scored:
        raise ConfigError(f"{name} has no score: tasks with a score are {_named('scored')}")
    told = {"language": language} if language and record.form is QUESTIONS else {}
    return with_training(imported(record.form.scored)(record, gold, hypothesis, **told), hypothesis)


def with_training(scores: dict[str, Any], hypothesis: str | Path) -> dict[str, Any]:
    """Return the scores of a file of predictions, signed by what the report beside it says of the training.

    That is `embeddings=frozen`, and `selected=lr:0.001` of settings that were chosen on validation data.
    """
    report = Path(hypothesis).parent / REPORT
    told = read_json(report) if report.is_file() else {}
    marks = ["embeddings=frozen"] if told.get("settings", {}).get("freeze_embeddings") else []
    if chosen := told.get("selection", {}).get("chosen"):
        marks.append("selected=" + ",".join(f"{name}:{json.dumps(value)}" for name, value in chosen.items()))
    return scores | {"signature": "|".join([scores["signature"], *marks])} if marks else scores


def named_options(options: Iterable[str], form: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield options `TASK/NAME=VALUE` with their parts. Raises ConfigError, naming `form`, for another form."""
    for option in options:
        key, _, value = option.partition("=")
        task, _, name = key.partition("/")
        if not name or not value:
            raise ConfigError(f"{option!r}: write {form}")
        yield option, task, name, value


def prediction_folder(folder: Path, task: str, tests: Iterable[str]) -> tuple[Path, list[str]]:
    """Return a folder of predictions, and its files that may be replaced, with earlier ones of other tests."""
    suffix = kind_of(task).form.predictions
    earlier = [f"*.{suffix}"] if (folder / REPORT).is_file() else []
    return folder, [REPORT, *(f"{name}.{suffix}" for name in tests), *earlier]
