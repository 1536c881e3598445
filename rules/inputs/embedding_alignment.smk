# Names and input functions of rules/embedding_alignment.smk.
MAPPED = f"{RESULTS}/embedding_alignment"


SYSTEMS = in_order(config["joint_align"]["systems"], DEFAULTS["joint_align"]["systems"])


def mapped(system, name):
    return [f"{MAPPED}/{PAIR}/{system}/seed{seed}.{name}" for seed in SEEDS]


def final_vectors(name):
    """Input function: the vectors that a system is judged by, one file a seed."""

    def files(wildcards):
        choice = SYSTEMS[wildcards.system]
        if choice["mapper"] is None:
            return space(choice["embeddings"], name)(wildcards)
        pair = f"{wildcards.source}-{wildcards.target}.{wildcards.dictionary}"
        return [f"{MAPPED}/{pair}/{wildcards.system}/seed{seed}.{name}" for seed in SEEDS]

    return files
