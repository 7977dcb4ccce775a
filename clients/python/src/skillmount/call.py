"""A call as a value: what is sent, and how its answer is read. Both clients and all adapters send calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ValidationError

from .problem import SkillmountError, UnknownReply

T_co = TypeVar("T_co", covariant=True)
M = TypeVar("M", bound=BaseModel)

VERSION_HEADER = "x-skillmount-session-version"
PROMPT_TAG_HEADER = "x-skillmount-prompt-tag"
CALL_ID_HEADER = "x-skillmount-call-id"
_LONGEST_CALL_ID = 128
_BOUNDARY = "skillmount-part"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[T_co]):
    """One HTTP request of the API, as a function of `skillmount.operations` returns it.

    Example:
        call: Call[models.CatalogStatus] = operations.show_catalog("ana")
    """

    operation: str
    """Its `operationId`."""
    method: str
    path: str
    read: Callable[[httpx.Response], T_co]
    """How the answer is read."""
    safe: bool = False
    """Whether sending it twice is the same as sending it once."""
    session: tuple[str, str] | None = None
    """The user and the session that it belongs to, if it belongs to one."""
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class Reply(Generic[T_co]):
    """An answer with its head.

    Example:
        reply = client.fetch(operations.show_catalog("ana"))
        assert reply.status == 200
    """

    status: int
    headers: Mapping[str, str]
    value: T_co | None
    """None if the status is 304: what the caller has is still right."""


def segment(text: str) -> str:
    """One segment of an address. Dots alone would be taken for a relative path, so they are escaped too."""
    escaped = quote(text, safe="")
    return escaped.replace(".", "%2E") if set(text) == {"."} else escaped


def tail(text: str) -> str:
    """The last parameter of an address, which may hold slashes."""
    return "/".join(segment(part) for part in text.lstrip("/").split("/"))


def query(given: Mapping[str, str | int | float | bool | None]) -> dict[str, str]:
    """The query of an address, without what is None."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in given.items()
        if value is not None
    }


def given(headers: Mapping[str, str | bool | None]) -> dict[str, str]:
    """Headers, without what is None."""
    return query(headers)


def with_call_id(call: Call[T_co], call_id: str | None) -> Call[T_co]:
    """A call that has the id of a tool call, cut to 128 characters as in a turn.

    An id that no header can hold is omitted.

    Args:
        call: The call of an operation.
        call_id: The id that the model gave; the service makes one if it is None.

    Example:
        call = with_call_id(operations.list_folder("ana", "monday", models.LsRequest(path="/")), "toolu_1")
    """
    given_id = (call_id or "")[:_LONGEST_CALL_ID].strip(" ")
    if not given_id or not given_id.isascii() or not given_id.isprintable():
        return call
    return replace(call, headers={**call.headers, CALL_ID_HEADER: given_id})


def encoded(
    body: BaseModel | bytes | Sequence[tuple[str, bytes]], binary: str = "application/octet-stream"
) -> tuple[str, bytes]:
    """The content type and the bytes of a body: a model is JSON, bytes are themselves, and files are a form."""
    if isinstance(body, BaseModel):
        return "application/json", json_body(body)
    return (binary, body) if isinstance(body, bytes) else form_body(body)


def json_body(body: BaseModel) -> bytes:
    """A request in JSON: the members that were set, `null` included."""
    return json.dumps(body.model_dump(mode="json", exclude_unset=True, by_alias=True), ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


def form_body(files: Sequence[tuple[str, bytes]]) -> tuple[str, bytes]:
    """A form with a part for each file, its name the path; the content type and the bytes.

    It is written here since HTTP libraries disagree on how a quote stands in a name. Percent-encoded, a name is read in
    one way only.
    """
    boundary = _BOUNDARY
    while any(boundary.encode() in content for _, content in files):
        boundary += "-"
    written = bytearray()
    for name, content in files:
        disposition = f"form-data; name*=UTF-8''{quote(name, safe='')}; filename=file"
        written += f"--{boundary}\r\ncontent-disposition: {disposition}\r\n\r\n".encode() + content + b"\r\n"
    written += f"--{boundary}--\r\n".encode()
    return f"multipart/form-data; boundary={boundary}", bytes(written)


def json_reply(model: type[M]) -> Callable[[httpx.Response], M]:
    """Reads JSON of a known shape."""

    def read(response: httpx.Response) -> M:
        try:
            return model.model_validate_json(response.content)
        except ValidationError as cause:
            raise UnknownReply(
                f"the service's answer has not the shape of {model.__name__}; the service and this package are of "
                "different versions: install the package of the service's version",
                status=response.status_code,
                request_id=response.headers.get("x-request-id"),
            ) from cause

    return read


def bytes_reply(response: httpx.Response) -> bytes:
    """Reads bytes as they are."""
    return response.content


def zipped(call: Call[Any]) -> Call[bytes]:
    """A call that asks for a zip archive in place of JSON.

    Args:
        call: One that has such an answer, such as `operations.show_skill("ana", "writing/minutes")`.
    """
    return replace(call, read=bytes_reply, headers={**call.headers, "accept": "application/zip"})


def length_reply(response: httpx.Response) -> int:
    """Reads how many bytes the answer to a GET would have."""
    return int(response.headers.get("content-length", 0))


def no_reply(_: httpx.Response) -> None:
    """Reads nothing."""


def failure(response: httpx.Response) -> SkillmountError:
    """The error that a problem document is."""
    try:
        document = response.json()
        code, detail = str(document["code"]), str(document["detail"])
    except (ValueError, KeyError, TypeError):
        if 300 <= response.status_code < 400:
            moved = response.headers.get("location", "nowhere")
            return UnknownReply(
                f"status {response.status_code}: the service has moved to {moved}; give the client that address",
                status=response.status_code,
                outcome="not_applied",
            )
        return UnknownReply(
            f"status {response.status_code} without a problem document; is a proxy before the service, or is another "
            "service at this address?",
            status=response.status_code,
            retryable=response.status_code in (502, 503, 504),
            outcome="unknown",
        )
    kind = SkillmountError.by_code.get(code, SkillmountError)
    known = {"type", "title", "status", "detail", "code", "request_id", "retryable", "outcome"}
    if code == "route_not_found":
        detail += " (the service and this package may be of different versions)"
    return kind(
        detail,
        code=code,
        status=response.status_code,
        retryable=bool(document.get("retryable")),
        outcome=document.get("outcome"),
        request_id=document.get("request_id"),
        retry_after=_seconds(response.headers.get("retry-after")),
        members={name: value for name, value in document.items() if name not in known},
    )


def _seconds(header: str | None) -> float | None:
    try:
        return None if header is None else max(0.0, float(header))
    except ValueError:
        return None
