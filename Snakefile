# Crosslingua: all papers, one DAG. This file reads as a table of contents; the stages stand in rules/.
#   snakemake                                            the embedded demo (config.yaml)
#   snakemake joint_align --configfile scales/real.yaml  one paper, on real data
import re

from snakemake.utils import min_version

from crosslingua.places import suite

min_version("9.8")


configfile: suite("config.yaml")


include: "rules/common.smk"
include: "rules/corpora.smk"
include: "rules/tasks.smk"
include: "rules/word_embeddings.smk"
include: "rules/embedding_alignment.smk"
include: "rules/lexicon_induction.smk"
include: "rules/atlas.smk"
include: "rules/encoders.smk"
include: "rules/word_alignment.smk"
include: "rules/encoder_alignment.smk"
include: "rules/translation.smk"
include: "rules/fine_tuning.smk"
include: "rules/tagging.smk"
include: "rules/report.smk"


SUMMARY = [
    *(f"{RESULTS}/{name}" for name in ("metrics.csv", "report.html", "costs.csv")),
    *MERGED_CLAIMS,
]


rule all:
    default_target: True
    input:
        SUMMARY,
        lambda wildcards: requested().every_product(),


# A target a paper: its tables, figures and verdicts, and the page of whatever has been made. The same for a part of one,
# without its other parts: bli, aer, translation, xtreme; and for a paper with its ablations: ablations_align_mlm. What a
# configuration leaves out says so.
for TARGET, FILES in results.named_targets(W, SUMMARY, requested).items():

    rule:
        name:
            TARGET
        input:
            FILES,


rule ablations:
    # What changes one thing at a time, of every paper.
    input:
        SUMMARY,
        lambda wildcards: requested().every_product(),


rule encoders:
    input:
        lambda wildcards: [*encoders.multilingual_encoders(W), *encoders.laser_encoders(W)],


rule claims:
    input:
        f"{RESULTS}/claims.csv",


rule report:
    input:
        f"{RESULTS}/report.html",


rule fetch:
    # What word vectors and encoders need of the network: text and dictionaries of `pairs`, published models. Run it where
    # there is one, with fetch_data for labelled data, and the rest where there is none.
    input:
        text.fetched_text(W),
        [f"{DATA}/encoders/published/{name}" for name in runs.published(W)],
        W.stage(runs.Laser).published_files().values(),


rule fetch_data:
    # The same for all data of this scale, of every task.
    input:
        labelled.all_fetched(W),


rule data:
    # Every task's data of this scale; `data_card` describes it on one page.
    input:
        labelled.all_data(W),


rule unknown_target:
    # A word that is neither a target nor a file: Snakemake itself would not say what there is.
    input:
        refuse,
    output:
        "{unknown}",
    wildcard_constraints:
        unknown=rf"(?!({'|'.join(re.escape(path.name) for path in Path().iterdir() if path.is_file())})$)[\w-]+",


# Snakemake has no directives for what holds of every rule: one environment, and what its jobs ask for.
ENVIRONMENT = workflow.current_basedir.join(f"envs/{'gpu' if W.gpu else 'cpu'}.yaml")
for RULE in workflow.rules:
    # Snakemake formats the path: braces of a folder would be read as expressions of Python.
    RULE.conda_env = ENVIRONMENT.get_path_or_uri(secret_free=True).replace("{", "{{").replace("}", "}}")
    RULE.container_img = os.environ.get("CROSSLINGUA_IMAGE")  # a file of Apptainer, or docker://...
    RULE.resources.update(resources_of(RULE))
