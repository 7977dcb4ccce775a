"""All errors of calls: a class for each code of the service, and four of this package's own."""

from ._generated.errors import *  # noqa: F403 - a class for each code
from .problem import InvalidSettings as InvalidSettings
from .problem import MissingIdentity as MissingIdentity
from .problem import SkillmountError as SkillmountError
from .problem import UnknownReply as UnknownReply
from .problem import Unreachable as Unreachable
