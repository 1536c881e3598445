# tasks: labelled data of every task, parallel text and gold alignments: generated, published or your own files;
# and the page that describes all data of a scale.


rule generate_world_labelled:
    # The splits of the world share no sentence.
    input:
        unpack(inputs_of("generate_world/{task}/{name}")),
    output:
        [f"{CORPORA}/{{task}}/{{name}}.{split}.{{suffix}}" for split in corpora.SPLITS],
    log:
        f"{LOGS}/generate_world_labelled/{{task}}/{{name}}.{{suffix}}.log",
    benchmark:
        f"{BENCHMARKS}/generate_world_labelled/{{task}}/{{name}}.{{suffix}}.tsv"
    wildcard_constraints:
        task=corpora.told_sets(W),
    params:
        options=options_of("generate_world/{task}/{name}"),
    message:
        "Generate data of the controlled world: {wildcards.task} {wildcards.name}"
    shell:
        f"python {SCRIPTS}/generate_world.py" " {wildcards.task} {params.options} --out {output} 2> {log}"


rule generate_world_labelled_trees:
    # The trees of the same sentences, for transformations of syntax; those of parts of speech are the data.
    input:
        unpack(inputs_of("generate_world/{task}/{name}")),
    output:
        data=[f"{CORPORA}/trees/{{task}}/{{name}}.{split}.data" for split in corpora.SPLITS],
        trees=[f"{CORPORA}/trees/{{task}}/{{name}}.{split}.conllu" for split in corpora.SPLITS],
    log:
        f"{LOGS}/generate_world_labelled_trees/{{task}}/{{name}}.log",
    benchmark:
        f"{BENCHMARKS}/generate_world_labelled_trees/{{task}}/{{name}}.tsv"
    wildcard_constraints:
        task="(?!text|pos)[a-z]+",
    params:
        options=options_of("generate_world/{task}/{name}"),
    message:
        "Write the trees of the controlled world: {wildcards.task} {wildcards.name}"
    shell:
        f"python {SCRIPTS}/generate_world.py"
        " {wildcards.task} {params.options}"
        " --out {output.data} --trees {output.trees} 2> {log}"


rule prepare_labelled:
    input:
        unpack(inputs_of("prepare_labelled/{task}/{name}.{split}")),
    output:
        data=f"{CORPORA}/{{task}}/{{name}}.{{split}}.{{suffix}}",
        report=f"{CORPORA}/{{task}}/{{name}}.{{split}}.{{suffix}}.report.json",
    log:
        f"{LOGS}/prepare_labelled/{{task}}/{{name}}.{{split}}.{{suffix}}.log",
    benchmark:
        f"{BENCHMARKS}/prepare_labelled/{{task}}/{{name}}.{{split}}.{{suffix}}.tsv"
    wildcard_constraints:
        task=corpora.read_sets(W),
    params:
        options=options_of("prepare_labelled/{task}/{name}.{split}"),
    message:
        "Prepare {wildcards.task} {wildcards.name}, {wildcards.split}"
    shell:
        f"python {SCRIPTS}/prepare_labelled.py"
        " {params.options} --out {output.data} --report {output.report} 2> {log}"


rule generate_world_bitext:
    input:
        unpack(inputs_of(f"generate_world/{{task}}/{PAIR_NAME}")),
    output:
        source=f"{CORPORA}/{{task}}/{PAIR_NAME}.{{source}}.txt",
        target=f"{CORPORA}/{{task}}/{PAIR_NAME}.{{target}}.txt",
        links=f"{CORPORA}/{{task}}/{PAIR_NAME}.links",
    log:
        f"{LOGS}/generate_world_bitext/{{task}}/{PAIR_NAME}.log",
    benchmark:
        f"{BENCHMARKS}/generate_world_bitext/{{task}}/{PAIR_NAME}.tsv"
    wildcard_constraints:
        task=corpora.sets_from(W, "world", tasks=corpora.PARALLEL, ending=corpora.ENDING),
    params:
        options=options_of(f"generate_world/{{task}}/{PAIR_NAME}"),
    message:
        f"Generate parallel text of the controlled world: {{wildcards.task}} {{wildcards.source}}-{{wildcards.target}}"
    shell:
        f"python {SCRIPTS}/generate_world.py"
        " bitext {params.options}"
        " --out-source {output.source} --out-target {output.target} --out-links {output.links} 2> {log}"


rule prepare_bitext:
    # Cased: encoders want it so; who needs lower case takes it off.
    input:
        unpack(inputs_of(f"prepare_bitext/{PAIR_NAME}")),
    output:
        source=f"{CORPORA}/bitext/{PAIR_NAME}.{{source}}.txt",
        target=f"{CORPORA}/bitext/{PAIR_NAME}.{{target}}.txt",
        report=f"{CORPORA}/bitext/{PAIR_NAME}.report.json",
    log:
        f"{LOGS}/prepare_bitext/{PAIR_NAME}.log",
    benchmark:
        f"{BENCHMARKS}/prepare_bitext/{PAIR_NAME}.tsv"
    wildcard_constraints:
        source=corpora.parallel_sets(W, "bitext", "file", "published"),
    threads: two_threads
    params:
        options=options_of(f"prepare_bitext/{PAIR_NAME}"),
    message:
        "Normalise and tokenise the bitext {wildcards.source}-{wildcards.target}{wildcards.what}"
    shell:
        f"python {SCRIPTS}/prepare_bitext.py"
        " {params.options} --cells {input.cells} --threads {threads}"
        " --out-source {output.source} --out-target {output.target} --report {output.report} 2> {log}"


rule prepare_gold_alignment:
    input:
        unpack(inputs_of(f"prepare_gold_alignment/{PAIR_NAME}")),
    output:
        source=f"{CORPORA}/gold_alignment/{PAIR_NAME}.{{source}}.txt",
        target=f"{CORPORA}/gold_alignment/{PAIR_NAME}.{{target}}.txt",
        links=f"{CORPORA}/gold_alignment/{PAIR_NAME}.links",
        report=f"{CORPORA}/gold_alignment/{PAIR_NAME}.report.json",
    log:
        f"{LOGS}/prepare_gold_alignment/{PAIR_NAME}.log",
    benchmark:
        f"{BENCHMARKS}/prepare_gold_alignment/{PAIR_NAME}.tsv"
    wildcard_constraints:
        source=corpora.parallel_sets(W, "gold_alignment", "file", "published"),
    params:
        options=options_of(f"prepare_gold_alignment/{PAIR_NAME}"),
    message:
        "Read the gold alignment {wildcards.source}-{wildcards.target}{wildcards.what}"
    shell:
        f"python {SCRIPTS}/prepare_gold_alignment.py"
        " {params.options}"
        " --out-source {output.source} --out-target {output.target} --out-links {output.links}"
        " --report {output.report} 2> {log}"


rule derive_text:
    input:
        unpack(inputs_of("derive_text{cased}/{lang}")),
    output:
        text=f"{CORPORA}/text{{cased}}/{{lang}}.txt",
        dictionary=f"{CORPORA}/text{{cased}}/{{lang}}.dictionary.txt",
        report=f"{CORPORA}/text{{cased}}/{{lang}}.json",
    log:
        f"{LOGS}/derive_text{{cased}}/{{lang}}.log",
    benchmark:
        f"{BENCHMARKS}/derive_text{{cased}}/{{lang}}.tsv"
    wildcard_constraints:
        cased="(_cased)?",
        lang=labelled.either(W.sources.named_from("text", "derived")),
    params:
        options=options_of("derive_text{cased}/{lang}"),
    message:
        "Derive the language {wildcards.lang}"
    shell:
        f"python {SCRIPTS}/derive_language.py"
        " {params.options}"
        " --out {output.text} --dictionary {output.dictionary} --report {output.report} 2> {log}"


rule train_word_order:
    input:
        unpack(inputs_of("train_word_order/{lang}")),
    output:
        order=f"{CORPORA}/word_order/{{lang}}.json",
        report=f"{CORPORA}/word_order/{{lang}}.report.json",
    log:
        f"{LOGS}/train_word_order/{{lang}}.log",
    benchmark:
        f"{BENCHMARKS}/train_word_order/{{lang}}.tsv"
    params:
        options=options_of("train_word_order/{lang}"),
    message:
        "Learn the word order of {wildcards.lang}"
    shell:
        f"python {SCRIPTS}/train_word_order.py"
        " {params.options} --out {output.order} --report {output.report} 2> {log}"


rule derive_labelled:
    # All splits of a set: cheap, one job.
    input:
        unpack(inputs_of("derive/{task}.{name}")),
    output:
        [f"{CORPORA}/{{task}}/{{name}}.{split}.{{suffix}}" for split in corpora.SPLITS],
        reports=[f"{CORPORA}/{{task}}/{{name}}.{split}.{{suffix}}.report.json" for split in corpora.SPLITS],
    log:
        f"{LOGS}/derive_labelled/{{task}}/{{name}}.{{suffix}}.log",
    benchmark:
        f"{BENCHMARKS}/derive_labelled/{{task}}/{{name}}.{{suffix}}.tsv"
    wildcard_constraints:
        task=corpora.sets_from(W, "derived"),
    params:
        options=options_of("derive/{task}.{name}"),
    message:
        "Derive {wildcards.task} {wildcards.name}"
    shell:
        f"python {SCRIPTS}/derive_language.py" " {params.options} --cells {input.cells} 2> {log}"


rule data_card:
    input:
        data=labelled.all_data(W),
        reports=[f"{CORPORA}/{made.report}" for made in labelled.file_sets(W) if made.report],
        config=CONFIGURATION,
        code=code("write_data_card.py"),
    output:
        f"{RESULTS}/data_card.md",
    log:
        f"{LOGS}/data_card.log",
    benchmark:
        f"{BENCHMARKS}/data_card.tsv"
    params:
        options=options({"data_dir": DATA}),
    message:
        "Describe the data of this scale on one page"
    shell:
        f"python {SCRIPTS}/write_data_card.py --config {{input.config}} --corpora {CORPORA} {{params.options}}"
        " --out {output} 2> {log}"
