# report: rows, tables, figures and claims of every paper, the same rules for all; what a run has made, on one page.


# A second each, and many: not worth a submission.
localrules:
    write_rows,
    write_table,
    merge_metrics,
    merge_claims,
    write_page_so_far,
    write_page,
    write_costs,


rule write_rows:
    input:
        unpack(inputs_of("cells/{paper}.{group}")),
    output:
        f"{RESULTS}/rows/{{paper}}.{{group}}.csv",
    log:
        f"{LOGS}/write_rows/{{paper}}.{{group}}.log",
    benchmark:
        f"{BENCHMARKS}/write_rows/{{paper}}.{{group}}.tsv"
    params:
        scale=W.scale,
    message:
        "Write the metrics rows of {wildcards.paper} ({wildcards.group})"
    shell:
        f"python {SCRIPTS}/write_rows.py"
        " --cells {input.cells} --scale {params.scale} --out {output} 2> {log}"


rule write_table:
    input:
        unpack(inputs_of("tables/{paper}_{table}")),
    output:
        [f"{RESULTS}/tables/{{paper}}_{{table}}.{suffix}" for suffix in results.SUFFIXES["tables"][:-1]],
        report(
            f"{RESULTS}/tables/{{paper}}_{{table}}.html",
            caption="captions/table.rst",
            category="{paper}",
            subcategory="tables",
            labels={"table": "{table}"},
        ),
    log:
        f"{LOGS}/write_table/{{paper}}_{{table}}.log",
    benchmark:
        f"{BENCHMARKS}/write_table/{{paper}}_{{table}}.tsv"
    message:
        "Write {wildcards.table} of {wildcards.paper}"
    shell:
        f"python {SCRIPTS}/write_table.py"
        " --paper {wildcards.paper} --table {wildcards.table} --rows {input.rows}"
        " --reference {input.published:q} --plan {input.plan} --out {output} 2> {log}"


rule draw_figure:
    input:
        unpack(inputs_of("figures/{paper}_{figure}")),
    output:
        report(
            f"{RESULTS}/plots/{{paper}}_{{figure}}.png",
            caption="captions/figure.rst",
            category="{paper}",
            subcategory="figures",
            labels={"figure": "{figure}"},
        ),
        f"{RESULTS}/plots/{{paper}}_{{figure}}.svg",
    log:
        f"{LOGS}/draw_figure/{{paper}}_{{figure}}.log",
    benchmark:
        f"{BENCHMARKS}/draw_figure/{{paper}}_{{figure}}.tsv"
    wildcard_constraints:
        figure="[a-z0-9_.-]+",
    params:
        kind=lambda wildcards: W.paper(wildcards.paper).drawings()[wildcards.figure].kind,
    message:
        "Draw {wildcards.figure} of {wildcards.paper}"
    shell:
        f"python {SCRIPTS}/draw_figure.py"
        " --paper {wildcards.paper} --figure {params.kind} --plan {input.plan}"
        " --out {output} 2> {log}"


rule judge_claims:
    # What the paper says, tested on every item and seed (the JSON has all comparisons).
    input:
        unpack(judged),
        claims=suite("reference/{paper}_claims.yaml"),
        schema=suite("schemas/claims.schema.yaml"),
    output:
        csv=f"{RESULTS}/claims/{{paper}}{{early}}.csv",
        details=f"{RESULTS}/claims/{{paper}}{{early}}.json",
        evidence=f"{RESULTS}/claims/{{paper}}{{early}}.evidence.json.gz",
    log:
        f"{LOGS}/judge_claims/{{paper}}{{early}}.log",
    benchmark:
        f"{BENCHMARKS}/judge_claims/{{paper}}{{early}}.tsv"
    message:
        "Judge the claims of {wildcards.paper}"
    shell:
        f"python {SCRIPTS}/judge_claims.py"
        " --paper {wildcards.paper} --claims {input.claims:q} --schema {input.schema:q}"
        " --plan {input.plan} --out {output.csv} --details {output.details} --evidence {output.evidence} 2> {log}"


rule merge_metrics:
    # What this run makes, and what others made before.
    input:
        rows=lambda wildcards: requested().rows(),
        code=code("merge_metrics.py"),
    output:
        f"{RESULTS}/metrics.csv",
    log:
        f"{LOGS}/merge_metrics.log",
    benchmark:
        f"{BENCHMARKS}/merge_metrics.tsv"
    params:
        rows=results.all_rows(W),
    message:
        "Merge the rows of all papers"
    shell:
        f"python {SCRIPTS}/merge_metrics.py" " --rows {params.rows} --out {output} 2> {log}"


rule merge_claims:
    input:
        claims=lambda wildcards: [
            file for paper in requested().papers for file in results.claims_file(W, paper)
        ],
        code=code("merge_claims.py"),
    output:
        csv=f"{RESULTS}/claims.csv",
        details=f"{RESULTS}/claims.json",
    log:
        f"{LOGS}/merge_claims.log",
    benchmark:
        f"{BENCHMARKS}/merge_claims.tsv"
    params:
        claims=results.all_claims(W),
        details=results.all_claims(W, "json"),
    message:
        "Merge the claims of all papers"
    shell:
        f"python {SCRIPTS}/merge_claims.py"
        " --claims {params.claims} --details {params.details}"
        " --out {output.csv} --out-details {output.details} 2> {log}"


PAGE = dict(
    config=CONFIGURATION,
    template=multiext(
        places.code("crosslingua/report/page/"), "page.html.jinja", "style.css", "page.js", "glossary.yaml"
    ),
    reference=[
        str(path)
        for name in ("claims.csv", "answer.json")
        for path in sorted(Path(suite("results/reference")).glob(f"*/{name}"))
    ],
)


rule write_page_so_far:
    # The page while the run is at work, when a part is done: of this part and of those done before.
    input:
        unpack(inputs_of("page")),
        **PAGE | {"config": ancient(CONFIGURATION)},
        products=lambda wildcards: first_page(requested().products(wildcards.part)),
    output:
        touch(f"{RESULTS}/pages/{{part}}.done"),
    log:
        f"{LOGS}/write_page_so_far/{{part}}.log",
    benchmark:
        f"{BENCHMARKS}/write_page_so_far/{{part}}.tsv"
    wildcard_constraints:
        part="[a-z_]+([.][a-z_]+)?",
    priority: 1
    params:
        papers=W.papers,
    message:
        "Write the results page with {wildcards.part}"
    shell:
        f"python {SCRIPTS}/write_page.py --results {RESULTS} --papers {{params.papers}} --config {{input.config}}"
        f" --shown {{input.plan}} --reference {REFERENCE}"
        f" --at-work {W.plan_file(results.WANTED, 'json')} {{wildcards.part}}"
        f" --out {RESULTS}/report.html 2> {{log}}"


rule write_page:
    input:
        unpack(inputs_of("page")),
        **PAGE,
        products=lambda wildcards: requested().every_product(),
        pages=lambda wildcards: requested().pages(),
        metrics=f"{RESULTS}/metrics.csv",
        claims=MERGED_CLAIMS,
    output:
        report(f"{RESULTS}/report.html", caption="captions/page.rst", category="results page"),
    log:
        f"{LOGS}/write_page.log",
    benchmark:
        f"{BENCHMARKS}/write_page.tsv"
    params:
        papers=W.papers,
    message:
        "Write the results page"
    shell:
        f"python {SCRIPTS}/write_page.py --results {RESULTS} --papers {{params.papers}} --config {{input.config}}"
        f" --shown {{input.plan}} --reference {REFERENCE}"
        f" --benchmarks {BENCHMARKS} --logs {LOGS}"
        " --out {output} 2> {log}"


rule write_costs:
    # Of all jobs so far, a row a stage and paper.
    input:
        f"{RESULTS}/report.html",
        code=code("write_costs.py"),
    output:
        f"{RESULTS}/costs.csv",
    log:
        f"{LOGS}/write_costs.log",
    benchmark:
        f"{BENCHMARKS}/write_costs.tsv"
    message:
        "Sum up what the run cost"
    shell:
        f"python {SCRIPTS}/write_costs.py --benchmarks {BENCHMARKS} --logs {LOGS}" " --out {output} 2> {log}"
