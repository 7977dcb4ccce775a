"""skillmount for deepagents: files and skills per user and thread. Needs the extra `deepagents`."""

from ..extras import missing

try:
    from deepagents.middleware.subagents import GENERAL_PURPOSE_SUBAGENT, SubAgent

    from ..langchain import SkillmountMiddleware
    from .backend import SkillmountBackend, SkillsSourceUnavailable
except ImportError as cause:
    raise missing("deepagents", cause) from cause


def general_purpose(middleware: SkillmountMiddleware) -> SubAgent:
    """Deepagents' default sub-agent with skills of its own.

    By itself that sub-agent has no middleware of the agent: it sees the files of the skills that were loaded before it
    began, and can load none.

    Args:
        middleware: That of the agent, which serves any number of sub-agents.

    Returns:
        What to give `create_deep_agent` among its `subagents`.

    Example:
        subagents = [general_purpose(middleware)]
    """
    spec: SubAgent = {**GENERAL_PURPOSE_SUBAGENT, "middleware": [middleware]}
    return spec


__all__ = ["SkillmountBackend", "SkillmountMiddleware", "SkillsSourceUnavailable", "general_purpose"]
