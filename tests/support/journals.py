"""What the servers under test print while a test runs, so that a failure can be mended where it cannot be repeated."""

from pathlib import Path

_TAIL = 20_000  # characters of each; a server says more than that only when it has a lot of trouble


class Journals:
    """The logs of all servers that this process has started, and how far they had come when the test began."""

    def __init__(self) -> None:
        self._read: dict[Path, int] = {}
        self._ended: dict[Path, str] = {}

    def follow(self, path: Path) -> None:
        """From here on, though the file may not be there yet."""
        self._read.setdefault(path, 0)

    def ended(self, path: Path) -> None:
        """Keep what it said last: its directory may be gone when the test has failed."""
        if path in self._read:
            self._ended[path] = self._ended.get(path, "") + self._news(path)

    def begin(self) -> None:
        """A test begins: forget what was said before."""
        self._ended.clear()
        self._read = {path: path.stat().st_size for path in self._read if path.exists()}

    def said(self) -> dict[str, str]:
        """What each has said since then, if anything."""
        said = {path: self._ended.get(path, "") + self._news(path) for path in self._read}
        return {f"{path.parent.name}/{path.name}": text[-_TAIL:] for path, text in said.items() if text}

    def _news(self, path: Path) -> str:
        if not path.exists():
            return ""
        with path.open("rb") as log:
            log.seek(self._read[path])
            news = log.read()
        self._read[path] += len(news)
        return news.decode(errors="replace")


journals = Journals()
