# Made by scripts/generate.py from the OpenAPI document of the service. Do not edit.

from ..problem import SkillmountError


class InvalidPath(SkillmountError):
    """A path that is not absolute and normal."""

    code = "invalid_path"


class InvalidRequest(SkillmountError):
    """A body, parameter or identifier that does not parse."""

    code = "invalid_request"


class InvalidPattern(SkillmountError):
    """A regular expression or glob that is refused."""

    code = "invalid_pattern"


class TooExpensive(SkillmountError):
    """A pattern or input over the budget of work or memory."""

    code = "too_expensive"


class OffsetOutOfRange(SkillmountError):
    """A read that starts after the last line."""

    code = "offset_out_of_range"


class OldStringEmpty(SkillmountError):
    """An edit with nothing to look for."""

    code = "old_string_empty"


class InvalidSkill(SkillmountError):
    """A skill that cannot be published; `findings` says why."""

    code = "invalid_skill"


class BinaryFile(SkillmountError):
    """A file that is not text."""

    code = "binary_file"


class MethodNotAllowed(SkillmountError):
    """A method that the route does not have."""

    code = "method_not_allowed"


class Unauthenticated(SkillmountError):
    """No key, or one that is unknown or expired."""

    code = "unauthenticated"


class Denied(SkillmountError):
    """The key does not reach that user or scope, or the Host or Origin is not ours."""

    code = "denied"


class ReadOnly(SkillmountError):
    """A write where only reading is possible."""

    code = "read_only"


class PlanMode(SkillmountError):
    """A change while the session plans."""

    code = "plan_mode"


class ToolBlocked(SkillmountError):
    """A tool or skill the policy blocks, or a call that a person denied."""

    code = "tool_blocked"


class ApprovalRequired(SkillmountError):
    """A tool or skill that a person must approve first."""

    code = "approval_required"


class RouteNotFound(SkillmountError):
    """An address that is no route."""

    code = "route_not_found"


class FileNotFound(SkillmountError):
    """No file or folder at that path."""

    code = "file_not_found"


class SkillNotFound(SkillmountError):
    """No skill of that name."""

    code = "skill_not_found"


class VersionNotFound(SkillmountError):
    """No version of that digest."""

    code = "version_not_found"


class DeletionNotFound(SkillmountError):
    """No deletion of that user."""

    code = "deletion_not_found"


class ApprovalNotFound(SkillmountError):
    """No call of that id waits for approval in the session."""

    code = "approval_not_found"


class SessionNotFound(SkillmountError):
    """No session of that id."""

    code = "session_not_found"


class NotADirectory(SkillmountError):
    """A file where a folder was expected."""

    code = "not_a_directory"


class IsADirectory(SkillmountError):
    """A folder where a file was expected."""

    code = "is_a_directory"


class AlreadyExists(SkillmountError):
    """A create where something is."""

    code = "already_exists"


class AmbiguousSkill(SkillmountError):
    """Several skills answer to that name."""

    code = "ambiguous_skill"


class MountConflict(SkillmountError):
    """The mount name is taken by another loaded skill."""

    code = "mount_conflict"


class WorkspaceShared(SkillmountError):
    """A workspace that other sessions share."""

    code = "workspace_shared"


class SkillChanged(SkillmountError):
    """The skill changed since it was loaded and the old bytes are gone."""

    code = "skill_changed"


class EditConflict(SkillmountError):
    """Other writers kept winning."""

    code = "edit_conflict"


class OldStringNotFound(SkillmountError):
    """The text to replace is not there."""

    code = "old_string_not_found"


class OldStringNotUnique(SkillmountError):
    """The text to replace is there more than once."""

    code = "old_string_not_unique"


class VersionConflict(SkillmountError):
    """The skill has another version than If-Match names."""

    code = "version_conflict"


class PreconditionFailed(SkillmountError):
    """The ETag given in If-Match or If-None-Match does not hold."""

    code = "precondition_failed"


class FileTooLarge(SkillmountError):
    """A file or body over the limit."""

    code = "file_too_large"


class RateLimited(SkillmountError):
    """Too much at once."""

    code = "rate_limited"


class StoreUnavailable(SkillmountError):
    """The object store did not answer, or refused."""

    code = "store_unavailable"


class ObjectDamaged(SkillmountError):
    """A stored object is damaged, or a newer service wrote it; the message says what an operator does."""

    code = "object_damaged"


class Internal(SkillmountError):
    """A bug; the cause is in the log."""

    code = "internal"
