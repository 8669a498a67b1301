"""Writes coverage.json, joint.json and neiba.json: shares of pixels inside polygons by GEOS, and areas by class under a real polygon.

coverage.json: polygons (rings of x, y) and, for the window of 16 x 16 pixels at 0, 0, the share of each pixel inside: every
               pixel cut with the polygon by GEOS.
neiba.json:    hectares of the polygon by class of two Hansen rasters: pixels cut by GEOS, each weighted by the exact
               area of a cell between two parallels on WGS84 (Snyder 1987, equation 3-12).
               Under "joint": hectares by loss year where tree cover is 30 % or more.
joint.json:    multi-polygons with holes in degrees over made-up rasters of losses and, on a grid of thirds of its pixels, of forest:
               hectares of forest, by class of loss, and by class of loss inside forest, cut and weighed in the same way.
Run: /usr/bin/python3 zonal.py FOLDER_OF_RASTERS   (python3-shapely, python3-rasterio, gdal's ogr2ogr)
"""
import json
import math
import pathlib
import random
import subprocess
import sys

import numpy
import rasterio
import shapely
import shapely.geometry

HERE = pathlib.Path(__file__).parent
RANDOM = random.Random(8)
E2 = 0.00669437999014132
A = 6378137.0


def star(points, radius):
    places = []
    for i in range(points):
        angle = 2 * math.pi * i / points
        reach = RANDOM.uniform(0.05, radius)
        places.append((8 + reach * math.cos(angle), 8 + reach * math.sin(angle)))
    return places


def shares(polygon):
    return [
        polygon.intersection(shapely.geometry.box(x, y, x + 1, y + 1)).area for y in range(16) for x in range(16)
    ]


def coverage():
    cases = []
    while len(cases) < 40:
        outer = star(RANDOM.choice([3, 4, 7, 20, 80]), RANDOM.choice([0.4, 3, 7.9, 12]))
        rings = [outer]
        if RANDOM.random() < 0.5:
            rings.append([(8 + (x - 8) / 3, 8 + (y - 8) / 3) for x, y in outer])
        polygon = shapely.geometry.Polygon(rings[0], rings[1:])
        if not polygon.is_valid:
            continue
        cases.append({"rings": [list(r.coords) for r in (polygon.exterior, *polygon.interiors)], "shares": shares(polygon)})
    return cases


def q(lat):
    e, s = math.sqrt(E2), math.sin(math.radians(lat))
    return (1 - E2) * (s / (1 - E2 * s * s) - math.log((1 - e * s) / (1 + e * s)) / (2 * e))


def by_class(path, polygon):
    with rasterio.open(path) as raster:
        values = raster.read(1)
        t = raster.transform
        sums, outside = {}, polygon.area
        for row in range(raster.height):
            top, bottom = t.f + row * t.e, t.f + (row + 1) * t.e
            cell = A * A / 2 * math.radians(t.a) * abs(q(top) - q(bottom))
            for column in range(raster.width):
                left = t.c + column * t.a
                part = polygon.intersection(shapely.geometry.box(left, bottom, left + t.a, top)).area
                outside -= part
                if part > 0:
                    value = int(values[row, column])
                    sums[value] = sums.get(value, 0) + part / (t.a * -t.e) * cell / 10_000
        return {"hectares": sums, "share_outside_raster": outside / polygon.area}


def pixel_hectares(polygon, origin, size, side):
    """Hectares of each of side x side pixels inside a polygon, row by row."""
    west, north = origin
    for row in range(side):
        top, bottom = north - row * size, north - (row + 1) * size
        cell = A * A / 2 * math.radians(size) * abs(q(top) - q(bottom)) / 10_000
        for column in range(side):
            left = west + column * size
            part = polygon.intersection(shapely.geometry.box(left, bottom, left + size, top)).area
            yield row, column, part / (size * size) * cell


def joint():
    cases = []
    size, side = 0.00025, 12
    while len(cases) < 16:
        west, north = RANDOM.uniform(-170, 170), RANDOM.uniform(-60, 75)
        parts = []
        for middle in (3.5, 8.5):
            outer = [(x - 8, y - 8) for x, y in star(RANDOM.choice([4, 9, 30]), RANDOM.choice([0.3, 2.4]))]
            place = lambda x, y: (west + (middle + x) * size, north - (middle + y) * size)
            rings = [[place(x, y) for x, y in outer]]
            if RANDOM.random() < 0.6:
                rings.append([place(x / 3, y / 3) for x, y in outer])
            parts.append(shapely.geometry.Polygon(rings[0], rings[1:]))
        polygon = shapely.geometry.MultiPolygon(parts)
        if not polygon.is_valid:
            continue
        losses = [[RANDOM.choice([0, 0, 0, 1, 2, 3]) for _ in range(side)] for _ in range(side)]
        forest = [[RANDOM.choice([0, 1, 1, 255]) for _ in range(3 * side)] for _ in range(3 * side)]
        lost, inside, trees, known = [0] * 4, [0] * 4, 0, 0
        for row, column, hectares in pixel_hectares(polygon, (west, north), size, side):
            lost[losses[row][column]] += hectares
        for row, column, hectares in pixel_hectares(polygon, (west, north), size / 3, 3 * side):
            known += hectares * (forest[row][column] != 255)
            if forest[row][column] == 1:
                trees += hectares
                inside[losses[row // 3][column // 3]] += hectares
        rings = [[list(r.coords) for r in (p.exterior, *p.interiors)] for p in parts]
        wanted = {"forest": trees, "known": known, "lost": lost, "inside": inside}
        cases.append({"polygons": rings, "origin": [west, north], "losses": losses, "forest": forest, "wanted": wanted})
    return cases


def neiba_joint(folder, polygon):
    with rasterio.open(next(folder.glob("*lossyear*.tif"))) as raster:
        years, t = raster.read(1), raster.transform
    with rasterio.open(next(folder.glob("*treecover2000*.tif"))) as raster:
        trees = raster.read(1)
    sums = {}
    for row in range(years.shape[0]):
        top, bottom = t.f + row * t.e, t.f + (row + 1) * t.e
        cell = A * A / 2 * math.radians(t.a) * abs(q(top) - q(bottom))
        for column in range(years.shape[1]):
            if not 30 <= trees[row, column] <= 100:
                continue
            left = t.c + column * t.a
            part = polygon.intersection(shapely.geometry.box(left, bottom, left + t.a, top)).area
            value = int(years[row, column])
            if part > 0:
                sums[value] = sums.get(value, 0) + part / (t.a * -t.e) * cell / 10_000
    return {"hectares": sums}


def neiba(folder):
    text = subprocess.check_output(
        ["ogr2ogr", "-f", "GeoJSON", "/vsistdout/", str(folder / "sierra_de_neiba_478140.gpkg")]
    )
    polygon = shapely.geometry.shape(json.loads(text)["features"][0]["geometry"])
    tables = {kind: by_class(next(folder.glob(f"*{kind}*.tif")), polygon) for kind in ("lossyear", "treecover2000")}
    return {**tables, "joint": neiba_joint(folder, polygon)}


if __name__ == "__main__":
    (HERE / "coverage.json").write_text(json.dumps(coverage()))
    (HERE / "joint.json").write_text(json.dumps(joint()))
    (HERE / "neiba.json").write_text(json.dumps(neiba(pathlib.Path(sys.argv[1]))))
