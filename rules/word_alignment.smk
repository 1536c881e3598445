# word_alignment: every aligner on every gold set, scored; and the links of training bitext, for who learns from them.
LINKS = f"{RESULTS}/word_alignment/links"
ALIGNMENTS = W.stage(word_alignment.WordAlignment).alignments


wildcard_constraints:
    aligner=labelled.either(
        [*W.config.word_alignment.aligners, *(one.stem for one in ALIGNMENTS if one.seeded)]
    ),


rule align_words_by_text:
    # Trained on the gold set's text, and on what bitext there is.
    input:
        unpack(inputs_of(f"word_align/{{aligner}}/{PAIR_NAME}")),
    output:
        f"{LINKS}/{{aligner}}/{PAIR_NAME}.links",
    log:
        f"{LOGS}/align_words_by_text/{{aligner}}/{PAIR_NAME}.log",
    benchmark:
        f"{BENCHMARKS}/align_words_by_text/{{aligner}}/{PAIR_NAME}.tsv"
    threads: two_threads
    params:
        options=options_of(f"word_align/{{aligner}}/{PAIR_NAME}"),
    message:
        "Align words with {wildcards.aligner}: {wildcards.source}-{wildcards.target}{wildcards.what}"
    shell:
        f"python {SCRIPTS}/word_align.py" " {params.options} --threads {threads} --out {output} 2> {log}"


rule align_words_by_vectors:
    # All gold sets and seeds in one job.
    input:
        unpack(inputs_of("word_align/{aligner}+{space}")),
    output:
        directory(f"{LINKS}/{{aligner}}+{{space}}"),
    log:
        f"{LOGS}/align_words_by_vectors/{{aligner}}+{{space}}.log",
    benchmark:
        f"{BENCHMARKS}/align_words_by_vectors/{{aligner}}+{{space}}.tsv"
    wildcard_constraints:
        space=labelled.either(dict.fromkeys(one.space for one in ALIGNMENTS if one.vectors)),
    params:
        options=options_of("word_align/{aligner}+{space}"),
    message:
        "Align words with {wildcards.aligner} on static vectors ({wildcards.space})"
    shell:
        f"python {SCRIPTS}/word_align.py"
        " {params.options} --cells {input.cells} --threads {threads} 2> {log}"


use rule align_words_by_vectors as align_words_by_encoder with:
    # All gold sets and layers in one job: the encoder is loaded once, and every sentence encoded once.
    input:
        unpack(inputs_of("word_align/{aligner}+{encoder}.seed{seed}")),
    output:
        directory(f"{LINKS}/{{aligner}}+{{encoder}}/seed{{seed}}"),
    log:
        f"{LOGS}/align_words_by_encoder/{{aligner}}+{{encoder}}.seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/align_words_by_encoder/{{aligner}}+{{encoder}}.seed{{seed}}.tsv"
    wildcard_constraints:
        encoder=labelled.either(dict.fromkeys(one.space for one in ALIGNMENTS if one.layer is not None)),
    threads: two_threads
    resources:
        gpu=W.gpu,
    params:
        options=options_of("word_align/{aligner}+{encoder}.seed{seed}"),
    message:
        "Align words with {wildcards.aligner} on {wildcards.encoder} (seed {wildcards.seed})"


use rule align_words_by_text as align_bitext with:
    # Cheap and of high precision: what encoder alignment and annotation projection learn from.
    input:
        unpack(inputs_of(f"align_bitext/{PAIR_NAME}")),
    output:
        word_alignment.bitext_links(W, PAIR_NAME),
    log:
        f"{LOGS}/align_bitext/{PAIR_NAME}.log",
    benchmark:
        f"{BENCHMARKS}/align_bitext/{PAIR_NAME}.tsv"
    params:
        options=options_of(f"align_bitext/{PAIR_NAME}"),
    message:
        "Align the words of the bitext {wildcards.source}-{wildcards.target}{wildcards.what}"


rule score_alignment:
    # All alignments of a gold set: cheap, one job.
    input:
        unpack(inputs_of("score_alignment/{pair}")),
    output:
        directory(f"{RESULTS}/word_alignment/scores/{{pair}}"),
    log:
        f"{LOGS}/score_alignment/{{pair}}.log",
    benchmark:
        f"{BENCHMARKS}/score_alignment/{{pair}}.tsv"
    params:
        options=options_of("score_alignment/{pair}"),
    message:
        "Score the word alignments of {wildcards.pair}"
    shell:
        f"python {SCRIPTS}/score_alignment.py" " --cells {input.cells} {params.options} 2> {log}"
