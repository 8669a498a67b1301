"""
Writes vectors.json, the published test vectors of the webhook signature, with Python's own hmac.

    python3 test/oracles/signatures/vectors.py > test/oracles/signatures/vectors.json

Each vector: a receiver that was given `secret` gets `body` with `header` at the time `timestamp`; `valid` says what it
must answer. Of the invalid ones `reason` is what `verifyWebhook` gives.
"""
import base64
import hashlib
import hmac
import json
import sys

SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
OTHER = 'whsec_' + base64.b64encode(bytes(range(32))).decode()
T = 1732150080
EVENT_ID = 'evt_01'


def body(name, **more):
    return json.dumps({'id': EVENT_ID, 'type': 'batch_zonal_stats_complete', 'created_at': '2026-11-21T00:48:00.123Z',
                       'data': {'collection_name': name, 'description': '', **more}},
                      sort_keys=True, separators=(',', ':'))


def v1(text, secret=SECRET, t=T):
    return hmac.new(secret.encode(), f'{t}.{text}'.encode(), hashlib.sha256).hexdigest()


def header(text, secret=SECRET, t=T):
    return f't={t}, v1={v1(text, secret, t)}'


def standard(text, secret=SECRET, t=T):
    key = base64.b64decode(secret.removeprefix('whsec_'))
    return 'v1,' + base64.b64encode(hmac.new(key, f'{EVENT_ID}.{t}.{text}'.encode(), hashlib.sha256).digest()).decode()


def good(name, text, secret=SECRET):
    return {'name': name, 'valid': True, 'secret': secret, 'timestamp': T, 'body': text,
            'header': header(text, secret), 'standard_signature': standard(text, secret)}


def bad(name, reason, text, given, secret=SECRET, at=T):
    return {'name': name, 'valid': False, 'reason': reason, 'secret': secret, 'timestamp': at, 'body': text,
            'header': given}


plain = body('cocoa lot 7')
accents = body("C\u00f4te d'Ivoire")
raw_accents = accents.replace('\\u00f4', '\u00f4')
digest = v1(plain)
flipped = ('0' if digest[0] != '0' else '1') + digest[1:]
valid = [
    good('ASCII text', plain),
    good('text beyond ASCII is sent as \\u escapes', accents),
    good('emoji are sent as two \\u escapes', body('forest \U0001f333')),
    good('quotes, backslash, control characters, DEL', body('a"b\\c\n\t\x00\x7f/')),
    good('keys are sorted', body('lot', urls={'b': 'https://b.example/?x=1&y=2', 'a': 'https://a.example/'})),
    good('the test event', json.dumps({'id': EVENT_ID, 'type': 'test_event', 'created_at': '2026-11-21T00:48:00.123Z',
                                       'data': {'message': 'This is a test event'}}, sort_keys=True,
                                      separators=(',', ':'))),
    good('a secret whose base64 is padded', plain, OTHER),
]
invalid = [
    bad('the first digit of the signature changed', 'signature_mismatch', plain, f't={T}, v1={flipped}'),
    bad('one character of the body changed', 'signature_mismatch', plain.replace('lot 7', 'lot 8'), header(plain)),
    bad('a line break after the body', 'signature_mismatch', plain + '\n', header(plain)),
    bad('the body with spaces', 'signature_mismatch', json.dumps(json.loads(plain)), header(plain)),
    bad('the body re-encoded as raw UTF-8', 'signature_mismatch', raw_accents, header(accents)),
    bad('another secret', 'signature_mismatch', plain, header(plain), OTHER),
    bad('the secret without whsec_', 'signature_mismatch', plain, header(plain), SECRET.removeprefix('whsec_')),
    bad('the time changed', 'signature_mismatch', plain, f't={T + 1}, v1={digest}'),
    bad('the dot left out when signing', 'signature_mismatch', plain,
        f't={T}, v1={hmac.new(SECRET.encode(), f"{T}{plain}".encode(), hashlib.sha256).hexdigest()}'),
    bad('an empty body', 'signature_mismatch', '', header(plain)),
    bad('an empty header', 'header_missing', plain, ''),
    bad('a time that is not a number', 'header_malformed', plain, f't=abc, v1={digest}'),
    bad('no time', 'header_malformed', plain, f'v1={digest}'),
    bad('no signature', 'header_malformed', plain, f't={T}'),
    bad('two times', 'header_malformed', plain, f't={T}, t={T}, v1={digest}'),
    bad('upper-case digits', 'header_malformed', plain, f't={T}, v1={digest.upper()}'),
    bad('a signature cut short', 'header_malformed', plain, f't={T}, v1={digest[:-1]}'),
    bad('301 s late', 'too_old', plain, header(plain), at=T + 301),
    bad('301 s early', 'too_new', plain, header(plain), at=T - 301),
]
late = {**good('299 s late', plain), 'timestamp': T + 299}
early = {**good('299 s early', plain), 'timestamp': T - 299}
del late['standard_signature'], early['standard_signature']
json.dump({'id': EVENT_ID, 'tolerance': 300, 'vectors': [*valid, late, early, *invalid]}, sys.stdout, indent=1)
print()
