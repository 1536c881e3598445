# Names of rules/report.smk.
METRICS = f"{RESULTS}/metrics.csv"
