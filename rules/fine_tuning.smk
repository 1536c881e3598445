# fine_tuning: tune encoders on the tasks as each paper does, score what they predict, and probe their embeddings.


rule select_settings:
    # Once an encoder, for all seeds: the point of a grid of settings that does best on validation data.
    input:
        unpack(inputs_of("select_settings/{paper}.{encoder}")),
    output:
        directory(f"{RESULTS}/chosen_settings/{{paper}}/{{encoder}}"),
    log:
        f"{LOGS}/select_settings/{{paper}}/{{encoder}}.log",
    benchmark:
        f"{BENCHMARKS}/select_settings/{{paper}}/{{encoder}}.tsv"
    wildcard_constraints:
        encoder="[^/]+",
    threads: W.threads
    resources:
        gpu=W.gpu,
    params:
        options=options_of("select_settings/{paper}.{encoder}"),
    message:
        "Choose settings of fine-tuning {wildcards.encoder} ({wildcards.paper})"
    shell:
        f"python {SCRIPTS}/select_settings.py" " --cells {input.cells} {params.options} 2> {log}"


rule finetune:
    # All seeds, every task and language of an encoder in one job.
    input:
        unpack(inputs_of("finetune/{paper}.{encoder}")),
    output:
        directory(f"{RESULTS}/fine_tuning/{{paper}}/{{encoder}}"),
    log:
        f"{LOGS}/finetune/{{paper}}/{{encoder}}.log",
    benchmark:
        f"{BENCHMARKS}/finetune/{{paper}}/{{encoder}}.tsv"
    wildcard_constraints:
        encoder="[^/]+",
    threads: W.threads
    resources:
        gpu=W.gpu,
    params:
        options=options_of("finetune/{paper}.{encoder}"),
    message:
        "Fine-tune {wildcards.encoder} ({wildcards.paper})"
    shell:
        f"python {SCRIPTS}/finetune.py" " --cells {input.cells} {params.options} 2> {log}"


rule score_predictions:
    # Cheap: all encoders of a group in one job.
    input:
        unpack(inputs_of("score_predictions/{paper}.{group}")),
    output:
        directory(f"{RESULTS}/scores/{{paper}}.{{group}}"),
    log:
        f"{LOGS}/score_predictions/{{paper}}.{{group}}.log",
    benchmark:
        f"{BENCHMARKS}/score_predictions/{{paper}}.{{group}}.tsv"
    message:
        "Score predictions of {wildcards.paper} ({wildcards.group})"
    shell:
        f"python {SCRIPTS}/score_predictions.py" " --cells {input.cells} 2> {log}"


rule export_xtreme:
    # What XTREME's own evaluation reads: a folder of labels, and one of predictions for each encoder and seed.
    input:
        unpack(inputs_of("export_xtreme")),
    output:
        directory(fine_tuning.export_folder(W)),
    log:
        f"{LOGS}/export_xtreme.log",
    benchmark:
        f"{BENCHMARKS}/export_xtreme.tsv"
    message:
        "Lay predictions out as XTREME's evaluation reads them"
    shell:
        f"python {SCRIPTS}/export_xtreme.py" " --cells {input.cells} 2> {log}"


rule probe_embeddings:
    input:
        unpack(inputs_of("probe_embeddings/{paper}.{group}")),
    output:
        directory(f"{RESULTS}/probes/{{paper}}.{{group}}"),
    log:
        f"{LOGS}/probe_embeddings/{{paper}}.{{group}}.log",
    benchmark:
        f"{BENCHMARKS}/probe_embeddings/{{paper}}.{{group}}.tsv"
    message:
        "Score how well word embeddings are aligned: {wildcards.paper} ({wildcards.group})"
    shell:
        f"python {SCRIPTS}/score_embedding_alignment.py" " --cells {input.cells} 2> {log}"
