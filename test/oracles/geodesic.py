"""Writes geodesic.json: distances on WGS84 by PROJ's geodesic routines (pyproj), to be compared with src/geo.

points:   lon, lat, lon, lat, metres
segments: lon, lat of a point; the ends of a segment that is straight in longitude and latitude; metres to the nearest point of it,
          found by walking along the segment in ever finer steps.
Run: python3 geodesic.py > geodesic.json
"""
import json
import random

import numpy
import pyproj

GEOD = pyproj.Geod(ellps="WGS84")
RANDOM = random.Random(20)


def distance(lon, lat, lons, lats):
    n = len(lons)
    return GEOD.inv([lon] * n, [lat] * n, list(lons), list(lats))[2]


def to_segment(lon, lat, a, b):
    low, high = 0.0, 1.0
    for _ in range(8):
        t = numpy.linspace(low, high, 401)
        d = numpy.array(distance(lon, lat, a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])))
        at = int(d.argmin())
        low, high = t[max(0, at - 1)], t[min(400, at + 1)]
    return float(d.min())


def points():
    for _ in range(150):
        yield RANDOM.uniform(-180, 180), RANDOM.uniform(-90, 90), RANDOM.uniform(-180, 180), RANDOM.uniform(-90, 90)
    for _ in range(100):
        lon, lat = RANDOM.uniform(-180, 180), RANDOM.uniform(-89, 89)
        yield lon, lat, lon + RANDOM.uniform(-0.5, 0.5), max(-90, min(90, lat + RANDOM.uniform(-0.5, 0.5)))
    yield 0, 0, 179.9, 0.1
    yield 0, 0, 180, 0
    yield 0, 90, 77, -90
    yield -179.99, -16.5, 179.99, -16.5
    yield 5, 5, 5, 5


def segments():
    for reach in (0.01, 0.1, 0.4):
        for _ in range(60):
            lat = RANDOM.choice([RANDOM.uniform(-60, 60), RANDOM.uniform(-83.5, 83.5)])
            lon = RANDOM.choice([RANDOM.uniform(-180, 180), 179.95, -179.97])
            size = RANDOM.choice([0.001, 0.05, 0.24, 3.0])
            wide = 1 / max(0.1, numpy.cos(numpy.radians(lat)))
            a = lon + RANDOM.uniform(-reach, reach) * wide, lat + RANDOM.uniform(-reach, reach)
            b = a[0] + RANDOM.uniform(-size, size), a[1] + RANDOM.uniform(-size, size)
            yield lon, lat, a, (b[0], max(-90, min(90, b[1])))
    for lat in (84.5, 87, 89.6, 89.99, 90, -86, -90):
        for _ in range(5):
            a = RANDOM.uniform(-180, 180), max(-90, min(90, lat + RANDOM.uniform(-0.3, 0.3)))
            b = a[0] + RANDOM.uniform(-20, 20), max(-90, min(90, lat + RANDOM.uniform(-0.3, 0.3)))
            yield RANDOM.uniform(-180, 180), lat, a, b
    yield 10, -84.9, (-180, -85), (180, -85)
    yield 0.2, 51.3, (-20, 51), (30, 51)


def main():
    rows = [[*p, distance(p[0], p[1], [p[2]], [p[3]])[0]] for p in points()]
    lines = [[lon, lat, *a, *b, to_segment(lon, lat, a, b)] for lon, lat, a, b in segments()]
    about = f"pyproj {pyproj.__version__}, PROJ {pyproj.proj_version_str}"
    print(json.dumps({"about": about, "points": rows, "segments": lines}))


main()
