#!/usr/bin/python3
"""Splits plots the ordinary way, for bench/plot-split.ts: a window of the raster in memory, segments by scikit-image, Ward's tree by scipy over the
means of the segments, cut into two, and parts by rasterio and shapely.

Each line of input: {"outline": [[column, row], ...]} in pixels of the raster; each line of output: {"ms": ..., "parts": ...}. Cells count by their centres, the window is
not proven, and borders follow the cells: less than ours does.
"""
import json
import math
import sys
import time

import numpy as np
import rasterio
from rasterio import features
from scipy import ndimage
from scipy.cluster.hierarchy import fcluster, linkage
from shapely.geometry import Polygon, shape
from shapely.ops import unary_union
from skimage.morphology import diamond, h_minima
from skimage.segmentation import watershed

MARGIN = 32
DEPTH = 0.005

with rasterio.open(sys.argv[1]) as file:
    raster = file.read().transpose(1, 2, 0).copy()


def split(outline):
    plot = Polygon(np.array(outline) / 2)
    left, top, right, bottom = plot.bounds
    c0, r0 = max(0, math.floor(left) - MARGIN), max(0, math.floor(top) - MARGIN)
    c1 = min(raster.shape[1] // 2, math.ceil(right) + MARGIN)
    r1 = min(raster.shape[0] // 2, math.ceil(bottom) + MARGIN)
    codes = raster[2 * r0 : 2 * r1, 2 * c0 : 2 * c1].astype(np.float32)
    values = np.sign(codes) * np.square(codes / 127.5)
    cells = values.reshape(r1 - r0, 2, c1 - c0, 2, 64).mean(axis=(1, 3))
    cells /= np.linalg.norm(cells, axis=2, keepdims=True)
    across, down = 1 - (cells[:, 1:] * cells[:, :-1]).sum(2), 1 - (cells[1:] * cells[:-1]).sum(2)
    edge, count = np.zeros(cells.shape[:2]), np.zeros(cells.shape[:2])
    for at, step in (
        (np.s_[:, 1:], across),
        (np.s_[:, :-1], across),
        (np.s_[1:], down),
        (np.s_[:-1], down),
    ):
        edge[at] += step
        count[at] += 1
    edge = np.maximum(edge / count, 0)
    markers, _ = ndimage.label(h_minima(edge, DEPTH, footprint=diamond(1)))
    labels = watershed(edge, markers, connectivity=1)
    transform = rasterio.Affine(1, 0, c0, 0, 1, r0)
    inside = features.geometry_mask([plot], labels.shape, transform, invert=True)
    used, index, sizes = np.unique(labels[inside], return_inverse=True, return_counts=True)
    if len(used) < 2:
        return 1
    means = np.stack([np.bincount(index, cells[inside][:, band]) for band in range(64)], 1) / sizes[:, None]
    kinds = np.zeros(labels.shape, np.int16)
    kinds[inside] = fcluster(linkage(means, "ward"), 2, "maxclust")[index]
    found = [shape(s).intersection(plot) for s, kind in features.shapes(kinds, inside, 4, transform) if kind]
    rest = plot.difference(unary_union(found))
    return len(found) + (0 if rest.is_empty else 1)


for line in sys.stdin:
    task = json.loads(line)
    begun, before = time.perf_counter(), time.process_time()
    parts = split(task["outline"])
    cost = {"ms": (time.perf_counter() - begun) * 1000, "cpuMs": (time.process_time() - before) * 1000}
    print(json.dumps(cost | {"parts": parts}), flush=True)
