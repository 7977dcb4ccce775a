"""What a person is shown of a call that waits for approval.

Tool and input are those of the refused call itself, because exactly this call is made again. The service knows until
when the call waits, and which version of a skill would be loaded. It may refuse both to the key of an agent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import unquote

from ._generated import models, operations
from .call import Call
from .connection import Steps
from .problem import SkillmountError
from .settings import with_key

Decision: TypeAlias = Literal["allow", "deny"]

ANSWERS: Final[dict[Decision, tuple[str, ...]]] = {"allow": ("allow", "approve", "accept"), "deny": ("deny", "reject")}
"""The answers that decide, by what they decide."""

MOST_INPUT_BYTES = 4096
_SHORTEST_CUT = 16
_MOST_SHOWN = 300


def request(user: str, session: str, approval: str, call: Call[Any], control_key: str | None) -> Steps[dict[str, Any]]:
    """The value of the interrupt, as JSON.

    Args:
        user: Whose session it is.
        session: The session in which the call waits.
        approval: The id of the approval.
        call: The call that was refused.
        control_key: A key of scope `control`; the service is asked with the agent's own key if it is None.

    Returns:
        `type`, `approval_id`, `session`, `tool`, `input` of at most 4 KiB, `input_cut`, `expires_at`, `seconds_left`,
        `answers` and `asks`, the text for the person; of a load also `skill` and `digest`, and `allowed_digest` if the
        skill has changed since a person allowed it. `expires_at`, `seconds_left` and `digest` are None if the service
        refuses to say.
    """
    tool, given = _tool_and_input(call)
    shown, cut = shortened(given)
    waiting = yield from _waiting(user, session, approval, control_key)
    asked: dict[str, Any] = {
        "type": "skillmount_approval",
        "approval_id": approval,
        "session": session,
        "tool": tool,
        "input": shown,
        "input_cut": cut,
        "expires_at": None if waiting is None else waiting.expires_at.isoformat(),
        "seconds_left": None if waiting is None else waiting.seconds_left,
        "answers": {decision: list(words) for decision, words in ANSWERS.items()},
    }
    if tool == "load_skill":
        asked["skill"] = str(given.get("skill", "")) if waiting is None or waiting.skill is None else waiting.skill
        asked["digest"] = None if waiting is None else waiting.digest
        if waiting is not None and waiting.allowed_digest is not None:
            asked["allowed_digest"] = waiting.allowed_digest
    return {**asked, "asks": _text(asked)}


def shortened(given: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """An input of at most 4 KiB as JSON, and whether it was cut.

    Long texts keep their beginning and say how long they were. Nothing is shown of an input that is too long without
    long texts.
    """
    if _size(given) <= MOST_INPUT_BYTES:
        return given, False
    cuts = ({name: _cut(value, most) for name, value in given.items()} for most in _lengths())
    return next((shown for shown in cuts if _size(shown) <= MOST_INPUT_BYTES), {}), True


def plain(text: str) -> str:
    """A text on one line, without characters that drive a terminal or turn the order of others around.

    At most 300 characters are shown.
    """
    kept = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in kept)


def _tool_and_input(call: Call[Any]) -> tuple[str, dict[str, Any]]:
    if call.content is not None:
        return call.path.rsplit("/", 1)[-1], json.loads(call.content)
    # Of the calls of adapters, only the one that reads the bytes of a file has no body.
    return "download", {"path": "/" + unquote(call.path.partition("/files/")[2])}


def _waiting(user: str, session: str, approval: str, key: str | None) -> Steps[models.WaitingCall | None]:
    try:
        listed: models.ApprovalList = yield with_key(operations.list_approvals(user, session), key)
    except SkillmountError:
        return None
    return next((each for each in listed.approvals if each.approval_id == approval), None)


def _lengths() -> Iterator[int]:
    most = MOST_INPUT_BYTES
    while most >= _SHORTEST_CUT:
        yield most
        most //= 2


def _cut(value: Any, most: int) -> Any:
    if isinstance(value, str):
        whole = value.encode("utf-8", "surrogatepass")
        if len(whole) <= most:
            return value
        return f"{whole[:most].decode('utf-8', 'ignore')}… ({len(whole)} bytes in all)"
    if isinstance(value, list):
        return [_cut(each, most) for each in value]
    return {name: _cut(each, most) for name, each in value.items()} if isinstance(value, dict) else value


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _text(asked: dict[str, Any]) -> str:
    sentences = [f"The agent asks for approval to {_action(asked)}."]
    if asked["input_cut"]:
        sentences.append("Its input is too long to be shown whole.")
    if "allowed_digest" in asked:
        sentences.append("The skill has changed since a person allowed it.")
    if asked["seconds_left"] is not None:
        sentences.append(f"The call waits for {asked['seconds_left']} more seconds.")
    return " ".join([*sentences, "Answer allow or deny."])


def _action(asked: dict[str, Any]) -> str:
    if asked["tool"] == "load_skill":
        version = "" if asked["digest"] is None else f" in the version {plain(asked['digest'])}"
        return f"load the skill {plain(asked['skill'])}{version}"
    path = asked["input"].get("file_path", asked["input"].get("path"))
    where = f" on {plain(path)}" if isinstance(path, str) else ""
    return f"use the tool {plain(asked['tool'])}{where}"
