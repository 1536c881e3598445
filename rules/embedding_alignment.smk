# embedding_alignment: map the source language's vectors onto the target's. Of a joint space only the words that
# the languages do not share are moved (section 3.1, alignment refinement).


# A rule a mapper: its systems on a pair and all seeds, under the settings that held-out translations choose and under
# the published ones. Cheap cells, one job; editing a mapper reruns what it feeds.
for END, (ANY, NAMES) in vector_systems.any_pairs(W).items():
    for MAPPING, MAPPED in mapping.mappings(W).items():

        rule:
            name:
                f"align_by_{MAPPING}{END}"
            input:
                spaces=lambda wildcards, systems=MAPPED: mapping.mapping_inputs(
                    W, systems, pair_of(wildcards)
                ),
                cells=lambda wildcards, name=MAPPING, systems=MAPPED: mapping.mapping_plan(
                    W, name, systems, pair_of(wildcards)
                ),
                code=code("align_vectors.py", *mapping.mapping_modules(W, MAPPED)),
            output:
                **mapping.mapping_outputs(W, MAPPED, ANY),
            log:
                f"{LOGS}/align_vectors/{PAIR}/{MAPPING}.log",
            benchmark:
                f"{BENCHMARKS}/align_vectors/{PAIR}/{MAPPING}.tsv"
            wildcard_constraints:
                dictionary=labelled.either(NAMES),
            resources:
                mem_mb=8000,
                runtime=600,
            params:
                options=lambda wildcards, systems=MAPPED: options(
                    mapping.mapping_options(W, systems, pair_of(wildcards))
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
