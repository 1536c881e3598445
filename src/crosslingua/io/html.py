"""The content security policy of a page: the browser runs its own scripts and styles alone, and asks for nothing."""

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256


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
