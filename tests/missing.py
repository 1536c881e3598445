"""An installation that lacks a package."""


class Missing:
    """A finder for sys.meta_path that knows nothing of a package which is installed."""

    def __init__(self, package: str):
        self.package = package

    def find_spec(self, name, path=None, target=None):
        if name == self.package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
