"""Fine-tune an encoder on tasks and predict their test files.

    crosslingua finetune --encoder ENCODER --train ner/en=train.conll --valid ner/en=valid.conll \\
        --test ner/en=test.en.conll ner/de=test.de.conll --seed 1 --out OUT

Files are named TASK/LANGUAGE=FILE. Each TASK/LANGUAGE of --train is a cell that fine-tunes a copy of the encoder. The
best epoch on the --valid file predicts every --test file of the task, whatever the language (zero-shot). Cells do not
influence each other, nor do the lines of --cells, one encoder each. Lines share the start of the process (4 s of
processor time) and the data.

Tasks: ner, slots (two columns, BIO2), pos (two columns), nli, paraphrase (TSV), qa, xquad, mlqa, tydiqa (SQuAD's JSON).
Reads a Hugging Face folder. Writes OUT/TASK/LANGUAGE/ with TEST.conll (TEST.txt, a label a line; TEST.json, SQuAD's
predictions) for each test language, and training.json. Defaults follow align_mlm (table 11: rate 2e-5, 128 pieces,
batches of 32, 10 epochs, 5 for nli and paraphrase). Questions follow XTREME (rate 3e-5, 384 pieces), with 4 epochs.
--set changes a setting of all tasks (epochs=3) or of one (ner.epochs=3); --selected takes the choice of
select-settings. Killed, the same command goes on from OUT.checkpoint/ to the same bytes. Score the files with
score-predictions.
"""

from crosslingua.cli import cells, parser, run
from crosslingua.settings import settings_help
from crosslingua.tasks.options import add_options
from crosslingua.tasks.settings import FineTuning


def main() -> None:
    """Parse, check, then fine-tune each encoder."""
    p = parser(
        __doc__,
        more=lambda: "settings (--set NAME=VALUE or TASK.NAME=VALUE):\n\n" + settings_help(FineTuning),
    )
    add_options(p, ("train", "valid", "test"))
    p.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="TASK/TRAINED=LANGUAGE",
        help="test the model of TASK/TRAINED on no other language",
    )
    p.add_argument("--selected", help="folder of select-settings, whose choice overrides --set")
    calls = cells(p)

    import torch

    from crosslingua.nn.optimiser import device_of, use_threads
    from crosslingua.tasks.fine_tuning import check_folders, run_cells
    from crosslingua.tasks.tuner import Files, Tuner, load, parse_files, parse_only

    torch.set_flush_denormal(True)
    files = [
        Files(*map(parse_files, (args.train, args.valid, args.test)), args.joint, parse_only(args.only))
        for args in calls
    ]
    for args, data in zip(calls, files, strict=True):
        check_folders(data, args.out)
    for args, data in zip(calls, files, strict=True):
        use_threads(args.threads)
        encoder = load(args.encoder).to(device_of(args.device))
        checkpoints = args.checkpoints or f"{args.out}.checkpoint"
        tuner = Tuner(encoder, data, args.seed, checkpoints, args.models)
        run_cells(tuner, args.set, args.out, args.selected)


if __name__ == "__main__":
    run(main)
