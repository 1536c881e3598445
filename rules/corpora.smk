# corpora: text, counts and dictionaries of every language: generated, read from your files, or downloaded.


# The nodes of a cluster often have no network.
localrules:
    fetch_file,


DICTIONARY = {
    split: f"{CORPORA}/dictionaries/{PAIR}/{split}.txt" for split in ("train", "fit", "validation", "test")
}


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
    params:
        # Where the file goes, and where yours lies if you bring it.
        options=lambda wildcards: options(
            {**wildcards, "data_dir": DATA, "supplied": W.config.data.user_supplied.get(wildcards.dataset)}
        ),
    message:
        "Fetch {wildcards.file} of {wildcards.dataset}"
    shell:
        f"python {SCRIPTS}/fetch_dataset.py"
        " {params.options}"
        ' ${{CROSSLINGUA_MIRROR:+--mirror "$CROSSLINGUA_MIRROR"}} > {log:q} 2>&1'


rule generate_world_text:
    input:
        unpack(inputs_of("generate_world/text/{lang}")),
    output:
        f"{CORPORA}/world/{{lang}}.txt",
    log:
        f"{LOGS}/generate_world_text/{{lang}}.log",
    benchmark:
        f"{BENCHMARKS}/generate_world_text/{{lang}}.tsv"
    params:
        options=options_of("generate_world/text/{lang}"),
    message:
        "Generate text of the controlled world in {wildcards.lang}"
    shell:
        f"python {SCRIPTS}/generate_world.py" " text {params.options} --out {output} 2> {log}"


rule generate_world_text_trees:
    # The trees of the same text, for transformations of syntax.
    input:
        unpack(inputs_of("generate_world/text/{lang}")),
    output:
        text=f"{CORPORA}/trees/text/{{lang}}.txt",
        trees=f"{CORPORA}/trees/text/{{lang}}.conllu",
    log:
        f"{LOGS}/generate_world_text_trees/{{lang}}.log",
    benchmark:
        f"{BENCHMARKS}/generate_world_text_trees/{{lang}}.tsv"
    params:
        options=options_of("generate_world/text/{lang}"),
    message:
        "Write the trees of the controlled world's text in {wildcards.lang}"
    shell:
        f"python {SCRIPTS}/generate_world.py"
        " text {params.options} --out {output.text} --trees {output.trees} 2> {log}"


rule prepare_text:
    # As configured, and with its case for encoders, whose task data have theirs.
    input:
        unpack(inputs_of("prepare_text/{lang}{cased}")),
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
    threads: threads_of_text
    params:
        options=options_of("prepare_text/{lang}{cased}"),
    message:
        "Normalise and tokenise {wildcards.lang}"
    shell:
        f"python {SCRIPTS}/prepare_text.py"
        " {params.options} --cells {input.cells}"
        " --threads {threads} --out {output.text} --report {output.report} 2> {log}"


rule count_words:
    input:
        unpack(inputs_of("count_words/{lang}")),
    output:
        f"{CORPORA}/counts/{{lang}}.tsv",
    log:
        f"{LOGS}/count_words/{{lang}}.log",
    benchmark:
        f"{BENCHMARKS}/count_words/{{lang}}.tsv"
    params:
        options=options_of("count_words/{lang}"),
    message:
        "Count the words of {wildcards.lang}"
    shell:
        f"python {SCRIPTS}/count_words.py" " {params.options} --out {output} 2> {log}"


rule prepare_dictionary:
    # train = fit + validation; a source word that lower-casing brings into both is left out of the test set.
    input:
        unpack(inputs_of(f"prepare_dictionary/{PAIR}")),
    output:
        **DICTIONARY,
    log:
        f"{LOGS}/prepare_dictionary/{PAIR}.log",
    benchmark:
        f"{BENCHMARKS}/prepare_dictionary/{PAIR}.tsv"
    wildcard_constraints:
        dictionary=labelled.either(W.sources.named_from("dictionary", "file", "published")),
    params:
        options=options_of(f"prepare_dictionary/{PAIR}"),
    message:
        "Divide the dictionary {wildcards.dictionary} of {wildcards.source} and {wildcards.target}"
    shell:
        f"python {SCRIPTS}/prepare_dictionary.py"
        " {params.options} --out-train {output.train} --out-fit {output.fit}"
        " --out-validation {output.validation} --out-test {output.test} 2> {log}"


rule generate_world_dictionary:
    # The world's dictionary is split by frequency, its training words are a share of all; none trains that is held out.
    input:
        unpack(inputs_of(f"generate_world/dictionaries/{PAIR}")),
    output:
        **DICTIONARY,
    log:
        f"{LOGS}/generate_world_dictionary/{PAIR}.log",
    benchmark:
        f"{BENCHMARKS}/generate_world_dictionary/{PAIR}.tsv"
    wildcard_constraints:
        dictionary=labelled.either(W.sources.named_from("dictionary", "world")),
    params:
        options=options_of(f"generate_world/dictionaries/{PAIR}"),
    message:
        "Write the dictionary of {wildcards.source} and {wildcards.target}"
    shell:
        f"python {SCRIPTS}/generate_world.py"
        " dictionary {params.options} --out-train {output.train} --out-fit {output.fit}"
        " --out-validation {output.validation} --out-test {output.test} 2> {log}"
