from skillmount.testing import server

with server() as service, service.client() as client:
    service.publish("ana", "writing/minutes", "Writes minutes. Use when notes become minutes.", "# Minutes\n")
    assert client.session("ana", "t").prompt().total == 1
