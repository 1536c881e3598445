# Names and input functions of rules/encoders.smk.
ENCODERS = f"{RESULTS}/encoders"


TOKENISERS = f"{ENCODERS}/tokenisers"


PRETRAINING = config["encoders"]


ENCODER_SEEDS = PRETRAINING["seeds"]


DEVICE = "cuda" if PRETRAINING["gpus"] else "cpu"


# A training on several GPUs is a process on each.
LAUNCH = (
    f"torchrun --standalone --nproc-per-node {PRETRAINING['gpus']}" if PRETRAINING["gpus"] > 1 else "python"
)


MULTILINGUAL = PRETRAINING["multilingual"]


# Every encoder that is trained here, by name: of several languages, and of align_mlm's pairs.
TRAINED = multilingual_runs(config) | align_mlm_runs(config)


PUBLISHED_ENCODERS = {
    hub_folder(member): {"name": member["pretrained"], "revision": member.get("revision")}
    for member in present(MULTILINGUAL["members"]).values()
    if is_on_hub(member)
}


def encoder_folder(name, seed):
    """The folder of an encoder: trained here, one a seed, or published or your own, the same for every seed."""
    if name in TRAINED:
        return f"{ENCODERS}/{name}/seed{seed}"
    member = MULTILINGUAL["members"][name]
    return f"{DATA}/encoders/hub/{hub_folder(member)}" if is_on_hub(member) else member["pretrained"]


def text_of(language):
    return f"{CORPORA}/text_cased/{language}.txt"


def bitext_of(run):
    """The two files of every pair that a run reads: a derived language's text is parallel to its parent's."""
    if not run.derived:
        return parallel_text("bitext", run.bitext)
    return {pair: [text_of(language) for language in catalogue.pair_languages(pair)] for pair in run.bitext}


def tokeniser_text(wildcards):
    return [text_of(language) for language in tokenisers(config)[wildcards.tokeniser].languages]


def tokeniser_options(wildcards):
    return options(tokenisers(config)[wildcards.tokeniser].options)


def pretraining_options(run):
    """What pretrain.py is told besides tokeniser, seed and output."""
    dictionary = f"{TOKENISERS}/{run.tokeniser}/token_pairs.tsv" if run.dictionary else None
    named = {
        "objective": list(run.objective),
        "text": [f"{language}={text_of(language)}" for language in run.languages],
        "bitext": named_pairs(bitext_of(run)) or None,
        "dictionary": dictionary,
    }
    return f"{options(named)} {settings_options({'device': DEVICE} | run.settings)}"


def objective_modules(run):
    return [OBJECTIVES.module(name) for name in run.objective]


MULTILINGUAL_ENCODERS = [
    encoder_folder(name, seed) for name in present(MULTILINGUAL["members"]) for seed in ENCODER_SEEDS
]


LASER = trained_laser(config)


# The files of the published LASER, where it is taken: checkpoint, codes, vocabulary.
PUBLISHED_LASER = {
    part: f"{DATA}/{dataset}/{file}" for part, (dataset, file) in published_laser(config, DATASETS).items()
}


LASER_ENCODERS = [f"{ENCODERS}/laser/seed{seed}" for seed in ENCODER_SEEDS] if PRETRAINING["laser"] else []


def parallel_text(task, names):
    """`{pair: its two files}` of bitext, or of the text of gold alignments."""
    return {
        name: [f"{CORPORA}/{task}/{name}.{language}.txt" for language in catalogue.pair_languages(name)]
        for name in names
    }


def files_of(pairs):
    return [path for sides in pairs.values() for path in sides]


def named_pairs(pairs):
    """What a script is told of parallel text: pair=file,file."""
    return [f"{name.partition('.')[0]}={','.join(sides)}" for name, sides in pairs.items()]
