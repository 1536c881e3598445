# word_embeddings: independent and joint fastText vectors, and the joint vocabulary divided between the languages.
EMBEDDINGS = vectors.embeddings_folder(W)


rule train_independent:
    # Also on every other sentence: vectors of one language twice, for the control of unsupervised mappers.
    input:
        unpack(inputs_of("train_independent/{lang}/{half}seed{seed}")),
    output:
        f"{EMBEDDINGS}/independent/{{lang}}/{{half}}seed{{seed}}.vec",
    log:
        f"{LOGS}/train_independent/{{lang}}/{{half}}seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/train_independent/{{lang}}/{{half}}seed{{seed}}.tsv"
    wildcard_constraints:
        half="((even|odd)[.])?",
    params:
        options=options_of("train_independent/{lang}/{half}seed{seed}"),
    message:
        "Train vectors of {wildcards.lang} on its own (seed {wildcards.seed})"
    shell:
        f"python {SCRIPTS}/train_embeddings.py" " {params.options} --out {output} 2> {log}"


rule train_joint:
    # Joint training does not know source from target: both directions of a pair share the model.
    input:
        unpack(inputs_of("train_joint/{lang1}+{lang2}/seed{seed}")),
    output:
        f"{EMBEDDINGS}/concatenated/{{lang1}}+{{lang2}}/seed{{seed}}.vec",
    log:
        f"{LOGS}/train_joint/{{lang1}}+{{lang2}}/seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/train_joint/{{lang1}}+{{lang2}}/seed{{seed}}.tsv"
    params:
        options=options_of("train_joint/{lang1}+{lang2}/seed{seed}"),
    message:
        "Train vectors of {wildcards.lang1} and {wildcards.lang2} jointly (seed {wildcards.seed})"
    shell:
        f"python {SCRIPTS}/train_embeddings.py" " {params.options} --out {output} 2> {log}"


rule embed_vocabulary:
    # Each word alone in a published encoder: what word vectors of little text are compared with.
    input:
        unpack(inputs_of("embed_vocabulary/{encoder}/{lang}")),
    output:
        f"{EMBEDDINGS}/encoder/{{encoder}}/{{lang}}.vec",
    log:
        f"{LOGS}/embed_vocabulary/{{encoder}}/{{lang}}.log",
    benchmark:
        f"{BENCHMARKS}/embed_vocabulary/{{encoder}}/{{lang}}.tsv"
    wildcard_constraints:
        encoder="[a-z0-9_]+",
    resources:
        gpu=W.gpu,
    params:
        options=options_of("embed_vocabulary/{encoder}/{lang}"),
    message:
        "Embed the words of {wildcards.lang} with {wildcards.encoder}"
    shell:
        f"python {SCRIPTS}/embed_vocabulary.py" " {params.options} --out {output} 2> {log}"


rule choose_training:
    # Of what sees a dictionary in training: every candidate is trained with the first seed on one part of the
    # dictionary, and compared on the other.
    input:
        unpack(inputs_of(f"choose_training/{{kind}}/{PAIR}")),
    output:
        f"{EMBEDDINGS}/{{kind}}/{PAIR}/choice.json",
    log:
        f"{LOGS}/choose_training/{PAIR}/{{kind}}.log",
    benchmark:
        f"{BENCHMARKS}/choose_training/{PAIR}/{{kind}}.tsv"
    wildcard_constraints:
        kind="duong|joint_replace",
    params:
        options=options_of(f"choose_training/{{kind}}/{PAIR}"),
    message:
        "Choose settings of {wildcards.kind}: {wildcards.source}-{wildcards.target} ({wildcards.dictionary})"
    shell:
        f"python {SCRIPTS}/choose_training.py" " {params.options} --out {output} 2> {log}"


use rule train_joint as train_joint_replace with:
    # Joint training on texts in which words were replaced by dictionary translations at random (section 4.2).
    input:
        unpack(inputs_of(f"train_joint_replace/{PAIR}/{{variant}}seed{{seed}}")),
    output:
        f"{EMBEDDINGS}/replaced/{PAIR}/{{variant}}seed{{seed}}.vec",
    log:
        f"{LOGS}/train_joint_replace/{PAIR}/{{variant}}seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/train_joint_replace/{PAIR}/{{variant}}seed{{seed}}.tsv"
    params:
        options=options_of(f"train_joint_replace/{PAIR}/{{variant}}seed{{seed}}"),
    message:
        "Train jointly with words replaced: {wildcards.source}-{wildcards.target} (seed {wildcards.seed})"


rule divide_joint:
    # Shared is what occurs in both corpora (section 2.2); and what reallocation leaves with a gamma that is chosen
    # without a dictionary.
    input:
        unpack(inputs_of("divide_vocabulary/joint.{source}-{target}")),
    output:
        **vectors.division_outputs(W, "joint"),
    log:
        f"{LOGS}/divide_joint/{{source}}-{{target}}.log",
    benchmark:
        f"{BENCHMARKS}/divide_joint/{{source}}-{{target}}.tsv"
    params:
        options=options_of("divide_vocabulary/joint.{source}-{target}"),
    message:
        "Divide the joint vocabulary of {wildcards.source} and {wildcards.target} by occurrence"
    shell:
        f"python {SCRIPTS}/divide_vocabulary.py" " {params.options} --cells {input.cells} 2> {log}"


use rule divide_joint as divide_joint_replace with:
    # A language looks up the words of its own text, as it was before replacement.
    input:
        unpack(inputs_of(f"divide_vocabulary/joint_replace.{{variant}}{PAIR}")),
    output:
        **vectors.division_outputs(W, "joint_replace", "{variant}"),
    log:
        f"{LOGS}/divide_joint_replace/{{variant}}{PAIR}.log",
    benchmark:
        f"{BENCHMARKS}/divide_joint_replace/{{variant}}{PAIR}.tsv"
    params:
        options=options_of(f"divide_vocabulary/joint_replace.{{variant}}{PAIR}"),
    message:
        "Divide the vocabulary of joint_replace: {wildcards.source}-{wildcards.target} ({wildcards.dictionary})"


use rule divide_joint as reallocate_vocabulary with:
    # Shared stays what is about as frequent in either language (Eq. 6); gamma is chosen on held-out translations,
    # unless it is given.
    input:
        unpack(inputs_of(f"divide_vocabulary/joint_vr.{PAIR}")),
    output:
        **vectors.division_outputs(W, "joint_vr"),
    log:
        f"{LOGS}/reallocate_vocabulary/{PAIR}.log",
    benchmark:
        f"{BENCHMARKS}/reallocate_vocabulary/{PAIR}.tsv"
    params:
        options=options_of(f"divide_vocabulary/joint_vr.{PAIR}"),
    message:
        "Reallocate the shared vocabulary of {wildcards.source} and {wildcards.target} ({wildcards.dictionary})"


rule train_duong:
    # Either language's words have vectors of their own, in one space from the start.
    input:
        unpack(inputs_of(f"train_duong/{PAIR}/{{variant}}seed{{seed}}")),
    output:
        source=f"{EMBEDDINGS}/duong/{PAIR}/{{variant}}seed{{seed}}.source.vec",
        target=f"{EMBEDDINGS}/duong/{PAIR}/{{variant}}seed{{seed}}.target.vec",
    log:
        f"{LOGS}/train_duong/{PAIR}/{{variant}}seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/train_duong/{PAIR}/{{variant}}seed{{seed}}.tsv"
    params:
        options=options_of(f"train_duong/{PAIR}/{{variant}}seed{{seed}}"),
    message:
        "Train under a dictionary: {wildcards.source}-{wildcards.target} (seed {wildcards.seed})"
    shell:
        f"python {SCRIPTS}/train_duong.py" " {params.options} --out {output} 2> {log}"
