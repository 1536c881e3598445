"""Hooks of the documentation site: pages from the root of the repository, pages of configuration keys and of verbs, and
links that leave the folder docs.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

import keys  # beside this file
from mkdocs.structure.files import File, Files
from pymdownx.slugs import slugify

from crosslingua import command
from crosslingua.paper_pages import paper_named
from crosslingua.report.site import write_site

ROOT = Path(__file__).parents[1]
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
RESULTS = "leaderboards"  # the folder of the pages of committed results
LINKED = ("index.html", "atlas/atlas.html")  # those of them that pages of docs link to
LINK = re.compile(r"(?<!!)\[(?P<text>[^]]*)\]\((?P<path>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    """Give headings the anchors that GitHub gives them."""
    config.mdx_configs["toc"]["slugify"] = slugify(case="lower")
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages of the repository's root, of the configuration and of the command line."""
    for page, text in {"configuration.md": keys.page(), "command-line.md": command.page()}.items():
        files.append(File.generated(config, page, content=text))
    for name, page in PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=with_links(text, "", name)))
    for name in LINKED:  # known to the check of links; on_post_build writes them
        files.append(File.generated(config, f"{RESULTS}/{name}", content=""))
    return files


def on_post_build(config: Any) -> None:
    """Write the pages of committed results."""
    folders = sorted(path for path in (ROOT / "results/reference").iterdir() if path.is_dir())
    write_site(folders, Path(config.site_dir, RESULTS), paper_named)


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Rewrite the links of a page of docs."""
    path = page.file.src_uri
    return markdown if path in PAGES.values() else with_links(markdown, posixpath.dirname(path), path)


def with_links(text: str, folder: str, page: str) -> str:
    """Return Markdown whose links suit the site. `folder` is where it stands in docs.

    A link to a file of the repository outside docs becomes its text. Any other link stays, so that the strict build
    fails where its target is missing.
    """
    base = "" if page in PAGES else posixpath.join("docs", folder)

    def replaced(match: re.Match[str]) -> str:
        path, anchor = match["path"], match["anchor"] or ""
        if re.match(r"[a-z]+:", path):
            return match[0]
        target = posixpath.normpath(posixpath.join(base, path))
        if target in PAGES:
            target = f"docs/{PAGES[target]}"
        elif not target.startswith("docs/"):
            return match["text"] if (ROOT / target).exists() else match[0]
        return f"[{match['text']}]({posixpath.relpath(target, posixpath.join('docs', folder))}{anchor})"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [LINK.sub(replaced, part) for part in parts[::2]]
    return re.sub(r"\]\(docs/(images/[^)]*)\)", r"](\1)", "".join(parts)) if page in PAGES else "".join(parts)
