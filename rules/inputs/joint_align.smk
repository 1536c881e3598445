# Names and input functions of rules/joint_align.smk.
JOINT_ALIGN_TABLES = [
    f"{RESULTS}/tables/joint_align_{table}.{suffix}"
    for table in ("table1", "table2")
    for suffix in ("csv", "md", "tex")
]


JOINT_ALIGN_FIGURES = {
    name: [f"{RESULTS}/plots/joint_align_{name}.{suffix}" for suffix in ("png", "svg")]
    for name in ("figure1", "similarity", "hubness")
}


FIGURE1 = config["joint_align"]["figure1"]


def figure1_input(name):
    """The first seed's vectors of the figure's pair, as stages (a) joint, (b) reallocated, (c) refined."""
    pair = FIGURE1["pair"]
    languages = pair.partition(".")[0]
    return {
        "joint": f"{WORD_EMBEDDINGS}/joint/{languages}/seed{SEEDS[0]}.{name}",
        "reallocated": f"{WORD_EMBEDDINGS}/joint_vr/{pair}/seed{SEEDS[0]}.{name}",
        "refined": f"{MAPPED}/{pair}/{FIGURE1['refined_by']}/seed{SEEDS[0]}.{name}",
    }


def stage_files(stage, name):
    """Input function: a pair's vectors in a stage of joint_align, one file a seed; stages as in figure 1."""
    if stage == "refined":
        return mapped(FIGURE1["refined_by"], name)
    return space({"joint": "joint", "reallocated": "joint_vr"}[stage], name)


def final_vectors_of_figure1(name):
    """The vectors of every system on the figures' pair, all seeds of a system together."""
    languages, _, dictionary = FIGURE1["pair"].partition(".")
    source, _, target = languages.partition("-")
    pair = {"source": source, "target": target, "dictionary": dictionary}
    return [
        path
        for system in SYSTEMS
        for path in expand(final_vectors(name)(SimpleNamespace(system=system, **pair)), **pair)
    ]


DIVISIONS = [f"{WORD_EMBEDDINGS}/joint_vr/{name}/division.json" for name in PAIRS]
