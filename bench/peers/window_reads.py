#!/usr/bin/python3
"""The rasterio (GDAL) side of `bench/window-reads.ts`.

    window_reads.py make FOLDER CODES WIDTH HEIGHT   writes the files that are missing from a raster of 64 codes a pixel,
                                                     continued by mirroring to 3072 x 3072 pixels
    window_reads.py       reads lines of JSON {"path", "x", "y", "size", "threads", "keep"} from standard input and answers
                          each with {"ms", "cpuMs", "sum"}: the time to open the file and read the window; with "keep" the file, and
                          what GDAL decoded of it, stay for the next question. {"drop": path} puts a file out of the
                          operating system's cache.

Options are those with which GDAL reads such files fastest: no directory listing, 64 KiB with the header, consecutive
ranges joined, HTTP/1.1 connections kept.
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

SIDE = 3072
LAYOUTS = [("zstd", "band", 1024), ("zstd", "pixel", 256), ("deflate", "band", 1024)]


def make(folder, codes_path, width, height):
    missing = [one for one in LAYOUTS if not (folder / name_of(*one)).exists()]
    codes = np.fromfile(codes_path, np.int8).reshape(height, width, 64)
    rows, columns = fold(height), fold(width)
    for compress, interleave, block in missing:
        size = {"width": SIDE, "height": SIDE, "count": 64, "dtype": "int8", "nodata": -128}
        where = {"crs": "EPSG:32616", "transform": Affine(10, 0, 300000, 0, -10, 5000000)}
        blocks = {"tiled": True, "blockxsize": block, "blockysize": block, "interleave": interleave}
        part = folder / "part.tif"
        with rasterio.open(
            part, "w", driver="GTiff", compress=compress, num_threads=2, BIGTIFF="YES", **size, **where, **blocks
        ) as file:
            for y in range(0, SIDE, 1024):
                for x in range(0, SIDE, 1024):
                    tile = codes[rows[y : y + 1024]][:, columns[x : x + 1024]]
                    file.write(np.moveaxis(tile, 2, 0), window=Window(x, y, 1024, 1024))
        part.rename(folder / name_of(compress, interleave, block))


def fold(size):
    places = np.arange(SIDE) % (2 * size)
    return np.where(places < size, places, 2 * size - 1 - places)


def name_of(compress, interleave, block):
    return f"{compress}-{interleave}-{block}.tif"


kept = {}


def read(path, x, y, size, threads, keep=False):
    start, spent = time.perf_counter(), time.process_time()
    file = kept.get((path, threads)) or rasterio.open(path, **({"num_threads": threads} if threads > 1 else {}))
    data = file.read(window=Window(x, y, size, size))
    if keep:
        kept[path, threads] = file
    else:
        file.close()
    elapsed, spent = time.perf_counter() - start, time.process_time() - spent
    return {"ms": 1000 * elapsed, "cpuMs": 1000 * spent, "sum": int(data.sum(dtype=np.int64))}


def drop(path):
    file = os.open(path, os.O_RDONLY)
    os.fsync(file)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(file)
    return {}


def main():
    if sys.argv[1:2] == ["make"]:
        make(pathlib.Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
        return
    tuned = {
        "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR",
        "GDAL_INGESTED_BYTES_AT_OPEN": "65536",
        "GDAL_HTTP_MERGE_CONSECUTIVE_RANGES": "YES",
        # No answer of the server is kept in memory; decoded blocks of a file that stays open are.
        "CPL_VSIL_CURL_NON_CACHED": "/vsicurl/",
    }
    # The bench sets this for single-threaded peers; here each question says how many.
    os.environ.pop("GDAL_NUM_THREADS", None)
    with rasterio.Env(**tuned):
        for line in sys.stdin:
            task = json.loads(line)
            answer = drop(task["drop"]) if "drop" in task else read(**task)
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
