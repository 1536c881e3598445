# embedding_alignment: map the source language's vectors onto the target's. Of a joint space only the words that
# the languages do not share are moved (section 3.1, alignment refinement). One rule a system: each then knows
# the mapper whose code and settings it depends on.


for SYSTEM, CHOICE in SYSTEMS.items():
    if CHOICE["mapper"] is None:
        continue

    rule:
        name:
            f"align_{SYSTEM}"
        input:
            source=space(CHOICE["embeddings"], "source.vec"),
            target=space(CHOICE["embeddings"], "target.vec"),
            shared=(
                space(CHOICE["embeddings"], "shared.txt") if CHOICE["embeddings"].startswith("joint") else []
            ),
            dictionary=f"{CORPORA}/dictionaries/{PAIR}/train.txt",
            code=code("align_vectors.py", *mapper_modules(CHOICE["mapper"])),
        output:
            source=mapped(SYSTEM, "source.vec"),
            target=mapped(SYSTEM, "target.vec"),
            details=mapped(SYSTEM, "details.json"),
        log:
            f"{LOGS}/align_{SYSTEM}/{PAIR}.log",
        benchmark:
            f"{BENCHMARKS}/align_{SYSTEM}/{PAIR}.tsv"
        conda:
            "../envs/cpu.yaml"
        threads: 1
        resources:
            mem_mb=8000,
            runtime=600,
        params:
            mapper=CHOICE["mapper"],
            seeds=SEEDS,
            settings=mapper_settings(CHOICE["mapper"], CHOICE.get("settings")),
            shared=lambda wildcards, input: f"--shared {' '.join(input.shared)}" if input.shared else "",
        message:
            f"Map vectors with {CHOICE['mapper']} for {SYSTEM}: {{wildcards.source}}-{{wildcards.target}} ({{wildcards.dictionary}})"
        shell:
            "python scripts/align_vectors.py --mapper {params.mapper} --source {input.source} --target {input.target}"
            " --dictionary {input.dictionary} {params.shared} --seed {params.seeds} {params.settings}"
            " --out-source {output.source} --out-target {output.target} --details {output.details} 2> {log}"
