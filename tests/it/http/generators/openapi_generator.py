"""A session with the client that openapi-generator generates for Python. Takes the address of a service."""

import base64
import sys

import skillmount_client as skillmount

client = skillmount.ApiClient(skillmount.Configuration(host=sys.argv[1]))
at = ("u1", "from-openapi-generator")
files, skills = skillmount.FilesApi(client), skillmount.SkillsApi(client)
sessions, tools = skillmount.SessionsApi(client), skillmount.ToolsApi(client)
ALL_BYTES = bytes(range(256))

assert skillmount.ServiceApi(client).check_health().status == "ok"
made = sessions.create_session_with_http_info(*at)
assert made.status_code == 201 and made.headers["x-request-id"]
assert sessions.show_session(*at).policy.prompt_mode == skillmount.PromptMode.TWO_STATE

assert [one.skill for one in skills.list_skills("u1").skills] == ["contratos/arrendamiento", "escrituras/compraventa"]
assert skills.show_skill("u1", "escrituras/compraventa").body.startswith("# Compraventa")
prompt = skills.render_prompt_with_http_info(*at)
assert "compraventa" in prompt.data.prompt and prompt.headers["etag"]
loaded = skills.load_skill(*at, skillmount.LoadSkillRequest(skill="escrituras/compraventa"))
assert loaded.status == skillmount.LoadStatus.LOADED and loaded.mount == "/skills/compraventa"
entries = files.list_folder(*at, skillmount.LsRequest(path="/skills/compraventa/resources")).entries
assert entries[0].path.endswith("/ejemplo.md") and entries[0].size == 11

files.write_file(*at, skillmount.WriteRequest(file_path="/workspace/acta.md", content="uno\ndos\n"))
edit = skillmount.EditRequest(file_path="/workspace/acta.md", old_string="dos", new_string="tres")
assert files.edit_file(*at, edit).occurrences == 1
assert files.read_file(*at, skillmount.ReadRequest(file_path="/workspace/acta.md")).content == "uno\ntres\n"
try:
    files.edit_file(*at, edit)
    raise AssertionError("an edit that does not apply was taken")
except skillmount.ApiException as refused:
    assert refused.status == 409 and refused.data.code == skillmount.ErrorCode.OLD_STRING_NOT_FOUND

written = files.put_file(*at, "workspace/ñ [1]/all.bin", ALL_BYTES)
assert written.path == "/workspace/ñ [1]/all.bin" and written.bytes == 256
assert files.get_file(*at, "workspace/ñ [1]/all.bin") == ALL_BYTES
assert files.get_file(*at, "workspace/ñ [1]/all.bin", range="bytes=1-3") == b"\x01\x02\x03"
assert files.head_file_with_http_info(*at, "workspace/ñ [1]/all.bin").headers["etag"]
asked = skillmount.DownloadRequest(paths=["/workspace/ñ [1]/all.bin", "/workspace/none"])
got = files.download_files(*at, asked).files
assert base64.b64decode(got[0].content) == ALL_BYTES and got[1].error == skillmount.ErrorCode.FILE_NOT_FOUND

assert tools.list_tools(*at).tools
call = {"type": "tool_use", "id": "c1", "name": "ls", "input": {"path": "/workspace"}}
turn = tools.run_tool_calls(*at, skillmount.ToolCallsRequest(content=[call]))
assert turn.actual_instance.content[0].tool_use_id == "c1"
assert tools.send_message(*at, skillmount.MessageRequest(text="hola")).text == "hola"
assert files.delete_path(*at, skillmount.DeleteRequest(path="/workspace/acta.md")).deleted == 1
sessions.forget_session(*at)
print("the session is over")
