# encoders: subword tokenisers and pre-trained encoders, as Hugging Face folders.


localrules:
    fetch_encoder,


rule fetch_encoder:
    # Like fetch_file: no edited code fetches it again.
    output:
        directory(f"{DATA}/encoders/published/{{published}}"),
    log:
        f"{LOGS}/fetch_encoder/{{published}}.log",
    benchmark:
        f"{BENCHMARKS}/fetch_encoder/{{published}}.tsv"
    params:
        options=options_of("fetch_encoder/{published}"),
    message:
        "Fetch the encoder {wildcards.published}"
    shell:
        f"python {SCRIPTS}/fetch_encoder.py"
        " {params.options}"
        ' ${{CROSSLINGUA_MIRROR:+--mirror "$CROSSLINGUA_MIRROR"}} --out {output:q} 2> {log}'


rule prune_encoder:
    input:
        unpack(inputs_of("prune_encoder/{encoder}")),
    output:
        directory(f"{RESULTS}/encoders/{{encoder}}/pruned"),
    log:
        f"{LOGS}/prune_encoder/{{encoder}}.log",
    benchmark:
        f"{BENCHMARKS}/prune_encoder/{{encoder}}.tsv"
    wildcard_constraints:
        encoder=labelled.either(runs.pruned(W)),
    params:
        options=options_of("prune_encoder/{encoder}"),
    message:
        "Keep the pieces of {wildcards.encoder} that the data use"
    shell:
        f"python {SCRIPTS}/prune_encoder.py"
        " {params.options} --cells {input.cells} --out {output} > {log} 2>&1"


rule train_tokeniser:
    input:
        unpack(inputs_of("train_tokeniser/{tokeniser}")),
    output:
        directory(f"{RESULTS}/encoders/tokenisers/{{tokeniser}}"),
    log:
        f"{LOGS}/train_tokeniser/{{tokeniser}}.log",
    benchmark:
        f"{BENCHMARKS}/train_tokeniser/{{tokeniser}}.tsv"
    params:
        options=options_of("train_tokeniser/{tokeniser}"),
    message:
        "Train the tokeniser {wildcards.tokeniser}"
    shell:
        f"python {SCRIPTS}/train_tokenizer.py"
        " {params.options} --cells {input.cells} --out {output} 2> {log}"


rule pretrain:
    # The number of threads is a setting, which sums depend on: it is told even where Snakemake has fewer cores.
    input:
        unpack(inputs_of("pretrain/{encoder}.seed{seed}")),
    output:
        directory(f"{RESULTS}/encoders/{{encoder}}/seed{{seed}}"),
    log:
        f"{LOGS}/pretrain/{{encoder}}/seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/pretrain/{{encoder}}/seed{{seed}}.tsv"
    wildcard_constraints:
        encoder=labelled.either(runs.runs(W)),
    threads: W.threads
    resources:
        gpu=W.gpus,
    params:
        launch=encoders.launcher(W),
        options=options_of("pretrain/{encoder}.seed{seed}"),
    message:
        "Pre-train {wildcards.encoder} (seed {wildcards.seed})"
    shell:
        "{params.launch} scripts/pretrain.py {params.options} --cells {input.cells} --seed {wildcards.seed}"
        " --out {output} 2> {log}"


rule train_laser:
    input:
        unpack(inputs_of("train_laser/laser")),
    output:
        directory(f"{RESULTS}/encoders/{{encoder}}/seed{{seed}}"),
    log:
        f"{LOGS}/train_laser/{{encoder}}/seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/train_laser/{{encoder}}/seed{{seed}}.tsv"
    wildcard_constraints:
        encoder=labelled.either([runs.LASER] if W.stage(runs.Laser).trained else []),
    threads: W.threads
    resources:
        gpu=W.gpu,
    params:
        options=options_of("train_laser/laser"),
    message:
        "Train LASER (seed {wildcards.seed})"
    shell:
        f"python {SCRIPTS}/train_laser.py"
        " --tokenizer {input.tokeniser} {params.options} --cells {input.cells}"
        " --seed {wildcards.seed} --out {output} 2> {log}"


rule import_laser:
    # The same for every seed: there is one published LASER.
    input:
        unpack(inputs_of("import_laser/laser")),
    output:
        directory(f"{RESULTS}/encoders/{{encoder}}/seed{{seed}}"),
    log:
        f"{LOGS}/import_laser/{{encoder}}/seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/import_laser/{{encoder}}/seed{{seed}}.tsv"
    wildcard_constraints:
        encoder=labelled.either([runs.LASER] if W.stage(runs.Laser).published else []),
    message:
        "Import the published LASER (seed {wildcards.seed})"
    shell:
        f"python {SCRIPTS}/import_laser.py"
        " --checkpoint {input.checkpoint:q} --codes {input.codes:q}"
        " --vocabulary {input.vocabulary:q} --out {output} 2> {log}"
