from langchain.agents import create_agent
from skillmount.langchain import SkillmountMiddleware

agent = create_agent(
    "anthropic:claude-sonnet-4-6",
    middleware=[SkillmountMiddleware("http://127.0.0.1:8787", file_tools=True)],
)
