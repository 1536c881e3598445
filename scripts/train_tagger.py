"""Train a tagger on features of words, and label test files.

    crosslingua train-tagger --tagger bilstm_crf --seed 1 2 3 --out OUT \\
        --train ner/en=train.conll,train.safetensors --valid ner/en=valid.conll,valid.safetensors \\
        --test ner/en=test.en.conll,test.en.safetensors ner/de=test.de.conll,test.de.safetensors

Files are named TASK/NAME=DATA,FEATURES: two-column data, and what embed-words made of them. Several --train sets are
trained together, each with its --share (TASK/NAME=0.25: a random quarter of the training and validation sentences). The
best epoch on --valid labels every --test set, whatever the language. Writes OUT/seedN/NAME.conll for each test set and
OUT/seedN/training.json. Seeds and lines of --cells share the start of the process and the data. Seeds of one OUT share
a search (trials), also across lines. A label that training never saw is never predicted; training.json lists such
labels. Score the files with score-predictions.
"""

from crosslingua.cli import cells, device_option, parser, run, seed_number, set_option, thread_number
from crosslingua.settings import settings_help
from crosslingua.taggers import TAGGERS
from crosslingua.tasks.tagger_settings import TaggerFiles, TaggerOptions, TaggerTraining


def main() -> None:
    """Parse, check, then train each tagger."""
    p = parser(__doc__, more=_settings)
    p.add_argument("--tagger", required=True, help="a member of the registry: " + ", ".join(TAGGERS))
    for split in ("train", "valid", "test"):
        p.add_argument(
            f"--{split}", nargs="+", required=True, metavar="TASK/NAME=DATA,FEATURES", help=f"{split} files"
        )
    p.add_argument(
        "--share", nargs="+", default=[], metavar="TASK/NAME=SHARE", help="shares of training sets, 0 to 1"
    )
    set_option(p, "settings other than the published")
    p.add_argument(
        "--seed", nargs="+", type=seed_number, required=True, help="of weights, batches and dropout"
    )
    p.add_argument("--threads", type=thread_number, default=1, help="threads; results depend on this number")
    device_option(p, "training and labelling")
    p.add_argument("--out", required=True, help="folder to write")
    calls = cells(p)
    options = [TaggerOptions.of(args.tagger, args.set) for args in calls]

    import torch

    from crosslingua.nn.optimiser import device_of, use_threads
    from crosslingua.tasks.tagger_training import check_folders, run_tagger

    torch.set_flush_denormal(True)
    devices = [device_of(args.device) for args in calls]
    files = [TaggerFiles.parse(args.train, args.valid, args.test, args.share) for args in calls]
    for args, own, data in zip(calls, options, files, strict=True):
        TAGGERS[own.tagger].settings(own.own)
        check_folders(data, args.out, args.seed)
    searched = {}
    for args, own, data, device in zip(calls, options, files, devices, strict=True):
        use_threads(args.threads)
        run_tagger(own, data, args.seed, args.out, searched, device)


def _settings() -> str:
    """Return the settings of training and of each tagger."""
    parts = ["settings (--set NAME=VALUE):\n\n" + settings_help(TaggerTraining)]
    parts += [
        f"{name} (--set tagger.NAME=VALUE):\n\n{settings_help(TAGGERS.settings(name))}" for name in TAGGERS
    ]
    return "\n\n".join(parts)


if __name__ == "__main__":
    run(main)
