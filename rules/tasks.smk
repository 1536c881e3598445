# tasks: labelled data of every task, parallel text and gold alignments: generated, published or your own files;
# and the page that describes all data of a scale. {labelled} is task/name, e.g. ner/ana.


rule generate_world_labelled:
    # The splits of the world share no sentence.
    input:
        languages=W.world.get("languages", []),
        code=lambda wildcards: code("generate_world.py", labelled.world_module(wildcards.labelled)),
    output:
        train=f"{CORPORA}/{{labelled}}.train.{{suffix}}",
        valid=f"{CORPORA}/{{labelled}}.valid.{{suffix}}",
        test=f"{CORPORA}/{{labelled}}.test.{{suffix}}",
    log:
        f"{LOGS}/generate_world_labelled/{{labelled}}.{{suffix}}.log",
    benchmark:
        f"{BENCHMARKS}/generate_world_labelled/{{labelled}}.{{suffix}}.tsv"
    wildcard_constraints:
        labelled=labelled.generated_sets(W),
    params:
        task=lambda wildcards: labelled.task_and_name(wildcards.labelled)[0],
        options=lambda wildcards: options(labelled.world_options(W, wildcards.labelled)),
    message:
        "Generate data of the controlled world: {wildcards.labelled}"
    shell:
        "python scripts/generate_world.py {params.task} --languages={input.languages:q} {params.options}"
        " --out {output.train} {output.valid} {output.test} 2> {log}"


rule generate_world_labelled_trees:
    # The trees of the same sentences, for transformations of syntax; those of parts of speech are the data.
    input:
        languages=W.world.get("languages", []),
        code=lambda wildcards: code("generate_world.py", labelled.world_module(wildcards.labelled)),
    output:
        data=[f"{CORPORA}/trees/{{labelled}}.{split}.data" for split in ("train", "valid", "test")],
        trees=[f"{CORPORA}/trees/{{labelled}}.{split}.conllu" for split in ("train", "valid", "test")],
    log:
        f"{LOGS}/generate_world_labelled_trees/{{labelled}}.log",
    benchmark:
        f"{BENCHMARKS}/generate_world_labelled_trees/{{labelled}}.tsv"
    wildcard_constraints:
        labelled="(?!text|pos)[a-z]+/[a-z0-9_]+",
    params:
        task=lambda wildcards: labelled.task_and_name(wildcards.labelled)[0],
        options=lambda wildcards: options(labelled.world_options(W, wildcards.labelled)),
    message:
        "Write the trees of the controlled world: {wildcards.labelled}"
    shell:
        "python scripts/generate_world.py {params.task} --languages={input.languages:q} {params.options}"
        " --out {output.data} --trees {output.trees} 2> {log}"


rule prepare_labelled:
    input:
        files=lambda wildcards: labelled.labelled_files(W, wildcards.labelled, wildcards.split),
        table=lambda wildcards: labelled.table_of_splits(W, wildcards.labelled),
        code=code("prepare_labelled.py"),
    output:
        data=f"{CORPORA}/{{labelled}}.{{split}}.{{suffix}}",
        report=f"{CORPORA}/{{labelled}}.{{split}}.{{suffix}}.report.json",
    log:
        f"{LOGS}/prepare_labelled/{{labelled}}.{{split}}.{{suffix}}.log",
    benchmark:
        f"{BENCHMARKS}/prepare_labelled/{{labelled}}.{{split}}.{{suffix}}.tsv"
    wildcard_constraints:
        labelled=labelled.read_sets(W),
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        options=lambda wildcards: options(labelled.labelled_options(W, wildcards.labelled, wildcards.split)),
    message:
        "Prepare {wildcards.labelled}, {wildcards.split}"
    shell:
        "python scripts/prepare_labelled.py {params.options} --out {output.data} --report {output.report} 2> {log}"


rule generate_world_bitext:
    input:
        languages=W.world.get("languages", []),
        code=code("generate_world.py", "crosslingua.corpora.world.bitext"),
    output:
        source=f"{CORPORA}/{{task}}/{PAIR_NAME}.{{source}}.txt",
        target=f"{CORPORA}/{{task}}/{PAIR_NAME}.{{target}}.txt",
        links=f"{CORPORA}/{{task}}/{PAIR_NAME}.links",
    log:
        f"{LOGS}/generate_world_bitext/{{task}}/{PAIR_NAME}.log",
    benchmark:
        f"{BENCHMARKS}/generate_world_bitext/{{task}}/{PAIR_NAME}.tsv"
    wildcard_constraints:
        task=labelled.world_parallel(W),
    params:
        options=lambda wildcards: options(labelled.world_pair_options(W, wildcards.task, name_of(wildcards))),
    message:
        f"Generate parallel text of the controlled world: {{wildcards.task}} {{wildcards.source}}-{{wildcards.target}}"
    shell:
        "python scripts/generate_world.py bitext --languages={input.languages:q} {params.options}"
        " --source {wildcards.source} --target {wildcards.target}"
        " --out-source {output.source} --out-target {output.target} --out-links {output.links} 2> {log}"


rule prepare_bitext:
    # Cased: encoders want it so; who needs lower case takes it off.
    input:
        files=lambda wildcards: labelled.parallel_files(W, "bitext", name_of(wildcards)),
        without=lambda wildcards: labelled.held_out_text(W, name_of(wildcards)),
        cells=lambda wildcards: labelled.bitext_plan(W, name_of(wildcards)),
        code=lambda wildcards: code("prepare_bitext.py", labelled.bitext_reader(W, name_of(wildcards))),
    output:
        source=f"{CORPORA}/bitext/{PAIR_NAME}.{{source}}.txt",
        target=f"{CORPORA}/bitext/{PAIR_NAME}.{{target}}.txt",
        report=f"{CORPORA}/bitext/{PAIR_NAME}.report.json",
    log:
        f"{LOGS}/prepare_bitext/{PAIR_NAME}.log",
    benchmark:
        f"{BENCHMARKS}/prepare_bitext/{PAIR_NAME}.tsv"
    wildcard_constraints:
        source=labelled.parallel_sets(W, "bitext", "file", "published"),
    threads: 2
    resources:
        mem_mb=2000,
        runtime=600,
    params:
        options=lambda wildcards: options(labelled.bitext_options(W, name_of(wildcards))),
    message:
        "Normalise and tokenise the bitext {wildcards.source}-{wildcards.target}{wildcards.what}"
    shell:
        "python scripts/prepare_bitext.py --languages {wildcards.source} {wildcards.target}"
        " {params.options} --cells {input.cells} --threads {threads}"
        " --out-source {output.source} --out-target {output.target} --report {output.report} 2> {log}"


rule prepare_gold_alignment:
    input:
        archive=lambda wildcards: labelled.parallel_files(W, "gold_alignment", name_of(wildcards)),
        code=code("prepare_gold_alignment.py"),
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
        source=labelled.parallel_sets(W, "gold_alignment", "file", "published"),
    message:
        "Read the gold alignment {wildcards.source}-{wildcards.target}{wildcards.what}"
    shell:
        "python scripts/prepare_gold_alignment.py --archive={input.archive:q} --pair {wildcards.source}-{wildcards.target}"
        " --out-source {output.source} --out-target {output.target} --out-links {output.links}"
        " --report {output.report} 2> {log}"


rule derive_text:
    input:
        text=lambda wildcards: f"{CORPORA}/text{wildcards.cased}/{W.sources.root('text', wildcards.lang)}.txt",
        order=lambda wildcards: labelled.word_order(W, W.sources.languages[wildcards.lang]),
        trees=lambda wildcards: labelled.trees(W, W.sources.languages[wildcards.lang]),
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
        cased="(_cased)?",
        lang=labelled.either(W.sources.named_from("text", "derived")),
    resources:
        mem_mb=4000,
        runtime=240,
    params:
        options=lambda wildcards: options(labelled.text_derivation(W, wildcards.lang, wildcards.cased)),
    message:
        "Derive the language {wildcards.lang}"
    shell:
        "python scripts/derive_language.py --kind text --input {input.text} {params.options}"
        " --out {output.text} --dictionary {output.dictionary} --report {output.report} 2> {log}"


rule train_word_order:
    input:
        trees=lambda wildcards: labelled.treebank_files(W, wildcards.lang),
        code=code("train_word_order.py", "crosslingua.corpora.derived.order_training"),
    output:
        order=f"{CORPORA}/word_order/{{lang}}.json",
        report=f"{CORPORA}/word_order/{{lang}}.report.json",
    log:
        f"{LOGS}/train_word_order/{{lang}}.log",
    benchmark:
        f"{BENCHMARKS}/train_word_order/{{lang}}.tsv"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        options=lambda wildcards: options({"input": labelled.treebank(W, wildcards.lang)}),
    message:
        "Learn the word order of {wildcards.lang}"
    shell:
        "python scripts/train_word_order.py {params.options} --out {output.order} --report {output.report} 2> {log}"


rule train_parser:
    # Real text has no trees: a transformation of its syntax needs a parser.
    input:
        trees=lambda wildcards: labelled.treebank_files(W, wildcards.lang),
        code=code("train_parser.py", "crosslingua.parsing.parser", "crosslingua.corpora.derived.syntax"),
    output:
        model=f"{CORPORA}/parser/{{lang}}.parser",
        report=f"{CORPORA}/parser/{{lang}}.report.json",
    log:
        f"{LOGS}/train_parser/{{lang}}.log",
    benchmark:
        f"{BENCHMARKS}/train_parser/{{lang}}.tsv"
    resources:
        mem_mb=2000,
        runtime=120,
    params:
        options=lambda wildcards: options({"input": labelled.treebank(W, wildcards.lang)}),
    message:
        "Learn to parse from the treebank {wildcards.lang}"
    shell:
        "python scripts/train_parser.py {params.options} --out {output.model} --report {output.report} 2> {log}"


rule parse_sentences:
    # Of a language's text, {task} text, or of a split of a set.
    input:
        sentences=lambda wildcards: labelled.parsed_file(W, wildcards.task, wildcards.parsed),
        model=lambda wildcards: labelled.parser_of(W, wildcards.parsed.partition(".")[0]),
        code=code("parse_sentences.py", "crosslingua.parsing.parser", "crosslingua.corpora.derived.files"),
    output:
        f"{CORPORA}/parsed/{{task}}/{{parsed}}.conllu",
    log:
        f"{LOGS}/parse_sentences/{{task}}/{{parsed}}.log",
    benchmark:
        f"{BENCHMARKS}/parse_sentences/{{task}}/{{parsed}}.tsv"
    wildcard_constraints:
        parsed=f"({labelled.parsed_texts(W)})([.](train|valid|test))?",
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        options=lambda wildcards: options(labelled.parsed_options(wildcards.task)),
    message:
        "Parse the sentences of {wildcards.task} {wildcards.parsed}"
    shell:
        "python scripts/parse_sentences.py --model {input.model} {params.options} --input {input.sentences} --out {output}"
        " 2> {log}"


rule derive_labelled:
    # All splits of a set: cheap, one job.
    input:
        data=lambda wildcards: labelled.parent_files(W, wildcards.labelled),
        order=lambda wildcards: labelled.word_order(W, labelled.entry(W, wildcards.labelled)),
        trees=lambda wildcards: labelled.set_trees(W, wildcards.labelled),
        cells=lambda wildcards: labelled.derivation_plan(W, wildcards.labelled),
        code=code("derive_language.py"),
    output:
        train=f"{CORPORA}/{{labelled}}.train.{{suffix}}",
        valid=f"{CORPORA}/{{labelled}}.valid.{{suffix}}",
        test=f"{CORPORA}/{{labelled}}.test.{{suffix}}",
        reports=[
            f"{CORPORA}/{{labelled}}.{split}.{{suffix}}.report.json" for split in ("train", "valid", "test")
        ],
    log:
        f"{LOGS}/derive_labelled/{{labelled}}.{{suffix}}.log",
    benchmark:
        f"{BENCHMARKS}/derive_labelled/{{labelled}}.{{suffix}}.tsv"
    wildcard_constraints:
        labelled=labelled.derived_sets(W),
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        options=lambda wildcards: options(labelled.derivation_of_set(W, wildcards.labelled)),
    message:
        "Derive {wildcards.labelled}"
    shell:
        "python scripts/derive_language.py {params.options} --cells {input.cells} 2> {log}"


rule data_card:
    input:
        data=labelled.all_data(W),
        reports=labelled.all_reports(W),
        config=lambda wildcards: results.configuration(W),
        code=code("write_data_card.py"),
    output:
        f"{RESULTS}/data_card.md",
    log:
        f"{LOGS}/data_card.log",
    benchmark:
        f"{BENCHMARKS}/data_card.tsv"
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        options=options({"data_dir": DATA}),
    message:
        "Describe the data of this scale on one page"
    shell:
        f"python scripts/write_data_card.py --config {{input.config}} --corpora {CORPORA} {{params.options}}"
        " --out {output} 2> {log}"
