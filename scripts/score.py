"""Score predictions of any program against gold, from files alone, and judge which of two systems is better.

    crosslingua score links.pharaoh --task alignment --gold gold.txt --source test.de --target test.en
    crosslingua score lexicon.txt other.txt --task lexicon --gold en-de.test.txt
    crosslingua score said.en --task translation --gold test.en --source test.de --language en
    crosslingua score a1.conll,a2.conll,a3.conll b1.conll,b2.conll,b3.conll --task ner --gold gold.conll

A system is a file, or the files of its training runs with commas between. Lexicons are pairs of words a line, the best
candidate of a word first (MUSE, vecmap), or predictions of induce-lexicon. Alignments have Pharaoh's format (eflomal,
fast_align; simalign's with the number of the line before). Translations are lines, compared in lower case. Other
tasks have the files of score-predictions.

Prints, in percent, the leading metric with its 95 % interval over items and runs, further numbers, and the signature of
the convention. A control is beaten if the whole interval is on its better side. Controls are copying of words (lexicon)
or of the source (translation with --source), links along the diagonal (alignment with --source and --target), the most
frequent answer, and the best shortcut (with --train). Of several systems, the first is judged against each other one.
Fewer than three runs give an interval, and no verdict.
"""

from pathlib import Path

from crosslingua import cli
from crosslingua.errors import ConfigError
from crosslingua.io.json import write_json
from crosslingua.outside import (
    ALIGNMENT,
    LEXICON,
    LOWER_IS_BETTER,
    TASKS,
    TRANSLATION,
    Gold,
    SystemScore,
    compare,
    score_system,
)

TEXTS = {ALIGNMENT: (0, 2), TRANSLATION: (0, 1)}  # files of text that a task may have


def main() -> None:
    """Parse, score each system, judge."""
    p = cli.parser(__doc__)
    p.add_argument(
        "systems", nargs="+", metavar="PREDICTIONS",
        help="a file a system; files of several runs with commas between",
    )  # fmt: skip
    p.add_argument("--task", choices=TASKS, required=True, help="what is predicted")
    p.add_argument(
        "--gold",
        type=Path,
        required=True,
        help="gold dictionary, links, translations, tags, pairs or questions",
    )
    p.add_argument(
        "--source", type=Path,
        help="translation: text to translate; alignment: tokenised text, with --target; links are checked",
    )  # fmt: skip
    p.add_argument("--target", type=Path, help="alignment: the translation, line by line")
    p.add_argument("--train", default="", help="training data of the task, for shortcuts")
    p.add_argument(
        "--language", default="",
        help="of answers (qa), whose articles MLQA's rule ignores; of tokenised translations, which are detokenised",
    )  # fmt: skip
    p.add_argument(
        "--smallest", type=cli.real_number(0), default=0.0,
        help="points: a difference that is surely smaller is negligible",
    )  # fmt: skip
    p.add_argument("--out", type=Path, help="JSON to write")
    args = p.parse_args()
    text = tuple(side for side in (args.source, args.target) if side)
    if (args.target and not args.source) or len(text) not in TEXTS.get(args.task, (0,)):
        raise ConfigError(
            "alignment takes --source and --target together, translation --source, other tasks neither"
        )
    if args.train and args.task in (LEXICON, ALIGNMENT, TRANSLATION):
        raise ConfigError(f"--train teaches shortcuts, which {args.task} has none of: leave it out")
    gold = Gold(args.task, args.gold, text, args.train, args.language)
    systems = [score_system(gold, [Path(name) for name in one.split(",")]) for one in args.systems]
    for system in systems:
        print(told(system))
    first, record = systems[0], {"task": args.task, "systems": [system.record() for system in systems]}
    judged = [(other, compare(first, other, args.smallest)) for other in systems[1:]]
    for other, found in judged:
        print(f"{first.name} against {other.name}, ahead in {gold.metric} by: {found}")
    record["judged"] = [{"of": first.name, "over": other.name, **vars(found)} for other, found in judged]
    if args.out:
        write_json(args.out, record)


def told(system: SystemScore) -> str:
    """Return the scores of a system as lines."""
    found = system.interval
    lower = " (lower is better)" if system.metric in LOWER_IS_BETTER else ""
    numbers = [f"{name} {value:.1f}" for name, value in system.numbers.items() if name != system.metric]
    leading = f"{system.metric}{lower} {found.effect:.1f} [{found.low:.1f}, {found.high:.1f}]"
    lines = [f"{system.name}: {leading}, {', '.join(numbers)}", f"  by {system.runs[0].signature}"]
    for name, value in system.controls.items():
        lines.append(f"  control {name} {value:.1f}: {'beaten' if system.beats(name) else 'not beaten'}")
    return "\n".join(lines)


if __name__ == "__main__":
    cli.run(main)
