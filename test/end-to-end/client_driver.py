"""Makes the calls of a JSON document on standard input with requests or httpx and prints what came back.

Everything that the test does not decide is left to the library: headers, encodings, how a value is written.
"""

import json
import sys

work = json.load(sys.stdin)

if work["client"] == "requests":
    import requests

    session = requests.Session()
else:
    import httpx

    session = httpx.Client(timeout=60)

outcomes = []
for call in work["calls"]:
    options = {"headers": {"Authorization": "Bearer " + work["token"]}}
    if call["query"]:
        options["params"] = call["query"]
    if "json" in call:
        options["json"] = call["json"]
    if "form" in call:
        options["data"] = call["form"]
    if "file" in call:
        options["files"] = {"file": (call["file"]["name"], call["file"]["content"].encode())}
    answer = session.request(call["method"], work["base"] + call["path"], timeout=60, **options)
    outcomes.append(
        {"status": answer.status_code, "type": answer.headers.get("content-type", ""), "body": answer.text}
    )
json.dump(outcomes, sys.stdout)
