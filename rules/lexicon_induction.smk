# lexicon_induction: retrieve translations (the answers are files), score them, and look at the spaces.


rule induce_lexicon:
    # A system on a pair: all seeds, every retrieval and out-of-vocabulary rule, settings chosen and published.
    input:
        unpack(inputs_of(f"induce_lexicon/{PAIR}.{{system}}")),
    output:
        directory(f"{RESULTS}/lexicon_induction/{PAIR}/{{supervision}}/{{system}}"),
    log:
        f"{LOGS}/induce_lexicon/{PAIR}/{{supervision}}/{{system}}.log",
    benchmark:
        f"{BENCHMARKS}/induce_lexicon/{PAIR}/{{supervision}}/{{system}}.tsv"
    wildcard_constraints:
        supervision="supervised|unsupervised",
    resources:
        gpu=W.gpu,
    params:
        options=options_of(f"induce_lexicon/{PAIR}.{{system}}"),
    message:
        "Induce translations: {wildcards.source}-{wildcards.target} ({wildcards.dictionary})"
    shell:
        f"python {SCRIPTS}/induce_lexicon.py" " {params.options} --cells {input.cells} 2> {log}"


use rule induce_lexicon as induce_lexicons_of_curve with:
    # All systems that need a dictionary, which are asked for together: cheap, one job a size.
    input:
        unpack(inputs_of(f"induce_lexicon/{PAIR}")),
    output:
        directory(f"{RESULTS}/lexicon_induction/{PAIR}/supervised"),
    log:
        f"{LOGS}/induce_lexicon/{PAIR}.log",
    benchmark:
        f"{BENCHMARKS}/induce_lexicon/{PAIR}.tsv"
    wildcard_constraints:
        dictionary=labelled.either(vectors.dictionary_names(W.curve_pairs)),
    params:
        options=options_of(f"induce_lexicon/{PAIR}"),


use rule induce_lexicon as induce_lexicons_together with:
    # All systems of a pair in one job.
    input:
        unpack(inputs_of(f"induce_lexicon/{PAIR}")),
    output:
        directory(f"{RESULTS}/lexicon_induction/{PAIR}"),
    log:
        f"{LOGS}/induce_lexicon/{PAIR}/together.log",
    benchmark:
        f"{BENCHMARKS}/induce_lexicon/{PAIR}/together.tsv"
    wildcard_constraints:
        dictionary="[a-z0-9_]+",
    params:
        options=options_of(f"induce_lexicon/{PAIR}"),


rule measure_vectors:
    # How near translations are, and which words are neighbours of many: all cells of a pair.
    input:
        unpack(inputs_of(f"measure_{{measure}}/{PAIR}")),
    output:
        f"{RESULTS}/{{measure}}/{PAIR}.json",
    log:
        f"{LOGS}/measure_{{measure}}/{PAIR}.log",
    benchmark:
        f"{BENCHMARKS}/measure_{{measure}}/{PAIR}.tsv"
    wildcard_constraints:
        measure="similarity|hubness",
    message:
        "Measure {wildcards.measure}: {wildcards.source}-{wildcards.target} ({wildcards.dictionary})"
    shell:
        f"python {SCRIPTS}/measure_{{wildcards.measure}}.py" " --cells {input.cells} --out {output} 2> {log}"
