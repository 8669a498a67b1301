#!/usr/bin/python3
"""Writes a square GeoTIFF of 64 bands of int8 from a raster of codes continued by mirroring: `tier2-cog.py CODES WIDTH HEIGHT
SIDE WEST NORTH INTERLEAVE BLOCK FILE`. Zstd, as the public files have it; 10 m, EPSG:32616, -128 for no data. Every other copy from north
to south has its signs turned: rows that repeat in a block would shrink to nothing, as no real ones do.
"""
import sys

import numpy as np
import rasterio
from affine import Affine
from rasterio.windows import Window


def fold(count, size):
    places = np.arange(count) % (2 * size)
    return np.where(places < size, places, 2 * size - 1 - places)


def main():
    width, height, side, west, north = map(int, sys.argv[2:7])
    interleave, block, path = sys.argv[7], int(sys.argv[8]), sys.argv[9]
    codes = np.fromfile(sys.argv[1], np.int8).reshape(height, width, 64)
    rows, columns = fold(side, height), fold(side, width)
    options = {"tiled": True, "blockxsize": block, "blockysize": block, "interleave": interleave, "compress": "zstd"}
    where = {"crs": "EPSG:32616", "transform": Affine(10, 0, west, 0, -10, north), "nodata": -128}
    size = {"width": side, "height": side, "count": 64, "dtype": "int8"}
    with rasterio.open(path, "w", driver="GTiff", zstd_level=9, num_threads=2, **options, **where, **size) as file:
        for y in range(0, side, block):
            for x in range(0, side, block):
                part = codes[rows[y : y + block]][:, columns[x : x + block]]
                turned = np.arange(y, min(y + block, side)) // height % 2 == 1
                # -128 has no opposite in int8, and stays what it is.
                part[turned] = -part[turned]
                file.write(np.moveaxis(part, 2, 0), window=Window(x, y, part.shape[1], part.shape[0]))


if __name__ == "__main__":
    main()
