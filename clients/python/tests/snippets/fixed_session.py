from skillmount.deepagents import SkillmountBackend, SkillmountMiddleware

backend = SkillmountBackend.fixed("ana", "monday", "http://127.0.0.1:8787")
middleware = SkillmountMiddleware(backend)
