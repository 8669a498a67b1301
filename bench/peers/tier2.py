#!/usr/bin/python3
"""The tuned Python stack that `bench/tier2*.ts` are measured against: from a window of codes to the polygon of a point.

numpy, scipy, scikit-image, rasterio, pyproj and shapely of Debian, one thread; the steps are those of `segmentation.py` and
`outline.py`. Reads lines of JSON from standard input and answers each with one line:
{"file", "width", "height", "west", "north"} takes a raster of int8 codes (row, column, band) into memory;
{"patch", "x0", "y0", "size", "x", "y", "h", "grow"} finds the patch at pixel x, y of a window of it;
{"tiff", "x", "y", "size", "h", "threads", "grow"} does the same for a window around a pixel of a GeoTIFF, reading it included; GDAL
decodes with so many threads. With "keep" it is read from the file that stays open, with what GDAL decoded of it;
"drop" closes that file.
With "grow" the window grows by the steps of the engine until the segment and the ring around it lie inside; what was pooled
of it is kept. That proves less than the engine does, so it ends no later. Else all of the window is cut at once.
"""
import json
import os
import sys
import time

from segmentation import edges_of, pool

import numpy as np
import rasterio
from affine import Affine
from outline import one_segment
from pyproj import Transformer
from rasterio.windows import Window
from scipy import ndimage
from shapely.geometry import Point
from skimage.morphology import diamond, h_minima
from skimage.segmentation import watershed

TO_DEGREES = Transformer.from_crs(32616, 4326, always_xy=True)
GATE = os.path.join(os.path.dirname(__file__), "../../src/geo/segmentation/forest-gate.json")
with open(GATE) as file:
    HEAD = json.load(file)
WEIGHTS = np.asarray(HEAD["weights"], np.float32)


# Sides of the windows that are tried, in cells; those of `src/geo/segmentation/find-segment.ts`.
SIDES = 64, 96, 144, 216, 320, 512


def cut(cells, valid, column, row, h):
    edge = edges_of(cells, valid)
    markers, _ = ndimage.label(h_minima(edge, h, footprint=diamond(1)))
    labels = watershed(edge, markers, connectivity=1, mask=valid)
    label = labels[row, column]
    mask = labels == label
    return labels, label, mask, np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))


def patch(read, width, height, column, row, h, west, north, grow):
    """The polygon of the cell at `column`, `row`, and its mean probability of forest. Cells are 2 x 2 pixels of 10 m; `read` gives
    the codes of cells from `left` and `top` up to `right` and `bottom`, of `width` x `height` cells."""
    cells, valid = np.empty((height, width, 64), np.float32), np.zeros((height, width), bool)
    known = None
    for side in SIDES if grow else (2 * max(width, height),):
        half = side // 2
        left, top = max(0, column - half), max(0, row - half)
        right, bottom = min(width, column + half), min(height, row + half)
        for l, t, r, b in missing(known, (left, top, right, bottom)):
            cells[t:b, l:r], valid[t:b, l:r] = pool(read(l, t, r, b))
        known = left, top, right, bottom
        at = np.s_[top:bottom, left:right]
        labels, label, mask, rows, columns = cut(cells[at], valid[at], column - left, row - top, h)
        room = columns[0] > 1, rows[0] > 1, columns[-1] < right - left - 2, rows[-1] < bottom - top - 2
        if all(room) or known == (0, 0, width, height):
            break
    logits = cells[at][mask] @ WEIGHTS + HEAD["bias"]
    probability = float((1 / (1 + np.exp(-logits))).mean())
    box = columns[0], rows[0], rows[-1] - rows[0] + 1, columns[-1] - columns[0] + 1
    corner = Affine(20, 0, west + 20 * left, 0, -20, north - 20 * top)
    polygon = one_segment(labels, *box, label, corner, TO_DEGREES)
    centre = Point(TO_DEGREES.transform(west + 20 * (column + 0.5), north - 20 * (row + 0.5)))
    return {"cells": int(mask.sum()), "probability": probability, "contains": bool(polygon.contains(centre))}


def missing(known, wanted):
    """The boxes of `wanted` that are not in `known`, which lies inside it."""
    if known is None:
        return [wanted]
    left, top, right, bottom = wanted
    l, t, r, b = known
    parts = (left, top, right, t), (left, b, right, bottom), (left, t, l, b), (r, t, right, b)
    return [part for part in parts if part[0] < part[2] and part[1] < part[3]]


opened = {}


def patch_of_file(task):
    """The patch of the window around a pixel of a file; how long reading took of that."""
    path, size, threads, keep = task["tiff"], task["size"], task["threads"], task.get("keep", False)
    file = opened.pop((path, threads), None) or rasterio.open(path, num_threads=threads)
    x, y = task["x"] - size // 2, task["y"] - size // 2
    took = 0.0

    def read(left, top, right, bottom):
        nonlocal took
        start = time.perf_counter()
        bands = file.read(window=Window(x + 2 * left, y + 2 * top, 2 * (right - left), 2 * (bottom - top)))
        codes = np.ascontiguousarray(np.moveaxis(bands, 0, 2))
        took += time.perf_counter() - start
        return codes

    west, north = file.transform * (x, y)
    answer = patch(read, size // 2, size // 2, size // 4, size // 4, task["h"], west, north, task["grow"])
    if keep:
        opened[path, threads] = file
    else:
        file.close()
    return answer | {"read": took * 1000}


def main():
    raster = corner = None
    for line in sys.stdin:
        task = json.loads(line)
        start, before = time.perf_counter(), time.process_time()
        if "file" in task:
            raster = np.fromfile(task["file"], np.int8).reshape(task["height"], task["width"], 64)
            corner = task["west"], task["north"]
            answer = {}
        elif "drop" in task:
            while opened:
                opened.popitem()[1].close()
            answer = {}
        elif "tiff" in task:
            answer = patch_of_file(task)
        else:
            x, y, size = task["x0"], task["y0"], task["size"]
            codes = np.ascontiguousarray(raster[y : y + size, x : x + size])
            start, before = time.perf_counter(), time.process_time()
            column, row = (task["x"] - x) // 2, (task["y"] - y) // 2

            def read(left, top, right, bottom):
                return codes[2 * top : 2 * bottom, 2 * left : 2 * right]

            place = corner[0] + 10 * x, corner[1] - 10 * y
            answer = patch(read, size // 2, size // 2, column, row, task["h"], *place, task["grow"])
        cost = {"ms": (time.perf_counter() - start) * 1000, "cpuMs": (time.process_time() - before) * 1000}
        print(json.dumps(answer | cost), flush=True)


if __name__ == "__main__":
    main()
