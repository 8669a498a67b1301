"""
Writes payloads.json: what CPython's json.dumps(sort_keys=True, separators=(',', ':')) makes of 10,000 random payloads.

    python3 test/oracles/canonical-json/payloads.py > test/oracles/canonical-json/payloads.json

The payloads are drawn from mulberry32, so that src/webhooks/canonical-json.test.ts draws the same ones. Kept are a SHA-256
for every block of 100 texts and every hundredth text in full.
"""
import hashlib
import json
import sys

SEED = 20261121
COUNT = 10_000
BLOCK = 100


def mulberry32(seed):
    state = seed

    def draw():
        nonlocal state
        state = (state + 0x6D2B79F5) & 0xFFFFFFFF
        mixed = ((state ^ (state >> 15)) * (state | 1)) & 0xFFFFFFFF
        mixed ^= (mixed + ((mixed ^ (mixed >> 7)) * (mixed | 61))) & 0xFFFFFFFF
        return mixed ^ (mixed >> 14)

    return draw


draw = mulberry32(SEED)


def below(n):
    return draw() % n


ODD = [0, 8, 9, 10, 12, 13, 0x1F, 0x22, 0x2F, 0x5C, 0x7E, 0x7F, 0x80, 0xA0, 0xD7FF, 0xE000, 0xFF5E, 0xFFFD, 0xFFFF,
       0x10000, 0x1F333, 0x10FFFF, 0x2028, 0x2029, 0xFEFF]


def code_point():
    kind = below(8)
    if kind < 3:
        return 0x20 + below(95)
    if kind == 3:
        return below(0x100)
    if kind == 4:
        return ODD[below(len(ODD))]
    if kind == 5:
        return below(0xD800)
    if kind == 6:
        return 0xE000 + below(0x2000)
    return 0x10000 + below(0x100000)


def text():
    return ''.join([chr(code_point()) for _ in range(below(9))])


def key():
    return str(below(20)) if below(4) == 0 else text()


def integer():
    magnitude = below(1000) if below(2) else below(1 << 21) * (1 << 32) + draw()
    return -magnitude if below(2) and magnitude > 0 else magnitude


def value(depth):
    kind = below(10)
    if kind < 3:
        return text()
    if kind < 5:
        return integer()
    if kind == 5:
        return [None, True, False][below(3)]
    if depth >= 20:
        return below(10)
    # The deeper, the smaller, or the payloads would never end.
    size = below(5 if depth < 3 else 3)
    if kind < 8:
        return [value(depth + 1) for _ in range(size)]
    return record(depth, size)


def record(depth, size):
    fields = {}
    for _ in range(size):
        name = key()
        fields[name] = value(depth + 1)
    return fields


def nested(depth):
    """One chain as deep as it is told."""
    inner = integer()
    for _ in range(depth):
        inner = [inner] if below(2) else {key(): inner}
    return inner


def payload():
    return nested(20) if below(50) == 0 else record(0, 1 + below(6))


texts = [json.dumps(payload(), sort_keys=True, separators=(',', ':')) for _ in range(COUNT)]
blocks = [hashlib.sha256('\n'.join(texts[i:i + BLOCK]).encode('ascii')).hexdigest() for i in range(0, COUNT, BLOCK)]
json.dump(
    {'python': sys.version.split()[0], 'seed': SEED, 'count': COUNT, 'block': BLOCK, 'sha256': blocks,
     'samples': texts[::BLOCK]},
    sys.stdout, indent=1)
print()
