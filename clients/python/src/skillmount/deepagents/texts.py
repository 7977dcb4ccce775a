"""deepagents' own wordings, which its middleware and its users look for, and its codes."""

from __future__ import annotations

from pathlib import PurePosixPath

from ..problem import SkillmountError

NO_EDIT_OF_BINARY = "Error: Cannot edit binary files with text replacements."

# Files of these kinds go to the model as they are, by extension alone.
_IMAGES = {".png", ".jpeg", ".jpg", ".webp", ".gif", ".heic", ".heif"}
VIDEOS = frozenset({".mp4", ".mpeg", ".mov", ".avi", ".flv", ".mpg", ".webm", ".wmv", ".3gpp", ".mkv"})
_SOUNDS = {".wav", ".mp3", ".aiff", ".aac", ".ogg", ".flac"}
_DOCUMENTS = {".pdf", ".ppt", ".pptx"}
BINARY = frozenset(_IMAGES | VIDEOS | _SOUNDS | _DOCUMENTS)

_TRANSFER_CODES = {
    "file_not_found": "file_not_found",
    "is_a_directory": "is_directory",
    "not_a_directory": "invalid_path",
    "invalid_path": "invalid_path",
    "read_only": "permission_denied",
    "denied": "permission_denied",
    "plan_mode": "permission_denied",
    "tool_blocked": "permission_denied",
    "approval_required": "permission_denied",
    "unauthenticated": "permission_denied",
}


def extension(path: str) -> str:
    """The extension of a file's name with its dot, in small letters."""
    return PurePosixPath(path).suffix.lower()


def transfer_code(code: str) -> str:
    """The code of deepagents for one of the service; others stay what they are."""
    return _TRANSFER_CODES.get(code, code)


def not_listed(path: str, error: SkillmountError) -> str:
    """Why a folder was not listed."""
    if error.code == "file_not_found":
        return f"Path '{path}': path_not_found"
    if error.code == "not_a_directory":
        return f"Path '{path}': not_a_directory"
    return f"Cannot list '{path}': {error.detail}"


def not_read(path: str, offset: int, error: SkillmountError) -> str:
    """Why a file was not read."""
    if error.code in ("file_not_found", "is_a_directory"):
        return f"File '{path}' not found"
    if error.code == "offset_out_of_range" and "total_lines" in error.members:
        return f"Line offset {offset} exceeds file length ({error.members['total_lines']} lines)"
    return f"Error reading file '{path}': {error.detail}"


def not_edited(path: str, old: str, error: SkillmountError) -> str:
    """Why a file was not edited."""
    if error.code in ("file_not_found", "is_a_directory"):
        return f"Error: File '{path}' not found"
    if error.code == "old_string_not_found":
        return f"Error: String not found in file: '{old}'"
    if error.code == "old_string_not_unique":
        return (
            f"Error: String '{old}' appears {error.members.get('occurrences', 'several')} times in file. "
            "Use replace_all=True to replace all instances, or provide a more specific string with surrounding context."
        )
    return f"Error editing file '{path}': {error.detail}"


def end_of_file_hint(times: int) -> str:
    """What to do if the text to replace ends with a newline that the end of the file lacks."""
    begin = "Error: old_string ends with a newline, but the file does not end with a newline. "
    if times == 1:
        return begin + (
            "Retry with the trailing newline removed from old_string (and from new_string if it also "
            "ends with a newline)."
        )
    return begin + (
        f"With the trailing newline removed, old_string would appear {times} times in the file. "
        "Retry with the trailing newline removed and add surrounding context so the match is unique."
    )
