"""skillmount for LangChain's agents: `SkillmountMiddleware`. Needs `pip install skillmount[langchain]`."""

from .middleware import SkillmountMiddleware

__all__ = ["SkillmountMiddleware"]
