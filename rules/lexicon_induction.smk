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


rule measure_similarity:
    input:
        vectors=lambda wildcards: measures.measure_inputs(W, "similarity", pair_of(wildcards)),
        dictionary=f"{CORPORA}/dictionaries/{PAIR}/test.txt",
        cells=lambda wildcards: measures.measure_plan(W, "similarity", pair_of(wildcards)),
        code=code("measure_similarity.py"),
    output:
        f"{RESULTS}/similarity/{PAIR}.json",
    log:
        f"{LOGS}/measure_similarity/{PAIR}.log",
    benchmark:
        f"{BENCHMARKS}/measure_similarity/{PAIR}.tsv"
    resources:
        mem_mb=4000,
        runtime=60,
    message:
        "Measure how near translations are in each stage: {wildcards.source}-{wildcards.target} ({wildcards.dictionary})"
    shell:
        "python scripts/measure_similarity.py --cells {input.cells} --dictionary {input.dictionary} --out {output} 2> {log}"


rule measure_hubness:
    input:
        vectors=lambda wildcards: measures.measure_inputs(W, "hubness", pair_of(wildcards)),
        cells=lambda wildcards: measures.measure_plan(W, "hubness", pair_of(wildcards)),
        code=code("measure_hubness.py"),
    output:
        f"{RESULTS}/hubness/{PAIR}.json",
    log:
        f"{LOGS}/measure_hubness/{PAIR}.log",
    benchmark:
        f"{BENCHMARKS}/measure_hubness/{PAIR}.tsv"
    resources:
        mem_mb=8000,
        runtime=240,
    message:
        "Measure hubness in every system's space: {wildcards.source}-{wildcards.target} ({wildcards.dictionary})"
    shell:
        "python scripts/measure_hubness.py --cells {input.cells} --out {output} 2> {log}"
