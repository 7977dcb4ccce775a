from deepagents import create_deep_agent
from skillmount.deepagents import SkillmountBackend, SkillmountMiddleware, general_purpose

backend = SkillmountBackend()
middleware = SkillmountMiddleware(backend)
agent = create_deep_agent(
    model="anthropic:claude-sonnet-4-6",
    backend=backend,
    middleware=[middleware],
    subagents=[general_purpose(middleware)],
)
