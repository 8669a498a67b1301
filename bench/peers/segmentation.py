#!/usr/bin/python3
"""The tuned Python stack that `bench/segmentation.ts` is measured against: numpy, scipy and scikit-image.

Reads lines of JSON from standard input and answers each with one line: {"file", "width", "height"} loads a raster of
int8 codes (row, column, band); {"run", "x0", "y0", "size", "h"} segments a window of it and answers with milliseconds;
{"dispersion", "segments"} compares a stored label map of the raster with felzenszwalb and SLIC at that many segments.
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
from skimage.segmentation import felzenszwalb, slic, watershed

CODES = np.arange(256, dtype=np.uint8).view(np.int8).astype(np.float32)
VALUES = (np.sign(CODES) * (CODES / 127.5) ** 2).astype(np.float32)
MASKED = 3.0


def pool(codes):
    """Unit vectors of 2 x 2 pixels, and which of them have a direction."""
    values = VALUES[codes.view(np.uint8)]
    nodata = codes[:, :, 0] == -128
    if nodata.any():
        values[nodata] = 0
    rows = values[0::2] + values[1::2]
    cells = rows[:, 0::2] + rows[:, 1::2]
    length = np.sqrt(np.einsum("yxb,yxb->yx", cells, cells))
    valid = length > 0
    cells /= np.where(valid, length, 1)[:, :, None]
    return cells, valid


def edge_strength(codes):
    """Mean of 1 - cosine over the 4 neighbours, on 2 x 2 pooled cells; MASKED where there is no data."""
    cells, valid = pool(codes)
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
    return edge, valid


def segment(codes, h):
    start = time.perf_counter()
    edge, valid = edge_strength(codes)
    edged = time.perf_counter()
    markers, _ = ndimage.label(h_minima(edge, h, footprint=diamond(1)))
    marked = time.perf_counter()
    labels = watershed(edge, markers, connectivity=1, mask=valid)
    ended = time.perf_counter()
    stages = {"edge": edged - start, "markers": marked - edged, "watershed": ended - marked, "all": ended - start}
    return {name: 1000 * value for name, value in stages.items()} | {"segments": int(labels.max())}


def dispersion(cells, labels):
    """1 - |mean vector| of each segment: median and mean over cells, median over segments, number of segments."""
    _, labels, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    flat = cells.reshape(-1, cells.shape[2])
    sums = np.stack([np.bincount(labels.ravel(), flat[:, band]) for band in range(flat.shape[1])], axis=1)
    spread = 1 - np.linalg.norm(sums, axis=1) / sizes
    per_cell = spread[labels.ravel()]
    parts = np.median(per_cell), per_cell.mean(), np.median(spread)
    return [round(float(part), 5) for part in parts] + [len(sizes)]


def closest(make, low, high, segments):
    """The label map nearest to a number of segments, by bisection; `make` gives more segments for larger values."""
    best = None
    for _ in range(12):
        middle = (low * high) ** 0.5
        labels = make(middle)
        count = len(np.unique(labels))
        if best is None or abs(count - segments) < abs(best[0] - segments):
            best = count, labels
        low, high = (middle, high) if count < segments else (low, middle)
    return best[1]


def compare_dispersion(codes, labels, segments):
    """SLIC's compactness: 0.05 lets it follow these vectors closely, 10 is the default."""
    cells, _ = pool(np.ascontiguousarray(codes))
    channels = {"channel_axis": -1}
    maps = {
        "engine": labels,
        "felzenszwalb": closest(
            lambda finer: felzenszwalb(cells, scale=1 / finer, sigma=0, min_size=2, **channels), 1e-3, 1e3, segments
        ),
    }
    for compactness in (0.05, 0.5, 10):
        maps[f"SLIC {compactness}"] = closest(
            lambda n: slic(cells, int(n), compactness, convert2lab=False, start_label=1, **channels),
            segments / 3,
            segments * 3,
            segments,
        )
    return {name: dispersion(cells, map_) for name, map_ in maps.items()}


def main():
    raster = None
    for line in sys.stdin:
        task = json.loads(line)
        if "file" in task:
            raster = np.fromfile(task["file"], np.int8).reshape(task["height"], task["width"], 64)
            answer = {"loaded": list(raster.shape)}
        elif "dispersion" in task:
            shape = raster.shape[0] // 2, raster.shape[1] // 2
            labels = np.fromfile(task["dispersion"], np.int32).reshape(shape)
            answer = compare_dispersion(raster, labels, task["segments"])
        else:
            x, y, size = task["x0"], task["y0"], task["size"]
            answer = segment(np.ascontiguousarray(raster[y : y + size, x : x + size]), task["h"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
