from claude_agent_sdk import ClaudeAgentOptions

headers = {"x-skillmount-user": "ana", "x-skillmount-session": "monday"}
options = ClaudeAgentOptions(
    mcp_servers={"skills": {"type": "http", "url": "http://127.0.0.1:8787/mcp", "headers": headers}},
    allowed_tools=["mcp__skills"],
)
