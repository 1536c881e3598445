"""How a number came about: the jobs behind it, from Snakemake's records and plans (`chain`)."""
