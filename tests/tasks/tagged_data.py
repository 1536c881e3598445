"""Small tagged data with features, and quick options, for the tests of taggers."""

from pathlib import Path

import numpy as np

from crosslingua.embedders import EMBEDDERS
from crosslingua.io.conll import TaggedSentence, write_conll
from crosslingua.tasks.tagger_settings import TaggerOptions

NAMES = ["Ada", "Bo", "Cy", "Di"]
PLACES = ["Rom", "Ulm", "Ayr"]
QUICK = ["epochs=8", "lr=0.02", "l2=0", "dropout=0", "patience=0", "batch_size=8"]
QUICK += ["tagger.hidden=8", "tagger.dropout=0"]


def sentences(number: int, seed: int, intents: bool = False) -> list[TaggedSentence]:
    """Somebody sees a place, of two words or one; or a word alone."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(number):
        who, where = rng.choice(NAMES), rng.choice(PLACES)
        if rng.random() < 0.2:
            tokens, labels, intent = (who,), ("B-PER",), "call"
        elif rng.random() < 0.5:
            tokens, labels = (who, "sees", "New", where), ("B-PER", "O", "B-LOC", "I-LOC")
            intent = "see"
        else:
            tokens, labels, intent = ("in", where, "is", who), ("O", "B-LOC", "O", "B-PER"), "be"
        found.append(TaggedSentence(tokens, labels, {"intent": intent} if intents else {}))
    return found


def files(folder: Path, name: str, data: list[TaggedSentence], task: str = "ner", dimension: int = 16) -> str:
    """Write data and features; return the option that names them."""
    folder.mkdir(parents=True, exist_ok=True)
    write_conll(folder / f"{name}.conll", data)
    embedder = EMBEDDERS["random_vectors"].of([f"dimension={dimension}", "share_spellings=true"])
    embedder.embed([one.tokens for one in data], "en").save(folder / f"{name}.safetensors")
    return f"{task}/{name.partition('.')[0]}={folder / name}.conll,{folder / name}.safetensors"


def options(*more: str, tagger: str = "bilstm_crf") -> TaggerOptions:
    return TaggerOptions.of(tagger, [*QUICK, *more] if tagger == "bilstm_crf" else more)
