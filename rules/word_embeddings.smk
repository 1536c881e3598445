# word_embeddings: independent and joint fastText vectors, and the joint vocabulary divided between the languages.
EMBEDDINGS = vectors.embeddings_folder(W)


rule train_independent:
    # Also on every other sentence: vectors of one language twice, for the control of unsupervised mappers.
    input:
        text=f"{CORPORA}/text/{{lang}}.txt",
        code=code("train_embeddings.py"),
    output:
        f"{EMBEDDINGS}/independent/{{lang}}/{{half}}seed{{seed}}.vec",
    log:
        f"{LOGS}/train_independent/{{lang}}/{{half}}seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/train_independent/{{lang}}/{{half}}seed{{seed}}.tsv"
    wildcard_constraints:
        half="((even|odd)[.])?",
    resources:
        mem_mb=4000,
        runtime=1440,
    params:
        options=lambda wildcards: options(vectors.independent_options(W, wildcards.half)),
    message:
        "Train vectors of {wildcards.lang} on its own (seed {wildcards.seed})"
    shell:
        "python scripts/train_embeddings.py --text {input.text} --seed {wildcards.seed} {params.options}"
        " --out {output} 2> {log}"


rule train_joint:
    # Joint training does not know source from target: both directions of a pair share the model.
    input:
        text=[f"{CORPORA}/text/{{lang1}}.txt", f"{CORPORA}/text/{{lang2}}.txt"],
        code=code("train_embeddings.py"),
    output:
        f"{EMBEDDINGS}/concatenated/{{lang1}}+{{lang2}}/seed{{seed}}.vec",
    log:
        f"{LOGS}/train_joint/{{lang1}}+{{lang2}}/seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/train_joint/{{lang1}}+{{lang2}}/seed{{seed}}.tsv"
    resources:
        mem_mb=8000,
        runtime=2880,
    params:
        options=options(vectors.fasttext_options(W, joint=True)),
    message:
        "Train vectors of {wildcards.lang1} and {wildcards.lang2} jointly (seed {wildcards.seed})"
    shell:
        "python scripts/train_embeddings.py --text {input.text} --seed {wildcards.seed} {params.options}"
        " --out {output} 2> {log}"


rule choose_training:
    # Of what sees a dictionary in training: every candidate is trained with the first seed on one part of the
    # dictionary, and compared on the other.
    input:
        text=[f"{CORPORA}/text/{{source}}.txt", f"{CORPORA}/text/{{target}}.txt"],
        fit=f"{CORPORA}/dictionaries/{PAIR}/fit.txt",
        validation=f"{CORPORA}/dictionaries/{PAIR}/validation.txt",
        code=code("choose_training.py"),
    output:
        f"{EMBEDDINGS}/{{kind}}/{PAIR}/choice.json",
    log:
        f"{LOGS}/choose_training/{PAIR}/{{kind}}.log",
    benchmark:
        f"{BENCHMARKS}/choose_training/{PAIR}/{{kind}}.tsv"
    wildcard_constraints:
        kind="duong|joint_replace",
    resources:
        mem_mb=8000,
        runtime=2880,
    params:
        options=lambda wildcards: options(vectors.choosing_options(W, wildcards.kind)),
    message:
        "Choose settings of {wildcards.kind}: {wildcards.source}-{wildcards.target} ({wildcards.dictionary})"
    shell:
        "python scripts/choose_training.py {params.options} --text {input.text} --fit {input.fit}"
        " --validation {input.validation} --out {output} 2> {log}"


rule train_joint_replace:
    # Joint training on texts in which words were replaced by dictionary translations at random (section 4.2).
    input:
        text=[f"{CORPORA}/text/{{source}}.txt", f"{CORPORA}/text/{{target}}.txt"],
        dictionary=f"{CORPORA}/dictionaries/{PAIR}/train.txt",
        choice=lambda wildcards: vectors.chosen_settings(
            W, "joint_replace", pair_of(wildcards), wildcards.variant
        ),
        code=code("train_embeddings.py"),
    output:
        f"{EMBEDDINGS}/replaced/{PAIR}/{{variant}}seed{{seed}}.vec",
    log:
        f"{LOGS}/train_joint_replace/{PAIR}/{{variant}}seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/train_joint_replace/{PAIR}/{{variant}}seed{{seed}}.tsv"
    resources:
        mem_mb=8000,
        runtime=2880,
    params:
        options=options(vectors.replaced_options(W)),
        choice=lambda wildcards, input: options({"choice": list(input.choice)}),
    message:
        "Train jointly with words replaced: {wildcards.source}-{wildcards.target} (seed {wildcards.seed})"
    shell:
        "python scripts/train_embeddings.py --text {input.text} --replace {input.dictionary} --seed {wildcards.seed}"
        " {params.options} {params.choice} --out {output} 2> {log}"


rule divide_joint:
    # Shared is what occurs in both corpora (section 2.2); and what reallocation leaves with a gamma that is chosen
    # without a dictionary.
    input:
        vectors=lambda wildcards: vectors.joint_vectors(W, wildcards.source, wildcards.target),
        counts_source=f"{CORPORA}/counts/{{source}}.tsv",
        counts_target=f"{CORPORA}/counts/{{target}}.tsv",
        cells=lambda wildcards: vectors.division_plan(W, "joint", wildcards),
        code=code("divide_vocabulary.py", "crosslingua.mappers.muse"),
    output:
        **vectors.division_outputs(W, "joint"),
    log:
        f"{LOGS}/divide_joint/{{source}}-{{target}}.log",
    benchmark:
        f"{BENCHMARKS}/divide_joint/{{source}}-{{target}}.tsv"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        max_vocabulary=vectors.fasttext_options(W)["max_vocabulary"],
    message:
        "Divide the joint vocabulary of {wildcards.source} and {wildcards.target} by occurrence"
    shell:
        "python scripts/divide_vocabulary.py --counts-source {input.counts_source} --counts-target {input.counts_target}"
        " --max-vocabulary {params.max_vocabulary} --cells {input.cells} 2> {log}"


rule divide_joint_replace:
    # A language looks up the words of its own text, as it was before replacement.
    input:
        vectors=[f"{EMBEDDINGS}/replaced/{PAIR}/{{variant}}seed{seed}.vec" for seed in SEEDS],
        counts_source=f"{CORPORA}/counts/{{source}}.tsv",
        counts_target=f"{CORPORA}/counts/{{target}}.tsv",
        cells=lambda wildcards: vectors.division_plan(W, "joint_replace", wildcards),
        code=code("divide_vocabulary.py"),
    output:
        **vectors.division_outputs(W, "joint_replace", "{variant}"),
    log:
        f"{LOGS}/divide_joint_replace/{{variant}}{PAIR}.log",
    benchmark:
        f"{BENCHMARKS}/divide_joint_replace/{{variant}}{PAIR}.tsv"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        max_vocabulary=vectors.fasttext_options(W)["max_vocabulary"],
    message:
        "Divide the vocabulary of joint_replace: {wildcards.source}-{wildcards.target} ({wildcards.dictionary})"
    shell:
        "python scripts/divide_vocabulary.py --counts-source {input.counts_source} --counts-target {input.counts_target}"
        " --max-vocabulary {params.max_vocabulary} --cells {input.cells} 2> {log}"


rule reallocate_vocabulary:
    # Shared stays what is about as frequent in either language (Eq. 6); gamma is chosen on held-out translations,
    # unless it is given.
    input:
        vectors=lambda wildcards: vectors.joint_vectors(W, wildcards.source, wildcards.target),
        counts_source=f"{CORPORA}/counts/{{source}}.tsv",
        counts_target=f"{CORPORA}/counts/{{target}}.tsv",
        dictionaries=lambda wildcards: vectors.choosing_dictionaries(W, pair_of(wildcards)).values(),
        cells=lambda wildcards: vectors.division_plan(W, "joint_vr", wildcards),
        code=code(
            "divide_vocabulary.py",
            *vectors.mapper_modules(W, W.config["vocabulary_reallocation"]["selection_mapper"]),
        ),
    output:
        source=[f"{EMBEDDINGS}/joint_vr/{PAIR}/seed{seed}.source.vec" for seed in SEEDS],
        target=[f"{EMBEDDINGS}/joint_vr/{PAIR}/seed{seed}.target.vec" for seed in SEEDS],
        shared=[f"{EMBEDDINGS}/joint_vr/{PAIR}/seed{seed}.shared.txt" for seed in SEEDS],
        report=f"{EMBEDDINGS}/joint_vr/{PAIR}/division.json",
    log:
        f"{LOGS}/reallocate_vocabulary/{PAIR}.log",
    benchmark:
        f"{BENCHMARKS}/reallocate_vocabulary/{PAIR}.tsv"
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        options=lambda wildcards: options(vectors.reallocation_options(W, pair_of(wildcards))),
    message:
        "Reallocate the shared vocabulary of {wildcards.source} and {wildcards.target} ({wildcards.dictionary})"
    shell:
        "python scripts/divide_vocabulary.py --counts-source {input.counts_source} --counts-target {input.counts_target}"
        " {params.options} --cells {input.cells} 2> {log}"


rule train_duong:
    # Either language's words have vectors of their own, in one space from the start.
    input:
        text=[f"{CORPORA}/text/{{source}}.txt", f"{CORPORA}/text/{{target}}.txt"],
        dictionary=f"{CORPORA}/dictionaries/{PAIR}/train.txt",
        choice=lambda wildcards: vectors.chosen_settings(W, "duong", pair_of(wildcards), wildcards.variant),
        code=code("train_duong.py"),
    output:
        source=f"{EMBEDDINGS}/duong/{PAIR}/{{variant}}seed{{seed}}.source.vec",
        target=f"{EMBEDDINGS}/duong/{PAIR}/{{variant}}seed{{seed}}.target.vec",
    log:
        f"{LOGS}/train_duong/{PAIR}/{{variant}}seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/train_duong/{PAIR}/{{variant}}seed{{seed}}.tsv"
    resources:
        mem_mb=4000,
        runtime=2880,
    params:
        options=lambda wildcards: options(vectors.duong_options(W, wildcards.variant)),
        choice=lambda wildcards, input: options({"choice": list(input.choice)}),
    message:
        "Train under a dictionary: {wildcards.source}-{wildcards.target} (seed {wildcards.seed})"
    shell:
        "python scripts/train_duong.py --text {input.text} --dictionary {input.dictionary} --seed {wildcards.seed}"
        " {params.options} {params.choice} --out {output} 2> {log}"
