# word_alignment: every aligner on every gold set, scored; and the links of training bitext, for who learns from them.
LINKS = f"{alignment.folder(W)}/links"


wildcard_constraints:
    aligner=labelled.either(W.config["word_alignment"]["aligners"]),


rule align_words_by_text:
    # Trained on the gold set's text, and on what bitext there is.
    input:
        unpack(lambda wildcards: alignment.training_text(W, wildcards.aligner, name_of(wildcards))),
        source=f"{CORPORA}/gold_alignment/{PAIR_NAME}.{{source}}.txt",
        target=f"{CORPORA}/gold_alignment/{PAIR_NAME}.{{target}}.txt",
        code=lambda wildcards: code("word_align.py", alignment.ALIGNERS.module(wildcards.aligner)),
    output:
        f"{LINKS}/{{aligner}}/{PAIR_NAME}.links",
    log:
        f"{LOGS}/align_words_by_text/{{aligner}}/{PAIR_NAME}.log",
    benchmark:
        f"{BENCHMARKS}/align_words_by_text/{{aligner}}/{PAIR_NAME}.tsv"
    threads: 2
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        options=lambda wildcards: options(alignment.text_options(W, wildcards.aligner, name_of(wildcards))),
    message:
        "Align words with {wildcards.aligner}: {wildcards.source}-{wildcards.target}{wildcards.what}"
    shell:
        "python scripts/word_align.py --source {input.source} --target {input.target} {params.options}"
        " --threads {threads} --out {output} 2> {log}"


rule align_words_by_vectors:
    # All gold sets and seeds in one job.
    input:
        files=lambda wildcards: alignment.vector_inputs(W, wildcards.aligner, wildcards.space),
        cells=lambda wildcards: alignment.vector_plan(W, wildcards.aligner, wildcards.space),
        code=lambda wildcards: code("word_align.py", alignment.ALIGNERS.module(wildcards.aligner)),
    output:
        directory(f"{LINKS}/{{aligner}}+{{space}}"),
    log:
        f"{LOGS}/align_words_by_vectors/{{aligner}}+{{space}}.log",
    benchmark:
        f"{BENCHMARKS}/align_words_by_vectors/{{aligner}}+{{space}}.tsv"
    wildcard_constraints:
        space=labelled.either(alignment.vector_spaces(W)),
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        options=lambda wildcards: options(alignment.aligner_options(W, wildcards.aligner)),
    message:
        "Align words with {wildcards.aligner} on static vectors ({wildcards.space})"
    shell:
        "python scripts/word_align.py {params.options} --cells {input.cells} --threads {threads} 2> {log}"


rule align_words_by_encoder:
    # All gold sets and layers in one job: the encoder is loaded once, and every sentence encoded once.
    input:
        encoder=lambda wildcards: alignment.trained(W, wildcards.encoder, wildcards.seed),
        text=lambda wildcards: alignment.all_gold_text(W),
        cells=lambda wildcards: alignment.encoder_plan(
            W, wildcards.aligner, wildcards.encoder, int(wildcards.seed)
        ),
        code=lambda wildcards: code("word_align.py", alignment.ALIGNERS.module(wildcards.aligner)),
    output:
        directory(f"{LINKS}/{{aligner}}+{{encoder}}/seed{{seed}}"),
    log:
        f"{LOGS}/align_words_by_encoder/{{aligner}}+{{encoder}}.seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/align_words_by_encoder/{{aligner}}+{{encoder}}.seed{{seed}}.tsv"
    wildcard_constraints:
        encoder=labelled.either(alignment.encoders(W)),
    threads: 2
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        options=lambda wildcards: options(alignment.aligner_options(W, wildcards.aligner, encoder=True)),
    message:
        "Align words with {wildcards.aligner} on {wildcards.encoder} (seed {wildcards.seed})"
    shell:
        "python scripts/word_align.py {params.options} --cells {input.cells} --threads {threads} 2> {log}"


rule align_bitext:
    # Cheap and of high precision: what encoder alignment and annotation projection learn from.
    input:
        source=f"{CORPORA}/bitext/{PAIR_NAME}.{{source}}.txt",
        target=f"{CORPORA}/bitext/{PAIR_NAME}.{{target}}.txt",
        code=code("word_align.py", alignment.ALIGNERS.module(alignment.bitext_options(W)["aligner"])),
    output:
        f"{alignment.folder(W)}/bitext/{PAIR_NAME}.links",
    log:
        f"{LOGS}/align_bitext/{PAIR_NAME}.log",
    benchmark:
        f"{BENCHMARKS}/align_bitext/{PAIR_NAME}.tsv"
    threads: 2
    resources:
        mem_mb=16000,
        runtime=600,
    params:
        options=options(alignment.bitext_options(W)),
    message:
        "Align the words of the bitext {wildcards.source}-{wildcards.target}{wildcards.what}"
    shell:
        "python scripts/word_align.py {params.options} --source {input.source} --target {input.target}"
        " --threads {threads} --out {output} 2> {log}"


rule score_alignment:
    # All alignments of a gold set: cheap, one job.
    input:
        links=lambda wildcards: alignment.scoring_inputs(W, wildcards.pair),
        gold=lambda wildcards: list(alignment.gold_text(W, wildcards.pair).values()),
        cells=lambda wildcards: alignment.scoring_plan(W, wildcards.pair),
        code=code("score_alignment.py"),
    output:
        directory(f"{alignment.folder(W)}/scores/{{pair}}"),
    log:
        f"{LOGS}/score_alignment/{{pair}}.log",
    benchmark:
        f"{BENCHMARKS}/score_alignment/{{pair}}.tsv"
    resources:
        mem_mb=2000,
    params:
        samples=W.config["word_alignment"]["bootstrap_samples"],
    message:
        "Score the word alignments of {wildcards.pair}"
    shell:
        "python scripts/score_alignment.py --cells {input.cells} --bootstrap-samples {params.samples} 2> {log}"
