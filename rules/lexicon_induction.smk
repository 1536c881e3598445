# lexicon_induction: retrieve translations (the answers are files), score them, and look at the spaces.


rule induce_lexicon:
    # The supervised systems of a pair, or the others, which pairs without a dictionary have too: all seeds, every
    # retrieval and out-of-vocabulary rule, settings chosen and published. Cheap cells, one job.
    input:
        vectors=lambda wildcards: lexicons.lexicon_inputs(W, wildcards.supervision, pair_of(wildcards)),
        dictionary=lambda wildcards: lexicons.gold_dictionary(W, pair_of(wildcards)),
        cells=lambda wildcards: lexicons.lexicon_plan(W, wildcards.supervision, pair_of(wildcards)),
        code=code("induce_lexicon.py", "crosslingua.lexicon_induction.retrieval"),
    output:
        directory(f"{RESULTS}/lexicon_induction/{PAIR}/{{supervision}}"),
    log:
        f"{LOGS}/induce_lexicon/{PAIR}/{{supervision}}.log",
    benchmark:
        f"{BENCHMARKS}/induce_lexicon/{PAIR}/{{supervision}}.tsv"
    wildcard_constraints:
        supervision="supervised|unsupervised",
    resources:
        mem_mb=8000,
        runtime=600,
    params:
        options=lambda wildcards: options(lexicons.lexicon_options(W, pair_of(wildcards))),
    message:
        "Induce translations: {wildcards.source}-{wildcards.target} ({wildcards.dictionary})"
    shell:
        "python scripts/induce_lexicon.py {params.options} --cells {input.cells} 2> {log}"


rule measure_vectors:
    # How near translations are, and which words are neighbours of many: all cells of a pair.
    input:
        files=lambda wildcards: measures.measure_inputs(W, wildcards.measure, pair_of(wildcards)),
        cells=lambda wildcards: measures.measure_plan(W, wildcards.measure, pair_of(wildcards)),
        code=lambda wildcards: code(f"measure_{wildcards.measure}.py"),
    output:
        f"{RESULTS}/{{measure}}/{PAIR}.json",
    log:
        f"{LOGS}/measure_{{measure}}/{PAIR}.log",
    benchmark:
        f"{BENCHMARKS}/measure_{{measure}}/{PAIR}.tsv"
    wildcard_constraints:
        measure="similarity|hubness",
    resources:
        mem_mb=8000,
        runtime=240,
    message:
        "Measure {wildcards.measure}: {wildcards.source}-{wildcards.target} ({wildcards.dictionary})"
    shell:
        "python scripts/measure_{wildcards.measure}.py --cells {input.cells} --out {output} 2> {log}"
