"""The two trees: this work tree, and the old revision in a clone of its own that is kept for the next time.

Each has an environment of its own with what it needs to run and nothing else. The one for development would not do for
this tree: whatever else is installed is looked through when Parlor starts.
"""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.driver import BenchmarkError

ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".compare"  # ignored by git, removed by `make clean`

# What make and an activated environment tell their children is about this tree's own environment.
_NOT_INHERITED = (
    "MAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
    "MAKEOVERRIDES",
    "VENV",
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "PYTHONHOME",
)


@dataclass(frozen=True, slots=True)
class Tree:
    """Sources and the environment into which they are installed."""

    name: str
    path: Path
    environment: Path

    @property
    def program(self) -> Path:
        return self.environment / "bin" / "parlor"

    def set_up(self) -> None:
        """Make or refresh the environment by the tree's own Makefile, and see that it runs this tree and no other."""
        where = os.path.relpath(self.environment, self.path)
        _run(["make", "--silent", "-C", str(self.path), f"VENV={where}", f"{where}/.run"], f"set up {self.name}")
        asked = "import services.cli, shared.log.store as s; print(services.cli.__file__, s.__file__, sep='\\n')"
        python = str(self.environment / "bin" / "python")
        found = _run([python, "-c", asked], f"import Parlor for {self.name}", cwd=self.environment).split()
        if any(not Path(file).is_relative_to(self.path) for file in found):
            raise BenchmarkError(f"{self.name} would run {found[0]} instead of its own {self.path}")


def commit_of(revision: str) -> str:
    """The full id of a commit that the revision names."""
    try:
        asked = ["git", "-C", str(ROOT), "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}"]
        return _run(asked, "").strip()
    except BenchmarkError:
        raise BenchmarkError(f"there is no revision {revision!r} here; name a commit, a branch or a tag") from None


def this_tree() -> Tree:
    return Tree("this tree", ROOT, KEPT / "this")


def old_tree(commit: str) -> Tree:
    """The tree of a commit, cloned if it is not there yet."""
    path = KEPT / commit[:12]
    if _head(path) != commit:
        if path.exists():
            raise BenchmarkError(f"{path} is not the commit that its name says; remove it")
        # Finished under another name first, so that what was interrupted is not taken for a tree.
        draft = KEPT / f"{commit[:12]}.new"
        _run(["rm", "-rf", str(draft)], f"clear {draft}")
        _run(["git", "clone", "--quiet", "--shared", "--no-checkout", str(ROOT), str(draft)], "clone this repository")
        _run(["git", "-C", str(draft), "checkout", "--quiet", "--detach", commit], f"check out {commit[:12]}")
        draft.rename(path)
    return Tree(f"the old tree ({commit[:12]})", path, path / ".venv")


def _head(path: Path) -> str:
    return (
        _run(["git", "-C", str(path), "rev-parse", "HEAD"], f"look at {path}").strip()
        if (path / ".git").exists()
        else ""
    )


def _run(command: list[str], what: str, cwd: Path | None = None) -> str:
    done = subprocess.run(command, env=clean(os.environ), cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        raise BenchmarkError(f"could not {what}:\n{(done.stdout + done.stderr)[-2000:].strip()}")
    return done.stdout


def clean(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without what belongs to one of the trees only."""
    return {name: value for name, value in environment.items() if name not in _NOT_INHERITED}
