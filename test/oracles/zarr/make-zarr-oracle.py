"""Makes zarr-oracle.json: Zarr v3 stores and the values in them, by the letter of the specification.

    /usr/bin/python3 test/oracles/zarr/make-zarr-oracle.py

Shares no code with the reader: numpy lays out the values, Python's gzip and the program `zstd` compress, the CRC-32C is
computed bit by bit. Files are base64; values are listed in C order, null for NaN.
"""
import base64
import gzip
import itertools
import json
import math
import os
import struct
import subprocess

import numpy as np

MISSING = 2**64 - 1


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return struct.pack('<I', crc ^ 0xFFFFFFFF)


def zstd(data, *options):
    return subprocess.run(['zstd', '-q', '-c', *options], input=data, capture_output=True, check=True).stdout


def encode(block, codecs, dtype):
    """One chunk through its codecs, each as the specification words it."""
    for codec in codecs:
        name, conf = codec['name'], codec.get('configuration', {})
        if name == 'transpose':
            block = np.transpose(block, conf['order'])
        elif name == 'bytes':
            order = '>' if conf.get('endian') == 'big' else '<'
            block = np.ascontiguousarray(block).astype(np.dtype(dtype).newbyteorder(order)).tobytes()
        elif name == 'gzip':
            block = gzip.compress(block, conf['level'], mtime=0)
        elif name == 'zstd':
            block = zstd(block, f"-{conf['level']}", '--check' if conf['checksum'] else '--no-check')
        elif name == 'crc32c':
            block = block + crc32c(block)
    return block


def cut(values, fill, start, shape):
    block = np.full(shape, fill, values.dtype)
    window = values[tuple(slice(s, s + n) for s, n in zip(start, shape))]
    block[tuple(slice(0, n) for n in window.shape)] = window
    return block


def is_fill(block, fill):
    return bool(np.all(np.isnan(block))) if isinstance(fill, float) and math.isnan(fill) else bool(np.all(block == fill))


def shard(values, fill, start, conf, shape, dtype):
    inner = conf['chunk_shape']
    places = [range(0, n, c) for n, c in zip(shape, inner)]
    parts, index = [], []
    index_bytes = 16 * math.prod(len(p) for p in places) + (4 if len(conf['index_codecs']) == 2 else 0)
    at = index_bytes if conf['index_location'] == 'start' else 0
    for offset in itertools.product(*places):
        block = cut(values, fill, [s + o for s, o in zip(start, offset)], inner)
        if is_fill(block, fill):
            index.append((MISSING, MISSING))
            continue
        data = encode(block, conf['codecs'], dtype)
        index.append((at, len(data)))
        parts.append(data)
        at += len(data)
    if not parts:
        return None
    table = b''.join(struct.pack('<QQ', *entry) for entry in index)
    if len(conf['index_codecs']) == 2:
        table += crc32c(table)
    return table + b''.join(parts) if conf['index_location'] == 'start' else b''.join(parts) + table


def store(name, values, fill, chunk, codecs, keys, fill_json=None, dimension_names=None):
    dtype = values.dtype.name
    files = {}
    for place in itertools.product(*(range(-(-n // c)) for n, c in zip(values.shape, chunk))):
        start = [p * c for p, c in zip(place, chunk)]
        if codecs[0]['name'] == 'sharding_indexed':
            data = shard(values, fill, start, codecs[0]['configuration'], chunk, dtype)
        else:
            block = cut(values, fill, start, chunk)
            data = None if is_fill(block, fill) else encode(block, codecs, dtype)
        separator = keys['configuration']['separator']
        text = separator.join(map(str, place))
        key = text if keys['name'] == 'v2' else f'c{separator}{text}'
        if data is not None:
            files[key] = base64.b64encode(data).decode()
    document = {
        'zarr_format': 3,
        'node_type': 'array',
        'shape': list(values.shape),
        'data_type': dtype,
        'chunk_grid': {'name': 'regular', 'configuration': {'chunk_shape': list(chunk)}},
        'chunk_key_encoding': keys,
        'fill_value': fill if fill_json is None else fill_json,
        'codecs': codecs,
        'attributes': {'name': name},
    }
    if dimension_names:
        document['dimension_names'] = dimension_names
    files['zarr.json'] = base64.b64encode(json.dumps(document).encode()).decode()
    listed = [None if isinstance(v, float) and math.isnan(v) else v for v in values.ravel().tolist()]
    return {'name': name, 'chunks': [-(-n // c) for n, c in zip(values.shape, inner_of(codecs, chunk))], 'files': files, 'values': listed}


def inner_of(codecs, chunk):
    return codecs[0]['configuration']['chunk_shape'] if codecs[0]['name'] == 'sharding_indexed' else chunk


def bytes_codec(endian='little'):
    return {'name': 'bytes', 'configuration': {'endian': endian}}


def sharding(inner, codecs, location='end', checksum=True):
    index = [bytes_codec()] + ([{'name': 'crc32c'}] if checksum else [])
    return [{'name': 'sharding_indexed', 'configuration': {'chunk_shape': inner, 'codecs': codecs, 'index_codecs': index, 'index_location': location}}]


SLASH = {'name': 'default', 'configuration': {'separator': '/'}}
DOT = {'name': 'default', 'configuration': {'separator': '.'}}
V2 = {'name': 'v2', 'configuration': {'separator': '.'}}
ZSTD = {'name': 'zstd', 'configuration': {'level': 3, 'checksum': False}}
ZSTD_CHECKED = {'name': 'zstd', 'configuration': {'level': 19, 'checksum': True}}
GZIP = {'name': 'gzip', 'configuration': {'level': 6}}
CRC = {'name': 'crc32c'}

rng = np.random.default_rng(3)
labels = np.repeat(np.repeat(rng.integers(1, 2**32 - 1, (5, 6), dtype=np.uint32), 4, 0), 5, 1)
labels[0:8, 16:24] = 0
codes = rng.integers(-127, 128, (2, 3, 9, 11), dtype=np.int8)
codes[1, :, 4:, :] = -128
floats = rng.normal(size=(6, 7)).astype(np.float32)
floats[2, 3] = np.nan
doubles = rng.normal(size=(4, 5, 6))
shorts = rng.integers(-3000, 3000, (10, 9), dtype=np.int16)

stores = [
    store('sharded uint32, zstd and checksum, index at the end', labels, 0, [16, 16], sharding([8, 8], [bytes_codec(), ZSTD, CRC]), SLASH),
    store('sharded uint32, zstd with its own checksum, index at the start', labels, 0, [16, 16], sharding([8, 8], [bytes_codec(), ZSTD_CHECKED], 'start'), SLASH),
    store('sharded int8 of four dimensions, index without a checksum', codes, -128, [1, 3, 8, 8], sharding([1, 3, 4, 4], [{'name': 'bytes'}, ZSTD], 'end', False), SLASH, dimension_names=['time', None, 'y', 'x']),
    store('sharded float32, transposed', floats, float('nan'), [4, 4], sharding([2, 4], [{'name': 'transpose', 'configuration': {'order': [1, 0]}}, bytes_codec(), GZIP]), DOT, 'NaN'),
    store('float64 in chunks, transposed, big-endian, checksum before gzip', doubles, 0.5, [3, 2, 4], [{'name': 'transpose', 'configuration': {'order': [2, 0, 1]}}, bytes_codec('big'), CRC, GZIP], DOT, '0x3fe0000000000000'),
    store('int16 in chunks, big-endian, keys of version 2', shorts, 7, [4, 4], [bytes_codec('big'), ZSTD], V2),
    store('uint16 in chunks, nothing but bytes', shorts.astype(np.uint16), 1, [5, 5], [bytes_codec()], SLASH),
]
with open(os.path.join(os.path.dirname(__file__), 'zarr-oracle.json'), 'w') as out:
    json.dump(stores, out)
    out.write('\n')
