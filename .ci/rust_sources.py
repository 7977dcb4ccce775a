"""The Rust sources of a repository, read as text: modules, types, blocks of methods, and the order of modules."""

import collections
import pathlib
import re

# Modules that people, models and other programs talk to. They translate errors, so they may read the code of one.
SURFACES = {"http", "mcp", "cli", "client", "rig"}
SURFACE_CRATES = {"server", "cli", "client", "rig"}

# From below to above. Modules between two bars have no order among themselves. `crate/module` is one module, and a
# crate alone is all of its modules. The first order whose key is a module holds:
# the one of `backend` is for sources from before the workspace. Parts of `backend` have rows too.
ORDERS = {
    "backend": """
        error limits clock | path | budget | json | access store skill | wire words encoder | catalog | session
        | backend
        | backend/ops backend/publish backend/author backend/leaving backend/catalog_reads backend/fsck
        | prompt | tools | hooks | audit | client | mcp | http | cli""",
    "": """
        base/error base/limits base/clock | base/path | base/budget base/json base/operation_note | base/text
        | store skill | wire | search/words | search/encoder
        | engine/access | engine/catalog | engine/session | engine/observer | engine/deletions | engine/content
        | engine/context | engine/files engine/publish | engine/skills | engine/users
        | engine/upkeep engine/authoring | engine/handle | engine/prompt engine/tools
        | engine/hooks | engine/audit | client | rig | server/mcp | server/http
        | cli/local_path cli/process cli/streams cli/screen
        | cli/folder cli/settings cli/output | cli/control | cli/app
        | cli/sources cli/encoders cli/connect | cli/plugin | cli/commands cli | program""",
}

ATTRIBUTE = r"\#\[(?:[^\[\]]|\[[^\]]*\])*\]\s*"
VISIBLE = r"(?P<pub>pub(?:\([^)]*\))?\s+)?"
TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    r'|b?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*"'
    r"|b?'(?:\\[^']+|[^\\'\n])'",
    re.S,
)
TEST = re.compile(r"#\[cfg\((?:all\()?test\b[^\n]*\]")
TEST_MODULE = re.compile(rf"\s*(?:{ATTRIBUTE})*(?:pub(?:\([^)]*\))?\s+)?mod\s+(?P<name>\w+);")
ITEM = re.compile(r"(?:pub|fn|async|const|static|mod|use|impl|struct|enum|type|trait)\b")
TYPE = re.compile(rf"^(?P<indent>[ \t]*){VISIBLE}(?P<kind>struct|enum|union|trait|type)\s+(?P<name>\w+)", re.M)
BLOCK = re.compile(r"^[ \t]*(?:unsafe\s+)?(?P<head>impl\b[^{;]*|(?:pub(?:\([^)]*\))?\s+)?trait\s+\w+[^{;]*)\{", re.M)
FUNCTION = re.compile(
    rf"{VISIBLE}(?:const\s+)?(?P<async>async\s+)?(?:unsafe\s+)?fn\s+(?P<name>\w+)\s*(?P<rest>[^{{;]*)", re.M
)


class Source:
    """One file, without comments, without the text in strings and without what only tests compile."""

    def __init__(self, root, path):
        self.path = path.relative_to(root).as_posix()
        masked = TOKEN.sub(mask, path.read_text(encoding="utf-8"))
        self.text, self.test_modules = without_tests(masked)
        parts = self.path.split("/")
        self.crate = parts[1] if parts[0] == "crates" else ""
        inside = parts[3:] if self.crate else parts[1:]
        self.name = inside[0].removesuffix(".rs")
        self.part = "/".join(inside[:2]) if len(inside) > 2 else self.name
        self.module = f"{self.crate}/{self.name}" if self.crate else self.name
        self.is_surface = self.crate in SURFACE_CRATES or (not self.crate and self.name in SURFACES)
        self.lines = sum(1 for line in self.text.split("\n") if line.strip())
        self.blocks = list(blocks(self.text))

    def line(self, at):
        """The file and the number of the line at this place of the text."""
        return f"{self.path}:{self.text.count(chr(10), 0, at) + 1}"


class Repository:
    """All sources of a repository."""

    def __init__(self, root):
        paths = sorted([*root.glob("src/**/*.rs"), *root.glob("crates/*/src/**/*.rs")])
        sources = [Source(root, path) for path in paths if path.name != "tests.rs"]
        hidden = [name for source in sources for name in files_of(source.path, source.test_modules)]
        self.sources = [source for source in sources if not source.path.startswith(tuple(hidden))]
        # By name: each file that defines a type of the name, and whether the type is exported.
        self.types = collections.defaultdict(list)
        for source in self.sources:
            for found in TYPE.finditer(source.text):
                # An associated type is named by its trait.
                if not (found["kind"] == "type" and found["indent"]):
                    self.types[found["name"]].append((source, bool(found["pub"])))
        self.order = order_of({source.name for source in self.sources})

    def height(self, source):
        """How high the file lies; None for files that only join modules."""
        names = [source.module, source.crate, source.name] if source.crate else [source.part, source.name]
        return next((self.order[name] for name in names if name in self.order), None)

    def home(self, name, source):
        """The file that defines the type called `name` in `source`: the nearest, if several do."""
        homes = [home for home, _ in self.types.get(name, [])]
        return max(homes, key=lambda home: (home is source, common(source, home))) if homes else None


def order_of(modules):
    """By module: how high it lies."""
    rows = next(rows for key, rows in ORDERS.items() if not key or key in modules)
    order = {name: height for height, row in enumerate(rows.split("|")) for name in row.split()}
    # Before a module moves into its crate, it lies in `src` under its own name.
    alone = {name.rpartition("/")[2]: height for name, height in order.items() if not name.startswith("backend/")}
    return alone | order


def common(one, two):
    """How many folders the paths of two files begin with together."""
    parts = zip(one.path.split("/"), two.path.split("/"), strict=False)
    return next((count for count, (a, b) in enumerate(parts) if a != b), len(one.path))


def files_of(path, modules):
    """What the paths of these modules begin with, which the file at `path` declares."""
    path = pathlib.PurePosixPath(path)
    folder = path.parent if path.name in ("mod.rs", "lib.rs", "main.rs") else path.with_suffix("")
    return [f"{folder}/{name}{end}" for name in modules for end in (".rs", "/")]


def mask(token):
    """Blanks for a comment, and a text of the same length for a string."""
    return re.sub(r"[^\n]", " " if token["comment"] else "~", token[0])


def closing(text, at):
    """The place of the bracket that closes the one at `at`."""
    depth = 0
    for bracket in re.compile(r"[{}()\[\]]").finditer(text, at):
        depth += 1 if bracket[0] in "{([" else -1
        if depth == 0:
            return bracket.start()
    return len(text) - 1


def without_tests(text):
    """The text with blanks for what only tests compile, and the modules in other files that only tests compile."""
    modules = []
    at = 0
    while found := TEST.search(text, at):
        at = item_end(text, found.end())
        if module := TEST_MODULE.fullmatch(text[found.end() : at]):
            modules.append(module["name"])
        text = text[: found.start()] + re.sub(r"[^\n]", " ", text[found.start() : at]) + text[at:]
    return text, modules


def item_end(text, at):
    """The end of the item, statement or field that begins at `at`."""
    at = re.compile(rf"\s*(?:{ATTRIBUTE})*").match(text, at).end()
    # A comma ends a field or a variant; in an item it may stand between generics.
    stops = re.compile(r"[;{(\[}]" if ITEM.match(text, at) else r"[;{(\[},]")
    while stop := stops.search(text, at):
        if stop[0] == "{":
            return closing(text, stop.start()) + 1
        if stop[0] not in "([":
            return stop.start() + (stop[0] != "}")
        at = closing(text, stop.start()) + 1
    return len(text)


def blocks(text):
    """Each `impl` and `trait` with its type, its trait and its functions, without those nested in functions."""
    for found in BLOCK.finditer(text):
        begin, end = found.end(), closing(text, found.end() - 1)
        type_name, trait = owner_of(found["head"])
        yield {
            "type": type_name,
            "trait": trait,
            "begin": begin,
            "end": end,
            "functions": list(functions(text, begin, end)),
        }


def functions(text, begin, end):
    """The functions between two places of the text, without those nested in functions."""
    while found := FUNCTION.search(text, begin, end):
        has_body = text[found.end() : found.end() + 1] == "{"
        begin = closing(text, found.end()) if has_body else found.end()
        yield found


def owner_of(head):
    """The type and the trait of an `impl` or `trait` that begins with `head`."""
    if not head.startswith("impl"):
        name = re.search(r"trait\s+(\w+)", head)[1]
        return name, name
    plain = re.sub(r"\bwhere\b.*", "", without_generics(head[len("impl") :]), flags=re.S)
    trait, _, target = plain.rpartition(" for ")
    return last_name(target), last_name(trait) if trait else None


def without_generics(text):
    """The text without what stands between `<` and `>`."""
    text = text.replace("->", "  ")
    while (shorter := re.sub(r"<[^<>]*>", "", text)) != text:
        text = shorter
    return text


def last_name(path):
    """The last name of a path like `&'a store::Store`."""
    names = re.findall(r"\w+", re.sub(r"'\w+|\b(?:dyn|mut|const)\b", "", path.split(" + ")[0]))
    return names[-1] if names else ""
