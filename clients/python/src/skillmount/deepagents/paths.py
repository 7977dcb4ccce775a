"""The paths that deepagents sees, and those of the service below a root."""

from __future__ import annotations

from dataclasses import dataclass

WORKSPACE = "/workspace"
# deepagents keeps large results, history and blobs in these folders at the root, where nothing can be written.
OFFLOADED = ("large_tool_results", "conversation_history", "blobs")
OFFLOAD_FOLDER = f"{WORKSPACE}/.deepagents"


@dataclass(frozen=True, slots=True)
class Tree:
    """A part of what a session sees, as a tree of its own."""

    root: str
    """The folder that is `/`; empty for everything that the session sees."""

    @classmethod
    def below(cls, root: str) -> Tree:
        """The tree below a folder.

        Raises:
            ValueError: The folder is no absolute path.
        """
        if not root.startswith("/"):
            raise ValueError(f"root is an absolute path such as /workspace, not {root!r}")
        return cls(_joined(_segments(root)))

    def outer(self, path: str) -> str:
        """The service's path of one of this tree.

        Raises:
            ValueError: The path leads out of the tree.
        """
        segments = _segments(path)
        if not self.root and segments and segments[0] in OFFLOADED:
            return OFFLOAD_FOLDER + _joined(segments)
        return self.root + _joined(segments) or "/"

    def inner(self, path: str) -> str:
        """This tree's path of one that the service answered."""
        if self.root:
            return path.removeprefix(self.root) or "/"
        if path.startswith(OFFLOAD_FOLDER + "/") and path.removeprefix(OFFLOAD_FOLDER + "/").split("/")[0] in OFFLOADED:
            return path.removeprefix(OFFLOAD_FOLDER)
        return path


def _segments(path: str) -> list[str]:
    segments = [segment for segment in path.split("/") if segment not in ("", ".")]
    if ".." in segments or path.startswith("~"):
        raise ValueError(f"Path traversal not allowed: {path}")
    return segments


def _joined(segments: list[str]) -> str:
    return "".join(f"/{segment}" for segment in segments)
