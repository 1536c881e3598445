"""A configuration of every paper and forty languages, for tests of growth with their number."""

import string
import tarfile
from pathlib import Path

import yaml

from crosslingua import paper_folders

LABELLED = {"ner": "conll2003", "pos": "conllu"}  # kinds of labelled data, and how files of them are read


def write_many_languages(folder: Path) -> None:
    """Write a configuration of every paper and forty languages: the first is learnt from, and paired with each."""
    languages = [f"{first}{second}" for first in "wxyz" for second in string.ascii_lowercase[:10]]
    first, *others = languages
    pairs = [f"{first}-{language}" for language in others]
    lines = ["task\tset\tfrom\ttrain\tvalid\ttest\toptions"]
    lines += [f"text\t{language}\tfile\t{language}.txt" for language in languages]
    lines += [f"bitext\t{pair}\tfile\tsource.txt target.txt" for pair in pairs]
    lines += [f"bitext\t{pair}.held_out\tfile\t\tsource.txt target.txt" for pair in pairs]
    lines += [f"gold_alignment\t{pair}\tfile\t\t\tgold.tar" for pair in pairs]
    three = "\t".join(["source.txt"] * 3)
    for task, form in LABELLED.items():
        lines += [f"{task}\t{one}\tfile\t{three}\tformat={form}" for one in languages]
    lines += [f"derived\t{first}_trans_inv\t{first}\t\t\t\ttransform=trans_inv"]
    laser = {"published": None, "vocabulary_size": 8000, "settings": {"layers": 1}}
    many = {
        "scale": "many",
        "papers": list(paper_folders.names()),
        "seeds": [1],
        "pairs": pairs,
        "dictionaries": {"train": "train.txt", "test": "test.txt"},
        "data": {"sheets": ["many.tsv"]},
        "encoders": {"laser": laser | {"pivots": languages[:2], "bitext": pairs, "test": pairs}},
        "xlm_align": {"xtreme": {"tasks": {task: {"train": first} for task in ("pos", "ner")}}},
        "mbert_align": {"transfer": {"ner": {"sw": None, first: None}}},
        "laser_taggers": {
            "tasks": {task: {"source": first, "targets": None, "distant": []} for task in LABELLED}
        },
        "align_mlm": {"natural": first, "transformations": {"trans_inv": f"{first}_trans_inv"}},
    }
    for name in ("source.txt", "target.txt", "train.txt", "test.txt", *(f"{one}.txt" for one in languages)):
        (folder / name).write_text(f"two words\n{name} too\n")
    tarfile.open(folder / "gold.tar", "w").close()
    (folder / "many.tsv").write_text("".join(f"{line}\n" for line in lines))
    (folder / "many.yaml").write_text(yaml.safe_dump(many))
