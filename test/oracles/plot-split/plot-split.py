#!/usr/bin/python3
"""Makes plot-split.json: what numpy, scipy, scikit-image and shapely say of the kinds of ground of plots on the real raster.

Run by hand from the repository root: /usr/bin/python3 test/oracles/plot-split/plot-split.py
Needs Debian's python3-skimage, python3-rasterio and python3-shapely. An implementation of its own: segments by scikit-image over a large
window, shares of cells by shapely, every mean and variance from the cells themselves, the tree by trying every pair. Of the raster no pixel
is kept, only figures.
"""
import json
import math
import pathlib

import numpy as np
import rasterio
from scipy import ndimage
from shapely.geometry import Polygon, box
from skimage.morphology import diamond, h_minima
from skimage.segmentation import watershed

ROOT = pathlib.Path(__file__).resolve().parents[3]
LEAST_HA, LEAST_SHARE, LEAST_DISTANCE, LEAST_D = 0.5, 0.1, 0.15, 3.0
DEPTH, WALL, UNIT = 0.005, 3.0, 16256

with rasterio.open(ROOT / "../shared/data/aef/wisconsin_west.tif") as file:
    codes = file.read().transpose(1, 2, 0)
height, width = codes.shape[0] // 2, codes.shape[1] // 2
codes = codes[: 2 * height, : 2 * width].astype(np.float64)
values = np.sign(codes) * np.square(codes / 127.5)
cells = values.reshape(height, 2, width, 2, 64).mean(axis=(1, 3))
cells /= np.linalg.norm(cells, axis=2, keepdims=True)


def edges():
    """Mean of 1 - cosine over the neighbours there are."""
    total, count = np.zeros((height, width)), np.zeros((height, width))
    for axis in (0, 1):
        a, b = np.take(cells, range(cells.shape[axis] - 1), axis), np.take(cells, range(1, cells.shape[axis]), axis)
        step = 1 - (a * b).sum(2)
        first = (slice(None, -1), slice(None)) if axis == 0 else (slice(None), slice(None, -1))
        second = (slice(1, None), slice(None)) if axis == 0 else (slice(None), slice(1, None))
        for at in (first, second):
            total[at] += step
            count[at] += 1
    return np.maximum(total / count, 0)


edge = edges()
markers, _ = ndimage.label(h_minima(edge, DEPTH, footprint=diamond(1)))
segments = watershed(edge, markers, connectivity=1)


class Ground:
    def __init__(self, members):
        self.members = np.array(sorted(members))

    def of(self, plot):
        weights, vectors = plot["weights"][self.members], plot["vectors"][self.members]
        self.ha = weights.sum()
        self.mean = (weights[:, None] * vectors).sum(0) / self.ha
        self.weights, self.vectors = weights, vectors
        return self


def ward(a, b):
    return a.ha * b.ha / (a.ha + b.ha) * np.square(a.mean - b.mean).sum()


def apart(a, b):
    distance = 1 - a.mean @ b.mean / np.linalg.norm(a.mean) / np.linalg.norm(b.mean)
    line = b.mean - a.mean
    spread = sum(np.average(np.square(g.vectors @ line - g.mean @ line), weights=g.weights) for g in (a, b))
    return distance, math.sqrt(2) * (line @ line) / math.sqrt(spread) if spread > 0 else math.inf


def clearly(a, b):
    distance, d = apart(a, b)
    return distance >= LEAST_DISTANCE and d >= LEAST_D


def kinds_of(outline):
    """The kinds of ground inside an outline in cells (x right, y down)."""
    plot = Polygon(outline)
    left, top, right, bottom = plot.bounds
    columns, rows = range(math.floor(left), math.ceil(right)), range(math.floor(top), math.ceil(bottom))
    share = {(r, c): plot.intersection(box(c, r, c + 1, r + 1)).area for r in rows for c in columns}
    places = [at for at in share if share[at] > 1e-7]
    index = {at: i for i, at in enumerate(places)}
    data = {
        "weights": np.array([share[at] * 0.04 for at in places]),
        "vectors": np.array([cells[at] for at in places]),
    }
    piece = -np.ones(len(places), int)
    grounds = []
    for start, at in enumerate(places):
        if piece[start] >= 0:
            continue
        piece[start] = len(grounds)
        stack, members = [at], []
        while stack:
            r, c = stack.pop()
            members.append(index[r, c])
            for near in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
                i = index.get(near)
                if i is not None and piece[i] < 0 and segments[near] == segments[at]:
                    piece[i] = len(grounds)
                    stack.append(near)
        grounds.append(Ground(members).of(data))
    pieces = len(grounds)
    borders = {i: set() for i in range(pieces)}
    for (r, c), i in index.items():
        for near in ((r + 1, c), (r, c + 1)):
            j = index.get(near)
            if j is not None and piece[i] != piece[j]:
                borders[piece[i]].add(piece[j])
                borders[piece[j]].add(piece[i])
    alive = dict(enumerate(grounds))
    while True:
        small = [i for i in alive if alive[i].ha < LEAST_HA and borders[i]]
        if not small:
            break
        i = min(small, key=lambda n: alive[n].ha)
        j = min(borders[i], key=lambda n: ward(alive[i], alive[n]))
        alive[j] = Ground([*alive[i].members, *alive[j].members]).of(data)
        del alive[i]
        for k in borders.pop(i):
            borders[k].discard(i)
            if k != j:
                borders[k].add(j)
                borders[j].add(k)
    nodes = [(ground, None) for ground in alive.values()]
    while len(nodes) > 1:
        a, b = min(
            ((x, y) for n, x in enumerate(nodes) for y in nodes[n + 1 :]), key=lambda pair: ward(pair[0][0], pair[1][0])
        )
        nodes = [n for n in nodes if n is not a and n is not b]
        nodes.append((Ground([*a[0].members, *b[0].members]).of(data), (a, b)))
    whole = nodes[0][0].ha

    def cut(node):
        ground, halves = node
        if halves is None:
            return [ground]
        below = [cut(half) for half in halves]
        large = lambda g: g.ha >= LEAST_HA and g.ha >= LEAST_SHARE * whole  # noqa: E731
        forced = any(len(parts) > 1 and sum(map(large, parts)) > 1 for parts in below)
        return below[0] + below[1] if forced or clearly(halves[0][0], halves[1][0]) else [ground]

    kinds = cut(nodes[0])
    while True:
        alike = [(a, b) for n, a in enumerate(kinds) for b in kinds[n + 1 :] if not clearly(a, b)]
        if not alike:
            break
        a, b = min(alike, key=lambda pair: ward(*pair))
        kinds = [k for k in kinds if k is not a and k is not b] + [Ground([*a.members, *b.members]).of(data)]
    kinds.sort(key=lambda kind: -kind.ha)
    found = []
    for kind in kinds:
        near = min((apart(kind, other) for other in kinds if other is not kind), default=(None, None))
        found.append({"ha": kind.ha, "distance": near[0], "ashmanD": near[1]})
    root = nodes[0][1]
    return {"pieces": pieces, "halves": None if root is None else apart(root[0][0], root[1][0]), "kinds": found}


random = np.random.default_rng(2026)
cases = []
while len(cases) < 40:
    hectares = [2, 8, 30, 80][len(cases) % 4]
    corners = int(random.integers(4, 12))
    middle = np.array([random.uniform(75, width - 75), random.uniform(75, height - 75)])
    angles = 2 * np.pi * (np.arange(corners) + 0.6 * random.random(corners)) / corners
    reach = math.sqrt(hectares / 0.04 / np.pi) * random.uniform(0.5, 1.5, corners)
    outline = middle + np.stack([np.cos(angles), np.sin(angles)], 1) * reach[:, None]
    outline = np.round(outline, 3)
    if Polygon(outline).is_valid:
        cases.append({"outline": outline.tolist(), **kinds_of(outline)})
path = pathlib.Path(__file__).with_suffix(".json")
path.write_text(json.dumps({"cases": cases}, indent=1) + "\n")
print(f"{len(cases)} plots, {sum(len(case['kinds']) > 1 for case in cases)} of more than one kind")
