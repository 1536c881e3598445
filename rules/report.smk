# report: all rows in one file, the configuration beside them, and one page.


rule merge_metrics:
    input:
        rows=[*BLI_ROWS, *ALIGNMENT_ROWS, TRANSFER_ROWS],
        code=code("merge_metrics.py"),
    output:
        METRICS,
    log:
        f"{LOGS}/merge_metrics.log",
    benchmark:
        f"{BENCHMARKS}/merge_metrics.tsv"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    message:
        "Merge the rows of all jobs"
    shell:
        "python scripts/merge_metrics.py --rows {input.rows} --out {output} 2> {log}"


rule write_config:
    # The configuration really used, beside the results.
    output:
        f"{RESULTS}/config.yaml",
    log:
        f"{LOGS}/write_config.log",
    benchmark:
        f"{BENCHMARKS}/write_config.tsv"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        # A function, since the configuration may hold braces that are no wildcards.
        config=lambda wildcards: json.dumps({key: value for key, value in config.items() if key != "data"}),
    message:
        "Keep the configuration beside the results"
    shell:
        "python scripts/write_config.py --json {params.config:q} --out {output} 2> {log}"


rule report:
    input:
        **{f"{name}_figure": paths for name, paths in JOINT_ALIGN_FIGURES.items()},
        **{f"transfer_{name}": paths for name, paths in ALIGN_MLM_FIGURES.items()},
        metrics=METRICS,
        tables=JOINT_ALIGN_TABLES + XLM_ALIGN_TABLES + ALIGN_MLM_TABLES["table3"] + ALIGN_MLM_TABLES["table8"],
        transfer_published=["reference/align_mlm_table3.csv", "reference/align_mlm_table8.csv"],
        divisions=DIVISIONS,
        claims=rules.merge_claims.output.details,
        alignment_table="reference/xlm_align_table2.csv",
        alignment_figure=XLM_ALIGN_FIGURE2 if alignment_encoders(ALIGNMENT) else [],
        alignment_grids=[path for path in ALIGNMENT_GRIDS if path.endswith(".png")],
        config=rules.write_config.output,
        code=code("write_report.py"),
    output:
        f"{RESULTS}/report.html",
    log:
        f"{LOGS}/report.log",
    benchmark:
        f"{BENCHMARKS}/report.tsv"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        alignment_figure=lambda wildcards, input: options(
            {"alignment_layers": input.alignment_figure[0]} if input.alignment_figure else {}
        ),
    message:
        "Write the results page"
    shell:
        "python scripts/write_report.py --metrics {input.metrics} --config {input.config} --divisions {input.divisions}"
        " --claims {input.claims} --figure1 {input.figure1_figure[0]} --similarity {input.similarity_figure[0]}"
        " --hubness {input.hubness_figure[0]} --alignment-published {input.alignment_table} {params.alignment_figure}"
        " --alignment-grids {input.alignment_grids} --transfer-published {input.transfer_published}"
        " --transfer-figures {input.transfer_figure2[0]} {input.transfer_figure3[0]} {input.transfer_loss[0]}"
        " --out {output} 2> {log}"
