"""Score predicted tags: score-predictions, under the name that says so.

crosslingua score-tags --gold gold.conll --hypothesis predicted.conll --task ner --out f1.json
"""

from crosslingua.cli import run
from score_predictions import main

if __name__ == "__main__":
    run(main)
