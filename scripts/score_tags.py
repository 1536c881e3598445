"""Score predicted tags: score_predictions.py, under the name that says so.

python scripts/score_tags.py --gold gold.conll --hypothesis predicted.conll --task ner --out f1.json
"""

from crosslingua.cli import run
from score_predictions import main

if __name__ == "__main__":
    run(main)
