"""Fine-tune an encoder on tasks and predict their test files.

    python scripts/finetune.py --encoder ENCODER --train ner/en=train.conll --valid ner/en=valid.conll \\
        --test ner/en=test.en.conll ner/de=test.de.conll --seed 1 --out OUT

Files are named TASK/LANGUAGE=FILE. Each TASK/LANGUAGE of --train is one cell: a copy of the encoder is fine-tuned on
it, the epoch that does best on its --valid file is kept, and every --test file of the task is predicted, whatever
its language (zero-shot). They do not influence each other, and neither do the lines of --cells, an encoder each, which
share the start of the process (4 s of processor time) and the data.

Tasks: ner, slots (two columns, BIO2), pos (two columns), nli, paraphrase (TSV). Reads a Hugging Face folder. Writes
OUT/TASK/LANGUAGE/ with TEST.conll (or TEST.txt, a label a line) for each test language, and training.json. The
defaults are align_mlm's (table 11: rate 2e-5, 128 pieces, batches of 32, 10 epochs, 5 for nli and paraphrase);
--set changes them for all tasks (epochs=3) or one (ner.epochs=3). Score the files with
score_predictions.py.
"""

from crosslingua.cli import cells, parser, run, seed_number
from crosslingua.settings_help import settings_help
from crosslingua.tasks.settings import FineTuning


def main() -> None:
    """Parse, check, then fine-tune each encoder."""
    p = parser(
        __doc__,
        more=lambda: "settings (--set NAME=VALUE or TASK.NAME=VALUE):\n\n" + settings_help(FineTuning),
    )
    p.add_argument("--encoder", required=True, help="Hugging Face folder")
    for split in ("train", "valid", "test"):
        p.add_argument(
            f"--{split}", nargs="+", required=True, metavar="TASK/LANGUAGE=FILE", help=f"{split} files"
        )
    p.add_argument(
        "--set", nargs="+", default=[], metavar="NAME=VALUE", help="settings other than the published"
    )
    p.add_argument(
        "--seed", type=seed_number, required=True, help="of the head, the order of the data, dropout"
    )
    p.add_argument(
        "--threads", type=int, default=1, help="of the processor; part of what a result depends on"
    )
    p.add_argument("--device", default="cpu", help="cpu, or cuda for a GPU")
    p.add_argument("--out", required=True, help="folder to write")
    calls = cells(p)

    import torch

    from crosslingua.embedders.encoder import Encoder
    from crosslingua.tasks.cells import Files, check_folders, parse_files, run_cells

    torch.set_flush_denormal(True)
    files = [Files(*map(parse_files, (args.train, args.valid, args.test))) for args in calls]
    for args, data in zip(calls, files, strict=True):
        check_folders(data, args.out)
    for args, data in zip(calls, files, strict=True):
        torch.set_num_threads(args.threads)
        run_cells(Encoder.load(args.encoder).to(args.device), data, args.set, args.seed, args.out)


if __name__ == "__main__":
    run(main)
