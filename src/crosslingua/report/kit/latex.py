"""Markdown of result tables as LaTeX for pdfLaTeX: text, grids, and the characters that LaTeX must be told."""

import re
from collections.abc import Iterable

SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
# Characters that pdfLaTeX does not know without a package; in mathematics where there is a sign for them.
SIGNS = {
    "→": r"\to", "←": r"\leftarrow", "−": "-", "≤": r"\le", "≥": r"\ge", "×": r"\times", "≈": r"\approx",
    "∞": r"\infty",
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "λ": r"\lambda", "μ": r"\mu", "ρ": r"\rho",
    "σ": r"\sigma", "τ": r"\tau", "Δ": r"\Delta", "Σ": r"\Sigma", "²": "^2",
}  # fmt: skip
KNOWN = "±–—†‡…“”‘’"  # and Latin letters with accents, which pdfLaTeX has
SPAN = re.compile(r"`([^`]*)`|\*\*(.+?)\*\*|\*(.+?)\*")


def escaped(text: str) -> str:
    """Return text in which LaTeX reads every character as itself. Of letters that pdfLaTeX lacks stand the numbers."""
    text = re.sub(r"[_%&#${}\\~^]", lambda found: SPECIAL.get(found[0], f"\\{found[0]}"), text)
    return "".join(_letter(letter) for letter in text)


def _letter(letter: str) -> str:
    if letter in SIGNS:
        return f"${SIGNS[letter]}$"
    if letter.isascii() or letter in KNOWN or "À" <= letter <= "ž":
        return letter
    return f"[U+{ord(letter):04X}]"


def inline(text: str) -> str:
    """Return a line of Markdown as LaTeX: code, bold and italic; backslashes before signs come off."""
    parts, end = [], 0
    for found in SPAN.finditer(text):
        code, bold, italic = found.groups()
        parts.append(_plain(text[end : found.start()]))
        if code is not None:
            parts.append(rf"\texttt{{{escaped(code)}}}")
        else:
            parts.append(rf"\textbf{{{_plain(bold)}}}" if bold else rf"\emph{{{_plain(italic)}}}")
        end = found.end()
    return "".join([*parts, _plain(text[end:])])


def _plain(text: str) -> str:
    return escaped(re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", text))


def tabular(lines: Iterable[str]) -> str:
    """Return a pipe table of Markdown as a tabular. Columns are aligned as the second line says."""
    head, rule, *body = [_cells(line) for line in lines]
    align = "".join("r" if cell.rstrip().endswith(":") else "l" for cell in rule)
    if not any(":" in cell for cell in rule):  # tabulate marks no side: names stand left, numbers right
        align = "l" + "r" * (len(rule) - 1)
    rows = [row(map(inline, cells)) for cells in (head, *body)]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{align}}}",
            r"\hline",
            rows[0],
            r"\hline",
            *rows[1:],
            r"\hline",
            r"\end{tabular}",
        ]
    )


def row(cells: Iterable[str]) -> str:
    """Return cells of LaTeX as a row. A bracket or star at its head would be an argument of the row before."""
    text = " & ".join(cells) + r" \\"
    return "{}" + text if text.startswith(("[", "*")) else text


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
