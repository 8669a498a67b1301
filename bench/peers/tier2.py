#!/usr/bin/python3
"""The tuned Python stack that `bench/tier2*.ts` are measured against: from a window of codes to the polygon of a point.

numpy, scipy, scikit-image, rasterio, pyproj and shapely of Debian, one thread; the steps are those of `segmentation.py` and
`outline.py`. Reads lines of JSON from standard input and answers each with one line:
{"file", "width", "height", "west", "north"} takes a raster of int8 codes (row, column, band) into memory;
{"patch", "x0", "y0", "size", "x", "y", "h"} finds the patch at pixel x, y of a window of it;
{"tiff", "x", "y", "size", "h", "threads"} does the same for a window around a pixel of a GeoTIFF, reading it included; GDAL
decodes with so many threads.
"""
import json
import os
import sys
import time

from segmentation import edge_strength

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


def patch(codes, column, row, h, west, north):
    """The polygon of the cell at `column`, `row`, and its mean probability of forest. Cells are 2 x 2 pixels of 10 m."""
    edge, cells, valid = edge_strength(codes)
    markers, _ = ndimage.label(h_minima(edge, h, footprint=diamond(1)))
    labels = watershed(edge, markers, connectivity=1, mask=valid)
    label = labels[row, column]
    mask = labels == label
    rows = np.flatnonzero(mask.any(axis=1))
    columns = np.flatnonzero(mask.any(axis=0))
    logits = cells[mask] @ WEIGHTS + HEAD["bias"]
    probability = float((1 / (1 + np.exp(-logits))).mean())
    box = columns[0], rows[0], rows[-1] - rows[0] + 1, columns[-1] - columns[0] + 1
    polygon = one_segment(labels, *box, label, Affine(20, 0, west, 0, -20, north), TO_DEGREES)
    centre = Point(TO_DEGREES.transform(west + 20 * (column + 0.5), north - 20 * (row + 0.5)))
    return {"cells": int(mask.sum()), "probability": probability, "contains": bool(polygon.contains(centre))}


def read_window(path, x, y, size, threads):
    """The window around a pixel as rows of pixels, and where it lies."""
    with rasterio.open(path, num_threads=threads) as file:
        window = Window(x - size // 2, y - size // 2, size, size)
        bands = file.read(window=window)
        west, north = file.transform * (window.col_off, window.row_off)
    return np.ascontiguousarray(np.moveaxis(bands, 0, 2)), west, north


def main():
    raster = corner = None
    for line in sys.stdin:
        task = json.loads(line)
        start = time.perf_counter()
        if "file" in task:
            raster = np.fromfile(task["file"], np.int8).reshape(task["height"], task["width"], 64)
            corner = task["west"], task["north"]
            answer = {}
        elif "tiff" in task:
            size = task["size"]
            codes, west, north = read_window(task["tiff"], task["x"], task["y"], size, task["threads"])
            answer = {"read": (time.perf_counter() - start) * 1000}
            answer |= patch(codes, size // 4, size // 4, task["h"], west, north)
        else:
            x, y, size = task["x0"], task["y0"], task["size"]
            codes = np.ascontiguousarray(raster[y : y + size, x : x + size])
            start = time.perf_counter()
            column, row = (task["x"] - x) // 2, (task["y"] - y) // 2
            answer = patch(codes, column, row, task["h"], corner[0] + 10 * x, corner[1] - 10 * y)
        print(json.dumps(answer | {"ms": (time.perf_counter() - start) * 1000}), flush=True)


if __name__ == "__main__":
    main()
