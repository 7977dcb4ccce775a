"""Calls that a person approves first, as interrupts of LangGraph.

The service refuses such a call with `approval_required` and an id. The graph is interrupted with the facts for the
person: tool, input, the time left and, for a load, the skill and its digest. It is resumed with a decision, which a key
of scope `control` posts. Without such a key the person decides elsewhere, and resuming only makes the call again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, TypeVar

from langgraph.types import interrupt

from ._generated import operations
from .call import Call, no_reply, segment
from .connection import Steps
from .problem import SkillmountError

R = TypeVar("R")

CODE = "approval_required"
Decision: TypeAlias = Literal["allow", "deny"]

_DECISIONS: Mapping[str, Decision] = {
    "allow": "allow",
    "approve": "allow",
    "accept": "allow",
    "deny": "deny",
    "reject": "deny",
}
_UNDECIDED = "The last answer decides nothing: allow, approve, accept, deny and reject count."
_INPUT_BYTES = 4096
_MESSAGE_CHARS = 1000


def asks(error: SkillmountError) -> bool:
    """Whether an error is a call that waits for a person."""
    return error.code == CODE and "approval_id" in error.members


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """A call that waits for a person."""

    tool: str
    input: Mapping[str, Any]

    @classmethod
    def of_request(cls, call: Call[Any]) -> RefusedCall:
        """The call behind a request of the API."""
        try:
            given = json.loads(call.content or b"{}")
        except ValueError:
            # The content of a file is no part of what a person reads.
            given = {}
        return cls(call.operation, given if isinstance(given, dict) else {})


def ask(user: str, session: str, error: SkillmountError, control_key: str | None, call: RefusedCall) -> Steps[None]:
    """Interrupt the graph until a person has decided, and post the decision.

    Args:
        user: Whose session it is.
        session: The session in which the call waits.
        error: What the call was refused with.
        control_key: A key of scope `control`; without one nothing is posted, and time left and digest are not known.
        call: The call that waits.

    Raises:
        SkillmountError: `error` itself if no graph is running; that of posting the decision.
    """
    approval = str(error.members["approval_id"])
    asked = {"type": "skillmount_approval", "approval_id": approval, "session": session, **_facts(call)}
    if control_key is not None:
        waiting = yield replace(operations.list_approvals(user, session), headers=_with_key(control_key))
        asked |= _facts_of_service(waiting, approval)
    asked["asks"] = _question(asked)
    asked["answers"] = ["allow", "deny"]
    while True:
        try:
            answer = interrupt(asked)
        except RuntimeError:
            # No graph is running, so there is nobody to ask.
            raise error from None
        if control_key is None:
            return
        decided = decision(answer)
        if decided is not None:
            break
        asked = {**asked, "asks": f"{_UNDECIDED} {_question(asked)}"}
    body: dict[str, str] = {"decision": decided}
    text = message(answer)
    if decided == "deny" and text:
        body["message"] = text
    yield Call(
        operation="decide_approval",
        method="POST",
        path=f"/v1/users/{segment(user)}/sessions/{segment(session)}/approvals/{segment(approval)}",
        read=no_reply,
        headers={**_with_key(control_key), "content-type": "application/json"},
        content=json.dumps(body).encode(),
    )


def _with_key(control_key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {control_key}"}


def _facts(call: RefusedCall) -> dict[str, Any]:
    """The facts that are known without the service. Texts over the limit are cut."""
    given = json.dumps(call.input, ensure_ascii=False)
    if len(given.encode()) <= _INPUT_BYTES:
        return {"tool": call.tool, "input": dict(call.input), "input_cut": False}
    most = _INPUT_BYTES // (4 * max(len(call.input), 1))
    return {"tool": call.tool, "input": {name: _shortened(value, most) for name, value in call.input.items()},
            "input_cut": True}  # fmt: skip


def _shortened(value: Any, most: int) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return value if len(text) <= most else text[:most] + "…"


def _facts_of_service(waiting: Any, approval: str) -> dict[str, Any]:
    """The facts as the service shows them. A call that nobody waits for any more has none."""
    found = next((one for one in waiting.approvals if one.approval_id == approval), None)
    if found is None:
        return {}
    facts = {"tool": found.tool, "input": found.input, "input_cut": found.input_cut, "seconds_left": found.seconds_left}
    return facts | ({"skill": found.skill, "digest": found.digest} if found.skill else {})


def _question(asked: Mapping[str, Any]) -> str:
    """The question to the person, in one sentence or two."""
    what = f"load the skill {asked['skill']}" if asked.get("skill") else f"call {asked['tool']}"
    left = f" The call waits for {asked['seconds_left']} seconds more." if "seconds_left" in asked else ""
    given = json.dumps(asked["input"], ensure_ascii=False)
    return f"The agent wants to {what} with {given}.{left} Answer allow or deny."


def _given(answer: Any) -> Any:
    """The answer itself, out of the forms in which LangChain resumes a graph."""
    if isinstance(answer, Mapping) and "decisions" in answer:
        answer = answer["decisions"]
    if isinstance(answer, (list, tuple)):
        answer = answer[0] if len(answer) == 1 else None
    return answer


def decision(answer: Any) -> Decision | None:
    """The decision that a graph was resumed with; `None` if the answer decides nothing.

    `allow`, `approve` and `accept` allow, `deny` and `reject` deny, in any letter case. They count alone, as the member
    `decision` or `type` of a mapping, and in LangChain's `{"decisions": [{"type": …}]}` and `[{"type": …}]`.
    """
    given = _given(answer)
    if isinstance(given, Mapping):
        given = given.get("decision", given.get("type"))
    if isinstance(given, bool):
        return "allow" if given else "deny"
    return _DECISIONS.get(given.strip().casefold()) if isinstance(given, str) else None


def message(answer: Any) -> str:
    """The text that a person sends with a denial, at most 1,000 characters; empty without one."""
    given = _given(answer)
    text = given.get("message") if isinstance(given, Mapping) else None
    return text[:_MESSAGE_CHARS] if isinstance(text, str) else ""


def approving(user: str, session: str, control_key: str | None, steps: Steps[R]) -> Steps[R]:
    """Steps whose calls are made again after a person has decided about them.

    A call that was denied is refused by the service when it is made again, and that is its answer.
    """
    try:
        call = next(steps)
        while True:
            try:
                reply = yield call
            except SkillmountError as error:
                failed = error
            else:
                call = steps.send(reply)
                continue
            if asks(failed):
                try:
                    yield from ask(user, session, failed, control_key, RefusedCall.of_request(call))
                    continue
                except SkillmountError as error:
                    failed = error
            call = steps.throw(failed)
    except StopIteration as end:
        result: R = end.value
        return result
