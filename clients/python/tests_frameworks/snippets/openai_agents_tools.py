from dataclasses import dataclass

from agents import Agent, Runner, RunContextWrapper

from skillmount.openai_agents import SkillmountTools


@dataclass
class Chat:
    user: str
    id: str


def identify(run: RunContextWrapper[Chat]) -> tuple[str, str]:
    return run.context.user, run.context.id


tools = SkillmountTools(identify)
agent = tools.add_to(Agent[Chat](name="lawyer", instructions="You draft leases."))


async def answer(question: str, chat: Chat) -> str:
    return str((await Runner.run(agent, question, context=chat)).final_output)
