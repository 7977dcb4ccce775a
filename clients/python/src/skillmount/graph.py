"""Which user and which session a running LangGraph graph works for.

One compiled graph serves every user, so both come from the run: the user from the run's context or configuration, the
session from its `thread_id`. Whatever runs inside a tool of the graph, such as a sub-agent, works in a session of its
own that was made from the outer one: it shares the workspace, and what it loads is its own.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from langgraph.config import get_config
from langgraph.runtime import get_runtime

from ._generated import models, operations
from .connection import Connection, Steps
from .problem import MissingIdentity, SkillmountError
from .remembered import Remembered
from .settings import ControlKey

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


_running_call: ContextVar[tuple[Place, str | None] | None] = ContextVar("skillmount_running_call", default=None)


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
class Run:
    """A run of a graph, as an `identify` of the developer's sees it.

    Example:
        backend = SkillmountBackend(identify=lambda run: (run.user.replace("|", "."), run.session))
    """

    user: str
    """The user as the run names it; empty if it names none."""
    session: str
    """The thread as the run names it; empty if it names none."""
    configurable: Mapping[str, Any]
    """The `configurable` of the run."""
    context: Any
    """The context of the run; None if it has none."""


IdentifyRun: TypeAlias = Callable[[Run], tuple[str, str]]
"""Maps a run to the ids of a user and a session in the service."""


@dataclass(frozen=True, slots=True)
class FromGraph:
    """The user and the thread of the run."""

    user_key: str = "user_id"
    """Where the user is looked for: a member of the run's context, then of its `configurable`."""
    session_key: str = "thread_id"
    """Where the session is looked for: a member of `configurable`."""
    identify: IdentifyRun | None = None
    """Maps what was found to the ids in the service; both stay as they are if absent."""

    def __call__(self) -> Place:
        """The place of the run that calls.

        Raises:
            MissingIdentity: The run has no user or no thread, or nothing runs.
        """
        run = self._run()
        user, session = (run.user, run.session) if self.identify is None else self.identify(run)
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
        around = _tools_around(str(run.configurable.get("checkpoint_ns") or ""))
        chain = (session, *(_fork(session, at) for at in around))
        return Place(user, chain[-1], chain[:-1])

    def _run(self) -> Run:
        configurable, context = _configurable(), _context()
        user = (
            configurable.get(AUTHENTICATED_USER) or _member(context, self.user_key) or configurable.get(self.user_key)
        )
        session = configurable.get(self.session_key)
        return Run(str(user or ""), str(session or ""), configurable, context)


def identified(
    user: str | None, session: str | None, user_key: str, session_key: str, identify: IdentifyRun | None
) -> Identify:
    """How an adapter finds the place of a run.

    Args:
        user: One user for all runs, together with `session`; None finds both in each run.
        session: One session for all runs.
        user_key: The member of the run's context, or of its `configurable`, that is the user.
        session_key: The member of the run's `configurable` that is the session.
        identify: Maps what was found to the ids in the service.

    Raises:
        ValueError: Only one of `user` and `session` is given, or both beside `identify`.

    Example:
        place = identified("ana", "monday", "user_id", "thread_id", None)
    """
    if (user is None) != (session is None):
        raise ValueError("give both user and session, or neither: then both come from the running graph")
    if not user or not session:
        return FromGraph(user_key, session_key, identify)
    if identify is not None:
        raise ValueError("give either user and session or identify: with a fixed session nothing is to be mapped")
    return Fixed(user, session)


class GraphSessions:
    """A service, and the session in it that a running graph works in.

    A deep copy has connections of its own and keeps the keys. A pickle holds no key.
    """

    def __init__(self, connection: Connection, identify: Identify, control_key: str | None = None) -> None:
        """Nothing is sent.

        Args:
            connection: The service.
            identify: How user and session are found.
            control_key: A key of scope `control` that posts a person's decisions, if they come by resuming the graph;
                `SKILLMOUNT_CONTROL_KEY` if absent.

        Raises:
            InvalidSettings: No header can hold the key. The message does not show it.
        """
        self.connection = connection
        self._control_key = ControlKey.of(control_key)
        self._identify = identify
        self._made: Remembered[tuple[str, str], bool] = Remembered(_REMEMBERED_FORKS)

    @property
    def control_key(self) -> str | None:
        """The key that posts a person's decisions."""
        return self._control_key.value

    def place(self) -> Place:
        """The place of the run that calls, or `MissingIdentity`."""
        return self._identify()

    def call_id(self) -> str | None:
        """The id of the tool call of the model that runs; None outside of one.

        A sub-agent in a tool has a session of its own, and its calls are not that call.
        """
        running = _running_call.get()
        return running[1] if running is not None and running[0] == self.place() else None

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
            if self._made.get((place.user, child)):
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
            self._made.set((place.user, child), True)


@contextmanager
def running_call(place: Place, call_id: str | None) -> Iterator[None]:
    """Runs a tool call of the model, whose id the calls of a backend have too.

    Args:
        place: Where the call runs.
        call_id: The framework's id of the call.
    """
    before = _running_call.set((place, call_id))
    try:
        yield
    finally:
        _running_call.reset(before)


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
