"""What deepagents says of a backend, clause by clause, as calls whose results are compared with its own backend's.

`differs` is why ours is not the same, and `ours` then is what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Act = Callable[[Any, str], Any]
SAME = object()


@dataclass(frozen=True)
class Clause:
    """One call, or several whose results are together."""

    name: str
    act: Act
    files: Mapping[str, bytes | str] = field(default_factory=dict)
    differs: str | None = None
    ours: Any = SAME


def raised(act: Callable[[], Any]) -> str:
    """What an error that is raised begins with."""
    try:
        return f"returned {act()!r}"
    except ValueError as error:
        return "ValueError with traversal" if "traversal" in str(error) else f"ValueError {error}"


ALL = bytes(range(256)) * 4 + b"\r\n--skillmount-part\r\n"
LINES = "one\ntwo\nthree\nfour"
TREE = {
    "a.py": "import os\n",
    "src/app/main.py": "import sys\nx = 1\n",
    "src/lib.py": "import os\n",
    "sub/b.py": "y\n",
    "sub/deep/c.py": "z\n",
    ".env": "KEY=import\n",
    ".github/workflows/ci.yml": "on: import\n",
    "top.yml": "a: 1\n",
    "[x].md": "brackets import\n",
    "a1.txt": "1\n",
    "a2.txt": "2\n",
    "a4.txt": "4\n",
    "a-[": "odd\n",
}

READ = [
    Clause("read: the whole file", lambda b, p: b.read(f"{p}/f.md"), {"f.md": LINES}),
    Clause("read: a window in the middle", lambda b, p: b.read(f"{p}/f.md", 1, 2), {"f.md": LINES}),
    Clause("read: a window to the end has no next offset", lambda b, p: b.read(f"{p}/f.md", 2, 2), {"f.md": LINES}),
    Clause("read: the last line keeps its newline", lambda b, p: b.read(f"{p}/f.md", 3, 9), {"f.md": LINES + "\n"}),
    Clause("read: a negative offset is 0", lambda b, p: b.read(f"{p}/f.md", -3, 1), {"f.md": LINES}),
    Clause("read: limit 0 requests no lines", lambda b, p: b.read(f"{p}/f.md", 0, 0), {"f.md": LINES}),
    Clause("read: a negative limit is 0", lambda b, p: b.read(f"{p}/f.md", 2, -5), {"f.md": LINES}),
    Clause("read: numbers are coerced", lambda b, p: b.read(f"{p}/f.md", 1.0, True), {"f.md": LINES}),
    Clause("read: an offset past the end", lambda b, p: b.read(f"{p}/f.md", 4, 1), {"f.md": LINES}),
    Clause("read: an offset far past the end", lambda b, p: b.read(f"{p}/f.md", 99, 1), {"f.md": LINES}),
    Clause("read: a missing file", lambda b, p: b.read(f"{p}/none.md")),
    Clause("read: a folder", lambda b, p: b.read(f"{p}/d"), {"d/f": "x"}),
    Clause("read: an empty file is a reminder", lambda b, p: b.read(f"{p}/f.md"), {"f.md": ""}),
    Clause("read: a blank file is a reminder", lambda b, p: b.read(f"{p}/f.md"), {"f.md": " \n\t\n"}),
    Clause("read: a blank file before limit 0", lambda b, p: b.read(f"{p}/f.md", 0, 0), {"f.md": " \n"}),
    Clause("read: a blank file before the offset", lambda b, p: b.read(f"{p}/f.md", 50, 1), {"f.md": " \n"}),
    Clause("read: CRLF becomes LF", lambda b, p: b.read(f"{p}/f.md", 1, 2), {"f.md": "a\r\nb\r\nc\r\n"}),
    Clause("read: text beyond ASCII", lambda b, p: b.read(f"{p}/ñ 审.md"), {"ñ 审.md": "é ñ 审 😀\n"}),
    Clause("read: an image is base64", lambda b, p: b.read(f"{p}/x.png"), {"x.png": bytes(range(256))}),
    Clause("read: a PDF ignores its window", lambda b, p: b.read(f"{p}/x.PDF", 3, 1), {"x.PDF": b"%PDF\n1\n2\n"}),
    Clause("read: a video is base64", lambda b, p: b.read(f"{p}/x.mkv"), {"x.mkv": b"\0\1\2"}),
    Clause("read: a missing image", lambda b, p: b.read(f"{p}/none.png")),
    Clause("read: text in a binary's clothes", lambda b, p: b.read(f"{p}/x.gif"), {"x.gif": "plain"}),
    Clause("read: `..` is refused", lambda b, p: raised(lambda: b.read(f"{p}/../x"))),
    Clause("read: `~` is refused", lambda b, p: raised(lambda: b.read(f"{p}/~/x")) and "either way"),
    Clause(
        "read: dots in a name",
        lambda b, p: b.write(f"{p}/foo..bar", "x").error,
        differs="only a segment `..` leads out of a folder; deepagents' own backend refuses two dots anywhere",
        ours=None,
    ),
    Clause(
        "read: bytes that are not UTF-8",
        lambda b, p: (r := b.read(f"{p}/f.md")).error.startswith(f"Error reading file '{p}/f.md': ") and r.file_data,
        {"f.md": b"ok\n\xff\xfe bad\n"},
    ),
    Clause(
        "read: other line ends of Python",
        lambda b, p: b.read(f"{p}/f.md").total_lines,
        {"f.md": "a\x0bb\x0cc\u2028d\x85e\rf\n"},
        differs="lines end at \\n in the service; Python's other line ends stay in the text",
        ours=1,
    ),
    Clause(
        "read: a NUL in text",
        lambda b, p: b.read(f"{p}/f.md").error is None,
        {"f.md": b"a\0b\n"},
        differs="a file with a NUL is binary in the service, whatever its name; it says so and can be downloaded",
        ours=False,
    ),
]

LS = [
    Clause("ls: files and folders by path", lambda b, p: b.ls(f"{p}/"), TREE),
    Clause("ls: a folder ends in a slash", lambda b, p: b.ls(f"{p}/src"), TREE),
    Clause("ls: a trailing slash makes no difference", lambda b, p: b.ls(f"{p}/src/"), TREE),
    Clause("ls: a missing folder", lambda b, p: b.ls(f"{p}/none"), TREE),
    Clause("ls: a file", lambda b, p: b.ls(f"{p}/a.py"), TREE),
    Clause("ls: `..` is refused", lambda b, p: raised(lambda: b.ls(f"{p}/src/../sub")), TREE),
    Clause("ls: sizes are bytes", lambda b, p: b.ls(f"{p}/d"), {"d/ñ": "ñ"}),
    Clause("ls: times are ISO 8601", lambda b, p: "T" in b.ls(f"{p}/d").entries[0]["modified_at"], {"d/x": "x"}),
]

ONE_FILE = "deepagents' own search without ripgrep takes the folder of a file; its protocol says: exactly that file"


def hits(*found: tuple[str, int, str]) -> dict[str, Any]:
    """What a search answers."""
    matches = [{"path": "{p}" + path, "line": line, "text": text} for path, line, text in found]
    return {"error": None, "matches": matches, "truncated": False}


GREP = [
    Clause("grep: plain text", lambda b, p: b.grep("import", p or None), TREE),
    Clause("grep: below a folder", lambda b, p: b.grep("import", f"{p}/src"), TREE),
    Clause(
        "grep: in one file",
        lambda b, p: b.grep("import", f"{p}/src/lib.py"),
        TREE,
        differs=ONE_FILE,
        ours=hits(("/src/lib.py", 1, "import os")),
    ),
    Clause("grep: never a regex", lambda b, p: b.grep("im.ort", f"{p}/"), TREE),
    Clause("grep: characters of regexes", lambda b, p: b.grep("f(x)[0]+$", f"{p}/"), {"f": "a f(x)[0]+$ b\n"}),
    Clause("grep: case matters", lambda b, p: b.grep("IMPORT", f"{p}/"), TREE),
    Clause("grep: a missing path", lambda b, p: b.grep("x", f"{p}/none"), TREE),
    Clause("grep: no hit", lambda b, p: b.grep("nowhere", f"{p}/"), TREE),
    Clause("grep: a glob of base names", lambda b, p: b.grep("import", f"{p}/", "*.py"), TREE),
    Clause("grep: a glob with folders", lambda b, p: b.grep("import", f"{p}/", "src/**/*.py"), TREE),
    Clause("grep: a glob that is anchored", lambda b, p: b.grep("import", f"{p}/", "/*.py"), TREE),
    Clause(
        "grep: a glob of a file's own name",
        lambda b, p: b.grep("import", f"{p}/a.py", "*.py"),
        TREE,
        differs=ONE_FILE,
        ours=hits(("/a.py", 1, "import os")),
    ),
    Clause(
        "grep: a glob that the file does not match",
        lambda b, p: b.grep("import", f"{p}/a.py", "*.md"),
        TREE,
        differs=ONE_FILE,
        ours=hits(),
    ),
    Clause("grep: a glob with braces", lambda b, p: b.grep("import", f"{p}/", "*.{py,yml}"), TREE),
    Clause("grep: a glob with `..`", lambda b, p: b.grep("import", f"{p}/", "../*.py"), TREE),
    Clause("grep: under the cap", lambda b, p: b.grep("x", f"{p}/f", max_count=4), {"f": "x\nx\nx\n"}),
    Clause("grep: exactly the cap", lambda b, p: b.grep("x", f"{p}/f", max_count=3), {"f": "x\nx\nx\n"}),
    Clause("grep: over the cap", lambda b, p: b.grep("x", f"{p}/f", max_count=2), {"f": "x\nx\nx\n"}),
    Clause("grep: CRLF", lambda b, p: b.grep("a", f"{p}/f"), {"f": "a b\r\nc\r\na\r\n"}),
    Clause("grep: lines of text beyond ASCII", lambda b, p: b.grep("审", f"{p}/"), {"ñ/f": "x\n审 y\n"}),
    Clause("grep: a file that is not UTF-8", lambda b, p: b.grep("x", f"{p}/"), {"f.bin": b"\xff\xfe\0x", "g": "x\n"}),
    Clause(
        "grep: a file with a NUL",
        lambda b, p: b.grep("x", f"{p}/"),
        {"f.bin": b"x\0x\n", "g": "x\n"},
        differs="a file with a NUL is binary in the service and is passed over, as ripgrep does",
        ours=hits(("/g", 1, "x")),
    ),
    Clause("grep: a pattern that begins with a dash", lambda b, p: b.grep("-x", f"{p}/"), {"f": "a -x\n"}),
    Clause("grep: the last line without a newline", lambda b, p: b.grep("end", f"{p}/"), {"f": "a\nthe end"}),
]


def glob(pattern: str, below: str = "", *, differs: str | None = None, ours: Any = SAME) -> Clause:
    """A clause about a pattern."""
    return Clause(
        f"glob: {pattern!r} below {below!r}", lambda b, p: b.glob(pattern, f"{p}/{below}"), TREE, differs, ours
    )


GLOB = [
    glob("*.py"), glob("**/*.py"), glob("src/**/*.py"), glob("sub/*.py"), glob("/*.py"), glob("/src/*.py"),
    glob("*.yml"), glob("**/*.yml"), glob(".github/**/*.yml"), glob("*"), glob("**"), glob(".*"), glob("**/*"),
    glob("*.{py,yml}"), glob("{a,sub/b}.py"), glob("a{1..3}.txt"), glob("[ab].py"), glob("[!a].py"), glob("[^a].py"),
    glob("[[:alpha:]].py"), glob("?.py"), glob(r"\[x\].md"), glob("[[]x].md"), glob("!(a).py"), glob("!a.py"),
    glob("~"), glob("[a-"), glob("*.{py"), glob(""), glob("/"), glob("src/"), glob("*", "src"),
    glob("*.py", "none"), glob("*.py", "a.py"), glob("main.py", "src/"), glob("../*.py"), glob("src/../*.py"),
    glob("{a,b}{a,b}.py"), glob("*.PY"), glob("src"),
]  # fmt: skip

WRITE = [
    Clause(
        "write: makes a file and its folders",
        lambda b, p: (b.write(f"{p}/new/deep/f.md", "hi\n"), b.read(f"{p}/new/deep/f.md")),
    ),
    Clause(
        "write: overwrites",
        lambda b, p: (b.write(f"{p}/f.md", "new"), b.read(f"{p}/f.md")),
        {"f.md": "old and longer"},
    ),
    Clause(
        "write: line ends stay",
        lambda b, p: (b.write(f"{p}/f", "a\r\nb\rc\n"), b.download_files([f"{p}/f"])),
    ),
    Clause("write: nothing", lambda b, p: (b.write(f"{p}/f", ""), b.download_files([f"{p}/f"]))),
    Clause("write: `..` is refused", lambda b, p: raised(lambda: b.write(f"{p}/../f", "x"))),
    Clause(
        "write: a folder is an error",
        lambda b, p: b.write(f"{p}/d", "x").error.startswith(f"Error writing file '{p}/d': "),
        {"d/f": "x"},
    ),
    Clause(
        "write: below a file is an error",
        lambda b, p: b.write(f"{p}/f/x", "x").error.startswith(f"Error writing file '{p}/f/x': "),
        {"f": "x"},
    ),
]


def edit(name: str, before: bytes | str, old: str, new: str, every: bool = False, **more: Any) -> Clause:
    """A clause about an edit: its result and the file after it."""
    return Clause(
        f"edit: {name}",
        lambda b, p: (b.edit(f"{p}/f.md", old, new, every), b.download_files([f"{p}/f.md"])[0].content),
        {"f.md": before},
        **more,
    )


CRLF_KEPT = "a file with CRLF keeps it; deepagents' own backend rewrites every line of the file with LF"
EDIT = [
    edit("one hit", "a b c", "b", "B"),
    edit("no hit", "a b c", "z", "B"),
    edit("several hits", "x x x", "x", "y"),
    edit("all hits", "x x x", "x", "y", True),
    edit("hits do not overlap", "aaaa", "aa", "b", True),
    edit("an empty old string", "abc", "", "x"),
    edit("old and new are the same", "abc", "b", "b"),
    edit("an end of the file without its newline", "a\nb", "b\n", "c\n"),
    edit("an ambiguous end of the file", "b\nx b", "b\n", "c\n"),
    edit("an ambiguous end of the file that is no line", "ab ab", "ab\n", "c\n"),
    edit("a newline that is nowhere", "a\nb", "z\n", "c\n"),
    edit("several lines", "a\nb\nc\n", "a\nb\n", "x\n"),
    edit("text beyond ASCII", "é ñ 审", "ñ", "😀"),
    edit("CRLF in the call, LF in the file", "a\nb\nc\n", "a\r\nb", "x\r\ny"),
    edit("characters of regexes", "a.*b $1", ".*b $1", "$0\\1"),
    edit(
        "CRLF in the file",
        "a\r\nb\r\nc\r\n",
        "a\nb",
        "x\ny",
        differs=CRLF_KEPT,
        ours=({"error": None, "path": "{p}/f.md", "occurrences": 1}, b"x\r\ny\r\nc\r\n"),
    ),
    Clause(
        "edit: a binary file",
        lambda b, p: b.edit(f"{p}/x.png", "a", "b").error,
        {"x.png": "a"},
        differs="the sentence of deepagents' protocol for a binary file; the judge edits text in a binary's clothes",
        ours="Error: Cannot edit binary files with text replacements.",
    ),
    Clause("edit: a missing file", lambda b, p: b.edit(f"{p}/none", "a", "b")),
    Clause("edit: a folder", lambda b, p: b.edit(f"{p}/d", "a", "b"), {"d/f": "x"}),
    Clause("edit: `..` is refused", lambda b, p: raised(lambda: b.edit(f"{p}/../f", "a", "b"))),
]

DELETE = [
    Clause("delete: a file", lambda b, p: (b.delete(f"{p}/a.py"), b.read(f"{p}/a.py")), TREE),
    Clause("delete: a folder and all below", lambda b, p: (b.delete(f"{p}/src"), b.glob("*.py", f"{p}/")), TREE),
    Clause("delete: with a trailing slash", lambda b, p: (b.delete(f"{p}/src/"), b.ls(f"{p}/")), TREE),
    Clause("delete: nothing there", lambda b, p: b.delete(f"{p}/none"), TREE),
    Clause("delete: a star is a star", lambda b, p: (b.delete(f"{p}/*"), b.ls(f"{p}/")), TREE),
    Clause(
        "delete: no neighbour", lambda b, p: (b.delete(f"{p}/s"), b.ls(f"{p}/")), {"s/f": "", "s10/f": "", "sx": ""}
    ),
    Clause("delete: `..` is refused", lambda b, p: raised(lambda: b.delete(f"{p}/../x"))),
]

TRANSFER = [
    Clause(
        "upload: in order, with partial success",
        lambda b, p: (
            b.upload_files([(f"{p}/u/b", b"\0\xff"), (f"{p}/../x", b""), (f"{p}/u/a", b"2"), (f"{p}/d", b"")]),
            b.download_files([f"{p}/u/a", f"{p}/u/b"]),
        ),
        {"d/f": "x"},
    ),
    Clause("upload: overwrites", lambda b, p: (b.upload_files([(f"{p}/f", b"n")]), b.read(f"{p}/f")), {"f": "old"}),
    Clause("upload: nothing", lambda b, p: b.upload_files([])),
    Clause(
        "upload: names that need escapes",
        lambda b, p: (
            b.upload_files([(f'{p}/q"x\\ %22 ñ.md', b"q")]),
            b.download_files([f'{p}/q"x\\ %22 ñ.md']),
        ),
    ),
    Clause("upload: all bytes", lambda b, p: (b.upload_files([(f"{p}/f", ALL)]), b.download_files([f"{p}/f"]))),
    Clause(
        "upload: one path twice",
        lambda b, p: (b.upload_files([(f"{p}/f", b"1"), (f"{p}/f", b"2")]), b.download_files([f"{p}/f", f"{p}/f"])),
    ),
    Clause(
        "download: codes in order",
        lambda b, p: b.download_files([f"{p}/none", f"{p}/../x", f"{p}/f"]),
        {"f": b"\xff\xfe"},
    ),
    Clause(
        "download: a folder",
        lambda b, p: b.download_files([f"{p}/d"])[0].error,
        {"d/f": "x"},
        differs="an object store has no folders, and to find files below a path is one more request",
        ours="file_not_found",
    ),
    Clause("download: nothing", lambda b, p: b.download_files([])),
]

CLAUSES = [*READ, *LS, *GREP, *GLOB, *WRITE, *EDIT, *DELETE, *TRANSFER]
