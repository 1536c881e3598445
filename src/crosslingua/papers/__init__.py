"""The papers, a folder each: every package here that has a `TITLE` is one, in the order of `papers` in a configuration.

What a folder holds, each file but the first two optional:

    __init__.py   TITLE and AUTHORS
    experiments.py PAPER, a class of `workflow.paper.Paper`: what the paper asks the stages for
    tables.py     TABLES: {name: Table}, from metrics rows to grids: every table, made here or in a file that it imports
    figures.py    FIGURES: {kind: Figure}, from result files to pictures
    page.py       section(): what the results page shows besides
    claims.py     MEASURES and evidence(): from scored cells to what its statements are tested on
    section.py    the typed keys of its section of the configuration

Without figures.py or claims.py, tables.py may hold their content: four files suffice for a small paper.

A paper knows the families, no family knows a paper, and no paper knows another. What the experiments of several have
in common stands in shared.py.
"""
