"""Calls that a person approves first, as interrupts of LangGraph.

The service refuses such a call with `approval_required` and an id. The graph is interrupted with what is asked. It is
resumed with a decision, `"allow"` or `"deny"`, which a key of scope `control` posts. Without such a key the person
decides elsewhere, and resuming only makes the call again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, TypeVar

from langgraph.types import interrupt

from .call import Call, no_reply, segment
from .connection import Steps
from .problem import SkillmountError

R = TypeVar("R")

CODE = "approval_required"
Decision: TypeAlias = Literal["allow", "deny"]


def asks(error: SkillmountError) -> bool:
    """Whether an error is a call that waits for a person."""
    return error.code == CODE and "approval_id" in error.members


def ask(user: str, session: str, error: SkillmountError, control_key: str | None) -> Steps[None]:
    """Interrupt the graph until a person has decided, and post the decision.

    Args:
        user: Whose session it is.
        session: The session in which the call waits.
        error: What the call was refused with.
        control_key: A key of scope `control`; without one nothing is posted.

    Raises:
        SkillmountError: `error` itself if no graph is running; that of posting the decision.
    """
    approval = str(error.members["approval_id"])
    asked = {"type": "skillmount_approval", "approval_id": approval, "session": session, "asks": error.detail}
    try:
        answer = interrupt(asked)
    except RuntimeError:
        # No graph is running, so there is nobody to ask.
        raise error from None
    decided = decision(answer)
    if control_key is None or decided is None:
        return
    yield Call(
        operation="decide_approval",
        method="POST",
        path=f"/v1/users/{segment(user)}/sessions/{segment(session)}/approvals/{segment(approval)}",
        read=no_reply,
        headers={"authorization": f"Bearer {control_key}", "content-type": "application/json"},
        content=json.dumps({"decision": decided}).encode(),
    )


def decision(answer: Any) -> Decision | None:
    """The decision that a graph was resumed with: itself, or the member `decision` of a mapping."""
    given = answer.get("decision") if isinstance(answer, Mapping) else answer
    if given in (True, "allow", "approve"):
        return "allow"
    return "deny" if given in (False, "deny", "reject") else None


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
                    yield from ask(user, session, failed, control_key)
                    continue
                except SkillmountError as error:
                    failed = error
            call = steps.throw(failed)
    except StopIteration as end:
        result: R = end.value
        return result
