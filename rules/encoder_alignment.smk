# encoder_alignment: encoders whose vectors of two languages are brought together after they were trained.
ALIGNED = f"{RESULTS}/encoder_alignment"


rule rotate_encoder:
    # All language pairs and kinds of supervision in one job: each text is encoded once.
    input:
        unpack(inputs_of("align_encoder/{encoder}.seed{seed}.rotations")),
    output:
        directory(f"{ALIGNED}/{{encoder}}/seed{{seed}}/rotations"),
    log:
        f"{LOGS}/rotate_encoder/{{encoder}}.seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/rotate_encoder/{{encoder}}.seed{{seed}}.tsv"
    wildcard_constraints:
        encoder=labelled.either(
            dict.fromkeys(one.encoder for one in W.stage(encoder_alignment.EncoderAlignment).aligned)
        ),
    threads: W.threads
    resources:
        gpu=W.gpu,
    params:
        options=options_of("align_encoder/{encoder}.seed{seed}.rotations"),
    message:
        "Rotate {wildcards.encoder} (seed {wildcards.seed})"
    shell:
        f"python {SCRIPTS}/align_encoder.py" " --cells {input.cells} {params.options} 2> {log}"


use rule rotate_encoder as tune_alignment with:
    # Both directions in one job; each is resumed from its own checkpoint.
    input:
        unpack(inputs_of("align_encoder/{encoder}.seed{seed}.{source}-{target}")),
    output:
        [
            directory(f"{ALIGNED}/{{encoder}}/seed{{seed}}/{{source}}-{{target}}.{system}")
            for system in encoder_alignment.TUNED
        ],
    log:
        f"{LOGS}/tune_alignment/{{encoder}}.seed{{seed}}.{{source}}-{{target}}.log",
    benchmark:
        f"{BENCHMARKS}/tune_alignment/{{encoder}}.seed{{seed}}.{{source}}-{{target}}.tsv"
    resources:
        gpu=W.gpu,
    params:
        options=options_of("align_encoder/{encoder}.seed{seed}.{source}-{target}"),
    message:
        "Tune {wildcards.encoder} to align {wildcards.source} and {wildcards.target} (seed {wildcards.seed})"


rule measure_distance:
    # Cheap: all pairs of languages in one job.
    input:
        unpack(inputs_of("measure_distance")),
    output:
        directory(f"{RESULTS}/language_distance"),
    log:
        f"{LOGS}/measure_distance.log",
    benchmark:
        f"{BENCHMARKS}/measure_distance.tsv"
    message:
        "Measure how far languages are apart"
    shell:
        f"python {SCRIPTS}/measure_distance.py" " --cells {input.cells} 2> {log}"
