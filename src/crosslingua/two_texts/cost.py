"""What a question costs: minutes of processor time by stage, from measured runs of texts of other sizes."""

from collections import Counter
from pathlib import Path

from crosslingua.io.atomic import atomic_open
from crosslingua.two_texts.question import MIN_COUNT, PairToAsk

ALONE, TOGETHER = 2.5e-6, 3.0e-6  # seconds a word and pass: 100 dimensions and subwords
SYSTEMS = 10  # that are mapped
# Seconds of a mapping or a retrieval, by (thousand words of the larger vocabulary)².
MAPPED, RETRIEVED = 0.004, 0.008
BASE = {
    "train_independent": 1, "train_joint": 1, "train_joint_replace": 1, "align_vectors_together": 8,
    "induce_lexicons_together": 8, "draw_figure": 3, "write_page": 7, "write_table": 1.5, "divide_joint": 4,
    "prepare_text": 1.5, "judge_claims": 1.5, "reallocate_vocabulary": 1.2, "count_words": 0.2,
    "prepare_dictionary": 0.6, "merge_metrics": 0.2, "merge_claims": 0.2, "write_rows": 0.6,
    "divide_joint_replace": 0.6, "write_costs": 0.6,
}  # fmt: skip


def minutes_by_stage(question: PairToAsk) -> dict[str, float]:
    """Return the minutes of processor time that a job of each stage is expected to take."""
    passes = sum(question.words) * question.epochs
    square, runs = max(map(_thousands_of_words, question.counts)) ** 2, question.seeds * SYSTEMS
    more = {
        "train_independent": ALONE * passes / 2,
        "train_joint": TOGETHER * passes,
        "train_joint_replace": TOGETHER * passes,
        "align_vectors_together": (0.5 + MAPPED * square) * runs,
        "induce_lexicons_together": (0.5 + RETRIEVED * square) * runs,
    }
    return {stage: (seconds + more.get(stage, 0.0)) / 60 for stage, seconds in BASE.items()}


def _thousands_of_words(counts: Counter[str]) -> float:
    return sum(number >= MIN_COUNT for number in counts.values()) / 1000


def write_costs(question: PairToAsk) -> Path:
    """Write the expected costs into the question's folder, for the progress of the run to read; return the file."""
    path = question.folder / "expected_costs.csv"
    with atomic_open(path) as stream:
        stream.write("stage,jobs,processor_minutes\n")
        for stage, minutes in minutes_by_stage(question).items():
            stream.write(f"{stage},1,{minutes:.4f}\n")
    return path
