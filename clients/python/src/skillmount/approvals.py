"""Calls that a person approves first, as interrupts of LangGraph.

The service refuses such a call with `approval_required` and an id. The graph is interrupted with what is asked
(`skillmount.approval_request`). It is resumed with a decision, such as `"allow"` or `"deny"`, which a key of scope
`control` posts. Without such a key the person decides elsewhere, and resuming only makes the call again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from langgraph.types import interrupt

from ._generated import models, operations
from .approval_request import ANSWERS, Decision, plain, request
from .call import Call, no_reply
from .connection import Steps
from .problem import SkillmountError
from .settings import with_key

R = TypeVar("R")

_MOST_MESSAGE = 1000

CODE = "approval_required"
_DECISIONS: dict[str, Decision] = {word: decision for decision, words in ANSWERS.items() for word in words}


def asks(error: SkillmountError) -> bool:
    """Whether an error is a call that waits for a person."""
    return error.code == CODE and "approval_id" in error.members


def ask(user: str, session: str, call: Call[Any], error: SkillmountError, control_key: str | None) -> Steps[None]:
    """Interrupt the graph until a person has decided, and post the decision.

    An answer that decides nothing interrupts the graph again, and the next interrupt says why. Without a key no answer
    decides: the run that resumes the graph has just made the call, and the call still waits.

    Args:
        user: Whose session it is.
        session: The session in which the call waits.
        call: The call that was refused.
        error: What the call was refused with.
        control_key: A key of scope `control`; without one nothing is posted.

    Raises:
        SkillmountError: `error` itself if no graph is running; that of posting the decision.
    """
    approval = str(error.members["approval_id"])
    asked = yield from request(user, session, approval, call, control_key)
    answer = _answer(asked, error)
    while (decided := decision(answer)) is None or control_key is None:
        answer = _answer({**asked, "asks": f"{_why_not(answer, decided)} {asked['asks']}"}, error)
    said = message(answer) if decided == "deny" else None
    body = models.DecideApprovalRequest(decision=decided, **({} if said is None else {"message": said}))
    post = operations.decide_approval(user, session, approval, body)
    # The answer is not read.
    yield with_key(replace(post, read=no_reply, session=None), control_key)  # type: ignore[arg-type]


def decision(answer: Any) -> Decision | None:
    """What a person's answer decides; None if it decides nothing.

    Args:
        answer: What the graph was resumed with. A word of `ANSWERS` in any letter case decides, and so does a boolean:
            alone, as the member `decision` or `type` of a mapping, or in a list of one such mapping. LangChain's
            clients send that list alone or as `decisions`.
    """
    single = _single(answer)
    given = single.get("decision", single.get("type")) if isinstance(single, Mapping) else single
    if isinstance(given, bool):
        return "allow" if given else "deny"
    return _DECISIONS.get(given.strip().lower()) if isinstance(given, str) else None


def message(answer: Any) -> str | None:
    """The text for the model that a person sends with a denial; None if there is none.

    Args:
        answer: What the graph was resumed with. The text is the member `message` of a mapping that decides. The service
            takes at most 1,000 characters, and the rest is omitted.
    """
    text = decided.get("message") if isinstance(decided := _single(answer), Mapping) else None
    return text[:_MOST_MESSAGE] if isinstance(text, str) and text.strip() else None


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
                    yield from ask(user, session, call, failed, control_key)
                    continue
                except SkillmountError as error:
                    failed = error
            call = steps.throw(failed)
    except StopIteration as end:
        result: R = end.value
        return result


def _single(answer: Any) -> Any:
    """The answer out of the lists in which LangChain's clients send it."""
    if isinstance(answer, Mapping) and "decisions" in answer:
        answer = answer["decisions"]
    if isinstance(answer, list | tuple):
        # Two decisions are about two calls, and an interrupt is about one.
        answer = answer[0] if len(answer) == 1 and isinstance(answer[0], Mapping) else None
    return answer


def _answer(asked: dict[str, Any], error: SkillmountError) -> Any:
    try:
        return interrupt(asked)
    except (RuntimeError, KeyError):
        # No graph is running, or a runnable that is none, so there is nobody to ask.
        raise error from None


def _why_not(answer: Any, decided: Decision | None) -> str:
    if decided is not None:
        return "This agent has no key to post an answer: decide elsewhere first, then resume."
    words = ", ".join(_DECISIONS)
    return f"The answer {plain(repr(answer))} decides nothing: these do: {words}."
