# encoders: subword tokenisers and pre-trained encoders, as Hugging Face folders.


rule fetch_encoder:
    input:
        code=code("fetch_encoder.py"),
    output:
        directory(f"{DATA}/encoders/hub/{{published}}"),
    log:
        f"{LOGS}/fetch_encoder/{{published}}.log",
    benchmark:
        f"{BENCHMARKS}/fetch_encoder/{{published}}.tsv"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=240,
    params:
        published=lambda wildcards: options(PUBLISHED_ENCODERS[wildcards.published]),
    message:
        "Fetch the encoder {wildcards.published}"
    shell:
        "python scripts/fetch_encoder.py {params.published} --out {output} 2> {log}"


rule train_tokeniser:
    input:
        text=tokeniser_text,
        code=code("train_tokenizer.py"),
    output:
        directory(f"{TOKENISERS}/{{tokeniser}}"),
    log:
        f"{LOGS}/train_tokeniser/{{tokeniser}}.log",
    benchmark:
        f"{BENCHMARKS}/train_tokeniser/{{tokeniser}}.tsv"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        options=tokeniser_options,
    message:
        "Train the tokeniser {wildcards.tokeniser}"
    shell:
        "python scripts/train_tokenizer.py --text {input.text} {params.options} --out {output} 2> {log}"


for ENCODER, RUN in TRAINED.items():

    rule:
        name:
            f"pretrain_{ENCODER.replace('.', '_')}"
        input:
            tokeniser=f"{TOKENISERS}/{RUN.tokeniser}" if RUN.tokeniser else [],
            text=[text_of(language) for language in RUN.languages],
            bitext=files_of(bitext_of(RUN)),
            init=encoder_folder(RUN.init, "{seed}") if RUN.init else [],
            code=code("pretrain.py", *objective_modules(RUN)),
        output:
            folder=directory(f"{ENCODERS}/{ENCODER}/seed{{seed}}"),
        log:
            f"{LOGS}/pretrain/{ENCODER}/seed{{seed}}.log",
        benchmark:
            f"{BENCHMARKS}/pretrain/{ENCODER}/seed{{seed}}.tsv"
        conda:
            "../envs/cpu.yaml"
        threads: PRETRAINING["threads"]
        resources:
            mem_mb=PRETRAINING["mem_mb"],
            runtime=10000,
            gpu=PRETRAINING["gpus"],
        params:
            launch=LAUNCH,
            options=pretraining_options(RUN),
            begin=lambda wildcards, input: options(
                {"tokenizer": input.tokeniser or None, "init": input.init or None}
            ),
        message:
            f"Pre-train {ENCODER} (seed {{wildcards.seed}})"
        shell:
            "{params.launch} scripts/pretrain.py {params.options} {params.begin} --seed {wildcards.seed}"
            " --threads {threads} --out {output.folder} 2> {log}"


if LASER:

    rule train_laser:
        input:
            tokeniser=f"{TOKENISERS}/laser",
            bitext=files_of(parallel_text("bitext", LASER["bitext"])),
            test=files_of(parallel_text("gold_alignment", LASER["test"])),
            code=code("train_laser.py"),
        output:
            directory(f"{ENCODERS}/laser/seed{{seed}}"),
        log:
            f"{LOGS}/train_laser/seed{{seed}}.log",
        benchmark:
            f"{BENCHMARKS}/train_laser/seed{{seed}}.tsv"
        conda:
            "../envs/cpu.yaml"
        threads: PRETRAINING["threads"]
        resources:
            mem_mb=PRETRAINING["mem_mb"],
            runtime=10000,
            gpu=min(PRETRAINING["gpus"], 1),
        params:
            pivots=LASER["pivots"],
            bitext=named_pairs(parallel_text("bitext", LASER["bitext"])),
            test=named_pairs(parallel_text("gold_alignment", LASER["test"])),
            settings=settings_options({"device": DEVICE} | LASER["settings"]),
        message:
            "Train LASER (seed {wildcards.seed})"
        shell:
            "python scripts/train_laser.py --bitext {params.bitext} --pivots {params.pivots} --test {params.test}"
            " --tokenizer {input.tokeniser} {params.settings} --seed {wildcards.seed} --threads {threads}"
            " --out {output} 2> {log}"


if PUBLISHED_LASER:

    rule import_laser:
        # The same for every seed: there is one published LASER.
        input:
            **PUBLISHED_LASER,
            code=code("import_laser.py"),
        output:
            directory(f"{ENCODERS}/laser/seed{{seed}}"),
        log:
            f"{LOGS}/import_laser/seed{{seed}}.log",
        benchmark:
            f"{BENCHMARKS}/import_laser/seed{{seed}}.tsv"
        conda:
            "../envs/cpu.yaml"
        threads: 1
        resources:
            mem_mb=4000,
            runtime=60,
        message:
            "Import the published LASER (seed {wildcards.seed})"
        shell:
            "python scripts/import_laser.py --checkpoint {input.checkpoint} --codes {input.codes}"
            " --vocabulary {input.vocabulary} --out {output} 2> {log}"
