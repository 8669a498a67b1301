#!/usr/bin/python3
"""The tuned Python stack that `bench/label-store.ts` is measured against: from a place in a raster of labels to its polygon.

rasterio reads, scipy finds the component, the rest is that of `outline.py`; one thread. Reads lines of JSON from standard
input and answers each with one line:
{"file", "width", "height", "west", "north", "cell", "epsg", "tiff"} writes raw uint32 labels as a zstd GeoTIFF in blocks of BLOCK;
{"cold": [[lon, lat], ...]} looks places up with the file open and none of its blocks decoded before each;
{"cached": [[lon, lat], ...]} looks them up in labels that are in memory.
With "tuned" no component is looked for, because every label of this raster is one connected segment, and only blocks that are new
are compared.
"""
import json
import sys
import time

import numpy as np
import rasterio
from affine import Affine
from outline import one_segment
from pyproj import Transformer
from rasterio.windows import Window
from scipy import ndimage

# Cells a side of the blocks of the GeoTIFF, and of the steps in which a window grows.
BLOCK = int(sys.argv[1]) if len(sys.argv) > 1 else 256


def component(read, height, width, column, row):
    """The connected cells of the label at a cell: blocks are added on the sides it touches. Returns labels, mask, corner."""
    left, top = column // BLOCK * BLOCK, row // BLOCK * BLOCK
    right, bottom = min(left + BLOCK, width), min(top + BLOCK, height)
    while True:
        labels = read(left, top, right, bottom)
        parts, _ = ndimage.label(labels == labels[row - top, column - left])
        part = parts == parts[row - top, column - left]
        rows, columns = part.any(axis=1), part.any(axis=0)
        grown = (
            max(0, left - BLOCK) if columns[0] else left,
            max(0, top - BLOCK) if rows[0] else top,
            min(width, right + BLOCK) if columns[-1] else right,
            min(height, bottom + BLOCK) if rows[-1] else bottom,
        )
        if grown == (left, top, right, bottom):
            return part, np.flatnonzero(rows), np.flatnonzero(columns), left, top
        left, top, right, bottom = grown


def labelled(read, height, width, column, row):
    """As `component`, for labels that are one connected segment each: blocks are added where the label reaches an edge."""
    left, top = column // BLOCK * BLOCK, row // BLOCK * BLOCK
    right, bottom = min(left + BLOCK, width), min(top + BLOCK, height)
    labels = read(left, top, right, bottom)
    part = labels == labels[row - top, column - left]
    label = labels[row - top, column - left]
    while True:
        new_left = max(0, left - BLOCK) if part[:, 0].any() else left
        new_top = max(0, top - BLOCK) if part[0].any() else top
        new_right = min(width, right + BLOCK) if part[:, -1].any() else right
        new_bottom = min(height, bottom + BLOCK) if part[-1].any() else bottom
        if (new_left, new_top, new_right, new_bottom) == (left, top, right, bottom):
            return part, np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0)), left, top
        grown = np.zeros((new_bottom - new_top, new_right - new_left), bool)
        grown[top - new_top : bottom - new_top, left - new_left : right - new_left] = part
        for l, t, r, b in (
            (new_left, new_top, new_right, top),
            (new_left, bottom, new_right, new_bottom),
            (new_left, top, left, bottom),
            (right, top, new_right, bottom),
        ):
            if l < r and t < b:
                grown[t - new_top : b - new_top, l - new_left : r - new_left] = read(l, t, r, b) == label
        part, left, top, right, bottom = grown, new_left, new_top, new_right, new_bottom


def look(read, size, transform, crs, find, lon, lat):
    to_metres, to_degrees = crs
    x, y = to_metres.transform(lon, lat)
    column, row = (int(value) for value in ~transform * (x, y))
    part, rows, columns, left, top = find(read, *size, column, row)
    box = columns[0], rows[0], rows[-1] - rows[0] + 1, columns[-1] - columns[0] + 1
    moved = transform * Affine.translation(left, top)
    polygon = one_segment(part, *box, True, moved, to_degrees)
    return int(part.sum()), len(polygon.exterior.coords)


def main():
    path = labels = transform = crs = None
    for line in sys.stdin:
        task = json.loads(line)
        if "file" in task:
            size = task["height"], task["width"]
            labels = np.fromfile(task["file"], np.uint32).reshape(size)
            transform = Affine(task["cell"], 0, task["west"], 0, -task["cell"], task["north"])
            path = task["tiff"]
            profile = {"driver": "GTiff", "dtype": "uint32", "count": 1, "tiled": True, "compress": "zstd"}
            profile |= {"blockxsize": BLOCK, "blockysize": BLOCK, "crs": f"EPSG:{task['epsg']}"}
            with rasterio.open(path, "w", height=size[0], width=size[1], transform=transform, **profile) as file:
                file.write(labels, 1)
            crs = (
                Transformer.from_crs(4326, task["epsg"], always_xy=True),
                Transformer.from_crs(task["epsg"], 4326, always_xy=True),
            )
            answer = {}
        else:
            times, cells = [], 0
            find = labelled if task.get("tuned") else component
            for lon, lat in task.get("cold", task.get("cached")):
                if "cold" in task:
                    # Opened before the clock runs: what is measured is reading, not the file's header.
                    with rasterio.open(path) as file:
                        def read(left, top, right, bottom):
                            return file.read(1, window=Window(left, top, right - left, bottom - top))

                        begin = time.perf_counter()
                        area, _ = look(read, labels.shape, transform, crs, find, lon, lat)
                        times.append((time.perf_counter() - begin) * 1000)
                else:
                    def read(left, top, right, bottom):
                        return labels[top:bottom, left:right]

                    begin = time.perf_counter()
                    area, _ = look(read, labels.shape, transform, crs, find, lon, lat)
                    times.append((time.perf_counter() - begin) * 1000)
                cells += area
            answer = {"times": times, "cells": cells}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
