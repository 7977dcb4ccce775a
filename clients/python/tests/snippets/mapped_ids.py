from skillmount.deepagents import SkillmountBackend
from skillmount.graph import Run


def identify(run: Run) -> tuple[str, str]:
    return run.user.replace("|", "."), run.session.replace(":", ".")


backend = SkillmountBackend("http://127.0.0.1:8787", identify=identify)
