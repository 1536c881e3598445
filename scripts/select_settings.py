"""Choose settings of fine-tuning on validation data, for finetune --selected.

    crosslingua select-settings --encoder ENCODER --train ner/en=train.conll --valid ner/en=valid.conll \\
        --set ner.lr=5e-4,2e-3 freeze_embeddings=false,true epochs=3 --seed 1 --out CHOSEN
    crosslingua finetune --selected CHOSEN ...

Files are named TASK/LANGUAGE=FILE, one language a task. A copy of the encoder is fine-tuned for every combination of
the values in --set. The highest score on the --valid file wins; with --joint, the highest mean over all --valid files
of the task (xlm_align, appendix C). No test file is read. Writes OUT/TASK.json: `grid`, `tried` with scores, `chosen`.
With --models, what was chosen is kept there, and finetune, given the same folder and seed, does not train it again.
While it works, OUT.checkpoint/, from which the same command goes on.
"""

from crosslingua.cli import cells, parser, run
from crosslingua.settings import settings_help
from crosslingua.tasks.options import add_options
from crosslingua.tasks.settings import FineTuning


def main() -> None:
    """Parse, check, then choose for each encoder."""
    p = parser(
        __doc__,
        more=lambda: (
            "settings (--set NAME=VALUE,VALUE or TASK.NAME=VALUE,VALUE):\n\n" + settings_help(FineTuning)
        ),
    )
    add_options(p, ("train", "valid"))
    calls = cells(p)

    import torch

    from crosslingua.io.atomic import check_output_folder
    from crosslingua.nn.optimiser import device_of, use_threads
    from crosslingua.tasks.fine_tuning import check_one_language, select_settings
    from crosslingua.tasks.tuner import Files, Tuner, load, parse_files

    torch.set_flush_denormal(True)
    files = [Files(parse_files(args.train), parse_files(args.valid), joint=args.joint) for args in calls]
    for args, data in zip(calls, files, strict=True):
        check_output_folder(args.out, ["*.json"])
        check_one_language(data)
    for args, data in zip(calls, files, strict=True):
        use_threads(args.threads)
        encoder = load(args.encoder).to(device_of(args.device))
        checkpoints = args.checkpoints or f"{args.out}.checkpoint"
        select_settings(Tuner(encoder, data, args.seed, checkpoints, args.models), args.set, args.out)


if __name__ == "__main__":
    run(main)
