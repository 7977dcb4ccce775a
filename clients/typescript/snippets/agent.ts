import { ToolLoopAgent } from "ai";
import { createSkillmount } from "skillmount";
import { skillmountTools } from "skillmount/ai";

const client = createSkillmount();
const agent = new ToolLoopAgent<{ user: string; chat: string }>({
  model: "anthropic/claude-sonnet-4.6",
  prepareCall: async ({ options, ...settings }) => {
    const { tools, prepareStep } = await skillmountTools(client, { user: options.user, session: options.chat });
    return { ...settings, tools, prepareStep };
  },
});
const { text } = await agent.generate({ prompt: "What can you do?", options: { user: "ana", chat: "tuesday" } });
console.log(text);
