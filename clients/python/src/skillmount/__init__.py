"""Client of skillmount: a file system over S3 that shows agents their user's skills.

`Client` and `AsyncClient` speak to the service. `skillmount.operations` has a function for each call of the API, whose
result `send` takes. Adapters for frameworks are in `skillmount.deepagents` and `skillmount.langchain`; importing this
package needs none of the frameworks.
"""

from . import errors
from ._generated import models, operations
from .call import Call, Reply
from .client import AsyncClient, AsyncSessionClient, AsyncUserClient, Client, SessionClient, UserClient
from .problem import InvalidSettings, MissingIdentity, SkillmountError, UnknownReply, Unreachable
from .retry import Retry

__all__ = [
    "AsyncClient", "AsyncSessionClient", "AsyncUserClient", "Call", "Client", "InvalidSettings", "MissingIdentity",
    "Reply", "Retry", "SessionClient", "SkillmountError", "UnknownReply", "Unreachable", "UserClient", "errors",
    "models", "operations",
]  # fmt: skip
