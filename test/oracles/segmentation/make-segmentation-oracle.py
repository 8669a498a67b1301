#!/usr/bin/python3
"""Makes segmentation.json: what scikit-image 0.19 says of edge images, for `src/geo/segmentation`.

Run by hand from the repository root: /usr/bin/python3 test/oracles/segmentation/make-segmentation-oracle.py
Needs Debian's python3-skimage and python3-rasterio. The synthetic cases are stored whole; of the real raster only
checksums, counts and some derived edge strengths are kept, none of its pixels.
"""
import hashlib
import json
import pathlib

import numpy as np
import rasterio
import scipy
import skimage
from scipy import ndimage
from skimage.morphology import diamond, h_minima
from skimage.segmentation import watershed

ROOT = pathlib.Path(__file__).resolve().parents[3]
RASTERS = ROOT / "../shared/data/aef"
UNIT = 16256
WALL = 3.0


def flood(edge, valid, h):
    """Minima of depth h and the watershed from them; walls stand where there is no data."""
    walled = np.where(valid, edge.astype(np.float64), WALL)
    minima = h_minima(walled, h, footprint=diamond(1)) * valid
    markers, count = ndimage.label(minima)
    return minima, watershed(walled, markers, connectivity=1, mask=valid), count


def synthetic():
    """Images in steps of 1 / 1024, so that they are exact: many ties, few ties, plateaus, walls, one row, one cell."""
    random = np.random.default_rng(20_24)
    images = {
        "coarse steps, many ties": random.integers(0, 6, (18, 23)) * 64,
        "fine steps, few ties": random.integers(0, 1024, (24, 19)),
        "smooth": np.round(ndimage.gaussian_filter(random.random((32, 30)), 2) * 4000),
        "smooth with terraces": np.round(ndimage.gaussian_filter(random.random((30, 34)), 2) * 60) * 16,
        "one row": random.integers(0, 9, (1, 40)) * 32,
        "one column": random.integers(0, 9, (40, 1)) * 32,
        "two cells": np.array([[0, 700]]),
        "checkerboard": np.indices((9, 9)).sum(0) % 2 * 500,
        "rings": np.round(np.abs(np.hypot(*np.indices((21, 21)) - 10) % 5 - 2.5) * 200),
    }
    walls = {name: np.ones(image.shape, bool) for name, image in images.items()}
    for name in ("coarse steps, many ties", "smooth"):
        images[name + ", with walls"] = images[name]
        walls[name + ", with walls"] = random.random(images[name].shape) > 0.25
    cases = []
    for name, image in images.items():
        valid = walls[name]
        steps = image.astype(int)
        for h in (0.03, 0.125, 0.3):
            if h > np.ptp(np.where(valid, steps / 1024, WALL)):
                continue  # scikit-image marks nothing then
            minima, labels, _ = flood(steps / 1024, valid, h)
            cases.append(
                {
                    "name": f"{name}, depth {h}",
                    "width": int(image.shape[1]),
                    "height": int(image.shape[0]),
                    "depth": h,
                    "steps": np.where(valid, steps, -1).ravel().tolist(),
                    "minima": np.flatnonzero(minima).tolist(),
                    "labels": labels.ravel().tolist(),
                }
            )
    return cases


def integer_edges(codes):
    """The engine's integer arithmetic, in numpy: codes (row, column, band) to float32 edge strengths and validity."""
    height, width, _ = codes.shape
    wide = codes.astype(np.int64)
    squares = wide * np.abs(wide)
    squares[(codes == -128).any(axis=2)] = 0
    sums = squares.reshape(height // 2, 2, width // 2, 2, 64).sum(axis=(1, 3))
    halves = (sums + 1) >> 1
    length = np.sqrt((halves * halves).sum(axis=2).astype(np.float64))
    valid = length > 0
    shift = np.zeros(length.shape, np.int64)
    for _ in range(16):
        short = valid & (length <= UNIT)
        shift += short
        length = np.where(short, length * 2, length)
    fraction = np.minimum(32767, np.floor(32768 * UNIT / np.where(valid, length, 1) + 0.5)).astype(np.int64)
    units = ((halves << shift[:, :, None]) * fraction[:, :, None] + 16384) >> 15
    return mean_over_neighbours(units, valid, 2.0 * UNIT * UNIT), valid


def float_edges(codes):
    """The same quantity as its definition has it, in 64-bit floats: mean over the neighbours of 1 - cosine."""
    height, width, _ = codes.shape
    values = np.sign(codes) * (codes.astype(np.float64) / 127.5) ** 2
    values[(codes == -128).any(axis=2)] = 0
    cells = values.reshape(height // 2, 2, width // 2, 2, 64).sum(axis=(1, 3))
    length = np.linalg.norm(cells, axis=2)
    valid = length > 0
    return mean_over_neighbours(cells / np.where(valid, length, 1)[:, :, None], valid, 2.0)


def mean_over_neighbours(vectors, valid, scale):
    total = np.zeros(valid.shape, vectors.dtype)
    count = np.zeros(valid.shape)
    for a, b in ((np.s_[:, 1:], np.s_[:, :-1]), (np.s_[1:], np.s_[:-1])):
        both = valid[a] & valid[b]
        distance = np.where(both, ((vectors[a] - vectors[b]) ** 2).sum(axis=2), 0)
        for part in (a, b):
            total[part] += distance
            count[part] += both
    return np.where(count > 0, total / (np.maximum(count, 1) * scale), 0).astype(np.float32)


def real(name):
    with rasterio.open(RASTERS / f"{name}.tif") as raster:
        codes = raster.read().transpose(1, 2, 0)
    codes = codes[: codes.shape[0] // 2 * 2, : codes.shape[1] // 2 * 2]
    edge, valid = integer_edges(codes)
    truth = float_edges(codes)
    masked = np.where(valid, edge, np.float32(-1))
    some = np.random.default_rng(7).choice(np.flatnonzero(valid), 40, replace=False)
    floods = []
    for h in (0.002, 0.005, 0.02):
        minima, labels, count = flood(edge, valid, h)
        floods.append(
            {
                "depth": h,
                "segments": int(count),
                "minima": digest(minima.astype(np.uint8)),
                "labels": digest(labels.astype("<i4")),
            }
        )
    return {
        "raster": name,
        "edges": digest(masked.astype("<f4")),
        "samples": [[int(cell), round(float(truth.flat[cell]), 7)] for cell in sorted(some)],
        "floods": floods,
    }


def digest(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def main():
    oracle = {
        "made_by": "make-segmentation-oracle.py",
        "versions": {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-image": skimage.__version__},
        "synthetic": synthetic(),
        "real": [real("wisconsin_west"), real("wisconsin_topdown_nodata")],
    }
    out = pathlib.Path(__file__).with_name("segmentation.json")
    out.write_text(json.dumps(oracle, separators=(",", ":")) + "\n")


main()
