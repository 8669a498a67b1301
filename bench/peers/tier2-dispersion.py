#!/usr/bin/python3
"""Compares a label map of a raster of codes with those of scikit-image's felzenszwalb and SLIC at the same number of segments.

Arguments: codes (int8; row, column, band), width and height in pixels, labels (int32, one a cell). Prints one line of JSON
for each map. All get the same pooled unit vectors; a map's number of segments is matched by bisection.
"""
import json
import sys
import warnings

from segmentation import pool

import numpy as np
from skimage.segmentation import felzenszwalb, slic

POINTS = 500
# Keyword arguments; the first of each are scikit-image's defaults.
FELZENSZWALB = [{"sigma": 0.8, "min_size": 20}, {"sigma": 0.8, "min_size": 10}, {"sigma": 0, "min_size": 2}]
SLIC = [{"compactness": 10}, {"compactness": 1}, {"compactness": 0.3}, {"compactness": 0.1}, {"compactness": 0.05}]
# The same on the first eight principal components, 80 % of the variance.
SLIC_PCA = [{"compactness": 0.3}, {"compactness": 0.1}, {"compactness": 0.05}]


def describe(cells, labels, points):
    """1 - |mean vector| of the segments: median over segments, over those of the points and over cells, mean over cells; and
    the mean of 1 - cosine between neighbouring cells of different segments and of the same one."""
    shape = labels.shape
    _, labels, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    labels = labels.ravel()
    flat = cells.reshape(-1, cells.shape[2])
    sums = np.stack([np.bincount(labels, flat[:, band]) for band in range(flat.shape[1])], axis=1)
    spread = 1 - np.linalg.norm(sums, axis=1) / sizes
    per_cell = spread[labels]
    grid = labels.reshape(shape)
    steps = [(np.s_[:, 1:], np.s_[:, :-1]), (np.s_[1:], np.s_[:-1])]
    across = [(1 - np.einsum("yxb,yxb->yx", cells[a], cells[b]), grid[a] != grid[b]) for a, b in steps]
    distance = np.concatenate([part.ravel() for part, _ in across])
    border = np.concatenate([part.ravel() for _, part in across])
    figures = {
        "segments": np.median(spread),
        "points": np.median(per_cell[points]),
        "cells": np.median(per_cell),
        "area": per_cell.mean(),
        "border": distance[border].mean(),
        "within": distance[~border].mean(),
    }
    sizes_told = {"count": len(sizes), "median": int(np.median(sizes)), "small": float((sizes < 10).mean())}
    return {name: round(float(value), 4) for name, value in figures.items()} | sizes_told


def closest(make, low, high, wanted):
    """The label map nearest to a number of segments, by bisection; `make` gives more segments for larger values."""
    best = None
    for _ in range(14):
        middle = (low * high) ** 0.5
        labels = make(middle)
        count = len(np.unique(labels))
        if best is None or abs(count - wanted) < abs(best[0] - wanted):
            best = count, labels
        if abs(count - wanted) <= 0.003 * wanted:
            break
        low, high = (middle, high) if count < wanted else (low, middle)
    return best[1]


def principal(cells, count):
    flat = cells.reshape(-1, cells.shape[2]).astype(np.float64)
    flat -= flat.mean(axis=0)
    _, vectors = np.linalg.eigh(flat.T @ flat)
    return (flat @ vectors[:, -count:]).reshape(*cells.shape[:2], count)


def main():
    warnings.filterwarnings("ignore", message="Got image with third dimension")
    codes, width, height, labels = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    cells, _ = pool(np.fromfile(codes, np.int8).reshape(height, width, 64))
    labels = np.fromfile(labels, np.int32).reshape(height // 2, width // 2)
    with open(sys.argv[5]) as file:
        head = json.load(file)
    forest = np.flatnonzero((cells @ np.asarray(head["weights"]) + head["bias"]).ravel() >= 0)
    points = np.random.default_rng(7).choice(forest, POINTS, replace=False)
    wanted = int(labels.max())
    report = lambda name, map_: print(json.dumps({"name": name} | describe(cells, map_, points)), flush=True)
    report("engine", labels)
    for options in FELZENSZWALB:
        make = lambda finer: felzenszwalb(cells, scale=1 / finer, channel_axis=-1, **options)
        usual = ", the defaults" if options is FELZENSZWALB[0] else ""
        report(f"felzenszwalb sigma {options['sigma']}, min_size {options['min_size']}{usual}", closest(make, 1e-3, 1e3, wanted))
    reduced = principal(cells, 8)
    for name, image, kinds in (("SLIC", cells, SLIC), ("SLIC on 8 components", reduced, SLIC_PCA)):
        for options in kinds:
            make = lambda n: slic(image, int(n), convert2lab=False, start_label=1, channel_axis=-1, **options)
            usual = ", the default" if options is SLIC[0] else ""
            report(f"{name}, compactness {options['compactness']}{usual}", closest(make, wanted / 3, wanted * 3, wanted))


if __name__ == "__main__":
    main()
