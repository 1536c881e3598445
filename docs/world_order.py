"""The order of systems in the generated world and on real pairs, from committed results: rank correlation and picture.

`python docs/world_order.py` draws docs/images/world_order.png.
"""

import csv
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from scipy.stats import spearmanr

from crosslingua.atlas.assemble import read_cards
from crosslingua.report.figures import BLUE, ORANGE, pyplot

ROOT = Path(__file__).resolve().parent.parent
TABLES = {"all": "joint_align_table1.csv", "not spelt alike": "joint_align_table2.csv"}
CONVENTION = "P@1, CSLS, out-of-vocabulary pairs skipped, as in MUSE."  # of the atlas
CALIBRATED = {"en-fr", "en-de", "en_a-de_b"}  # whose text the world's parameters were compared with


def means(words: str) -> dict[str, tuple[float, float]]:
    """Return each system's mean P@1 in the demo and over the atlas's pairs; pairs of the calibration are left out."""
    with (ROOT / "results/reference/demo" / TABLES[words]).open(encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["convention"] == CONVENTION and row["mean"]]
    cards = read_cards(sorted((ROOT / "results/reference/atlas/cards").glob("*.json")))
    real = [card["scores"][words] for card in cards if not card["curve"] and card["pair"] not in CALIBRATED]
    found = {}
    for system in dict.fromkeys(row["system"] for row in rows):
        if all(system in card for card in real):
            world = fmean(float(row["mean"]) for row in rows if row["system"] == system)
            found[system] = world, fmean(fmean(card[system].values()) for card in real)
    return found


def rank_correlation(words: str) -> float:
    """Return Spearman's rho of the systems' means."""
    return float(spearmanr(*zip(*means(words).values(), strict=True)).statistic)


def label(panel: Any, points: Mapping[str, tuple[float, float]]) -> None:
    """Name each point beside it, where no other name stands."""
    taken = []
    for name, point in sorted(points.items(), key=lambda item: item[1][1]):
        for x, y in ((6, -3), (-6, -3), (6, 5), (-6, 5), (6, -11), (-6, -11)):
            style = {"textcoords": "offset points", "fontsize": 7, "ha": "left" if x > 0 else "right"}
            text = panel.annotate(name, point, (x, y), **style)
            if not any(text.get_window_extent().overlaps(other) for other in taken):
                break
            text.remove()
        else:
            text = panel.annotate(name, point, (6, -3), **style)
        taken.append(text.get_window_extent())


def main() -> None:
    """Draw a panel for all words, and one for words not spelt alike."""
    plt = pyplot()
    figure, panels = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
    for panel, words in zip(panels, TABLES, strict=True):
        for system, point in means(words).items():
            is_joint = system.startswith("joint")
            panel.plot(*point, "o" if is_joint else "s", color=BLUE if is_joint else ORANGE)
        panel.set(xlabel="demo, P@1 in percent", ylabel="atlas, P@1 in percent")
        panel.set_title(f"{words} words" if words == "all" else f"words {words}", fontsize=10)
        panel.margins(x=0.35, y=0.1)
    figure.draw_without_rendering()  # so that the places of labels are known
    for panel, words in zip(panels, TABLES, strict=True):
        label(panel, means(words))
    figure.savefig(ROOT / "docs/images/world_order.png", dpi=110)


if __name__ == "__main__":
    main()
