"""XTREME's seven tasks as table 1 has them, and the average over them. Both sides of the workflow read this file."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

PREFIX = "shortcut_"  # of a shortcut's metrics, and of their keys in files of scores (tasks/shortcuts.py)


@dataclass(frozen=True)
class XtremeTask:
    """A task: the kind that is tuned on, its metrics with the keys of their scores, and its name in XTREME's files.

    `table` is the appendix's table of it. Two metrics count by their mean (Hu et al. 2020b, table 2). `floor` is the
    key of the score of the most frequent answer ("": none). `judged` is the score to compare with `floor`, if it is
    none of the metrics.
    """

    name: str
    title: str
    kind: str
    folder: str
    metrics: Mapping[str, str]
    table: str
    floor: str = "majority"
    judged: str = ""

    @property
    def learnt_by(self) -> tuple[str, str]:
        """Metric and key of the score that decides whether the task was learned."""
        return (self.judged, self.judged) if self.judged else next(iter(self.metrics.items()))

    @property
    def rows(self) -> tuple[str, ...]:
        """The metrics of its rows, as cells name them."""
        own = [f"{name}={key}" for name, key in self.metrics.items()]
        floor = f"majority={self.floor}" if self.floor else ""
        if self.floor != "majority":  # of another score than the first metric
            own.append(f"majority_{next(iter(self.metrics))}=majority")
        shortcut = (f"{PREFIX}{name}={PREFIX}{key}" for name, key in self.metrics.items())
        return (*own, *filter(None, (self.judged, floor)), *shortcut)


CLASSIFICATION = ("xnli", "pawsx")  # of sentences; others are of tokens: structured prediction, questions
_SQUAD, _MLQA = {"f1": "f1", "em": "em"}, {"f1": "f1_mlqa", "em": "em_mlqa"}
_SEQEVAL, _ACCURACY = {"f1": "f1_seqeval"}, {"accuracy": "accuracy"}
TASKS = {
    each.name: each
    for each in (
        XtremeTask("pos", "POS", "pos", "udpos", _SEQEVAL, "table13", "majority_accuracy", "accuracy"),
        XtremeTask("ner", "NER", "ner", "panx", {"f1": "f1_conll"}, "table14", ""),
        XtremeTask("xquad", "XQuAD", "xquad", "xquad", _SQUAD, "table15"),
        XtremeTask("mlqa", "MLQA", "mlqa", "mlqa", _MLQA, "table16"),
        XtremeTask("tydiqa", "TyDiQA", "tydiqa", "tydiqa", _SQUAD, "table17"),
        XtremeTask("xnli", "XNLI", "nli", "xnli", _ACCURACY, "table18"),
        XtremeTask("pawsx", "PAWS-X", "paraphrase", "pawsx", _ACCURACY, "table19"),
    )
}
METRICS = {"f1": "F1", "em": "EM", "accuracy": "acc."}
ABLATED = ("xnli", "pos", "ner", "mlqa")  # tables 3 to 7; of MLQA they show F1


def compared_in(table: str, known: Collection[str], base: str = "xlm_align") -> list[str]:
    """Return the `known` systems that a table of ablations compares, in its order; `base` is what they vary."""
    labelling, query = (
        [name for name in known if name.startswith(f"{layer}_layer_")] for layer in ("labelling", "query")
    )
    last = [name for name in labelling if name == "labelling_layer_12"] or [base]
    compared = {
        "table3": ["xlmr_mlm", base, "no_dwa", "no_tlm"],
        "table4": [base, *labelling],
        "table5": [*query, *last],
        "table6": [base, "no_filter"],
        "table7": [base, "unmasked", "all_aligned", "no_dwa"],
    }
    return [name for name in compared[table] if name in known]
