from agent_framework import Agent, SkillsSourceContext, SupportsChatGetResponse

from skillmount.agent_framework import SkillmountContextProvider


def identify(run: SkillsSourceContext) -> tuple[str, str]:
    if run.session is None:
        raise LookupError("run the agent with a session")
    return str(run.session.state["user_id"]), run.session.session_id


skills = SkillmountContextProvider(identify)


def lawyer(client: SupportsChatGetResponse) -> Agent:
    return Agent(client, "You draft leases.", context_providers=[skills])
