"""How a number came about: the jobs behind it, from Snakemake's own records and the plans that jobs were given.

    records.py   what Snakemake recorded of the job that made a file
    plan.py      which line of a job's plan made a file, and which inputs that line names
    chain.py     the jobs behind a file, each once
    cells.py     the rows of a table, by the words that somebody names a number with
    show.py      the chain as an indented tree
"""
