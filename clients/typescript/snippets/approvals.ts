import { generateText, isStepCount } from "ai";
import { createSkillmount } from "skillmount";
import { skillmountTools } from "skillmount/ai";

const { tools, prepareStep } = await skillmountTools(createSkillmount(), {
  user: "ana",
  session: "wednesday",
  approvals: {
    controlKey: process.env["SKILLMOUNT_CONTROL_KEY"],
    ask: async ({ tool, input, seconds_left }) => {
      console.log(`${tool} ${JSON.stringify(input)} waits for ${seconds_left} seconds`);
      return tool === "delete" ? { decision: "deny", message: "archive it instead" } : { decision: "allow" };
    },
  },
});
const { text } = await generateText({
  model: "anthropic/claude-sonnet-4.6",
  tools,
  prepareStep,
  prompt: "Tidy my workspace.",
  stopWhen: isStepCount(20),
});
console.log(text);
