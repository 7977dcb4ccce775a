"""A session with the client that openapi-python-client generates. Takes the address of a service."""

import sys
from io import BytesIO

from skillmount_client import Client
from skillmount_client.api.files import (
    delete_path,
    download_files,
    edit_file,
    get_file,
    head_file,
    list_folder,
    put_file,
    read_file,
    upload_files,
    write_file,
)
from skillmount_client.api.service import check_health
from skillmount_client.api.sessions import create_session, forget_session, show_session
from skillmount_client.api.skills import list_skills, load_skill, render_prompt, show_skill
from skillmount_client.api.tools import list_tools, run_tool_calls, send_message
from skillmount_client import models
from skillmount_client.types import File

client = Client(base_url=sys.argv[1], headers={"accept": "application/json"})
at = {"client": client, "user": "u1", "session": "from-python"}
user = {"client": client, "user": "u1"}
ALL_BYTES = bytes(range(256))

assert check_health.sync(client=client).status == "ok"
made = create_session.sync_detailed(**at, body=models.CreateSessionRequest())
assert made.status_code == 201 and made.headers["x-request-id"]
assert show_session.sync(**at).policy.prompt_mode == models.PromptMode.TWO_STATE

skills = list_skills.sync(**user)
assert [one.skill for one in skills.skills] == ["contratos/arrendamiento", "escrituras/compraventa"]
assert show_skill.sync(**user, skill="escrituras/compraventa").body.startswith("# Compraventa")

prompt = render_prompt.sync_detailed(**at)
assert "compraventa" in prompt.parsed.prompt
assert render_prompt.sync_detailed(**at, if_none_match=prompt.headers["etag"]).status_code == 304
loaded = load_skill.sync(**at, body=models.LoadSkillRequest(skill="escrituras/compraventa"))
assert loaded.status == models.LoadStatus.LOADED and loaded.mount == "/skills/compraventa"
entries = list_folder.sync(**at, body=models.LsRequest(path="/skills/compraventa/resources")).entries
assert entries[0].path.endswith("/ejemplo.md") and entries[0].size == 11

write_file.sync(**at, body=models.WriteRequest(file_path="/workspace/acta.md", content="uno\ndos\n"))
edit = models.EditRequest(file_path="/workspace/acta.md", old_string="dos", new_string="tres")
assert edit_file.sync(**at, body=edit).occurrences == 1
assert read_file.sync(**at, body=models.ReadRequest(file_path="/workspace/acta.md")).content == "uno\ntres\n"
again = edit_file.sync(**at, body=edit)
assert isinstance(again, models.Problem) and again.code == models.ErrorCode.OLD_STRING_NOT_FOUND

written = put_file.sync(path="workspace/ñ [1]/all.bin", **at, body=File(BytesIO(ALL_BYTES)))
assert written.path == "/workspace/ñ [1]/all.bin" and written.bytes_ == 256
whole = get_file.sync_detailed("u1", "from-python", "workspace/ñ [1]/all.bin", client=client)
assert whole.content == ALL_BYTES and whole.parsed.payload.read() == ALL_BYTES
part = get_file.sync_detailed("u1", "from-python", "workspace/ñ [1]/all.bin", client=client, range_="bytes=1-3")
assert part.status_code == 206 and part.content == b"\x01\x02\x03"
assert head_file.sync_detailed("u1", "from-python", "workspace/ñ [1]/all.bin", client=client).headers["etag"]

form = models.UploadRequest()
form['/workspace/a "b" \\ c.md'] = File(BytesIO(b"quoted"), file_name="x")
uploaded = upload_files.sync(**at, body=form).files
assert uploaded[0].path == '/workspace/a "b" \\ c.md', uploaded
paths = ['/workspace/a "b" \\ c.md', "/workspace/none", "/workspace/ñ [1]/all.bin"]
files = download_files.sync(**at, body=models.DownloadRequest(paths=paths)).files
assert [one.content for one in files][0] == "cXVvdGVk" and files[1].error == models.ErrorCode.FILE_NOT_FOUND

assert list_tools.sync(**at).tools
call = models.ToolCallsRequest.from_dict(
    {"content": [{"type": "tool_use", "id": "c1", "name": "ls", "input": {"path": "/workspace"}}]}
)
assert run_tool_calls.sync(**at, body=call).content[0].tool_use_id == "c1"
assert send_message.sync(**at, body=models.MessageRequest(text="hola")).text == "hola"
assert delete_path.sync(**at, body=models.DeleteRequest(path="/workspace/acta.md")).deleted == 1
assert forget_session.sync_detailed(**at).status_code == 204
print("the session is over")
