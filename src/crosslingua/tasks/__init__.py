"""Tasks: how their data are read, which model is fine-tuned on them, and how its predictions are written and scored.

A member has the attributes of `task.Task`.
"""

from crosslingua.registry import Registry

TASKS = Registry(
    "task",
    {
        "ner": "crosslingua.tasks.tagging:NER",
        "pos": "crosslingua.tasks.tagging:POS",
        "slots": "crosslingua.tasks.tagging:SLOTS",
        "nli": "crosslingua.tasks.pairs:NLI",
        "paraphrase": "crosslingua.tasks.pairs:PARAPHRASE",
    },
)
