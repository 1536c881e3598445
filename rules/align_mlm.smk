# align_mlm: fine-tune every encoder on the tasks, in the natural language and in the derived one; score, tables, figures.


for CELL in cells_of(config):

    rule:
        # All seeds, every task and both languages in one job, which starts once.
        name:
            f"finetune_{CELL.encoder.replace('.', '_')}"
        input:
            encoders=[encoder_folder(CELL.encoder, seed) for seed in ENCODER_SEEDS],
            train=list(task_files(CELL, "train").values()),
            valid=list(task_files(CELL, "valid").values()),
            test=list(task_files(CELL, "test").values()),
            code=code("finetune.py", *fine_tuning_modules()),
        output:
            [path for seed in ENCODER_SEEDS for path in predictions_of(CELL, seed)],
        log:
            f"{LOGS}/finetune/{CELL.encoder}.log",
        benchmark:
            f"{BENCHMARKS}/finetune/{CELL.encoder}.tsv"
        conda:
            "../envs/cpu.yaml"
        threads: PRETRAINING["threads"]
        resources:
            mem_mb=8000,
            runtime=2880,
            gpu=min(PRETRAINING["gpus"], 1),
        params:
            train=named_files(task_files(CELL, "train")),
            valid=named_files(task_files(CELL, "valid")),
            test=named_files(task_files(CELL, "test")),
            settings=fine_tuning_settings(),
            seeds=ENCODER_SEEDS,
            device=DEVICE,
            out=[tuned(CELL, seed) for seed in ENCODER_SEEDS],
        message:
            f"Fine-tune {CELL.encoder}"
        shell:
            "python scripts/finetune.py --encoder {input.encoders} --train {params.train} --valid {params.valid}"
            " --test {params.test} {params.settings} --seed {params.seeds} --threads {threads}"
            " --device {params.device} --out {params.out} 2> {log}"


for GROUP in TRANSFER_CELLS:
    for TASK in TRANSFER_TASKS:
        SCORED = scored(GROUP, TASK)

        rule:
            # Cheap: all encoders in one job.
            name:
                f"score_{GROUP}_{TASK}"
            input:
                gold=[gold for gold, _, _ in SCORED],
                predicted=[predicted for _, predicted, _ in SCORED],
                code=code("score_tags.py" if TASK in catalogue.TAGGED else "score_classes.py"),
            output:
                [score for *_, score in SCORED],
            log:
                f"{LOGS}/score_transfer/{GROUP}.{TASK}.log",
            benchmark:
                f"{BENCHMARKS}/score_transfer/{GROUP}.{TASK}.tsv"
            conda:
                "../envs/cpu.yaml"
            threads: 1
            resources:
                mem_mb=2000,
                runtime=30,
            params:
                script="score_tags.py" if TASK in catalogue.TAGGED else "score_classes.py",
                task=TASK,
            message:
                f"Score {TASK} of align_mlm ({GROUP})"
            shell:
                "python scripts/{params.script} --gold {input.gold} --hypothesis {input.predicted} --task {params.task}"
                " --out {output} 2> {log}"

    for LANGUAGE in derived_languages(GROUP):
        ENCODED = cells_of_language(GROUP, LANGUAGE)

        rule:
            name:
                f"score_embedding_alignment_{GROUP}_{LANGUAGE}"
            input:
                encoders=[encoder_folder(cell.encoder, seed) for cell, seed in ENCODED],
                code=code("score_embedding_alignment.py"),
            output:
                [score_file(cell, "alignment", seed) for cell, seed in ENCODED],
            log:
                f"{LOGS}/score_embedding_alignment/{GROUP}.{LANGUAGE}.log",
            benchmark:
                f"{BENCHMARKS}/score_embedding_alignment/{GROUP}.{LANGUAGE}.tsv"
            conda:
                "../envs/cpu.yaml"
            threads: 1
            resources:
                mem_mb=8000,
                runtime=60,
            params:
                languages=[ALIGN_MLM["natural"], LANGUAGE],
                pairs=lambda wildcards, input: [f"{folder}/token_pairs.tsv" for folder in input.encoders],
            message:
                f"Score how well word embeddings of {LANGUAGE} are aligned ({GROUP})"
            shell:
                "python scripts/score_embedding_alignment.py --encoder {input.encoders} --pairs {params.pairs}"
                " --languages {params.languages} --out {output} 2> {log}"

    rule:
        name:
            f"write_align_mlm_rows_{GROUP}"
        input:
            scores=transfer_scores(GROUP),
            code=code("write_align_mlm_rows.py"),
        output:
            rows=f"{TAGGING}/align_mlm.{GROUP}.csv",
            sentences=f"{TAGGING}/align_mlm.{GROUP}.json",
        log:
            f"{LOGS}/write_align_mlm_rows/{GROUP}.log",
        benchmark:
            f"{BENCHMARKS}/write_align_mlm_rows/{GROUP}.tsv"
        conda:
            "../envs/cpu.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            scores=[f"{tuned(cell, seed)}/scores" for cell, seed in every_run(GROUP)],
            systems=[cell.name for cell, _ in every_run(GROUP)],
            targets=[cell.transformation for cell, _ in every_run(GROUP)],
            seeds=[seed for _, seed in every_run(GROUP)],
            hashes=[transfer_hash(config, cell) for cell, _ in every_run(GROUP)],
            source=ALIGN_MLM["natural"],
            scale=config["scale"],
        message:
            f"Write the metrics rows of align_mlm ({GROUP})"
        shell:
            "python scripts/write_align_mlm_rows.py --scores {params.scores} --systems {params.systems}"
            " --targets {params.targets} --seeds {params.seeds} --config-hashes {params.hashes} --source {params.source}"
            " --scale {params.scale} --out {output.rows} --items {output.sentences} 2> {log}"


for TABLE, FILES in ALIGN_MLM_TABLES.items():

    rule:
        name:
            f"write_align_mlm_{TABLE}"
        input:
            rows=TABLE_ROWS[TABLE],
            published=f"reference/align_mlm_{TABLE}.csv",
            code=code("write_align_mlm_table.py"),
        output:
            FILES,
        log:
            f"{LOGS}/write_align_mlm_table/{TABLE}.log",
        benchmark:
            f"{BENCHMARKS}/write_align_mlm_table/{TABLE}.tsv"
        conda:
            "../envs/cpu.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            table=TABLE,
            encoders=align_mlm_origins(config),
        message:
            f"Write align_mlm's {TABLE}"
        shell:
            "python scripts/write_align_mlm_table.py --metrics {input.rows} --table {params.table}"
            " --reference {input.published} --encoders {params.encoders:q} --out {output} 2> {log}"


for FIGURE in ("figure2", "figure3"):

    rule:
        name:
            f"plot_align_mlm_{FIGURE}"
        input:
            rows=TRANSFER_ROWS,
            published="reference/align_mlm_table3.csv",
            code=code("plot_align_mlm.py"),
        output:
            ALIGN_MLM_FIGURES[FIGURE],
        log:
            f"{LOGS}/plot_align_mlm/{FIGURE}.log",
        benchmark:
            f"{BENCHMARKS}/plot_align_mlm/{FIGURE}.tsv"
        conda:
            "../envs/cpu.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            figure=FIGURE,
            caption=f"Scale {config['scale']}; number of seeds: {len(ENCODER_SEEDS)}.",
        message:
            f"Draw align_mlm's {FIGURE}"
        shell:
            "python scripts/plot_align_mlm.py --metrics {input.rows} --figure {params.figure}"
            " --reference {input.published} --caption {params.caption:q} --out {output} 2> {log}"


rule plot_align_mlm_loss:
    input:
        runs=[encoder_folder(cell.encoder, ENCODER_SEEDS[0]) for cell in TRANSFER_CELLS["main"]],
        code=code("plot_loss.py"),
    output:
        ALIGN_MLM_FIGURES["loss"],
    log:
        f"{LOGS}/plot_align_mlm_loss.log",
    benchmark:
        f"{BENCHMARKS}/plot_align_mlm_loss.tsv"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        runs=[
            f"{cell.encoder}={encoder_folder(cell.encoder, ENCODER_SEEDS[0])}"
            for cell in TRANSFER_CELLS["main"]
        ],
    message:
        "Draw the loss of align_mlm's encoders"
    shell:
        "python scripts/plot_loss.py --run {params.runs} --out {output} 2> {log}"
