"""The peer of convergence.ts: convergence.py FOLDER layer|plot NAME:YES,... Each line of input is a run; see convergence.ts.

Of each plot a window of each layer is read; pixels whose centre is inside count with their geodesic area. `layer` makes the mask of
a plot for each layer, as a call of rasterstats for each raster does; `plot` makes it once, because all have the same pixels.
"""
import json
import math
import pathlib
import sys
import time
from contextlib import ExitStack

import numpy
import rasterio
import rasterio.features

A, E2 = 6378137.0, 0.00669437999014132
# GDAL's cache of decoded blocks in bytes, as rasterio takes it.
CACHE = 512 * 2**20


def q(lat):
    e, s = math.sqrt(E2), numpy.sin(numpy.radians(lat))
    return (1 - E2) * (s / (1 - E2 * s * s) - numpy.log((1 - e * s) / (1 + e * s)) / (2 * e))


def row_hectares(raster):
    t = raster.transform
    edges = t.f + numpy.arange(raster.height + 1) * t.e
    return A * A / 2 * math.radians(t.a) * numpy.abs(numpy.diff(q(edges))) / 10_000


def weights_of(raster, geometry, window, shape, hectares):
    mask = rasterio.features.geometry_mask([geometry], shape, raster.window_transform(window), invert=True)
    return mask * hectares[window.row_off : window.row_off + shape[0], None]


def run(folder, once, layers, plots):
    start, before = time.perf_counter(), time.process_time()
    total = [0.0] * len(layers)
    with rasterio.Env(GDAL_CACHEMAX=CACHE), ExitStack() as stack:
        rasters = [stack.enter_context(rasterio.open(folder / f"{name}.tif")) for name, _ in layers]
        hectares = row_hectares(rasters[0])
        for geometry in plots:
            weights = window = None
            for i, (raster, (_, yes)) in enumerate(zip(rasters, layers)):
                if window is None or not once:
                    window = rasterio.features.geometry_window(raster, [geometry])
                values = raster.read(1, window=window)
                if weights is None or not once:
                    weights = weights_of(raster, geometry, window, values.shape, hectares)
                total[i] += float(weights[values >= yes].sum())
    elapsed = (time.perf_counter() - start) * 1000
    # Not ru_maxrss, which begins with that of the process that started this one.
    status = pathlib.Path("/proc/self/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) / 1000
    return {"ms": elapsed, "cpuMs": (time.process_time() - before) * 1000, "hectares": total, "peakMb": peak}


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    layers = [(name, int(yes)) for name, yes in (part.split(":") for part in sys.argv[3].split(","))]
    plots = json.loads((folder / "plots.json").read_text())
    for _ in sys.stdin:
        print(json.dumps(run(folder, sys.argv[2] == "plot", layers, plots)), flush=True)
