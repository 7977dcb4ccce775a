# Made by scripts/generate.py from the OpenAPI document of the service. Do not edit.

from typing import Any

TOOLS: dict[str, dict[str, Any]] = {
    "discover_skills": {
        "description": "Search all skills. Finding one does not load it. Before you answer a request that a skill may match, call discover_skills with what the request is about.",
        "input_schema": {
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "description": "What the task is about: a few words, a sentence or a message of up to 16 KiB and 2,500 words.",
                },
                "category": {"type": "string", "description": "Only this category and those below it."},
                "level": {"type": "string", "description": "Only this level, in whatever case."},
                "limit": {"type": "integer", "description": "10 by default.", "maximum": 100, "minimum": 1},
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    },
    "load_skill": {
        "description": "Load a skill before you answer a request that it matches. Its files appear below /skills. Call load_skill with the location of the skill that fits, then follow its instructions.",
        "input_schema": {
            "type": "object",
            "properties": {
                "skill": {"type": "string"},
                "mount_as": {
                    "type": "string",
                    "description": "Another name for its folder below `/skills`, if its own is taken.",
                },
                "arguments": {
                    "type": "string",
                    "description": "Arguments for the parameters of its body: words, or `name=value`. 16 KiB at most.",
                },
                "offset": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "Lines of its instructions to skip, 0 by default. A result that is cut names the offset to go on with.",
                },
            },
            "required": ["skill"],
            "additionalProperties": False,
        },
    },
    "unload_skill": {
        "description": "Hide a loaded skill that is done with.",
        "input_schema": {
            "type": "object",
            "properties": {
                "skill": {"type": "string", "description": "A skill path, a mount name or a frontmatter name."}
            },
            "required": ["skill"],
            "additionalProperties": False,
        },
    },
    "create_skill": {
        "description": "Write a new skill, if the user asks for one: instructions for a kind of task that will come again. It is a draft for this session until a person publishes it.",
        "input_schema": {
            "type": "object",
            "properties": {
                "name": {
                    "type": "string",
                    "description": "Its name: lower-case letters, digits and single hyphens, after the folders that it lies in, if any:\n`writing/minutes`.",
                },
                "description": {
                    "type": "string",
                    "description": "What it is for and when to use it, in at least 20 characters.",
                },
                "body": {"type": "string", "description": "Its instructions in Markdown, in at least 40 characters."},
                "template": {
                    "type": "string",
                    "description": "What kind of work a skill is for.",
                    "enum": ["analysis", "writing", "code"],
                },
            },
            "required": ["name", "description", "body"],
            "additionalProperties": False,
        },
    },
    "ls": {
        "description": "List a folder. /workspace and /ticket are yours; /skills holds the loaded skills.",
        "input_schema": {
            "type": "object",
            "properties": {"path": {"type": "string", "description": "Absolute path of the folder."}},
            "required": ["path"],
            "additionalProperties": False,
        },
    },
    "read": {
        "description": "Read a text file as numbered lines. Go on with offset where the last line says so.",
        "input_schema": {
            "type": "object",
            "properties": {
                "file_path": {"type": "string", "description": "Absolute path of the file."},
                "offset": {"type": "integer", "minimum": 0, "description": "Lines to skip, 0 by default."},
                "limit": {"type": "integer", "minimum": 0, "description": "Lines to return, 2,000 by default."},
            },
            "required": ["file_path"],
            "additionalProperties": False,
        },
    },
    "grep": {
        "description": "Search file contents with a Rust regular expression.",
        "input_schema": {
            "type": "object",
            "properties": {
                "pattern": {
                    "type": "string",
                    "description": "A Rust regular expression, or plain text with `literal`.",
                },
                "path": {
                    "type": "string",
                    "description": "Folder or file to search; everything the session sees if absent.",
                },
                "glob": {"type": "string", "description": "Only files that this glob matches, such as `*.md`."},
                "literal": {"type": "boolean", "description": "Take the pattern as plain text."},
                "ignore_case": {"type": "boolean", "description": "Ignore case."},
                "context": {"type": "integer", "description": "Lines to show before and after each hit.", "minimum": 0},
                "output_mode": {
                    "type": "string",
                    "description": "What to return.",
                    "enum": ["content", "files", "count"],
                },
                "max_count": {
                    "type": "integer",
                    "description": "Hits (or files, in the other modes) to return at most.",
                    "minimum": 0,
                },
            },
            "required": ["pattern"],
            "additionalProperties": False,
        },
    },
    "glob": {
        "description": "Find files by name: *.md at any depth, or /workspace/**/*.md.",
        "input_schema": {
            "type": "object",
            "properties": {
                "pattern": {
                    "type": "string",
                    "description": "The glob: without `/` it matches the base name at any depth, a leading `/` anchors it.",
                },
                "path": {"type": "string", "description": "Folder to look in; everything the session sees if absent."},
            },
            "required": ["pattern"],
            "additionalProperties": False,
        },
    },
    "write": {
        "description": "Create a file. Fails if it exists, unless overwrite is true; use edit for changes.",
        "input_schema": {
            "type": "object",
            "properties": {
                "file_path": {"type": "string", "description": "Absolute path of the file."},
                "content": {"type": "string", "description": "Its whole content."},
                "overwrite": {
                    "type": "boolean",
                    "description": "Replace what is there, instead of failing with `already_exists`.",
                },
            },
            "required": ["file_path", "content"],
            "additionalProperties": False,
        },
    },
    "edit": {
        "description": "Replace exact text in a file. old_string must occur once, unless replace_all is true. Read the file first.",
        "input_schema": {
            "type": "object",
            "properties": {
                "file_path": {"type": "string", "description": "Absolute path of the file."},
                "old_string": {"type": "string", "description": "The exact text to replace, without line numbers."},
                "new_string": {"type": "string", "description": "What to put in its place."},
                "replace_all": {
                    "type": "boolean",
                    "description": "Replace every occurrence, instead of failing with `old_string_not_unique`.",
                },
            },
            "required": ["file_path", "old_string", "new_string"],
            "additionalProperties": False,
        },
    },
    "move": {
        "description": "Move or rename a file or folder. Nothing may be at the new path.",
        "input_schema": {
            "type": "object",
            "properties": {
                "from": {"type": "string", "description": "Absolute path of the file or folder."},
                "to": {"type": "string", "description": "Its new absolute path. Nothing may be there."},
            },
            "required": ["from", "to"],
            "additionalProperties": False,
        },
    },
    "delete": {
        "description": "Delete a file, or a folder and everything in it.",
        "input_schema": {
            "type": "object",
            "properties": {"path": {"type": "string", "description": "Absolute path of the file or folder."}},
            "required": ["path"],
            "additionalProperties": False,
        },
    },
    "Skill": {
        "description": "Load a skill before you answer a request that it matches. Its files appear below /skills. Call load_skill with the location of the skill that fits, then follow its instructions.",
        "input_schema": {
            "type": "object",
            "properties": {
                "skill": {"type": "string"},
                "mount_as": {
                    "type": "string",
                    "description": "Another name for its folder below `/skills`, if its own is taken.",
                },
                "arguments": {
                    "type": "string",
                    "description": "Arguments for the parameters of its body: words, or `name=value`. 16 KiB at most.",
                },
                "offset": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "Lines of its instructions to skip, 0 by default. A result that is cut names the offset to go on with.",
                },
            },
            "required": ["skill"],
            "additionalProperties": False,
        },
    },
}
