# embedding_alignment: map the source language's vectors onto the target's. Of a joint space only the words that
# the languages do not share are moved (section 3.1, alignment refinement). A job a system and pair, for all seeds.


rule align_vectors:
    input:
        unpack(inputs_of(f"align_vectors/{PAIR}.{{system}}")),
    output:
        **vectors.mapping_outputs(W),
    log:
        f"{LOGS}/align_vectors/{PAIR}/{{system}}.log",
    benchmark:
        f"{BENCHMARKS}/align_vectors/{PAIR}/{{system}}.tsv"
    wildcard_constraints:
        system=labelled.either(vectors.mapped_systems(W, searched=False)),
    resources:
        gpu=W.gpu,
    params:
        options=options_of(f"align_vectors/{PAIR}.{{system}}"),
    message:
        "Map vectors for {wildcards.system}: {wildcards.source}-{wildcards.target} ({wildcards.dictionary})"
    shell:
        f"python {SCRIPTS}/align_vectors.py" " {params.options} --cells {input.cells} 2> {log}"


use rule align_vectors as align_vectors_searched with:
    # Under the settings that held-out translations choose, and under the published ones.
    output:
        **vectors.mapping_outputs(W, searched=True),
    wildcard_constraints:
        system=labelled.either(vectors.mapped_systems(W, searched=True)),
        dictionary=labelled.either(vectors.dictionary_names(W.lexicon_pairs)),


use rule align_vectors as align_vectors_of_curve with:
    # With another size of the dictionary: under the chosen settings only.
    output:
        **vectors.mapping_outputs(W, pair=vectors.ANY_PAIR_OF_CURVE, searched=True),
    wildcard_constraints:
        system=labelled.either(vectors.mapped_systems(W, searched=True)),
        dictionary=labelled.either(vectors.dictionary_names(W.curve_pairs)),


use rule align_vectors as align_vectors_together with:
    # All systems of a pair in one job.
    input:
        unpack(inputs_of(f"align_vectors/{PAIR}")),
    output:
        directory(f"{RESULTS}/embedding_alignment/{PAIR}"),
    log:
        f"{LOGS}/align_vectors/{PAIR}/together.log",
    benchmark:
        f"{BENCHMARKS}/align_vectors/{PAIR}/together.tsv"
    wildcard_constraints:
        dictionary="[a-z0-9_]+",
    params:
        options=options_of(f"align_vectors/{PAIR}"),
    message:
        "Map vectors of all systems: {wildcards.source}-{wildcards.target} ({wildcards.dictionary})"


rule control_mappers:
    # One language twice, which every mapper without a dictionary must map onto itself.
    input:
        unpack(inputs_of("control_mappers")),
    output:
        [line["out"] for line in JOBS["control_mappers"].lines] if "control_mappers" in JOBS else [],
    log:
        f"{LOGS}/control_mappers.log",
    benchmark:
        f"{BENCHMARKS}/control_mappers.tsv"
    message:
        "Map a language onto itself, the control of unsupervised mappers"
    shell:
        f"python {SCRIPTS}/control_mappers.py" " --cells {input.cells} 2> {log}"
