"""Makes from the contract what lies in `src/skillmount/_generated`, and the blocking surface from the awaited one.

    python scripts/generate.py [PATH/TO/skillmount] [--check]

The contract is `openapi.json`. With a program it is first what its command `openapi` prints, and the tools are
asked of it too. `--check` writes nothing, and ends with status 1 if a file differs.
"""

from __future__ import annotations

import json
import keyword
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "skillmount"
CONTRACT = ROOT / "openapi.json"
NOTICE = "# Made by scripts/generate.py from the OpenAPI document of the service. Do not edit.\n"

# The service is the judge of a request, so that its message is the one that the agent reads.
CHECKED_THERE = (
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "format",
    "propertyNames",
)

# Calls that are no GET and still do nothing more if they are sent twice.
SAFE = {
    "list_folder", "read_file", "search_files", "find_files", "download_files", "download_skills", "discover_skills",
    "load_skill", "unload_skill", "create_session", "refresh_catalog", "set_user_policy",
}  # fmt: skip
# What a client whose calls block has in place of what one has whose calls are awaited.
BLOCKING = [
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bimport asyncio\b", "import time"),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"\b__a(enter|exit)__", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\bAsync([A-Z]\w*)", r"\1"),
    ("whose calls are awaited", "whose calls block"),
    ("any number of tasks, threads and event loops", "any number of threads"),
    ("Each event loop has connections of its own, which are closed with the loop, at the latest", "Its connections are "
     "closed with it, at the latest"),
    (" of this event loop", ""),
]  # fmt: skip
# What comes as a stream without an end is not a call.
STREAMS = "text/event-stream"


def lenient(schema: Any, enums: dict[str, Any], *, request: bool) -> Any:
    """A schema without what the service checks; names of values inline, so that they are plain strings in Python."""
    if isinstance(schema, list):
        return [lenient(each, enums, request=request) for each in schema]
    if not isinstance(schema, dict):
        return schema
    reference = str(schema.get("$ref", "")).rpartition("/")[2]
    if reference in enums:
        described = {name: value for name, value in schema.items() if name == "description"}
        return {**enums[reference], **described}
    checked: dict[str, Any] = {}
    for name, value in schema.items():
        if name == "properties":
            checked[name] = {each: lenient(inner, enums, request=request) for each, inner in value.items()}
        elif name not in CHECKED_THERE or (name == "format" and value in ("date-time", "binary")):
            checked[name] = lenient(value, enums, request=request)
    # What a request does not set is not sent, so defaults are the service's too.
    checked.pop("default", None)
    # A later service has members in its answers that this package does not know, and it is given them back.
    if checked.get("additionalProperties") is False and not request:
        checked["additionalProperties"] = True
    return checked


def prepared(document: dict[str, Any]) -> dict[str, Any]:
    """The document as the generator of models is given it."""
    schemas: dict[str, Any] = document["components"]["schemas"]
    enums = {
        # Later versions add codes.
        name: {"type": "string"} if name == "ErrorCode" else {"type": "string", "enum": schema["enum"]}
        for name, schema in schemas.items()
        if schema.get("type") == "string" and "enum" in schema
    }
    kept = {
        name: lenient(schema, enums, request=name.endswith("Request"))
        for name, schema in schemas.items()
        if name not in enums
    }
    return {"openapi": "3.1.0", "info": document["info"], "paths": {}, "components": {"schemas": kept}}


def models(document: dict[str, Any]) -> str:
    """The models of requests and replies."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "openapi.json"), Path(folder, "models.py")
        source.write_text(json.dumps(prepared(document)))
        command = [
            sys.executable, "-m", "datamodel_code_generator", "--input", str(source), "--input-file-type", "openapi",
            "--output", str(target), "--output-model-type", "pydantic_v2.BaseModel", "--use-standard-collections",
            "--use-union-operator", "--use-annotated", "--target-python-version", "3.11", "--enum-field-as-literal",
            "all", "--use-schema-description", "--use-field-description", "--disable-timestamp", "--openapi-scopes",
            "schemas", "--formatters", "builtin", "--custom-file-header", NOTICE,
        ]  # fmt: skip
        subprocess.run(command, check=True, stderr=subprocess.PIPE)
        return target.read_text()


def errors(document: dict[str, Any]) -> str:
    """A class for each code."""
    codes: dict[str, Any] = document["components"]["schemas"]["ErrorCode"]["x-codes"]
    lines = [NOTICE, "from ..problem import SkillmountError\n\n"]
    for code, known in codes.items():
        name = "".join(part.capitalize() for part in code.split("_"))
        lines.append(f'class {name}(SkillmountError):\n    """{known["description"]}"""\n\n    code = "{code}"\n\n')
    return "\n".join(lines)


def identifier(name: str) -> str:
    """The name of an argument."""
    plain = name.lower().replace("-", "_").removeprefix("x_skillmount_")
    return f"{plain}_" if keyword.iskeyword(plain) else plain


def resolved(document: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """A parameter, wherever it is written."""
    found: dict[str, Any] = (
        document["components"]["parameters"][value["$ref"].rpartition("/")[2]] if "$ref" in value else value
    )
    return found


def python_type(schema: dict[str, Any]) -> str:
    """The type of a parameter."""
    return {"integer": "int", "boolean": "bool", "number": "float"}.get(str(schema.get("type")), "str")


def model_of(schema: dict[str, Any]) -> str | None:
    """The model of a schema that is a reference, perhaps with words of its own; None if it is written out."""
    parts = [schema, *schema.get("allOf", []), *schema.get("oneOf", [])]
    references = [part["$ref"] for part in parts if "$ref" in part]
    return "models." + str(references[0]).rpartition("/")[2] if len(references) == 1 else None


def body_of(operation: dict[str, Any]) -> tuple[str, str] | None:
    """The type of the body, and how it is encoded."""
    content: dict[str, Any] = operation.get("requestBody", {}).get("content", {})
    if not content:
        return None
    types, binary = [], None
    for kind, described in content.items():
        if kind == "application/json":
            model = model_of(described["schema"])
            types.append(model or "bytes")
            binary = binary if model else kind
        elif kind == "multipart/form-data":
            types.append("Sequence[tuple[str, bytes]]")
        else:
            types.append("bytes")
            binary = kind
    return " | ".join(types), "call.encoded(body" + (f', binary="{binary}")' if binary else ")")


def reply_of(operation: dict[str, Any]) -> tuple[str, str] | None:
    """The type of the answer, and how it is read; None if it is a stream."""
    answers = [value.get("content", {}) for status, value in operation["responses"].items() if status[0] == "2"]
    content = {kind: described for answer in answers for kind, described in answer.items()}
    if list(content) == [STREAMS]:
        return None
    name = model_of(content["application/json"]["schema"]) if "application/json" in content else None
    if name is not None:
        return name, f"call.json_reply({name})"
    return ("bytes", "call.bytes_reply") if content else ("None", "call.no_reply")


def function(document: dict[str, Any], method: str, path: str, operation: dict[str, Any], shared: list[Any]) -> str:
    """The function that makes the call of one operation."""
    reply = ("int", "call.length_reply") if method == "head" else reply_of(operation)
    if reply is None:
        return ""
    known = [resolved(document, each) for each in shared + operation.get("parameters", [])]
    placed: dict[str, list[dict[str, Any]]] = {"path": [], "query": [], "header": []}
    for each in known:
        # The client itself sends the version of the session, and an id for the request.
        if each["name"] not in ("x-skillmount-session-version", "x-request-id"):
            placed[each["in"]].append(each)
    names = [each["name"] for each in placed["path"]]
    written = re.sub(r"\{(\w+)\}", lambda found: f"{{call.{_part(path, found)}({found[1]})}}", path)
    arguments = [f"{name}: str" for name in names]
    body = body_of(operation)
    if body:
        arguments.append(f"body: {body[0]}")
    optional = [
        f"{identifier(each['name'])}: {python_type(each['schema'])}"
        + ("" if each.get("required") else " | None = None")
        for each in placed["query"] + placed["header"]
    ]
    if optional:
        arguments += ["*", *optional]
    lines = [f"def {operation['operationId']}({', '.join(arguments)}) -> call.Call[{reply[0]}]:"]
    lines.append(f'    """{operation.get("summary", "").strip()}"""')
    if body:
        lines.append(f"    kind, content = {body[1]}")
    given = [f'operation="{operation["operationId"]}"', f'method="{method.upper()}"']
    given.append(f'path={"f" if names else ""}"{written}"')
    given.append(f"read={reply[1]}")
    if method in ("get", "head") or operation["operationId"] in SAFE:
        given.append("safe=True")
    if "session" in names:
        given.append("session=(user, session)")
    if placed["query"]:
        pairs = ", ".join(f'"{each["name"]}": {identifier(each["name"])}' for each in placed["query"])
        given.append(f"query=call.query({{{pairs}}})")
    heads = [f'"{each["name"]}": {identifier(each["name"])}' for each in placed["header"]]
    if body:
        heads.append('"content-type": kind')
    if heads:
        given.append(f"headers=call.given({{{', '.join(heads)}}})")
    if body:
        given.append("content=content")
    lines.append(f"    return call.Call({', '.join(given)})")
    return "\n".join(lines) + "\n\n\n"


def _part(path: str, found: re.Match[str]) -> str:
    """Only the last parameter of an address may hold slashes, and only a path or a skill does."""
    return "tail" if path.endswith(found[0]) and found[1] in ("path", "skill") else "segment"


def operations(document: dict[str, Any]) -> str:
    """A function for each operation."""
    written = [NOTICE, "from collections.abc import Sequence\n\nfrom .. import call\nfrom . import models\n\n\n"]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method != "parameters":
                written.append(function(document, method, path, operation, methods.get("parameters", [])))
    return "\n".join(written)


def tools(binary: str) -> str:
    """The tools that a session of a user with a skill has, as a model reads them."""
    command = [binary, "serve", "--store", "memory:", "--listen", "127.0.0.1:0", "--json", "--drain", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as service:
        try:
            assert service.stdout is not None
            address = json.loads(service.stdout.readline())["listening"]
            skill = json.dumps({"description": "A skill. Use when asked.", "body": "Do it."}).encode()
            kind = {"content-type": "application/json"}
            urllib.request.urlopen(
                urllib.request.Request(f"{address}/v1/users/u/skills/a", skill, kind, method="PUT")
            ).close()
            with urllib.request.urlopen(f"{address}/v1/users/u/sessions/s/tools?mode=two_state") as answer:
                listed = json.load(answer)["tools"]
        finally:
            service.terminate()
    named = {tool["name"]: {name: tool[name] for name in ("description", "input_schema")} for tool in listed}
    # Which skills there are, the prompt says of each user.
    named["load_skill"]["input_schema"]["properties"]["skill"].pop("enum", None)
    # The same tool for models that know it by this name, if the policy says so.
    named["Skill"] = named["load_skill"]
    return f"{NOTICE}\nfrom typing import Any\n\nTOOLS: dict[str, dict[str, Any]] = {named!r}\n"


def blocking(awaited: str, name: str) -> str:
    """The source of the clients whose calls block, of one whose calls are awaited.

    Args:
        awaited: The source.
        name: The name of its file.
    """
    for pattern, replacement in BLOCKING:
        awaited = re.sub(pattern, replacement, awaited)
    return f"# Made by scripts/generate.py from _async/{name}. Do not edit.\n" + without_await(awaited)


def without_await(text: str) -> str:
    """A text without `await`, and without the parentheses that only `await` needs."""
    while (at := text.find("(await ")) >= 0:
        rest = text[at + len("(await ") :]
        if at and (text[at - 1].isalnum() or text[at - 1] in "_])"):
            # The parentheses of a call.
            text = f"{text[: at + 1]}{rest}"
            continue
        depth, end = 1, 0
        while depth:
            depth += {"(": 1, ")": -1}.get(rest[end], 0)
            end += 1
        text = text[:at] + rest[: end - 1] + rest[end:]
    return text.replace("await ", "")


def formatted(path: Path, text: str) -> str:
    """The text as the formatter writes it, without imports that nothing uses."""
    for command in (["check", "--quiet", "--fix", "--exit-zero", "--select", "I,F401"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(path), "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text


def main() -> int:
    """Write the files, or compare them."""
    check = "--check" in sys.argv
    binary = next((each for each in sys.argv[1:] if not each.startswith("--")), None)
    files: dict[Path, str] = {}
    written = CONTRACT.read_text()
    if binary is not None:
        written = subprocess.run([binary, "openapi"], check=True, capture_output=True, text=True).stdout
        written = json.dumps(json.loads(written), indent=1, ensure_ascii=False) + "\n"
        files |= {CONTRACT: written, PACKAGE / "_generated" / "tools.py": tools(binary)}
    document = json.loads(written)
    files |= {
        PACKAGE / "_generated" / "__init__.py": NOTICE,
        PACKAGE / "_generated" / "models.py": models(document),
        PACKAGE / "_generated" / "errors.py": errors(document),
        PACKAGE / "_generated" / "operations.py": operations(document),
        **{
            PACKAGE / "_sync" / path.name: blocking(path.read_text(), path.name)
            for path in sorted((PACKAGE / "_async").glob("*.py"))
        },
    }
    differing = 0
    for path, text in files.items():
        told = formatted(path, text) if path.suffix == ".py" else text
        if path.exists() and path.read_text() == told:
            continue
        differing += 1
        print(
            f"{path.name} differs from what the contract says: run `make python-models`" if check else f"{path} written"
        )
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(told)
    return 1 if check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
