# joint_align: tables and figures.


rule write_table:
    input:
        rows=BLI_ROWS,
        code=code("write_table.py"),
    output:
        csv=f"{RESULTS}/tables/joint_align_{{table}}.csv",
        md=f"{RESULTS}/tables/joint_align_{{table}}.md",
        tex=f"{RESULTS}/tables/joint_align_{{table}}.tex",
    log:
        f"{LOGS}/write_table/joint_align_{{table}}.log",
    benchmark:
        f"{BENCHMARKS}/write_table/joint_align_{{table}}.tsv"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        systems=list(SYSTEMS),
    message:
        "Write joint_align's {wildcards.table}"
    shell:
        "python scripts/write_table.py --metrics {input.rows} --table {wildcards.table} --systems {params.systems}"
        " --out {output.csv} {output.md} {output.tex} 2> {log}"


rule plot_figure1:
    input:
        source=list(figure1_input("source.vec").values()),
        target=list(figure1_input("target.vec").values()),
        shared=[figure1_input("shared.txt")[stage] for stage in ("joint", "reallocated", "reallocated")],
        dictionary=f"{CORPORA}/dictionaries/{FIGURE1['pair']}/test.txt",
        code=code("plot_figure1.py"),
    output:
        JOINT_ALIGN_FIGURES["figure1"],
    log:
        f"{LOGS}/plot_figure1.log",
    benchmark:
        f"{BENCHMARKS}/plot_figure1.tsv"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        languages=[PAIRS[FIGURE1["pair"]][side] for side in ("source", "target")],
        words=FIGURE1["words_shown"],
        pairs=FIGURE1["labelled_pairs"],
        caption=f"Scale {config['scale']}, {FIGURE1['pair']}, seed {SEEDS[0]}; first two principal components of (a).",
    message:
        "Draw joint_align's figure 1"
    shell:
        "python scripts/plot_figure1.py --source {input.source} --target {input.target} --shared {input.shared}"
        " --dictionary {input.dictionary} --languages {params.languages} --words {params.words} --pairs {params.pairs}"
        " --caption {params.caption:q} --out {output} 2> {log}"


rule measure_similarity:
    input:
        joint_source=stage_files("joint", "source.vec"),
        joint_target=stage_files("joint", "target.vec"),
        reallocated_source=stage_files("reallocated", "source.vec"),
        reallocated_target=stage_files("reallocated", "target.vec"),
        refined_source=stage_files("refined", "source.vec"),
        refined_target=stage_files("refined", "target.vec"),
        shared=stage_files("joint", "shared.txt"),
        dictionary=f"{CORPORA}/dictionaries/{PAIR}/test.txt",
        code=code("measure_similarity.py"),
    output:
        f"{RESULTS}/similarity/{PAIR}.json",
    log:
        f"{LOGS}/measure_similarity/{PAIR}.log",
    benchmark:
        f"{BENCHMARKS}/measure_similarity/{PAIR}.tsv"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        seeds=SEEDS,
    message:
        "Measure how near translations are in each stage: {wildcards.source}-{wildcards.target} ({wildcards.dictionary})"
    shell:
        "python scripts/measure_similarity.py --joint-source {input.joint_source} --joint-target {input.joint_target}"
        " --reallocated-source {input.reallocated_source} --reallocated-target {input.reallocated_target}"
        " --refined-source {input.refined_source} --refined-target {input.refined_target} --shared {input.shared}"
        " --dictionary {input.dictionary} --pair {wildcards.source}-{wildcards.target}.{wildcards.dictionary}"
        " --seed {params.seeds} --out {output} 2> {log}"


rule plot_similarity:
    input:
        measured=f"{RESULTS}/similarity/{FIGURE1['pair']}.json",
        code=code("plot_similarity.py"),
    output:
        JOINT_ALIGN_FIGURES["similarity"],
    log:
        f"{LOGS}/plot_similarity.log",
    benchmark:
        f"{BENCHMARKS}/plot_similarity.tsv"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        caption=f"Scale {config['scale']}, {FIGURE1['pair']}, test dictionary without pairs of one surface form, all seeds; dashed: means.",
    message:
        "Draw how near translations are in each stage"
    shell:
        "python scripts/plot_similarity.py --measured {input.measured} --caption {params.caption:q} --out {output} 2> {log}"


rule measure_hubness:
    input:
        source=final_vectors_of_figure1("source.vec"),
        target=final_vectors_of_figure1("target.vec"),
        code=code("measure_hubness.py"),
    output:
        f"{RESULTS}/hubness/{FIGURE1['pair']}.json",
    log:
        f"{LOGS}/measure_hubness.log",
    benchmark:
        f"{BENCHMARKS}/measure_hubness.tsv"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        systems=[system for system in SYSTEMS for _ in SEEDS],
        seeds=[seed for _ in SYSTEMS for seed in SEEDS],
    message:
        "Measure hubness in every system's space"
    shell:
        "python scripts/measure_hubness.py --source {input.source} --target {input.target}"
        " --systems {params.systems} --seeds {params.seeds} --out {output} 2> {log}"


rule plot_hubness:
    input:
        measured=rules.measure_hubness.output,
        code=code("plot_hubness.py"),
    output:
        JOINT_ALIGN_FIGURES["hubness"],
    log:
        f"{LOGS}/plot_hubness.log",
    benchmark:
        f"{BENCHMARKS}/plot_hubness.tsv"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        caption=f"Scale {config['scale']}, {FIGURE1['pair']}; neighbours by cosine among the 20,000 most frequent words of either language.",
    message:
        "Draw hubness by system"
    shell:
        "python scripts/plot_hubness.py --measured {input.measured} --caption {params.caption:q} --out {output} 2> {log}"
