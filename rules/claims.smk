# claims: what the papers state, judged a paper at a time and merged.


rule evaluate_claims:
    # What the paper says about its tables, tested on every query and seed (claims.json: all comparisons).
    input:
        claims="reference/claims.yaml",
        schema="schemas/claims.schema.yaml",
        cells=[
            f"{LEXICON_INDUCTION}/{name}/{system}/seed{seed}.json"
            for name in PAIRS
            for system in SYSTEMS
            for seed in SEEDS
        ],
        divisions=DIVISIONS,
        similarities=[f"{RESULTS}/similarity/{name}.json" for name in PAIRS],
        code=code("evaluate_claims.py"),
    output:
        csv=f"{RESULTS}/claims/joint_align.csv",
        details=f"{RESULTS}/claims/joint_align.json",
    log:
        f"{LOGS}/evaluate_claims.log",
    benchmark:
        f"{BENCHMARKS}/evaluate_claims.tsv"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        pairs=[name for name in PAIRS for _ in SYSTEMS for _ in SEEDS],
        systems=[system for _ in PAIRS for system in SYSTEMS for _ in SEEDS],
        seeds=[seed for _ in PAIRS for _ in SYSTEMS for seed in SEEDS],
    message:
        "Evaluate joint_align's claims"
    shell:
        "python scripts/evaluate_claims.py --claims {input.claims} --schema {input.schema} --cells {input.cells}"
        " --pairs {params.pairs} --systems {params.systems} --seeds {params.seeds} --divisions {input.divisions}"
        " --similarities {input.similarities} --out {output.csv} --details {output.details} 2> {log}"


rule evaluate_alignment_claims:
    input:
        claims="reference/claims.yaml",
        schema="schemas/claims.schema.yaml",
        cells=[cell_file(cell, "json") for cell, _ in CLAIMED_ALIGNMENTS],
        code=code("evaluate_alignment_claims.py"),
    output:
        csv=f"{RESULTS}/claims/xlm_align.csv",
        details=f"{RESULTS}/claims/xlm_align.json",
    log:
        f"{LOGS}/evaluate_alignment_claims.log",
    benchmark:
        f"{BENCHMARKS}/evaluate_alignment_claims.tsv"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        pairs=[cell.pair for cell, _ in CLAIMED_ALIGNMENTS],
        systems=[system for _, system in CLAIMED_ALIGNMENTS],
        seeds=[cell.seed if cell.space else "any" for cell, _ in CLAIMED_ALIGNMENTS],
    message:
        "Evaluate xlm_align's claims about word alignment"
    shell:
        "python scripts/evaluate_alignment_claims.py --claims {input.claims} --schema {input.schema}"
        " --cells {input.cells} --pairs {params.pairs} --systems {params.systems} --seeds {params.seeds}"
        " --out {output.csv} --details {output.details} 2> {log}"


for RULE, (NAME, ITEMS) in TRANSFER_CLAIMS.items():

    rule:
        name:
            RULE
        input:
            claims="reference/claims.yaml",
            schema="schemas/claims.schema.yaml",
            transfer=ITEMS,
            code=code("evaluate_transfer_claims.py"),
        output:
            csv=f"{RESULTS}/claims/{NAME}.csv",
            details=f"{RESULTS}/claims/{NAME}.json",
        log:
            f"{LOGS}/evaluate_transfer_claims/{NAME}.log",
        benchmark:
            f"{BENCHMARKS}/evaluate_transfer_claims/{NAME}.tsv"
        conda:
            "../envs/cpu.yaml"
        threads: 1
        resources:
            mem_mb=2000,
            runtime=30,
        message:
            f"Evaluate the claims of {NAME}"
        shell:
            "python scripts/evaluate_transfer_claims.py --claims {input.claims} --schema {input.schema}"
            " --transfer {input.transfer} --out {output.csv} --details {output.details} 2> {log}"


CLAIM_RULES = (rules.evaluate_claims, rules.evaluate_alignment_claims, rules.evaluate_transfer_claims)


rule merge_claims:
    input:
        csv=[claims.output.csv for claims in CLAIM_RULES],
        details=[claims.output.details for claims in CLAIM_RULES],
        code=code("merge_claims.py"),
    output:
        csv=f"{RESULTS}/claims.csv",
        details=f"{RESULTS}/claims.json",
    log:
        f"{LOGS}/merge_claims.log",
    benchmark:
        f"{BENCHMARKS}/merge_claims.tsv"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    message:
        "Merge the claims of all papers"
    shell:
        "python scripts/merge_claims.py --claims {input.csv} --details {input.details}"
        " --out {output.csv} --out-details {output.details} 2> {log}"
