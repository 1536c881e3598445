# atlas: a card for each language pair, and the page of all cards.


rule write_card:
    # Which strategy translates best, and what texts and dictionary are like.
    input:
        unpack(inputs_of(f"card/{PAIR}")),
    output:
        f"{RESULTS}/atlas/cards/{PAIR}.json",
    log:
        f"{LOGS}/write_card/{PAIR}.log",
    benchmark:
        f"{BENCHMARKS}/write_card/{PAIR}.tsv"
    params:
        options=options_of(f"card/{PAIR}"),
    message:
        "Write the card of {wildcards.source}-{wildcards.target} ({wildcards.dictionary})"
    shell:
        f"python {SCRIPTS}/write_card.py" " {params.options} --cells {input.cells} --out {output} 2> {log}"


rule write_atlas:
    # The regression over pairs, the judgement of predictions, and the page.
    input:
        unpack(inputs_of("atlas")),
    output:
        json=f"{RESULTS}/atlas/atlas.json",
        html=report(f"{RESULTS}/atlas/atlas.html", caption="captions/page.rst", category="atlas"),
    log:
        f"{LOGS}/write_atlas.log",
    benchmark:
        f"{BENCHMARKS}/write_atlas.tsv"
    params:
        options=options_of("atlas"),
    message:
        "Write the atlas"
    shell:
        f"python {SCRIPTS}/write_atlas.py"
        " {params.options} --out-json {output.json} --out-html {output.html} 2> {log}"
