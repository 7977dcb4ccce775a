from skillmount.pydantic_ai import SkillmountWorkspace


async def lease_of(user: str, chat: str) -> str:
    workspace = SkillmountWorkspace(user, chat)
    try:
        return (await workspace.read_bytes("/workspace/lease.md")).decode()
    finally:
        await workspace.aclose()
