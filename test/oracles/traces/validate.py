#!/usr/bin/env python3
"""Validates SOAP messages against the schema of make_xsd.py with lxml, and works out the digest of each by itself. Run:

    node test/oracles/traces/write-messages.ts > /tmp/messages.json
    /usr/bin/python3 test/oracles/traces/validate.py /tmp/messages.json > test/oracles/traces/verdicts.json
"""
import base64, hashlib, json, os, sys, tempfile
from lxml import etree
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from make_xsd import NS, all_schemas

with tempfile.TemporaryDirectory() as folder:
    for name, text in all_schemas().items():
        with open(os.path.join(folder, name + ".xsd"), "w") as file:
            file.write(text)
    schema = etree.XMLSchema(etree.parse(os.path.join(folder, "env.xsd")))

stored = json.load(open(sys.argv[1]))
parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
verdicts = []
for entry in stored["messages"]:
    document = etree.fromstring(entry["xml"].encode("utf-8"), parser)
    token = document.find(".//{%s}UsernameToken" % NS["wsse"])
    nonce = base64.b64decode(token.find("{%s}Nonce" % NS["wsse"]).text)
    created = token.find("{%s}Created" % NS["wsu"]).text
    digest = base64.b64encode(hashlib.sha1(nonce + created.encode() + stored["key"].encode()).digest()).decode()
    valid = schema.validate(document)
    verdicts.append({
        "name": entry["name"],
        "sha256": hashlib.sha256(entry["xml"].encode("utf-8")).hexdigest(),
        "valid": valid,
        "digest": digest == token.find("{%s}Password" % NS["wsse"]).text,
        "why": None if valid else schema.error_log[0].message[:160],
    })
json.dump(verdicts, sys.stdout, indent=1, ensure_ascii=False)
sys.stdout.write("\n")
