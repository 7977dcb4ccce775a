from deepagents import create_deep_agent
from skillmount.deepagents import SkillmountBackend, SkillmountMiddleware

backend = SkillmountBackend("http://127.0.0.1:8787")
agent = create_deep_agent(
    model="anthropic:claude-sonnet-4-6",
    backend=backend,
    middleware=[SkillmountMiddleware(backend)],
)
agent.invoke(
    {"messages": [{"role": "user", "content": "Turn /workspace/notes.md into minutes."}]},
    {"configurable": {"user_id": "ana", "thread_id": "monday"}},
)
