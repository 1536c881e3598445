"""Jobs of encoders: tokenisers, pre-training, LASER."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.workflow.jobs import In, Job
from crosslingua.workflow.labelled import sides
from crosslingua.workflow.runs import (
    LASER,
    Laser,
    Run,
    is_fetched,
    members,
    pruned,
    published,
    published_folder,
    runs,
    tokenisers,
)
from crosslingua.workflow.sections import EncoderSection
from crosslingua.workflow.text import text_of
from crosslingua.workflow.workflow import Workflow, in_turn, pair_languages, settings_words


def tokeniser_folder(w: Workflow, name: str) -> str:
    """Return the folder of a tokeniser."""
    return f"{w.results}/encoders/tokenisers/{name}"


def encoder_folder(w: Workflow, name: str, seed: object) -> str:
    """Return the folder of an encoder: one a seed where it is trained, the same for every seed otherwise."""
    if name in runs(w):
        return f"{w.results}/encoders/{name}/seed{seed}"
    return f"{w.results}/encoders/{name}/pruned" if name in pruned(w) else _as_published(w, members(w)[name])


def _as_published(w: Workflow, member: EncoderSection) -> str:
    """Return the folder of a published encoder with all its pieces."""
    if is_fetched(member):
        return f"{w.data}/encoders/published/{published_folder(member)}"
    return member.pretrained or ""


def run_of_each(w: Workflow, encoder: str, seeds: Sequence[int]) -> list[int]:
    """Return the training run of the encoder that each of `seeds` reads, in turn; of a published one the first."""
    tagged = w.tagged_encoder_seeds
    return in_turn(tagged if encoder in runs(w) else tagged[:1], seeds)


def runs_read(
    w: Workflow, names: Collection[str], trained: Sequence[int], seeds: Sequence[int]
) -> dict[int, int]:
    """Return the `trained` seed of `names`, encoders or LASER, that each of `seeds` reads; {} if all are published."""
    made_here = {*runs(w), *([LASER] if w.stage(Laser).trained else [])}
    return dict(zip(seeds, in_turn(trained, seeds), strict=True)) if made_here & {*names} else {}


def multilingual_encoders(w: Workflow) -> list[str]:
    """Return the folders of the encoders of several languages, all seeds."""
    folders = [encoder_folder(w, name, seed) for name in members(w) for seed in w.encoder_seeds]
    return list(dict.fromkeys(folders))


def laser_encoders(w: Workflow) -> list[str]:
    """Return the folders of LASER, a seed each; none where there is none."""
    made = w.config.encoders.laser
    return [f"{w.results}/encoders/{LASER}/seed{seed}" for seed in w.tagged_encoder_seeds] if made else []


def encoder_jobs(w: Workflow) -> Iterator[Job]:
    """Yield the jobs of encoders: published ones, tokenisers, pre-training, LASER."""
    for name, model in published(w).items():
        yield Job("fetch_encoder.py", f"fetch_encoder/{name}", options=model)
    laser = w.stage(Laser)
    read = {*(run.tokeniser for run in runs(w).values()), *([LASER] if laser.trained else [])}
    for name, tokeniser in tokenisers(w).items():
        if name in read:
            text = [In(text_of(w, language, cased=True)) for language in tokeniser.languages]
            job, made = f"train_tokeniser/{name}", [tokeniser_folder(w, name)]
            yield Job("train_tokenizer.py", job, [{"text": text}], tokeniser.options, makes=made)
    for name, run in runs(w).items():
        yield from (_pretraining_job(w, name, run, seed) for seed in run.seeds or w.encoder_seeds)
    if section := laser.trained:
        settings = settings_words({"device": w.device} | (section.settings or {}))
        bitext, test = sides(w, "bitext", laser.bitext), sides(w, "gold_alignment", laser.test)
        yield Job(
            "train_laser.py",
            "train_laser/laser",
            [{"bitext": named_pairs(bitext), "test": named_pairs(test)}],
            {"pivots": section.pivots, "set": settings, "threads": w.threads},
            named={"tokeniser": tokeniser_folder(w, LASER)},
            makes=laser_encoders(w),
        )
    files = laser.published_files()
    yield Job("import_laser.py", "import_laser/laser", named=files, makes=laser_encoders(w))


def pruning_jobs(w: Workflow, jobs: Iterable[Job]) -> Iterator[Job]:
    """Yield the jobs of pruning: kept are the pieces of all corpora that any of `jobs` reads beside a pruned encoder,
    or beside what was made of one. A tokeniser of copies keeps few of these pieces, so its text adds none.
    """
    if not pruned(w):
        return
    remaining, text = [job for job in jobs if job.script != "train_tokenizer.py"], set[str]()
    made = [f"{w.results}/encoders/{name}/" for name in pruned(w)]
    while reading := [job for job in remaining if any(file.startswith(tuple(made)) for file in job.files())]:
        text |= {file for job in reading for file in job.files() if file.startswith(f"{w.corpora}/")}
        made = [path for job in reading for path in (*job.makes, *job.written(w))]
        remaining = [job for job in remaining if job not in reading]
    lines = [{"text": [In(file) for file in sorted(text)]}]
    for name in pruned(w):
        options, made = {"encoder": In(_as_published(w, members(w)[name]))}, [encoder_folder(w, name, 0)]
        yield Job("prune_encoder.py", f"prune_encoder/{name}", lines, options, makes=made)


def _pretraining_job(w: Workflow, name: str, run: Run, seed: int) -> Job:
    """Return the training of an encoder. All seeds read the same data, but for the initial weights, which of derived
    languages are those of the encoder with copied pieces.
    """
    text = {language: text_of(w, language, cased=True) for language in run.languages}
    tokeniser = tokeniser_folder(w, run.tokeniser) if run.tokeniser else ""
    init = tokeniser if run.derived else run.init and encoder_folder(w, run.init, seed)
    pairs = sides(w, "bitext", run.bitext)
    if run.derived:  # the text of a derived language is parallel to its parent's
        pairs = {pair: [text_of(w, one, cased=True) for one in pair_languages(pair)] for pair in run.bitext}
    return Job(
        "pretrain.py",
        f"pretrain/{name}.seed{seed}",
        [
            {
                "text": [In(f"{language}={path}", path) for language, path in text.items()],
                "bitext": named_pairs(pairs),
            }
        ],
        {
            "objective": run.objective,
            "dictionary": In(f"{tokeniser}/token_pairs.tsv", tokeniser) if run.needs_dictionary else None,
            "tokenizer": In(tokeniser) if tokeniser else None,
            "init": In(init) if run.init else None,
            "set": settings_words({"device": w.device} | dict(run.settings)),
            "threads": w.threads,
        },
        [OBJECTIVES.module(objective) for objective in run.objective],
        plan=f"pretrain/{name}",
        makes=[encoder_folder(w, name, seed)],
    )


def launcher(w: Workflow) -> str:
    """Return the launcher of a training, which starts a process on each of several GPUs."""
    return f"torchrun --standalone --nproc-per-node {w.gpus}" if w.gpus > 1 else "python"


def named_pairs(pairs: Mapping[str, list[str]]) -> list[In]:
    """Return parallel text as an option: pair=file,file."""
    return [In(f"{name.partition('.')[0]}={','.join(files)}", files) for name, files in pairs.items()]
