# derived: languages made of another, text and task data alike (align_mlm).
rule derive_text:
    input:
        text=lambda wildcards: f"{CORPORA}/text{wildcards.cased}/{LANGUAGES[wildcards.lang]['derived_from']}.txt",
        order=syntax_input("text", "order"),
        trees=syntax_input("text", "trees"),
        code=code("derive_language.py"),
    output:
        text=f"{CORPORA}/text{{cased}}/{{lang}}.txt",
        dictionary=f"{CORPORA}/text{{cased}}/{{lang}}.dictionary.txt",
        report=f"{CORPORA}/text{{cased}}/{{lang}}.json",
    log:
        f"{LOGS}/derive_text{{cased}}/{{lang}}.log",
    benchmark:
        f"{BENCHMARKS}/derive_text{{cased}}/{{lang}}.tsv"
    wildcard_constraints:
        cased=CASED,
        lang=either(catalogue.named_from(LANGUAGES, "derived")),
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=240,
    params:
        derivation=lambda wildcards: derivation(LANGUAGES[wildcards.lang]),
        syntax=lambda wildcards, input: syntax_options(input, lowercase=text_settings(wildcards)["lowercase"]),
    message:
        "Derive the language {wildcards.lang}"
    shell:
        "python scripts/derive_language.py --kind text --input {input.text} {params.derivation} {params.syntax}"
        " --out {output.text} --dictionary {output.dictionary} --report {output.report} 2> {log}"


rule train_word_order:
    input:
        trees=f"{CORPORA}/pos/{{lang}}.train.conllu",
        code=code("train_word_order.py", "crosslingua.corpora.derived.order_training"),
    output:
        order=f"{CORPORA}/word_order/{{lang}}.json",
        report=f"{CORPORA}/word_order/{{lang}}.report.json",
    log:
        f"{LOGS}/train_word_order/{{lang}}.log",
    benchmark:
        f"{BENCHMARKS}/train_word_order/{{lang}}.tsv"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    message:
        "Learn the word order of {wildcards.lang}"
    shell:
        "python scripts/train_word_order.py --input {input.trees} --out {output.order} --report {output.report} 2> {log}"


for TASK, SUFFIX in catalogue.LABELLED.items():

    rule:
        name:
            f"derive_{TASK}"
        input:
            data=lambda wildcards, task=TASK: (
                f"{CORPORA}/{catalogue.labelled_path(task, parent_of(task, wildcards), wildcards.split)}"
            ),
            order=syntax_input(TASK, "order"),
            trees=syntax_input(TASK, "trees"),
            code=code("derive_language.py"),
        output:
            data=f"{CORPORA}/{TASK}/{{lang}}.{{split}}.{SUFFIX}",
            report=f"{CORPORA}/{TASK}/{{lang}}.{{split}}.report.json",
        log:
            f"{LOGS}/derive_{TASK}/{{lang}}.{{split}}.log",
        benchmark:
            f"{BENCHMARKS}/derive_{TASK}/{{lang}}.{{split}}.tsv"
        wildcard_constraints:
            lang=either(catalogue.named_from(TASKS[TASK]["sources"], "derived")),
        conda:
            "../envs/cpu.yaml"
        threads: 1
        resources:
            mem_mb=2000,
            runtime=60,
        params:
            kind=TASK,
            derivation=lambda wildcards, task=TASK: derivation(
                TASKS[task]["sources"][wildcards.lang], split_words(task, wildcards)
            ),
            syntax=lambda wildcards, input: syntax_options(input),
        message:
            f"Derive {TASK}: {{wildcards.lang}}, {{wildcards.split}}"
        shell:
            "python scripts/derive_language.py --kind {params.kind} --input {input.data} {params.derivation}"
            " {params.syntax} --out {output.data} --report {output.report} 2> {log}"
