"""Jobs of encoders: tokenisers, pre-training, LASER."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.workflow.labelled import sides
from crosslingua.workflow.runs import (
    LASER,
    Run,
    hub_folder,
    is_on_hub,
    laser_bitext,
    laser_test,
    members,
    runs,
    tokenisers,
    trained_laser,
)
from crosslingua.workflow.text import text_of
from crosslingua.workflow.workflow import Workflow, in_turn, pair_languages, settings_words

# What train_laser.py is told of parallel text, and the task of the sets that are named there.
LASER_TEXT = {"bitext": "bitext", "test": "gold_alignment"}


def tokeniser_folder(w: Workflow, name: str) -> str:
    """Return the folder of a tokeniser."""
    return f"{w.results}/encoders/tokenisers/{name}"


def encoder_folder(w: Workflow, name: str, seed: object) -> str:
    """Return the folder of an encoder: trained here, one a seed, or published or your own, the same for every seed."""
    if name in runs(w):
        return f"{w.results}/encoders/{name}/seed{seed}"
    member = members(w)[name]
    return f"{w.data}/encoders/hub/{hub_folder(member)}" if is_on_hub(member) else member["pretrained"]


def runs_read(
    w: Workflow, names: Collection[str], trained: Sequence[int], seeds: Sequence[int]
) -> dict[int, int]:
    """Return which of the `trained` seeds of `names`, encoders or LASER, each of `seeds` reads: they are used in turn.

    {} where all are published: there is one of each, and statements are about that one.
    """
    made_here = any(name in runs(w) or (name == LASER and trained_laser(w)) for name in names)
    return dict(zip(seeds, in_turn(trained, seeds), strict=True)) if made_here else {}


def multilingual_encoders(w: Workflow) -> list[str]:
    """Return the folders of the encoders of several languages, all seeds."""
    folders = [encoder_folder(w, name, seed) for name in members(w) for seed in w.encoder_seeds]
    return list(dict.fromkeys(folders))


def laser_encoders(w: Workflow) -> list[str]:
    """Return the folders of LASER, a seed each; none where there is none."""
    made = w.config["encoders"]["laser"]
    return [f"{w.results}/encoders/{LASER}/seed{seed}" for seed in w.tagged_encoder_seeds] if made else []


def tokeniser_text(w: Workflow, name: str) -> list[str]:
    """Return the text that a tokeniser is trained on."""
    return [text_of(w, language, cased=True) for language in tokenisers(w)[name].languages]


def tokeniser_plan(w: Workflow, name: str) -> str:
    """Write which text a tokeniser is trained on; return the plan."""
    return w.plan(f"train_tokeniser/{name}", [{"text": tokeniser_text(w, name)}])


def bitext_of(w: Workflow, run: Run) -> dict[str, list[str]]:
    """Return the two files of every pair that a run reads: a derived language's text is parallel to its parent's."""
    if not run.derived:
        return sides(w, "bitext", run.bitext)
    return {pair: [text_of(w, one, cased=True) for one in pair_languages(pair)] for pair in run.bitext}


def pretraining_inputs(w: Workflow, name: str, seed: object) -> dict[str, Any]:
    """Return the files that an encoder is trained on."""
    run = runs(w)[name]
    return {
        "tokeniser": tokeniser_folder(w, run.tokeniser) if run.tokeniser else [],
        "text": [text_of(w, language, cased=True) for language in run.languages],
        "bitext": [path for files in bitext_of(w, run).values() for path in files],
        "init": encoder_folder(w, run.init, seed) if run.init else [],
    }


def pretraining_options(w: Workflow, name: str, seed: object) -> dict[str, Any]:
    """Return the options of pretrain.py but for its text, seed and output."""
    run = runs(w)[name]
    files = pretraining_inputs(w, name, seed)
    return {
        "objective": run.objective,
        "dictionary": f"{files['tokeniser']}/token_pairs.tsv" if run.needs_dictionary else None,
        "tokenizer": files["tokeniser"] or None,
        "init": files["init"] or None,
        "set": settings_words({"device": device(w)} | dict(run.settings)),
        "threads": w.threads,
    }


def pretraining_plan(w: Workflow, name: str) -> str:
    """Write which text and bitext an encoder is trained on, by language and pair; return the plan."""
    run = runs(w)[name]
    text = [f"{language}={text_of(w, language, cased=True)}" for language in run.languages]
    return w.plan(f"pretrain/{name}", [{"text": text, "bitext": named_pairs(bitext_of(w, run))}])


def objective_modules(w: Workflow, name: str) -> list[str]:
    """Return the modules of an encoder's objectives."""
    return [OBJECTIVES.module(objective) for objective in runs(w)[name].objective]


def laser_options(w: Workflow) -> dict[str, Any]:
    """Return the options of train_laser.py but for its text, seed and output."""
    laser: Mapping[str, Any] = trained_laser(w) or {}
    return {
        "pivots": laser["pivots"],
        "set": settings_words({"device": device(w)} | (laser["settings"] or {})),
        "threads": w.threads,
    }


def laser_plan(w: Workflow) -> str:
    """Write which parallel text LASER is trained and tested on; return the plan."""
    pairs = {key: named_pairs(laser_sides(w, key)) for key in LASER_TEXT}
    return w.plan("train_laser/laser", [pairs])


def laser_text(w: Workflow, key: str) -> list[str]:
    """Return the parallel text that LASER is trained on (`bitext`), or tested on (`test`)."""
    return [path for files in laser_sides(w, key).values() for path in files]


def laser_sides(w: Workflow, key: str) -> dict[str, list[str]]:
    """Return both texts of each pair that LASER is trained on (`bitext`), or tested on (`test`)."""
    return sides(w, LASER_TEXT[key], {"bitext": laser_bitext, "test": laser_test}[key](w))


def device(w: Workflow) -> str:
    """Return where encoders are trained."""
    return "cuda" if w.gpus else "cpu"


def launcher(w: Workflow) -> str:
    """Return how a training is started: on several GPUs it is a process on each."""
    return f"torchrun --standalone --nproc-per-node {w.gpus}" if w.gpus > 1 else "python"


def named_pairs(pairs: Mapping[str, list[str]]) -> list[str]:
    """Return what a script is told of parallel text: pair=file,file."""
    return [f"{name.partition('.')[0]}={','.join(files)}" for name, files in pairs.items()]
