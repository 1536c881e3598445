"""A web server on 127.0.0.1 that misbehaves on request: the tests' stand-in for the network."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Site:
    """Files by path, a list of misdeeds to do first, and a log of (path, Range header)."""

    def __init__(self):
        self.files: dict[str, bytes] = {}
        self.misdeeds: list = []
        self.requests: list[tuple[str, str | None]] = []
        self.ranges = True
        self.etag: str | None = None
        self.chunked_without_length = False
        self.released = threading.Event()  # ends what stalls

    def ranges_asked(self) -> list[str | None]:
        return [asked for _, asked in self.requests]


def serve(site: Site) -> tuple[ThreadingHTTPServer, str]:
    """Start the server on a free port; return it and its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked = self.headers.get("Range")
            site.requests.append((self.path, asked))
            misdeed, *details = site.misdeeds.pop(0) if site.misdeeds else (None,)
            if misdeed == "status":
                status, *waits = details
                return self.answer(status, b"sorry", dict(zip(["Retry-After"], waits, strict=False)))
            body = site.files.get(self.path)
            if body is None:
                return self.answer(404, b"<html>not here</html>", {})
            start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and site.ranges else 0
            if start and self.headers.get("If-Range", site.etag) != site.etag:
                start = 0
            if start >= len(body) and start:
                return self.answer(416, b"", {"Content-Range": f"bytes */{len(body)}"})
            headers = {"ETag": site.etag} if site.etag else {}
            if start:
                shift = details[0] if misdeed == "shift" else 0
                headers["Content-Range"] = f"bytes {start + shift}-{len(body) - 1}/{len(body)}"
            sent = details[0] if misdeed in ("drop", "stall") else None
            self.answer(206 if start else 200, body[start:], headers, sent)
            if misdeed == "stall":
                site.released.wait(60)

        def answer(self, status, body, headers, sent=None):
            self.send_response(status)
            if not (site.chunked_without_length and status in (200, 206)):
                self.send_header("Content-Length", str(len(body)))
            for key, value in headers.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(body[:sent])
            self.wfile.flush()
            self.close_connection = True

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}"
