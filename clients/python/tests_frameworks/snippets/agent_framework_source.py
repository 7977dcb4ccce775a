from agent_framework import SkillsProvider, SkillsSourceContext

from skillmount.agent_framework import SkillmountSkillsSource


def user(run: SkillsSourceContext) -> str:
    if run.session is None:
        raise LookupError("run the agent with a session")
    return str(run.session.state["user_id"])


source = SkillmountSkillsSource(user)
provider = SkillsProvider(source, disable_load_skill_approval=True, disable_read_skill_resource_approval=True)
