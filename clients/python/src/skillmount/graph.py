"""Which user and which session a running LangGraph graph works for.

One compiled graph serves every user, so both come from the run: the user from the run's context or configuration, the
session from its `thread_id`. Whatever runs inside a tool of the graph, such as a sub-agent, works in a session of its
own that was made from the outer one: it shares the workspace, and what it loads is its own.
"""

from __future__ import annotations

import hashlib
import itertools
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from langgraph.config import get_config
from langgraph.runtime import get_runtime

from ._generated import models, operations
from .connection import Connection, Steps
from .problem import MissingIdentity, SkillmountError

R = TypeVar("R")

# Set by LangGraph's servers from what the caller authenticated as, so it is believed before anything a caller writes.
AUTHENTICATED_USER = "langgraph_auth_user_id"
_TOOLS_NODE = "tools:"
_REMEMBERED_FORKS = 10_000
_LONGEST_ID = 128


@dataclass(frozen=True, slots=True)
class Place:
    """A user and a session, and the sessions that it was made from, the first of them first."""

    user: str
    session: str
    parents: tuple[str, ...] = ()


class Identify(Protocol):
    """How the place of a running graph is found."""

    def __call__(self) -> Place:
        """The place, or `MissingIdentity`."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """One user and one session, whatever runs."""

    user: str
    session: str

    def __call__(self) -> Place:
        """The place."""
        return Place(self.user, self.session)


@dataclass(frozen=True, slots=True)
class FromGraph:
    """The user and the thread of the run."""

    user_key: str = "user_id"
    """Where the user is looked for: a member of the run's context, then of its `configurable`."""
    session_key: str = "thread_id"
    """Where the session is looked for: a member of `configurable`."""

    def __call__(self) -> Place:
        """The place of the run that calls.

        Raises:
            MissingIdentity: The run has no user or no thread, or nothing runs.
        """
        configurable = _configurable()
        user = (
            configurable.get(AUTHENTICATED_USER)
            or _member(_context(), self.user_key)
            or configurable.get(self.user_key)
        )
        session = configurable.get(self.session_key)
        if not user:
            raise MissingIdentity(
                f"no user: run the graph with context={{'{self.user_key}': …}} or "
                f"config={{'configurable': {{'{self.user_key}': …}}}}, or give the adapter a fixed user and session"
            )
        if not session:
            raise MissingIdentity(
                f"no session: run the graph with config={{'configurable': {{'{self.session_key}': …}}}}, "
                "or give the adapter a fixed user and session"
            )
        forks = tuple(_fork(str(session), at) for at in _tools_around(str(configurable.get("checkpoint_ns") or "")))
        chain = (str(session), *forks)
        return Place(str(user), chain[-1], chain[:-1])


class GraphSessions:
    """A service, and the session in it that a running graph works in."""

    def __init__(self, connection: Connection, identify: Identify, control_key: str | None = None) -> None:
        """Nothing is sent.

        Args:
            connection: The service.
            identify: How user and session are found.
            control_key: A key of scope `control` that posts a person's decisions, if they come by resuming the graph.
        """
        self.connection = connection
        self.control_key = control_key
        self._identify = identify
        self._made: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._lock = threading.Lock()

    def place(self) -> Place:
        """The place of the run that calls, or `MissingIdentity`."""
        return self._identify()

    def run(self, work: Callable[[str, str], Steps[R]]) -> R:
        """Do work in the session of the run that calls, blocking."""
        return self.connection.drive(self._in_place(work))

    async def arun(self, work: Callable[[str, str], Steps[R]]) -> R:
        """Do work in the session of the run that calls, awaiting."""
        return await self.connection.adrive(self._in_place(work))

    def _in_place(self, work: Callable[[str, str], Steps[R]]) -> Steps[R]:
        place = self._identify()
        yield from self._make_forks(place)
        return (yield from work(place.user, place.session))

    def _make_forks(self, place: Place) -> Steps[None]:
        chain = (*place.parents, place.session)
        for parent, child in itertools.pairwise(chain):
            known = (place.user, child)
            if known in self._made:
                continue
            body = models.CreateSessionRequest(parent=parent)
            try:
                yield operations.create_session(place.user, child, body)
            except SkillmountError as error:
                if error.code != "session_not_found":
                    raise
                # A thread that has changed nothing yet has no session to make one from.
                yield operations.create_session(place.user, parent, models.CreateSessionRequest())
                yield operations.create_session(place.user, child, body)
            with self._lock:
                self._made[known] = None
                while len(self._made) > _REMEMBERED_FORKS:
                    self._made.popitem(last=False)


def node() -> str:
    """The name of the node that runs; empty if nothing does."""
    try:
        return str((get_config().get("metadata") or {}).get("langgraph_node") or "")
    except RuntimeError:
        return ""


def _configurable() -> Mapping[str, Any]:
    try:
        return get_config().get("configurable") or {}
    except RuntimeError as cause:
        raise MissingIdentity(
            "no graph is running here, so there is no user; give the adapter a fixed user and session"
        ) from cause


def _context() -> object:
    try:
        # A runnable outside of a graph has no runtime.
        return getattr(get_runtime(), "context", None)
    except (RuntimeError, KeyError):
        return None


def _member(context: object, name: str) -> object:
    return context.get(name) if isinstance(context, Mapping) else getattr(context, name, None)


def _tools_around(namespace: str) -> list[str]:
    """The namespaces of the tools that what runs now is inside of, the outermost first.

    A namespace has a part `node:task` for each graph that is inside another, and the last is the node that runs.
    """
    parts = namespace.split("|")[:-1]
    return ["|".join(parts[: at + 1]) for at, part in enumerate(parts) if part.startswith(_TOOLS_NODE)]


def _fork(session: str, namespace: str) -> str:
    name = hashlib.sha256(f"{session}|{namespace}".encode()).hexdigest()[:20]
    return f"{session[: _LONGEST_ID - len(name) - 1]}.{name}"
