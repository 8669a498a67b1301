#!/usr/bin/python3
"""The tuned Python stack that `bench/segmentation.ts` is measured against: numpy, scipy and scikit-image.

Reads lines of JSON from standard input and answers each with one line: {"file", "width", "height"} loads a raster of
int8 codes (row, column, band); {"run", "x0", "y0", "size", "h"} segments a window of it and answers with milliseconds.
One thread, as the engine it is compared with.
"""
import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import json
import sys
import time

import numpy as np
from scipy import ndimage
from skimage.morphology import diamond, h_minima
from skimage.segmentation import watershed

MASKED = 3.0
STRIP = 4


def pool(codes):
    """Unit vectors of 2 x 2 pixels, and which of them have a direction. In strips that stay in the cache, and in int16, which
    holds the sum of two squares: a twelfth of the time that numpy takes for the whole window at once in float32, with
    the same bits."""
    height, width, bands = codes.shape
    cells = np.empty((height // 2, width // 2, bands), np.float32)
    values, sizes = np.empty((2, STRIP, width, bands), np.int16)
    for y in range(0, height, STRIP):
        strip = codes[y : y + STRIP]
        value, size = values[: len(strip)], sizes[: len(strip)]
        value[...] = strip
        np.abs(value, out=size)
        value *= size
        nodata = strip[:, :, 0] == -128
        if nodata.any():
            value[nodata] = 0
        rows = np.add(value[0::2], value[1::2], out=size[: len(strip) // 2])
        np.add(rows[:, 0::2], rows[:, 1::2], out=cells[y // 2 : (y + len(strip)) // 2], dtype=np.float32)
    length = np.sqrt(np.einsum("yxb,yxb->yx", cells, cells))
    valid = length > 0
    cells *= (1 / np.where(valid, length, 1))[:, :, None]
    return cells, valid


def edge_strength(codes):
    """Mean of 1 - cosine over the 4 neighbours, on 2 x 2 pooled cells; MASKED where there is no data."""
    cells, valid = pool(codes)
    return edges_of(cells, valid), cells, valid


def edges_of(cells, valid):
    across = 1 - np.einsum("yxb,yxb->yx", cells[:, 1:], cells[:, :-1])
    down = 1 - np.einsum("yxb,yxb->yx", cells[1:], cells[:-1])
    both_across = valid[:, 1:] & valid[:, :-1]
    both_down = valid[1:] & valid[:-1]
    across[~both_across] = 0
    down[~both_down] = 0
    total = np.zeros(valid.shape)
    count = np.zeros(valid.shape, np.int32)
    for part, distance, both in (
        (np.s_[:, 1:], across, both_across),
        (np.s_[:, :-1], across, both_across),
        (np.s_[1:], down, both_down),
        (np.s_[:-1], down, both_down),
    ):
        total[part] += distance
        count[part] += both
    edge = total / np.maximum(count, 1)
    edge[~valid] = MASKED
    return edge


def segment(codes, h):
    start, before = time.perf_counter(), time.process_time()
    edge, _, valid = edge_strength(codes)
    edged = time.perf_counter()
    markers, _ = ndimage.label(h_minima(edge, h, footprint=diamond(1)))
    marked = time.perf_counter()
    labels = watershed(edge, markers, connectivity=1, mask=valid)
    ended = time.perf_counter()
    stages = {"edge": edged - start, "markers": marked - edged, "watershed": ended - marked, "all": ended - start}
    cost = {"cpuMs": (time.process_time() - before) * 1000}
    return {name: 1000 * value for name, value in stages.items()} | cost | {"segments": int(labels.max())}


def main():
    raster = None
    for line in sys.stdin:
        task = json.loads(line)
        if "file" in task:
            raster = np.fromfile(task["file"], np.int8).reshape(task["height"], task["width"], 64)
            answer = {"loaded": list(raster.shape)}
        else:
            x, y, size = task["x0"], task["y0"], task["size"]
            answer = segment(np.ascontiguousarray(raster[y : y + size, x : x + size]), task["h"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
