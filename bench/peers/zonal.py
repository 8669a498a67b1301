"""The peers of zonal.ts: zonal.py FOLDER centres|blocks|exact PLOTS. Each line of input is a run; see zonal.ts.

centres: as rasterstats does: the window of each plot, geometry_mask (pixels whose centre is inside), numpy sums.
blocks:  every block that holds plots is read once, all of its plots are drawn into it at once, and one bincount sums them.
exact:   the windows of `centres`, every pixel that the plot's edge may cross cut by GEOS.
All weigh pixels by their geodesic area, a value for each row of the raster.
"""
import json
import math
import pathlib
import sys
import time

import numpy
import rasterio
import rasterio.features
import rasterio.windows
from rasterio.transform import Affine
import shapely.geometry
import shapely.prepared

A, E2 = 6378137.0, 0.00669437999014132
# GDAL's cache of decoded blocks in bytes, as rasterio takes it; a block row of both rasters is 17 MB.
CACHE = 512 * 2**20
YEARS = 256


def q(lat):
    e, s = math.sqrt(E2), numpy.sin(numpy.radians(lat))
    return (1 - E2) * (s / (1 - E2 * s * s) - numpy.log((1 - e * s) / (1 + e * s)) / (2 * e))


def row_hectares(raster):
    t = raster.transform
    edges = t.f + numpy.arange(raster.height + 1) * t.e
    return A * A / 2 * math.radians(t.a) * numpy.abs(numpy.diff(q(edges))) / 10_000


def centres(geometry, transform, shape):
    return rasterio.features.geometry_mask([geometry], shape, transform, invert=True).astype(float)


def exact(geometry, transform, shape):
    polygon = shapely.geometry.shape(geometry)
    prepared = shapely.prepared.prep(polygon)
    shares = numpy.zeros(shape)
    for row in range(shape[0]):
        top = transform.f + row * transform.e
        for column in range(shape[1]):
            left = transform.c + column * transform.a
            box = shapely.geometry.box(left, top + transform.e, left + transform.a, top)
            if prepared.contains(box):
                shares[row, column] = 1
            elif prepared.intersects(box):
                shares[row, column] = polygon.intersection(box).area / abs(transform.a * transform.e)
    return shares


def by_windows(forest, losses, cover, plots):
    total = numpy.zeros(3)
    hectares = row_hectares(forest)
    for geometry in plots:
        window = rasterio.features.geometry_window(forest, [geometry])
        trees = forest.read(1, window=window) >= 30
        years = losses.read(1, window=window)
        shares = cover(geometry, forest.window_transform(window), trees.shape)
        weights = shares * hectares[window.row_off : window.row_off + trees.shape[0], None]
        by_year = numpy.bincount(years.ravel(), weights.ravel(), YEARS)
        inside = numpy.bincount(years[trees], weights[trees], YEARS)
        total += weights[trees].sum(), by_year[1:].sum(), inside[1:].sum()
    return total


def by_blocks(forest, losses, plots):
    """Hectares by plot, year and forest. Plots that lie over each other in a block are drawn in as many layers as that needs."""
    side = forest.block_shapes[0][0]
    t = forest.transform
    waiting = {}
    for i, geometry in enumerate(plots):
        corners = numpy.asarray(geometry["coordinates"][0])
        columns = (corners[:, 0] - t.c) / t.a
        rows = (corners[:, 1] - t.f) / t.e
        box = columns.min(), rows.min(), columns.max(), rows.max()
        for y in range(int(box[1]) // side, int(box[3]) // side + 1):
            for x in range(int(box[0]) // side, int(box[2]) // side + 1):
                waiting.setdefault((y, x), []).append((i, box))
    hectares = row_hectares(forest)
    sums = numpy.zeros((len(plots), 2, YEARS))
    for (y, x), here in sorted(waiting.items()):
        window = rasterio.windows.Window(x * side, y * side, side, side)
        trees = forest.read(1, window=window) >= 30
        years = losses.read(1, window=window)
        classes = years + trees * numpy.int32(YEARS)
        weights = numpy.broadcast_to(hectares[y * side : (y + 1) * side, None], classes.shape)
        moved = Affine(t.a, 0, t.c + x * side * t.a, 0, t.e, t.f + y * side * t.e)
        for layer in layers_of(here):
            shapes = [(plots[i], n + 1) for n, i in enumerate(layer)]
            numbers = rasterio.features.rasterize(shapes, classes.shape, transform=moved, dtype="int32")
            drawn = numbers > 0
            keys = (numbers[drawn] - 1) * (2 * YEARS) + classes[drawn]
            counted = numpy.bincount(keys, weights[drawn], len(layer) * 2 * YEARS)
            sums[layer] += counted.reshape(-1, 2, YEARS)
    return sums[:, 1].sum(), sums[:, :, 1:].sum(), sums[:, 1, 1:].sum()


def layers_of(here):
    """Plots in layers in which no two boxes touch."""
    layers = []
    for i, box in here:
        for layer in layers:
            if not any(a[0] < box[2] + 1 and box[0] < a[2] + 1 and a[1] < box[3] + 1 and box[1] < a[3] + 1 for _, a in layer):
                layer.append((i, box))
                break
        else:
            layers.append([(i, box)])
    return [[i for i, _ in layer] for layer in layers]


def run(folder, way, plots):
    start, before = time.perf_counter(), time.process_time()
    with rasterio.Env(GDAL_CACHEMAX=CACHE):
        with rasterio.open(folder / "forest.tif") as forest, rasterio.open(folder / "losses.tif") as losses:
            if way == "blocks":
                total = by_blocks(forest, losses, plots)
            else:
                total = by_windows(forest, losses, {"centres": centres, "exact": exact}[way], plots)
    elapsed = (time.perf_counter() - start) * 1000
    # Not ru_maxrss, which begins with that of the process that started this one.
    status = pathlib.Path("/proc/self/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) / 1000
    cpu = (time.process_time() - before) * 1000
    return {"ms": elapsed, "cpuMs": cpu, "forest": total[0], "lost": total[1], "inside": total[2], "peakMb": peak}


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    plots = json.loads((folder / "plots.json").read_text())[: int(sys.argv[3])]
    for _ in sys.stdin:
        print(json.dumps(run(folder, sys.argv[2], plots)), flush=True)
