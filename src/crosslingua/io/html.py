"""Pages of HTML: their templates, and their content security policy, by which a browser asks for nothing."""

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


def templates(package: str, folder: str) -> "Environment":
    """Return the templates in a folder of a package. What they show is escaped, and a name that is not given fails."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, folder),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def content_policy(styles: Iterable[str], scripts: Iterable[str] = ()) -> str:
    """Return the policy for a page whose elements hold exactly these texts: no other script, handler, style, form or
    request is obeyed, whatever the page's text holds. Images may only stand in the page itself.
    """
    allowed = {"script-src": scripts, "style-src": styles}
    parts = [
        " ".join([name, *(f"'{_hash(text)}'" for text in texts)]) for name, texts in allowed.items() if texts
    ]
    return "; ".join(["default-src 'none'", *parts, "img-src data:", "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
