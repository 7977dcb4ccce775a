"""`Client` and `AsyncClient`: the calls of a service, of a user and of a session."""

from ._async.client import AsyncClient
from ._async.session import AsyncSessionClient
from ._async.user import AsyncUserClient
from ._sync.client import Client
from ._sync.session import SessionClient
from ._sync.user import UserClient

__all__ = ["AsyncClient", "AsyncSessionClient", "AsyncUserClient", "Client", "SessionClient", "UserClient"]
