"""What a question costs: minutes of processor time by stage, from measured runs of texts of other sizes."""

from collections import Counter
from pathlib import Path

from crosslingua.ask.question import PairToAsk
from crosslingua.io.atomic import atomic_open

MIN_COUNT = 5  # occurrences of a word that has a vector
ALONE, TOGETHER = 6.6e-6, 8.0e-6  # seconds a word and pass: fastText with 100 dimensions and subwords
# Seconds a job, by (thousand words of the larger vocabulary)².
CHOSEN, DIVIDED, HUBNESS, MAPPED, RETRIEVED, VECMAP = 0.10, 0.68, 0.13, 0.004, 0.008, 12.0
BASE = {
    "train_independent": 1, "train_joint": 1, "train_joint_replace": 1, "align_vectors": 4, "align_vectors_searched": 5,
    "induce_lexicon": 0.9, "draw_figure": 3, "write_page": 7, "write_table": 1.5, "divide_joint": 4,
    "prepare_text": 1.5,
    "measure_hubness": 2.4, "judge_claims": 1.5, "reallocate_vocabulary": 1.2, "control_mappers": 6,
    "reallocate_unsupervised": 3, "measure_vectors": 1.5, "count_words": 0.2, "prepare_dictionary": 0.6,
    "merge_metrics": 0.2, "merge_claims": 0.2, "write_rows": 0.6, "divide_joint_replace": 0.6, "write_costs": 0.6,
}  # fmt: skip


def minutes_by_stage(question: PairToAsk) -> dict[str, float]:
    """Return the minutes of processor time that a job of each stage is expected to take."""
    passes = sum(question.words) * question.epochs
    square, seeds = max(map(_thousands_of_words, question.counts)) ** 2, question.seeds
    vecmap = VECMAP * min(square, 25) if question.dictionary else 0
    more = {
        "train_independent": ALONE * passes / 2,
        "train_joint": TOGETHER * passes,
        "train_joint_replace": TOGETHER * passes,
        "align_vectors": (vecmap + MAPPED * square) * seeds / 2,  # VecMap and MUSE from the identity
        "align_vectors_searched": CHOSEN * square,
        "divide_joint": DIVIDED * square,
        "measure_hubness": HUBNESS * square,
        "induce_lexicon": RETRIEVED * square * seeds,
        "control_mappers": 2 * vecmap,
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
