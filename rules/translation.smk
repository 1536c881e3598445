# translation: systems without parallel text that begin with different vectors, their translations of a test set, and
# the scores of these. {translated} is a pair with its dictionary, {translator} a system of joint_align.translation.
TRANSLATION = W.stage(translation.Translation).folder


wildcard_constraints:
    translator=labelled.either(W.stage(translation.Translation).trained),
    translated=labelled.either(pair.name for pair in W.stage(translation.Translation).pairs),


rule train_translation:
    # Reads no test set: round trips of held-out sentences choose the epoch.
    input:
        unpack(inputs_of("train_translation/{translated}.{translator}.seed{seed}")),
    output:
        directory(f"{TRANSLATION}/systems/{{translated}}/{{translator}}/seed{{seed}}"),
    log:
        f"{LOGS}/train_translation/{{translated}}/{{translator}}.seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/train_translation/{{translated}}/{{translator}}.seed{{seed}}.tsv"
    resources:
        gpu=W.gpu,
    params:
        options=options_of("train_translation/{translated}.{translator}.seed{seed}"),
    message:
        "Train a translation system: {wildcards.translated}, {wildcards.translator} (seed {wildcards.seed})"
    shell:
        f"python {SCRIPTS}/train_translation.py"
        " {params.options} --threads {threads} --out {output} 2> {log}"


rule translate:
    # Both directions, by the weights of every epoch.
    input:
        unpack(inputs_of("translate/{translated}.{translator}.seed{seed}")),
    output:
        directory(
            f"{TRANSLATION}/translations/{{translated}}/{{translator}}/seed{{seed}}.{{source}}-{{target}}"
        ),
        directory(
            f"{TRANSLATION}/translations/{{translated}}/{{translator}}/seed{{seed}}.{{target}}-{{source}}"
        ),
    log:
        f"{LOGS}/translate/{{translated}}/{{translator}}.seed{{seed}}.{{source}}-{{target}}.log",
    benchmark:
        f"{BENCHMARKS}/translate/{{translated}}/{{translator}}.seed{{seed}}.{{source}}-{{target}}.tsv"
    resources:
        gpu=W.gpu,
    params:
        options=options_of("translate/{translated}.{translator}.seed{seed}"),
    message:
        "Translate the test set of {wildcards.translated} by {wildcards.translator} (seed {wildcards.seed})"
    shell:
        f"python {SCRIPTS}/translate.py"
        " --cells {input.cells} {params.options} --threads {threads} 2> {log}"


rule translate_words:
    # The baselines: all seeds and directions of a pair.
    input:
        unpack(inputs_of("translate_words/{translated}")),
    output:
        directory(f"{TRANSLATION}/baselines/{{translated}}"),
    log:
        f"{LOGS}/translate_words/{{translated}}.log",
    benchmark:
        f"{BENCHMARKS}/translate_words/{{translated}}.tsv"
    message:
        "Translate the test set of {wildcards.translated} word by word"
    shell:
        f"python {SCRIPTS}/translate_words.py" " --cells {input.cells} 2> {log}"


rule score_translation:
    # All systems, baselines and seeds of a pair: cheap, one job.
    input:
        unpack(inputs_of("score_translation/{translated}")),
    output:
        directory(f"{TRANSLATION}/scores/{{translated}}"),
    log:
        f"{LOGS}/score_translation/{{translated}}.log",
    benchmark:
        f"{BENCHMARKS}/score_translation/{{translated}}.tsv"
    message:
        "Score the translations of {wildcards.translated}"
    shell:
        f"python {SCRIPTS}/score_translation.py" " --cells {input.cells} 2> {log}"
