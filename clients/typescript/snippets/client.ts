import { createSkillmount, SkillmountError } from "skillmount";

const client = createSkillmount({ apiKey: process.env["SKILLMOUNT_API_KEY"], timeout: 10_000 });
const ana = client.user("ana");
await ana.publish("law/minutes", { description: "Writes minutes. Use after a meeting.", body: "# Minutes\n" });
for await (const { skill, description } of ana.skills()) console.log(skill, description);

const session = ana.session("thursday");
await session.loadSkill("law/minutes");
try {
  const { content } = await session.read("/workspace/a.md");
  console.log(content);
} catch (error) {
  if (!(error instanceof SkillmountError)) throw error;
  console.log(error.code, error.retryable, error.detail);
}
