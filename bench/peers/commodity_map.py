#!/usr/bin/python3
"""The share of ground around mills that a map says is of a commodity, with rasterio and numpy on one thread. "windows" reads a
window for each mill, with 512 MB of cache; "whole" reads the map once and cuts windows of the array. Both mask what lies
outside the circle. Reads lines of JSON, answers with milliseconds and shares."""

import json
import sys
import time

import numpy as np
import rasterio
from rasterio.windows import Window

way, setup = sys.argv[1], json.loads(sys.argv[2])
radius = setup["radius"]
mills = np.fromfile(setup["mills"], np.float64).reshape(-1, 2)


def share(transform, read, lon, lat):
    a, _, c, _, e, f = transform[:6]
    east, north = 111_320 * np.cos(np.radians(lat)) * a, 110_574 * -e
    x, y = (lon - c) / a, (lat - f) / e
    x0, y0 = int(x - radius / east), int(y - radius / north)
    across, down = int(2 * radius / east) + 2, int(2 * radius / north) + 2
    dx = (np.arange(x0, x0 + across) + 0.5 - x) * east
    dy = (np.arange(y0, y0 + down) + 0.5 - y) * north
    inside = dx[None, :] ** 2 + dy[:, None] ** 2 <= radius**2
    return float((read(x0, y0, across, down)[inside] == 1).mean())


with rasterio.Env(GDAL_CACHEMAX=512_000_000), rasterio.open(setup["map"]) as file:
    array = None
    for line in sys.stdin:
        task = json.loads(line)
        some = mills[: task["mills"]]
        start, cpu = time.perf_counter(), time.process_time()
        if way == "windows":
            read = lambda x, y, w, h: file.read(1, window=Window(x, y, w, h))
        else:
            array = file.read(1) if task["first"] else array
            read = lambda x, y, w, h: array[y : y + h, x : x + w]
        shares = [share(file.transform, read, *place) for place in some]
        ms, cpu_ms = (time.perf_counter() - start) * 1000, (time.process_time() - cpu) * 1000
        print(json.dumps({"ms": ms, "cpuMs": cpu_ms, "shares": shares}), flush=True)
