# translation: systems without parallel text that begin with different vectors, their translations of a test set, and
# the scores of these. {translated} is a pair with its dictionary, {translator} a system of joint_align.translation.
TRANSLATION = translation.folder(W)


wildcard_constraints:
    translator=labelled.either(translation.trained(W)),
    translated=labelled.either(pair.name for pair in translation.pairs(W)),


rule train_translation:
    # Reads no test set: round trips of held-out sentences choose the epoch.
    input:
        text=lambda wildcards: translation.text_files(W, wildcards.translator, translated(wildcards)),
        vectors=lambda wildcards: translation.vector_files(
            W, wildcards.translator, translated(wildcards), wildcards.seed
        ),
        shared=lambda wildcards: translation.shared_file(
            W, wildcards.translator, translated(wildcards), wildcards.seed
        ),
        code=code("train_translation.py"),
    output:
        directory(f"{TRANSLATION}/systems/{{translated}}/{{translator}}/seed{{seed}}"),
    log:
        f"{LOGS}/train_translation/{{translated}}/{{translator}}.seed{{seed}}.log",
    benchmark:
        f"{BENCHMARKS}/train_translation/{{translated}}/{{translator}}.seed{{seed}}.tsv"
    resources:
        mem_mb=4000,
        runtime=2880,
    params:
        shared=lambda wildcards, input: options({"shared": list(input.shared)}),
        options=lambda wildcards: options(
            translation.training_options(W, wildcards.translator, translated(wildcards))
        ),
    message:
        "Train a translation system: {wildcards.translated}, {wildcards.translator} (seed {wildcards.seed})"
    shell:
        "python scripts/train_translation.py --text {input.text} --vectors {input.vectors} {params.shared}"
        " {params.options} --seed {wildcards.seed} --threads {threads} --out {output} 2> {log}"


rule translate:
    # Both directions, by the weights of every epoch.
    input:
        system=f"{TRANSLATION}/systems/{{translated}}/{{translator}}/seed{{seed}}",
        text=lambda wildcards: translation.tested_text(W, translated(wildcards)),
        cells=lambda wildcards: translation.translation_plan(
            W, translated(wildcards), wildcards.translator, wildcards.seed
        ),
        code=code("translate.py"),
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
        mem_mb=4000,
        runtime=240,
    params:
        beam=lambda wildcards: translation.section(W)["beam"],
    message:
        "Translate the test set of {wildcards.translated} by {wildcards.translator} (seed {wildcards.seed})"
    shell:
        "python scripts/translate.py --cells {input.cells} --every-epoch --beam {params.beam} --threads {threads} 2> {log}"


rule translate_words:
    # The baselines: all seeds and directions of a pair.
    input:
        files=lambda wildcards: translation.baseline_inputs(W, translated(wildcards)),
        cells=lambda wildcards: translation.baseline_plan(W, translated(wildcards)),
        code=code("translate_words.py", "crosslingua.lexicon_induction.retrieval"),
    output:
        directory(f"{TRANSLATION}/baselines/{{translated}}"),
    log:
        f"{LOGS}/translate_words/{{translated}}.log",
    benchmark:
        f"{BENCHMARKS}/translate_words/{{translated}}.tsv"
    resources:
        mem_mb=4000,
        runtime=60,
    message:
        "Translate the test set of {wildcards.translated} word by word"
    shell:
        "python scripts/translate_words.py --cells {input.cells} 2> {log}"


rule score_translation:
    # All systems, baselines and seeds of a pair: cheap, one job.
    input:
        files=lambda wildcards: translation.score_inputs(W, translated(wildcards)),
        cells=lambda wildcards: translation.score_plan(W, translated(wildcards)),
        code=code("score_translation.py"),
    output:
        directory(f"{TRANSLATION}/scores/{{translated}}"),
    log:
        f"{LOGS}/score_translation/{{translated}}.log",
    benchmark:
        f"{BENCHMARKS}/score_translation/{{translated}}.tsv"
    resources:
        mem_mb=2000,
        runtime=60,
    message:
        "Score the translations of {wildcards.translated}"
    shell:
        "python scripts/score_translation.py --cells {input.cells} 2> {log}"
