from deepagents import create_deep_agent
from deepagents.backends import CompositeBackend, StateBackend
from skillmount.deepagents import SkillmountBackend, SkillmountMiddleware

backend = SkillmountBackend("http://127.0.0.1:8787")
agent = create_deep_agent(
    model="anthropic:claude-sonnet-4-6",
    backend=CompositeBackend(
        default=StateBackend(),
        routes={"/skills/": backend.at("/skills"), "/memories/": backend.at("/workspace")},
    ),
    middleware=[SkillmountMiddleware(backend)],
)
