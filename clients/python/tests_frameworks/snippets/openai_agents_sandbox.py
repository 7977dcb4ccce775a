from agents.sandbox import SandboxAgent
from agents.sandbox.capabilities import Shell

from skillmount.openai_agents import SkillmountSkills, SkillmountSkillSource

skills = SkillmountSkills(SkillmountSkillSource("ana"))
agent = SandboxAgent[None](name="lawyer", capabilities=[Shell(), skills])
