from google.adk.agents import LlmAgent
from google.adk.tools.skill_toolset import SkillToolset

from skillmount.google_adk import SkillmountSkillRegistry

registry = SkillmountSkillRegistry("ana")
agent = LlmAgent(name="lawyer", model="gemini-flash-latest", tools=[SkillToolset(registry=registry)])
