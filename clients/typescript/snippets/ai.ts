import { generateText, isStepCount } from "ai";
import { createSkillmount } from "skillmount";
import { skillmountTools } from "skillmount/ai";

const client = createSkillmount();
const { tools, prepareStep } = await skillmountTools(client, { user: "ana", session: "monday" });
const { text } = await generateText({
  model: "anthropic/claude-sonnet-4.6",
  instructions: "You are a notary's clerk.",
  tools,
  prepareStep,
  prompt: "Turn /workspace/notes.md into minutes.",
  stopWhen: isStepCount(20),
});
console.log(text);
