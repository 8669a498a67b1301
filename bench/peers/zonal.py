"""The peers of zonal.ts: zonal.py FOLDER centres|exact PLOTS. Each line of input is a run; see zonal.ts.

centres: as rasterstats does: the window of each plot, geometry_mask (pixels whose centre is inside), numpy sums.
exact:   the same windows, every pixel that the plot's edge may cross cut by GEOS.
Both weigh pixels by their geodesic area, a value for each row of the raster.
"""
import json
import math
import pathlib
import resource
import sys
import time

import numpy
import rasterio
import rasterio.features
import rasterio.windows
import shapely.geometry
import shapely.prepared

A, E2 = 6378137.0, 0.00669437999014132


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


def run(folder, cover, plots):
    start, before = time.perf_counter(), time.process_time()
    total = numpy.zeros(3)
    with rasterio.Env(GDAL_CACHEMAX=512):
        with rasterio.open(folder / "forest.tif") as forest, rasterio.open(folder / "losses.tif") as losses:
            hectares = row_hectares(forest)
            for geometry in plots:
                window = rasterio.features.geometry_window(forest, [geometry])
                trees = forest.read(1, window=window) >= 30
                years = losses.read(1, window=window)
                shares = cover(geometry, forest.window_transform(window), trees.shape)
                weights = shares * hectares[window.row_off : window.row_off + trees.shape[0], None]
                by_year = numpy.bincount(years.ravel(), weights.ravel(), 256)
                inside = numpy.bincount(years[trees], weights[trees], 256)
                total += weights[trees].sum(), by_year[1:].sum(), inside[1:].sum()
    elapsed = (time.perf_counter() - start) * 1000
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    cpu = (time.process_time() - before) * 1000
    return {"ms": elapsed, "cpuMs": cpu, "forest": total[0], "lost": total[1], "inside": total[2], "peakMb": peak}


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    cover = {"centres": centres, "exact": exact}[sys.argv[2]]
    plots = json.loads((folder / "plots.json").read_text())[: int(sys.argv[3])]
    for _ in sys.stdin:
        print(json.dumps(run(folder, cover, plots)), flush=True)
