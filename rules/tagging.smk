# tagging: vectors of words as frozen embedders make them, once; and taggers that are trained on them.


rule embed_words:
    # Every split of every set that a job's taggers read.
    input:
        unpack(inputs_of("embed_words/{paper}.{job}")),
    output:
        directory(f"{RESULTS}/features/{{paper}}/{{job}}"),
    log:
        f"{LOGS}/embed_words/{{paper}}/{{job}}.log",
    benchmark:
        f"{BENCHMARKS}/embed_words/{{paper}}/{{job}}.tsv"
    wildcard_constraints:
        job="[^/]+",
    threads: W.threads
    resources:
        gpu=W.gpu,
    params:
        options=options_of("embed_words/{paper}.{job}"),
    message:
        "Embed words: {wildcards.job} ({wildcards.paper})"
    shell:
        f"python {SCRIPTS}/embed_words.py" " --cells {input.cells} {params.options} 2> {log}"


rule train_tagger:
    # All pairs, languages and seeds of a job.
    input:
        unpack(inputs_of("train_tagger/{paper}.{job}")),
    output:
        directory(f"{RESULTS}/tagging/{{paper}}/{{job}}"),
    log:
        f"{LOGS}/train_tagger/{{paper}}/{{job}}.log",
    benchmark:
        f"{BENCHMARKS}/train_tagger/{{paper}}/{{job}}.tsv"
    wildcard_constraints:
        job="[^/]+",
    threads: W.threads
    resources:
        gpu=W.gpu,
    params:
        options=options_of("train_tagger/{paper}.{job}"),
    message:
        "Train taggers: {wildcards.job} ({wildcards.paper})"
    shell:
        f"python {SCRIPTS}/train_tagger.py" " --cells {input.cells} {params.options} 2> {log}"


rule mix_tagged:
    # For encoders that are fine-tuned whole: they read one file.
    input:
        unpack(inputs_of("mix_tagged")),
    output:
        [line["out"] for line in JOBS["mix_tagged"].lines] if "mix_tagged" in JOBS else [],
    log:
        f"{LOGS}/mix_tagged.log",
    benchmark:
        f"{BENCHMARKS}/mix_tagged.tsv"
    message:
        "Put tagged sets together"
    shell:
        f"python {SCRIPTS}/mix_tagged.py" " --cells {input.cells} 2> {log}"


rule compare_tags:
    # Cheap: all of a paper in one job.
    input:
        unpack(inputs_of("compare_tags/{paper}")),
    output:
        directory(f"{RESULTS}/comparisons/{{paper}}"),
    log:
        f"{LOGS}/compare_tags/{{paper}}.log",
    benchmark:
        f"{BENCHMARKS}/compare_tags/{{paper}}.tsv"
    message:
        "Compare the tags of systems ({wildcards.paper})"
    shell:
        f"python {SCRIPTS}/compare_tags.py" " --cells {input.cells} 2> {log}"
