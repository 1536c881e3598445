# embedding_alignment: map the source language's vectors onto the target's. Of a joint space only the words that
# the languages do not share are moved (section 3.1, alignment refinement).


# The systems of a mapper on a pair, all seeds, under the settings that held-out translations choose and under the
# published ones. Cheap cells, one job. A rule a mapper and no wildcard: its outputs are the files of those systems that a
# configuration gives it, each of which others ask for by name.
for MAPPING in mapping.mapping_rules(W):

    rule:
        name:
            MAPPING.name
        input:
            spaces=lambda wildcards, own=MAPPING: mapping.mapping_inputs(W, own.systems, pair_of(wildcards)),
            cells=lambda wildcards, own=MAPPING: mapping.mapping_plan(
                W, own.mapping, own.systems, pair_of(wildcards)
            ),
            code=code("align_vectors.py", *mapping.mapping_modules(W, MAPPING.systems)),
        output:
            **mapping.mapping_outputs(W, MAPPING.systems, MAPPING.pair),
        log:
            f"{LOGS}/align_vectors/{PAIR}/{MAPPING.mapping}.log",
        benchmark:
            f"{BENCHMARKS}/align_vectors/{PAIR}/{MAPPING.mapping}.tsv"
        wildcard_constraints:
            dictionary=labelled.either(MAPPING.dictionaries),
        resources:
            mem_mb=8000,
            runtime=600,
        params:
            options=lambda wildcards, own=MAPPING: options(
                mapping.mapping_options(W, own.systems, pair_of(wildcards))
            ),
        message:
            "Map vectors: {wildcards.source}-{wildcards.target} ({wildcards.dictionary})"
        shell:
            "python scripts/align_vectors.py {params.options} --cells {input.cells} 2> {log}"


rule control_mappers:
    # One language twice, which every mapper without a dictionary must map onto itself.
    input:
        vectors=controls.control_inputs(W),
        cells=lambda wildcards: controls.control_plan(W),
        code=code("control_mappers.py", *mapping.mapping_modules(W, controls.controlled(W))),
    output:
        controls.control_scores(W),
    log:
        f"{LOGS}/control_mappers.log",
    benchmark:
        f"{BENCHMARKS}/control_mappers.tsv"
    resources:
        mem_mb=8000,
        runtime=600,
    message:
        "Map a language onto itself, the control of unsupervised mappers"
    shell:
        "python scripts/control_mappers.py --cells {input.cells} 2> {log}"
