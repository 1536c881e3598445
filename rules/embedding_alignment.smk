# embedding_alignment: map the source language's vectors onto the target's. Of a joint space only the words that
# the languages do not share are moved (section 3.1, alignment refinement).


rule align_vectors:
    input:
        spaces=lambda wildcards: vectors.mapping_inputs(W, wildcards.system, pair_of(wildcards)),
        cells=lambda wildcards: vectors.mapping_plan(W, wildcards.system, pair_of(wildcards)),
        code=lambda wildcards: code("align_vectors.py", *vectors.system_modules(W, wildcards.system)),
    output:
        source=[f"{RESULTS}/embedding_alignment/{PAIR}/{{system}}/seed{seed}.source.vec" for seed in SEEDS],
        target=[f"{RESULTS}/embedding_alignment/{PAIR}/{{system}}/seed{seed}.target.vec" for seed in SEEDS],
        details=[f"{RESULTS}/embedding_alignment/{PAIR}/{{system}}/seed{seed}.details.json" for seed in SEEDS],
    log:
        f"{LOGS}/align_vectors/{PAIR}/{{system}}.log",
    benchmark:
        f"{BENCHMARKS}/align_vectors/{PAIR}/{{system}}.tsv"
    resources:
        mem_mb=8000,
        runtime=600,
    params:
        options=lambda wildcards: options(vectors.mapping_options(W, wildcards.system, pair_of(wildcards))),
    message:
        "Map vectors for {wildcards.system}: {wildcards.source}-{wildcards.target} ({wildcards.dictionary})"
    shell:
        "python scripts/align_vectors.py {params.options} --cells {input.cells} 2> {log}"
