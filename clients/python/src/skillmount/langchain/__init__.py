"""skillmount for LangChain's agents: `SkillmountMiddleware`. Needs `pip install skillmount[langchain]`."""

from ..extras import missing

try:
    from .middleware import SkillmountMiddleware
except ModuleNotFoundError as error:
    raise missing("langchain", error) from error

__all__ = ["SkillmountMiddleware"]
