# Crosslingua: five papers, one DAG. This file reads as a table of contents; the stages stand in rules/.
#   snakemake                                            the embedded demo (config.yaml)
#   snakemake joint_align --configfile scales/small.yaml one paper, on real data
from snakemake.utils import min_version

min_version("9.8")


configfile: "config.yaml"


include: "rules/common.smk"
include: "rules/inputs/corpora.smk"
include: "rules/corpora.smk"
include: "rules/inputs/tasks.smk"
include: "rules/tasks.smk"
include: "rules/inputs/derived.smk"
include: "rules/derived.smk"
include: "rules/inputs/word_embeddings.smk"
include: "rules/word_embeddings.smk"
include: "rules/inputs/embedding_alignment.smk"
include: "rules/embedding_alignment.smk"
include: "rules/inputs/lexicon_induction.smk"
include: "rules/lexicon_induction.smk"
include: "rules/inputs/encoders.smk"
include: "rules/encoders.smk"
include: "rules/inputs/align_mlm.smk"
include: "rules/align_mlm.smk"
include: "rules/inputs/word_alignment.smk"
include: "rules/word_alignment.smk"
include: "rules/inputs/joint_align.smk"
include: "rules/joint_align.smk"
include: "rules/claims.smk"
include: "rules/inputs/report.smk"
include: "rules/report.smk"


localrules:
    all,
    joint_align,
    xlm_align,
    align_mlm,
    ablations,
    encoders,
    bli,
    aer,
    claims,
    report,
    fetch,
    fetch_data,
    data,


rule all:
    default_target: True
    input:
        rules.report.output,


rule joint_align:
    input:
        JOINT_ALIGN_TABLES,
        JOINT_ALIGN_FIGURES.values(),
        rules.evaluate_claims.output,


rule bli:
    input:
        BLI_ROWS,


rule xlm_align:
    input:
        XLM_ALIGN_RESULTS,
        rules.evaluate_alignment_claims.output,


rule align_mlm:
    input:
        ALIGN_MLM_TABLES["table3"],
        ALIGN_MLM_TABLES["table8"],
        ALIGN_MLM_FIGURES.values(),
        rules.evaluate_transfer_claims.output,


rule ablations:
    # What changes one thing at a time: align_mlm's tables 1, 2, 5 and 7, and the encoders of xlm_align's tables 3 to 7.
    input:
        ALIGN_MLM_TABLES.values(),
        [f"{RESULTS}/claims/{name}.csv" for name, _ in TRANSFER_CLAIMS.values()],
        MULTILINGUAL_ENCODERS,


rule encoders:
    input:
        MULTILINGUAL_ENCODERS,
        LASER_ENCODERS,


rule aer:
    input:
        ALIGNMENT_ROWS,


rule claims:
    input:
        rules.merge_claims.output,


rule fetch:
    # Everything that needs the network: run it where there is one, the rest where there is none.
    input:
        FETCHED,
        [f"{DATA}/encoders/hub/{name}" for name in PUBLISHED_ENCODERS],
        PUBLISHED_LASER.values(),


rule fetch_data:
    # The same for the data of every task.
    input:
        FETCHED_FOR_TASKS,


rule data:
    # Every task's data of this scale; `data_card` describes it on one page.
    input:
        TASK_DATA,
