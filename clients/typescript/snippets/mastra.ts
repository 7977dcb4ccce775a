import { Agent } from "@mastra/core/agent";
import { RequestContext } from "@mastra/core/request-context";
import { Workspace } from "@mastra/core/workspace";
import { createSkillmount } from "skillmount";
import { SkillmountSkillSource } from "skillmount/mastra";

const client = createSkillmount();
const workspaces = new Map<string, Workspace>();

function workspaceOf(user: string): Workspace {
  const known = workspaces.get(user);
  if (known) return known;
  const skillSource = new SkillmountSkillSource(client, { user });
  const workspace = new Workspace({ skills: ["skills"], skillSource });
  workspaces.set(user, workspace);
  return workspace;
}

const agent = new Agent({
  id: "clerk",
  name: "clerk",
  instructions: "You are a notary's clerk.",
  model: "anthropic/claude-sonnet-4.6",
  workspace: ({ requestContext }) => workspaceOf(requestContext.get("user") as string),
});

const requestContext = new RequestContext();
requestContext.set("user", "ana");
const { text } = await agent.generate("Which lease do I need for a garage?", { requestContext });
console.log(text);
