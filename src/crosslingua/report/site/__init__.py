"""A static site of committed results: leaderboards over scales, the page of each scale, the atlas, verdicts by version.

The pages open from a folder. Nothing is fetched, and each page runs its own script alone.
"""

from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from crosslingua import places
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.atomic import atomic_folder, atomic_open, check_output_folder
from crosslingua.io.html import content_policy, templates
from crosslingua.io.json import read_yaml, write_json
from crosslingua.report.page import PagePaper, write_page
from crosslingua.report.page.committed import lay_out
from crosslingua.report.page.statements import REAL_SCALES, in_words
from crosslingua.report.site.boards import boards, choices
from crosslingua.report.site.verdict_log import histories, read_log

PaperNamed = Callable[[str], PagePaper]
FIRST_PAGE = "index.html"
LOG = "verdicts.csv"  # beside the folders of scales
STYLES = (("crosslingua.report.page", "style.css"), (__name__, "site.css"))


def write_site(folders: Sequence[Path], out: Path, paper_named: PaperNamed) -> Path:
    """Write the site of folders of committed results, each called as its scale; return the path of its first page.

    `paper_named` returns what a page is told of a paper. Raises InputError where a folder holds neither tables nor
    cards. Raises ConfigError where folders lack names of their own, and where `out` holds anything but an earlier site
    of these folders, which is replaced.
    """
    names = [folder.name for folder in folders]
    if not names or len({*names}) < len(names) or {"", ".."} & {*names}:
        raise ConfigError(
            "each folder needs a name of its own, which is its scale: say results/reference/SCALE"
        )
    check_output_folder(out, ["*"] if (out / FIRST_PAGE).is_file() else [])
    with atomic_folder(out) as site:
        _fill(site, folders, paper_named)
    return out / FIRST_PAGE


def _fill(out: Path, folders: Sequence[Path], paper_named: PaperNamed) -> None:
    pages = {folder.name: _page(folder, out / folder.name, paper_named) for folder in folders}
    found = boards(folders)
    log = read_log(folders[0].parent / LOG)
    shared = {"pages": pages, "has_log": bool(log)}
    _write(out / FIRST_PAGE, "boards.html.jinja", "boards.js", boards=found, choices=choices(found), **shared)
    if log:
        _write(out / "verdicts.html", "verdicts.html.jinja", "", histories=histories(log), **shared)


def _page(folder: Path, out: Path, paper_named: PaperNamed) -> str:
    """Write the page of a folder of committed results to the folder `out`; return the page's address in the site."""
    if cards := sorted(folder.glob("cards/*.json")):
        return f"{out.name}/{_write_atlas(cards, out)}"
    if not any(folder.glob("*.md")):
        raise InputError(folder, "holds neither tables nor cards", remedy="name folders of results/reference")
    own = Path(places.suite(f"scales/{folder.name}.yaml"))
    remark = lay_out(folder, out, [Path(places.suite("config.yaml")), *([own] if own.is_file() else [])])
    papers = [paper_named(name) for name in read_yaml(out / "config.yaml")["papers"]]
    write_page(out / "report.html", out, papers, out / "config.yaml", folder.parent, remark=remark)
    return f"{out.name}/report.html"


def _write_atlas(cards: Iterable[Path], out: Path) -> str:
    from crosslingua.atlas.assemble import assemble, read_cards
    from crosslingua.atlas.page import render
    from crosslingua.claims.statements import read_claims

    claims = (
        places.suite(name) for name in ("reference/joint_align_claims.yaml", "schemas/claims.schema.yaml")
    )
    atlas = assemble(read_cards(cards), read_claims(*claims))
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / "atlas.json", atlas)
    with atomic_open(out / "atlas.html") as stream:
        stream.write(render(atlas))
    return "atlas.html"


def _write(path: Path, template: str, script_name: str, **shown: Any) -> None:
    environment = templates("crosslingua.report", "site")
    style = "".join(files(package).joinpath(name).read_text(encoding="utf-8") for package, name in STYLES)
    script = files(__name__).joinpath(script_name).read_text(encoding="utf-8") if script_name else ""
    text = environment.get_template(template).render(
        style=style,
        script=script,
        policy=content_policy([style], [script] if script else []),
        in_words=in_words,
        real_scales=REAL_SCALES,
        **shown,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_open(path) as stream:
        stream.write(text)
