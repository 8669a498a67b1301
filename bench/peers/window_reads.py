#!/usr/bin/python3
"""The rasterio (GDAL) side of `bench/window-reads.ts`.

    window_reads.py make FOLDER   writes the synthetic files that are missing: 4096 x 4096 pixels, 64 bands of int8
    window_reads.py               reads lines of JSON {"path", "x", "y", "size", "threads"} from standard input and answers
                                  each with {"ms", "sum"}: open the file, read the window, nothing kept from before

Options are those with which GDAL reads such files fastest: no directory listing, 64 KiB with the header, no block cache
that would outlive a file, consecutive ranges joined, HTTP/1.1 connections kept.
"""
import json
import os
import pathlib
import sys
import time

# GDAL 3.6 complains of its own files when several threads decode their bands; what it reads is right.
os.environ["CPL_LOG"] = os.devnull
import numpy as np
import rasterio
from rasterio.transform import Affine
from rasterio.windows import Window

SIDE = 4096
LAYOUTS = [
    ("zstd", "band", 1024),
    ("zstd", "band", 512),
    ("zstd", "pixel", 1024),
    ("zstd", "pixel", 256),
    ("deflate", "band", 1024),
    ("deflate", "pixel", 256),
]


def scene():
    """Codes of 1024 x 1024 pixels: patches of 16 to 32 pixels in low rank, 2 x 2 blocks, noise. About 0.75 under zstd."""
    random = np.random.default_rng(1)
    axes = random.normal(size=(64, 8))
    patches = np.kron(random.normal(size=(8, 48, 48)), np.ones((1, 22, 22)))[:, :1024, :1024]
    out = np.empty((64, 1024, 1024), np.int8)
    for band in range(64):
        value = np.tensordot(axes[band], patches, 1) * 7
        value += np.kron(random.normal(scale=2.5, size=(512, 512)), np.ones((2, 2)))
        value += random.normal(scale=0.7, size=(1024, 1024))
        out[band] = np.clip(np.round(value), -127, 127)
    return out


def make(folder):
    missing = [one for one in LAYOUTS if not (folder / name_of(*one)).exists()]
    tile = scene() if missing else None
    for compress, interleave, block in missing:
        size = {"width": SIDE, "height": SIDE, "count": 64, "dtype": "int8", "nodata": -128}
        where = {"crs": "EPSG:32616", "transform": Affine(10, 0, 300000, 0, -10, 5000000)}
        blocks = {"tiled": True, "blockxsize": block, "blockysize": block, "interleave": interleave}
        path = folder / name_of(compress, interleave, block)
        part = folder / "part.tif"
        with rasterio.open(
            part, "w", driver="GTiff", compress=compress, num_threads=2, BIGTIFF="YES", **size, **where, **blocks
        ) as file:
            for y in range(0, SIDE, 1024):
                for x in range(0, SIDE, 1024):
                    file.write(np.roll(tile, (x // 64, y // 64), (1, 2)), window=Window(x, y, 1024, 1024))
        part.rename(path)


def name_of(compress, interleave, block):
    return f"{compress}-{interleave}-{block}.tif"


def read(path, x, y, size, threads):
    start = time.perf_counter()
    options = {"num_threads": threads} if threads > 1 else {}
    with rasterio.open(path, **options) as file:
        data = file.read(window=Window(x, y, size, size))
    elapsed = time.perf_counter() - start
    return {"ms": 1000 * elapsed, "sum": int(data.sum(dtype=np.int64))}


def main():
    if sys.argv[1:2] == ["make"]:
        make(pathlib.Path(sys.argv[2]))
        return
    tuned = {
        "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR",
        "GDAL_INGESTED_BYTES_AT_OPEN": "65536",
        "GDAL_HTTP_MERGE_CONSECUTIVE_RANGES": "YES",
        "CPL_VSIL_CURL_NON_CACHED": "/vsicurl/",
    }
    # The bench sets this for single-threaded peers; here each question says how many.
    os.environ.pop("GDAL_NUM_THREADS", None)
    with rasterio.Env(**tuned):
        for line in sys.stdin:
            print(json.dumps(read(**json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
