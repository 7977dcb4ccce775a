"""skillmount for LangChain's agents: `SkillmountMiddleware`. Needs the extra `langchain`."""

from ..extras import missing

try:
    from .middleware import SkillmountMiddleware
except ImportError as cause:
    raise missing("langchain", cause) from cause

__all__ = ["SkillmountMiddleware"]
