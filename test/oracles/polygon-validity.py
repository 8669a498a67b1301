"""What GEOS (by shapely) says of random polygons: validity, its reason, and which of four points each valid one contains.

Run with a Python that has shapely: /usr/bin/python3 test/oracles/polygon-validity.py > test/oracles/polygon-validity.json
Small grids make touching, overlapping and collinear edges common. Numbers are short binary fractions, so that the
JSON holds exactly what GEOS saw.
"""

import json
import math
import random
import sys
import warnings

import shapely
from shapely.geometry import Point, Polygon
from shapely.validation import explain_validity

warnings.filterwarnings("ignore")
rng = random.Random(20240229)


def grid_ring(size, count):
    return [[rng.randrange(size), rng.randrange(size)] for _ in range(count)]


def star_ring(cx, cy, radius, count, wobble):
    angles = sorted(rng.uniform(0, 2 * math.pi) for _ in range(count))
    ring = []
    for angle in angles:
        r = radius * rng.uniform(1 - wobble, 1)
        ring.append([round((cx + r * math.cos(angle)) * 1024) / 1024, round((cy + r * math.sin(angle)) * 1024) / 1024])
    return ring


def rectangle(size):
    x, y = rng.randrange(size), rng.randrange(size)
    w, h = 1 + rng.randrange(size), 1 + rng.randrange(size)
    ring = [[x, y], [x + w, y], [x + w, y + h], [x, y + h]]
    return ring if rng.random() < 0.5 else ring[::-1]


def triangle(size):
    return grid_ring(size, 3)


def repeat_some(ring):
    return [p for p in ring for _ in range(2 if rng.random() < 0.05 else 1)]


def candidate(kind):
    if kind == "grid":
        return [grid_ring(rng.choice([4, 6, 12]), rng.randrange(3, 9))]
    if kind == "star":
        return [star_ring(0, 0, 10, rng.randrange(3, 40), rng.choice([0.1, 0.6, 0.95]))]
    if kind == "rectangles":
        return [[[0, 0], [8, 0], [8, 8], [0, 8]]] + [rectangle(5) for _ in range(rng.randrange(1, 5))]
    if kind == "triangles":
        return [[[0, 0], [6, 0], [6, 6], [0, 6]]] + [triangle(7) for _ in range(rng.randrange(1, 5))]
    if kind == "stars":
        holes = [star_ring(rng.uniform(-7, 7), rng.uniform(-7, 7), rng.uniform(0.5, 3), rng.randrange(3, 12), 0.4) for _ in range(rng.randrange(1, 6))]
        return [star_ring(0, 0, 12, 24, 0.2)] + holes
    comb = [[0, 0]]
    for i in range(rng.randrange(2, 12)):
        comb += [[2 * i + 1, rng.choice([4, 5, 6])], [2 * i + 2, rng.choice([0, 1, 2, 3, 4, 5])]]
    return [comb + [[comb[-1][0], -1], [0, -1]]]


rows = []
for kind, count in [("grid", 900), ("star", 400), ("rectangles", 700), ("triangles", 700), ("stars", 300), ("comb", 200)]:
    for _ in range(count):
        rings = [repeat_some(ring) for ring in candidate(kind)]
        rings = [ring + [ring[0]] for ring in rings]
        polygon = Polygon(rings[0], rings[1:])
        reason = explain_validity(polygon)
        row = {"rings": rings, "valid": polygon.is_valid, "reason": reason.split("[")[0]}
        if row["valid"]:
            west, south, east, north = polygon.bounds
            points = [[west + (east - west) * i / 8, south + (north - south) * j / 8] for i, j in [(3, 4), (5, 2), (4, 4), (1, 6)]]
            row["points"] = [[x, y, polygon.contains(Point(x, y))] for x, y in points]
        rows.append(row)

json.dump({"shapely": shapely.__version__, "seed": 20240229, "polygons": rows}, sys.stdout, separators=(",", ":"))
