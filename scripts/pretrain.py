"""Pre-train an encoder, from scratch or from an encoder's folder.

    crosslingua pretrain --objective mlm tlm --tokenizer tokenizer --text ana=ana.txt ber=ber.txt \\
        --bitext ana-ber=ana-ber.ana,ana-ber.ber --config demo.yaml --set steps=500 warmup=50 --seed 1 --out encoder
    crosslingua pretrain --objective align_mlm --tokenizer tokenizer --text en=en.txt de=derived.txt \\
        --dictionary tokenizer/token_pairs.tsv --dictionary-share 0.25 --out encoder
    crosslingua pretrain --objective mlm tlm dwa --init xlmr --tokenizer xlmr --text ... --bitext ... \\
        --set preset=xlm_align --out xlm_align
    torchrun --nproc-per-node 8 scripts/pretrain.py ...

Objectives: mlm, tlm, dict_mlm, align_mlm (includes mlm), dwa, which may be combined, and span_corruption (mT5). The end
of --help explains the settings; the defaults are the published values.

Reads:   TEXT (a tokenised sentence a line), BITEXT (two parallel files a pair), TOKENIZER (a folder of
         train-tokenizer, or of a published encoder), DICTIONARY (pairs of tokens), INIT
Writes:  OUT, a Hugging Face folder with the tokeniser and training.json (settings, loss curve, checksums); while it
         trains, OUT.checkpoint/, from which the same command goes on after an interruption
"""

import argparse
import os

from crosslingua.cli import cells, parser, run, seed_number, set_option, share_number, thread_number
from crosslingua.encoders.objectives import OBJECTIVES
from crosslingua.encoders.settings import divided, from_mapping, help_text, read_values
from crosslingua.errors import ConfigError
from crosslingua.io.atomic import check_output_folder
from crosslingua.io.tokenizer_files import TRAINED


def main() -> None:
    """Parse and train."""
    p = parser(__doc__, more=help_text)
    p.add_argument("--objective", nargs="+", required=True, choices=list(OBJECTIVES))
    p.add_argument("--config", help="YAML file of settings over the published values")
    set_option(p, "settings over those of --config")
    p.add_argument("--tokenizer", help="folder; that of --init if not given")
    p.add_argument(
        "--text", nargs="+", default=[], metavar="LANGUAGE=FILE", help="their order numbers the languages"
    )
    p.add_argument("--bitext", nargs="+", default=[], metavar="LANGUAGE-LANGUAGE=FILE,FILE")
    p.add_argument("--dictionary", help="pairs of dict_mlm and align_mlm, such as token_pairs.tsv")
    p.add_argument(
        "--dictionary-share",
        type=share_number,
        help="share of the pairs that is used; setting dictionary_share",
    )
    p.add_argument("--init", help="encoder folder to go on from: RoBERTa, XLM-R or BERT")
    p.add_argument(
        "--seed", type=seed_number, default=1, help="of weights, order, masks and the share of the dictionary"
    )
    p.add_argument(
        "--threads", type=thread_number, default=1, help="threads of a process; results depend on this number"
    )
    p.add_argument("--device", help="auto, cpu or cuda; setting device")
    p.add_argument("--out", required=True)
    for args in cells(p):
        train(args)


def train(args: argparse.Namespace) -> None:
    """Check the options, then train."""
    given = {"dictionary_share": args.dictionary_share, "device": args.device}
    overrides = [*args.set, *(f"{name}={value}" for name, value in given.items() if value is not None)]
    settings, own = divided(read_values(args.config, overrides))
    settings = from_mapping(settings)
    if not (args.tokenizer or args.init):
        raise ConfigError(
            "give --tokenizer, a folder of train-tokenizer, or --init, an encoder to go on from"
        )
    check_output_folder(args.out, TRAINED)
    os.environ["RAYON_NUM_THREADS"] = str(args.threads)  # of the tokeniser
    os.environ["OMP_DYNAMIC"] = "false"  # on a busy machine there would be fewer, and other sums

    from crosslingua.encoders.pretraining import pretrain
    from crosslingua.encoders.settings import Pretraining
    from crosslingua.nn.optimiser import use_threads

    use_threads(args.threads)
    pretrain(
        Pretraining(
            objectives=args.objective,
            settings=settings,
            own=own,
            tokenizer=args.tokenizer or args.init,
            text=named(args.text, "--text"),
            bitext={name: two_files(files) for name, files in named(args.bitext, "--bitext").items()},
            dictionary=args.dictionary,
            init=args.init,
            seed=args.seed,
            out=args.out,
        )
    )


def named(options: list[str], option: str) -> dict[str, str]:
    """Return `{"ana": "ana.txt"}` for `["ana=ana.txt"]`."""
    found = {}
    for text in options:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise ConfigError(f"{option} {text!r}: write name=file")
        if name in found:
            raise ConfigError(f"{option}: {name} is given twice")
        found[name] = value
    return found


def two_files(text: str) -> tuple[str, str]:
    """Return the two files of `a.txt,b.txt`."""
    files = text.split(",")
    if len(files) != 2:
        raise ConfigError(f"--bitext {text!r}: write pair=file1,file2")
    return files[0], files[1]


if __name__ == "__main__":
    run(main)
