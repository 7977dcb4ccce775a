import { body, createSkillmount } from "skillmount";

const client = createSkillmount();
const answer = await client.GET("/v1/users/{user}/usage", { params: { path: { user: "ana" } } });
console.log(body(answer).conversations, answer.response.headers.get("x-request-id"));
