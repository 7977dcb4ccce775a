from skillmount import Client, errors

with Client("http://127.0.0.1:8787") as client:
    session = client.session("ana", "monday")
    session.write("/workspace/a.md", "one\n", overwrite=True)
    try:
        session.edit("/workspace/a.md", "two", "three")
    except errors.OldStringNotFound as error:
        print(error.detail, error.outcome)
    for version in client.user("ana").versions("writing/minutes"):
        print(version.digest, version.published_at)
