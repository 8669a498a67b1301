#!/usr/bin/python3
"""Synthetic scenes of AEF-like codes: `tier2-scenes.py KIND SIDE SEED FILE` writes int8 codes (row, column, band), -128 for
no data. Warped Voronoi stands of 700 pixels with blurred edges, smooth variation within and correlated noise; "mixed" adds
rivers, clearings and areas of rough texture, "nodata" holes. The same arguments give the same file.
"""
import sys

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree

BANDS = 64


def smooth_noise(rng, side, sigma):
    noise = ndimage.gaussian_filter(rng.standard_normal((side, side)).astype(np.float32), sigma, mode="wrap")
    return noise / noise.std()


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def stands(rng, side, kind):
    y, x = np.mgrid[0:side, 0:side].astype(np.float32)
    warp = [4 * smooth_noise(rng, side, 12) + 1.5 * smooth_noise(rng, side, 3) for _ in "yx"]
    density = np.exp(smooth_noise(rng, side, 90)).ravel()
    count = side * side // 700
    seeds = rng.choice(side * side, count, replace=False, p=density / density.sum())
    tree = cKDTree(np.stack([seeds // side, seeds % side], 1))
    _, labels = tree.query(np.stack([(y + warp[0]).ravel(), (x + warp[1]).ravel()], 1))
    labels = labels.reshape(side, side)
    if kind == "mixed":
        labels[np.abs(smooth_noise(rng, side, 60)) < 0.02] = count
        labels[smooth_noise(rng, side, 6) > 2.3] = count + 1
    return labels


def scene(kind, side, seed):
    rng = np.random.default_rng(seed)
    labels = stands(rng, side, kind)
    classes = unit(rng.standard_normal((14, BANDS)) + 1.2 * rng.standard_normal((1, BANDS)))
    count = labels.max() + 1
    means = unit(classes[rng.integers(0, 14, count)] + 0.035 * rng.standard_normal((count, BANDS))).astype(np.float32)
    modes = unit(rng.standard_normal((6, BANDS))).astype(np.float32)
    fields = [0.05 * smooth_noise(rng, side, sigma) for sigma in (60, 40, 25, 15, 10, 6)]
    texture = np.ones((side, side), np.float32)
    if kind == "mixed":
        texture[smooth_noise(rng, side, 50) > 0.7] = 3
    vectors = np.empty((side, side, BANDS), np.float32)
    for band in range(BANDS):
        value = ndimage.gaussian_filter(means[:, band][labels], 0.7)
        for field, mode in zip(fields, modes):
            value += field * mode[band]
        noise = 2.1 * ndimage.gaussian_filter(rng.standard_normal((side, side)).astype(np.float32), 1.2)
        vectors[:, :, band] = value + 0.009 * texture * (noise + 0.5 * rng.standard_normal((side, side)))
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    codes = np.clip(np.round(np.sign(vectors) * np.sqrt(np.abs(vectors)) * 127.5), -127, 127).astype(np.int8)
    if kind == "nodata":
        codes[smooth_noise(rng, side, 40) > 0.5] = -128
    return codes


if __name__ == "__main__":
    scene(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])).tofile(sys.argv[4])
