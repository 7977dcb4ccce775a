from google.adk.agents import LlmAgent

from skillmount.google_adk import SkillmountToolset

skills = SkillmountToolset()
agent = LlmAgent(name="lawyer", model="gemini-flash-latest", instruction="You draft leases.", tools=[skills])
