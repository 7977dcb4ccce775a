from dataclasses import dataclass

from pydantic_ai import Agent, RunContext

from skillmount.pydantic_ai import SkillmountSkills


@dataclass
class Chat:
    user: str
    id: str


def identify(run: RunContext[Chat]) -> tuple[str, str]:
    return run.deps.user, run.deps.id


skills = SkillmountSkills(identify)
agent = Agent(deps_type=Chat, instructions="You draft leases.", capabilities=[skills])


async def answer(question: str, chat: Chat) -> str:
    return (await agent.run(question, deps=chat, model="anthropic:claude-sonnet-4-6")).output
