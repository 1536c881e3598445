# corpora: text, counts and dictionaries of every language: generated, read from your files, or downloaded.


rule fetch_file:
    # What lies in the data folder is what its checksum says, so that no edited code fetches it again; the mirror
    # comes through the environment (rules/common.smk), so that another one does not either.
    output:
        f"{DATA}/{{dataset}}/{{file}}",
    log:
        f"{LOGS}/fetch_file/{{dataset}}/{{file}}.log",
    benchmark:
        f"{BENCHMARKS}/fetch_file/{{dataset}}/{{file}}.tsv"
    wildcard_constraints:
        dataset="[a-z0-9.-]+",
        file="[^/]+",
    resources:
        runtime=240,
    params:
        options=lambda wildcards: options(
            {"dataset": wildcards.dataset, "file": wildcards.file}
            | text.fetching_options(W, wildcards.dataset)
        ),
    message:
        "Fetch {wildcards.file} of {wildcards.dataset}"
    shell:
        "python scripts/fetch_dataset.py {params.options}"
        ' ${{CROSSLINGUA_MIRROR:+--mirror "$CROSSLINGUA_MIRROR"}} > {log:q} 2>&1'


rule generate_world_text:
    input:
        languages=W.world.get("languages", []),
        code=code("generate_world.py", "crosslingua.corpora.world.text"),
    output:
        f"{CORPORA}/world/{{lang}}.txt",
    log:
        f"{LOGS}/generate_world_text/{{lang}}.log",
    benchmark:
        f"{BENCHMARKS}/generate_world_text/{{lang}}.tsv"
    params:
        seed=W.world.get("seed"),
        sentences=lambda wildcards: W.sources.languages[wildcards.lang]["sentences"],
    message:
        "Generate text of the controlled world in {wildcards.lang}"
    shell:
        "python scripts/generate_world.py text --languages={input.languages:q} --seed {params.seed}"
        " --language {wildcards.lang} --sentences {params.sentences} --out {output} 2> {log}"


rule generate_world_text_trees:
    # The trees of the same text, for transformations of syntax.
    input:
        languages=W.world.get("languages", []),
        code=code("generate_world.py", "crosslingua.corpora.world.text"),
    output:
        text=f"{CORPORA}/trees/text/{{lang}}.txt",
        trees=f"{CORPORA}/trees/text/{{lang}}.conllu",
    log:
        f"{LOGS}/generate_world_text_trees/{{lang}}.log",
    benchmark:
        f"{BENCHMARKS}/generate_world_text_trees/{{lang}}.tsv"
    params:
        seed=W.world.get("seed"),
        sentences=lambda wildcards: W.sources.languages[wildcards.lang]["sentences"],
    message:
        "Write the trees of the controlled world's text in {wildcards.lang}"
    shell:
        "python scripts/generate_world.py text --languages={input.languages:q} --seed {params.seed}"
        " --language {wildcards.lang} --sentences {params.sentences} --out {output.text} --trees {output.trees} 2> {log}"


rule prepare_text:
    # As configured, and with its case for encoders, whose task data have theirs.
    input:
        text=lambda wildcards: text.raw_text(W, wildcards.lang, wildcards.cased),
        without=lambda wildcards: text.leave_out(W, wildcards.lang),
        cells=lambda wildcards: text.text_plan(W, wildcards.lang, wildcards.cased),
        code=lambda wildcards: code("prepare_text.py", text.text_reader(W, wildcards.lang)),
    output:
        text=f"{CORPORA}/text{{cased}}/{{lang}}.txt",
        report=f"{CORPORA}/text{{cased}}/{{lang}}.json",
    log:
        f"{LOGS}/prepare_text{{cased}}/{{lang}}.log",
    benchmark:
        f"{BENCHMARKS}/prepare_text{{cased}}/{{lang}}.tsv"
    wildcard_constraints:
        cased="(_cased)?",
        lang=labelled.either(W.sources.named_from("text", "world", "file", "published")),
    threads: 2
    resources:
        mem_mb=2000,
        runtime=600,
    params:
        options=lambda wildcards: options(
            text.text_settings(W, wildcards.cased)
            | text.text_source(W, wildcards.lang)
            | {"language": wildcards.lang.partition(".")[0]}
        ),
    message:
        "Normalise and tokenise {wildcards.lang}"
    shell:
        "python scripts/prepare_text.py {params.options} --cells {input.cells}"
        " --threads {threads} --out {output.text} --report {output.report} 2> {log}"


rule count_words:
    input:
        text=f"{CORPORA}/text/{{lang}}.txt",
        code=code("count_words.py"),
    output:
        f"{CORPORA}/counts/{{lang}}.tsv",
    log:
        f"{LOGS}/count_words/{{lang}}.log",
    benchmark:
        f"{BENCHMARKS}/count_words/{{lang}}.tsv"
    threads: 2
    resources:
        mem_mb=4000,
        runtime=60,
    message:
        "Count the words of {wildcards.lang}"
    shell:
        "python scripts/count_words.py --text {input.text} --threads {threads} --out {output} 2> {log}"


rule prepare_dictionary:
    # train = fit + validation; a source word that lower-casing brings into both is left out of the test set.
    input:
        train=lambda wildcards: text.dictionary_file(
            W, wildcards.dictionary, "train", wildcards.source, wildcards.target
        ),
        test=lambda wildcards: text.dictionary_file(
            W, wildcards.dictionary, "test", wildcards.source, wildcards.target
        ),
        code=lambda wildcards: code("prepare_dictionary.py", text.dictionary_reader(W, wildcards.dictionary)),
    output:
        train=f"{CORPORA}/dictionaries/{PAIR}/train.txt",
        fit=f"{CORPORA}/dictionaries/{PAIR}/fit.txt",
        validation=f"{CORPORA}/dictionaries/{PAIR}/validation.txt",
        test=f"{CORPORA}/dictionaries/{PAIR}/test.txt",
    log:
        f"{LOGS}/prepare_dictionary/{PAIR}.log",
    benchmark:
        f"{BENCHMARKS}/prepare_dictionary/{PAIR}.tsv"
    wildcard_constraints:
        dictionary=labelled.either(W.sources.named_from("dictionary", "file", "published")),
    params:
        options=lambda wildcards: options(text.dictionary_options(W, wildcards.dictionary)),
    message:
        "Divide the dictionary {wildcards.dictionary} of {wildcards.source} and {wildcards.target}"
    shell:
        "python scripts/prepare_dictionary.py --languages {wildcards.source} {wildcards.target} {params.options}"
        " --train={input.train:q} --test={input.test:q} --out-train {output.train} --out-fit {output.fit}"
        " --out-validation {output.validation} --out-test {output.test} 2> {log}"


rule generate_world_dictionary:
    # The world's dictionary is split by frequency, its training words are a share of all; none trains that is held out.
    input:
        languages=W.world.get("languages", []),
        code=code("generate_world.py", "crosslingua.corpora.world.text"),
    output:
        train=f"{CORPORA}/dictionaries/{PAIR}/train.txt",
        fit=f"{CORPORA}/dictionaries/{PAIR}/fit.txt",
        validation=f"{CORPORA}/dictionaries/{PAIR}/validation.txt",
        test=f"{CORPORA}/dictionaries/{PAIR}/test.txt",
    log:
        f"{LOGS}/generate_world_dictionary/{PAIR}.log",
    benchmark:
        f"{BENCHMARKS}/generate_world_dictionary/{PAIR}.tsv"
    wildcard_constraints:
        dictionary=labelled.either(W.sources.named_from("dictionary", "world")),
    params:
        options=lambda wildcards: options(text.world_dictionary_options(W, wildcards.dictionary)),
    message:
        "Write the dictionary of {wildcards.source} and {wildcards.target}"
    shell:
        "python scripts/generate_world.py dictionary --languages={input.languages:q} {params.options}"
        " --source {wildcards.source} --target {wildcards.target} --out-train {output.train} --out-fit {output.fit}"
        " --out-validation {output.validation} --out-test {output.test} 2> {log}"
