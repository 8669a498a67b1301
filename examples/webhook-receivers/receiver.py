# Receives webhooks with Python 3.8 or later: WEBHOOK_SECRET=whsec_... PORT=9000 python3 receiver.py
import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# While you rotate the secret, give both, separated by a comma.
SECRETS = os.environ['WEBHOOK_SECRET'].split(',')
TOLERANCE_S = 300
MAX_BODY_BYTES = 1_000_000
seen = set()  # In earnest: a table with a unique key on the event id.


def verify(body: bytes, header: str) -> bool:
    """True when the raw body was signed with one of our secrets within the tolerance."""
    match = re.fullmatch(r't=([0-9]{1,12}), ?v1=([0-9a-f]{64})', header)
    if match is None or abs(time.time() - int(match[1])) > TOLERANCE_S:
        return False
    message = match[1].encode() + b'.' + body
    return any(
        hmac.compare_digest(hmac.new(secret.encode(), message, hashlib.sha256).hexdigest(), match[2])
        for secret in SECRETS
    )


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        size = int(self.headers.get('Content-Length', '0'))
        if size > MAX_BODY_BYTES:
            return self.answer(413)
        body = self.rfile.read(size)
        if not verify(body, self.headers.get('X-Service-Webhook-Signature', '')):
            return self.answer(401)
        event = json.loads(body)
        if event['id'] not in seen:
            seen.add(event['id'])
            print(event['type'], event['id'], event['data'])  # Put it on a queue here; do slow work after the answer.
        self.answer(200)

    def answer(self, status):
        self.send_response(status)
        self.send_header('Content-Length', '0')
        self.end_headers()


if __name__ == '__main__':
    ThreadingHTTPServer(('127.0.0.1', int(os.environ.get('PORT', '9000'))), Receiver).serve_forever()
