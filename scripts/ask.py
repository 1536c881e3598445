"""Say for two texts whether to align, to train jointly, or both; give the dictionary and the vectors that follow.

    crosslingua ask --source text.sw --target text.en --dictionary pairs.txt
    make ask SOURCE=text.sw TARGET=text.en DICTIONARY=pairs.txt

Reads two texts (UTF-8, a sentence a line, .gz is fine) and, if there is one, a dictionary (`source target` a line), of
which three in ten words are held out to test. Writes to results/ask_SOURCE_TARGET: answer.html, report.html,
dictionary.tsv (all words, with confidence) and the vectors. Its first lines say how long it will take.
"""

import os
from pathlib import Path

from crosslingua import cli, command
from crosslingua.ask.conclusion import conclude
from crosslingua.ask.cost import write_costs
from crosslingua.ask.question import PairToAsk, check, configure, language_of, set_earlier_aside
from crosslingua.errors import ConfigError, CrosslinguaError, InputError


def main() -> None:
    """Parse, run, answer."""
    p = cli.parser(__doc__)
    p.add_argument("--source", type=Path, required=True, help="text of the source language")
    p.add_argument("--target", type=Path, required=True, help="text of the target language")
    p.add_argument("--dictionary", type=Path, help="pairs of words; without one, systems that need none run")
    p.add_argument(
        "--languages", nargs=2, metavar=("SOURCE", "TARGET"), help="codes; default: the texts' suffixes"
    )
    p.add_argument("--seeds", type=cli.count_number, default=3, help="training runs; 1 for a first look")
    p.add_argument("--cores", default="all", help="of the machine, for Snakemake")
    args = p.parse_args()
    for path in filter(None, (args.source, args.target, args.dictionary)):
        if not path.is_file():
            raise InputError(path, "no such file")
    texts = (args.source.resolve(), args.target.resolve())
    dictionary = args.dictionary and args.dictionary.resolve()
    os.chdir(command.ROOT)
    languages = tuple(args.languages or map(language_of, texts, ("source", "target")))
    if languages[0] == languages[1]:
        raise ConfigError(f"both texts are {languages[0]}: say --languages SOURCE TARGET")
    folder = Path("results") / f"ask_{'_'.join(languages)}"
    question = PairToAsk(languages, texts, dictionary, folder, args.seeds)
    set_earlier_aside(question)
    check(question)
    own = configure(question)
    os.environ["CROSSLINGUA_COSTS"] = str(write_costs(question).resolve())
    status = command.run(["joint_align", "--cores", args.cores, "--config", "scales/own.yaml", str(own)])
    if status:
        raise CrosslinguaError(
            f"the run failed, see above, and there is no answer; the same command goes on from what is in {folder}"
        )
    print(conclude(question))


if __name__ == "__main__":
    cli.run(main)
