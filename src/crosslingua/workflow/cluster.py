"""What jobs ask a cluster for: a number a rule for the first attempt, and twice as much at each further attempt."""

from collections.abc import Callable

from crosslingua.workflow.workflow import Workflow

DEFAULT = 1000, 30  # megabytes and minutes
# Rules that ask for more.
NEEDS = {
    (2000, 60): """
        compare_tags count_words derive_labelled divide_joint divide_joint_replace draw_figure export_xtreme
        import_laser judge_claims measure_distance prepare_labelled probe_embeddings prune_encoder score_alignment
        score_predictions score_translation train_word_order translate_words""",
    (4000, 240): """
        align_words_by_encoder align_words_by_text align_words_by_vectors data_card derive_text embed_words
        fetch_encoder fetch_file measure_vectors prepare_bitext prepare_text reallocate_vocabulary train_tokeniser
        translate""",
    (4000, 600): """
        align_bitext align_vectors align_vectors_of_curve align_vectors_searched control_mappers induce_lexicon
        induce_lexicons_of_curve rotate_encoder tune_alignment""",
    (4000, 1440): """
        choose_training train_duong train_independent train_joint train_joint_replace train_translation""",
    (8000, 2880): "finetune pretrain select_settings train_laser train_tagger",
}
BY_RULE = {rule: need for need, rules in NEEDS.items() for rule in rules.split()}
OF_ENCODERS = "pretrain", "train_laser"


def needs(w: Workflow, rule: str) -> dict[str, int]:
    """Return the resources of a rule's first attempt; a configuration may say the memory of encoder training."""
    mem_mb, runtime = BY_RULE.get(rule, DEFAULT)
    return {"mem_mb": (rule in OF_ENCODERS and w.config.encoders.mem_mb) or mem_mb, "runtime": runtime}


def doubled(first: int) -> Callable[..., int]:
    """Return a resource as a function of the attempt."""

    def asked(wildcards: object, attempt: int) -> int:
        needed: int = first * 2 ** (attempt - 1)
        return needed

    return asked
